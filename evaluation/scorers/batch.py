"""Many responses through several scorers at once, counted as they pass."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.metrics import (
    OUTCOMES,
    EpochSummary,
    Outcome,
    Summary,
    Tally,
    outcome_of,
    summarise,
    summarise_epochs,
)
from evaluation.scorers import numeric
from evaluation.scorers.base import AskedItem, Extraction, Scorer, read_response


class ScoredExtraction(NamedTuple):
    """One scorer's extraction from one response, judged against the key."""

    method: str
    extraction: Extraction
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class MethodMetrics:
    """All metrics of one scorer in the version that read the answers.

    `epochs` is over the accuracies of the epochs, items pooled.
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
    excluded: Sequence[str] = (),
) -> tuple[ScoredExtraction, ...]:
    """Every scorer's extraction and outcome; the response is stripped and scanned only once."""
    reading = read_response(response, asked, excluded)
    return tuple(_score(scorer, scorer.extract(reading), key) for scorer in scorers)


def _score(scorer: Scorer, extraction: Extraction, key: str) -> ScoredExtraction:
    if scorer.key_kind == "number":
        is_correct = extraction.is_valid and extraction.number == numeric.parse_key(key)
    else:
        is_correct = extraction.letter == key
    return ScoredExtraction(scorer.name, extraction, outcome_of(extraction, is_correct=is_correct))


class ScoreCounter:
    """Counts outcomes per method, subject and epoch; memory grows with subjects, not responses."""

    def __init__(self) -> None:
        self._outcomes: Counter[tuple[str, str, int, Outcome]] = Counter()
        self._option_counts: Counter[int] = Counter()

    def add(
        self, subject: str, epoch: int, option_count: int, scored: Sequence[ScoredExtraction]
    ) -> None:
        self._option_counts[option_count] += 1
        for score in scored:
            self._outcomes[score.method, subject, epoch, score.outcome] += 1

    @property
    def response_count(self) -> int:
        return self._option_counts.total()

    @property
    def option_counts(self) -> Mapping[int, int]:
        """Option count → number of responses to items with so many options."""
        return dict(sorted(self._option_counts.items()))

    def by_subject(self, method: str) -> dict[str, Tally]:
        counts: dict[str, Counter[Outcome]] = {}
        for (name, subject, _, outcome), count in self._outcomes.items():
            if name == method:
                counts.setdefault(subject, Counter())[outcome] += count
        return {subject: _tally(counts[subject]) for subject in sorted(counts)}

    def by_epoch(self, method: str) -> dict[int, Tally]:
        counts: dict[int, Counter[Outcome]] = {}
        for (name, _, epoch, outcome), count in self._outcomes.items():
            if name == method:
                counts.setdefault(epoch, Counter())[outcome] += count
        return {epoch: _tally(counts[epoch]) for epoch in sorted(counts)}

    def metrics(self, scorer: Scorer, categories: Mapping[str, str] | None) -> MethodMetrics:
        """Raises CategoryMismatchError as `summarise`, ValueError before the first response."""
        accuracies = [tally.rates.accuracy for tally in self.by_epoch(scorer.name).values()]
        return MethodMetrics(
            scorer=scorer,
            version=scorer.version,
            summary=summarise(self.by_subject(scorer.name), categories),
            epochs=summarise_epochs(accuracies),
        )


def _tally(counts: Mapping[Outcome, int]) -> Tally:
    return Tally(*(counts.get(outcome, 0) for outcome in OUTCOMES))
