"""Scores responses with several scorers and counts the outcomes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from scoring.metrics import (
    OUTCOMES,
    EpochSummary,
    Outcome,
    Repeats,
    Summary,
    Tally,
    outcome_of,
    summarise,
    summarise_epochs,
)
from scoring.scorers import exact, numeric
from scoring.scorers.base import AskedItem, Extraction, Reading, Scorer, read_response
from scoring.scorers.letters import LettersSeen, OptionLetters


class ScoredExtraction(NamedTuple):
    """One scorer's extraction from a response, compared with the key."""

    method: str
    extraction: Extraction
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class MethodMetrics:
    """All metrics of one scorer, in the version that scored the responses.

    `epochs` summarises the accuracy of each epoch over all items.
    """

    scorer: Scorer
    version: str
    summary: Summary
    epochs: EpochSummary


def score_response(
    response: str,
    *,
    key: str,
    asked: AskedItem,
    scorers: Sequence[Scorer],
    is_published: bool = False,
) -> tuple[ScoredExtraction, ...]:
    """Return each scorer's extraction and outcome, stripping and scanning the response once."""
    reading = read_response(response, asked, is_published=is_published)
    return score_reading(reading, key=key, scorers=scorers)


def score_reading(
    reading: Reading, *, key: str, scorers: Sequence[Scorer]
) -> tuple[ScoredExtraction, ...]:
    return tuple(_score(scorer, scorer.extract(reading), key) for scorer in scorers)


def look_only_at_letters(scorers: Sequence[Scorer], asked: AskedItem) -> bool:
    """Return whether the scores depend on nothing but the letters in a response."""
    return not asked.question and all(scorer.reads_letters for scorer in scorers)


@lru_cache(maxsize=1 << 14)
def score_letters(
    seen: LettersSeen, letters: OptionLetters, key: str, scorers: tuple[Scorer, ...]
) -> tuple[ScoredExtraction, ...]:
    """Return the scores of any response with these letters, if `look_only_at_letters`.

    Most responses contain few letters, so most have been scored before.
    """
    return score_reading(Reading(AskedItem(letters), "", *seen), key=key, scorers=scorers)


def _score(scorer: Scorer, extraction: Extraction, key: str) -> ScoredExtraction:
    if scorer.key_kind == "number":
        is_correct = extraction.is_valid and numeric.is_key(extraction.number, key)
    elif scorer.key_kind == "text":
        is_correct = exact.is_key(extraction.letter, key)
    else:
        is_correct = extraction.letter == key
    return ScoredExtraction(scorer.name, extraction, outcome_of(extraction, is_correct=is_correct))


class ScoreCounter:
    """Counts outcomes by method, subject and epoch, in memory that does not grow with responses."""

    def __init__(self) -> None:
        self.outcomes: Counter[tuple[str, str, int, Outcome]] = Counter()
        self.option_totals: Counter[int] = Counter()

    def add(
        self,
        subject: str,
        epoch: int,
        option_count: int,
        scored: Sequence[ScoredExtraction],
        *,
        responses: int = 1,
    ) -> None:
        """Count responses that all have the same scores."""
        self.option_totals[option_count] += responses
        for score in scored:
            self.outcomes[score.method, subject, epoch, score.outcome] += responses

    def merge(self, other: "ScoreCounter") -> None:
        """Add the counts of another counter."""
        self.outcomes.update(other.outcomes)
        self.option_totals.update(other.option_totals)

    @property
    def response_count(self) -> int:
        return self.option_totals.total()

    @property
    def option_counts(self) -> Mapping[int, int]:
        """Option count → number of responses to items with that many options."""
        return dict(sorted(self.option_totals.items()))

    def by_subject(self, method: str) -> dict[str, Tally]:
        counts: dict[str, Counter[Outcome]] = {}
        for (name, subject, _, outcome), count in self.outcomes.items():
            if name == method:
                counts.setdefault(subject, Counter())[outcome] += count
        return {subject: _tally(counts[subject]) for subject in sorted(counts)}

    def by_epoch(self, method: str) -> dict[int, Tally]:
        counts: dict[int, Counter[Outcome]] = {}
        for (name, _, epoch, outcome), count in self.outcomes.items():
            if name == method:
                counts.setdefault(epoch, Counter())[outcome] += count
        return {epoch: _tally(counts[epoch]) for epoch in sorted(counts)}

    def metrics(
        self,
        scorer: Scorer,
        categories: Mapping[str, str] | None,
        *,
        repeats: Mapping[str, Repeats] | None = None,
    ) -> MethodMetrics:
        """Raises CategoryMismatchError as `summarise` does, and ValueError without responses."""
        accuracies = [tally.rates.accuracy for tally in self.by_epoch(scorer.name).values()]
        return MethodMetrics(
            scorer=scorer,
            version=scorer.version,
            summary=summarise(self.by_subject(scorer.name), categories, repeats=repeats),
            epochs=summarise_epochs(accuracies),
        )


def _tally(counts: Mapping[Outcome, int]) -> Tally:
    return Tally(*(counts.get(outcome, 0) for outcome in OUTCOMES))
