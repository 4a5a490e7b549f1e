"""What the judgements of a panel amount to, and the tally that every figure is made from.

The outcome depends on the set of judgements only, never on their order:

| winner                    | outcome                                                       |
|---------------------------|---------------------------------------------------------------|
| approve (rule met)        | approved, unless ratings are far apart, a tag challenges the  |
|                           | item, or the text has open errors                             |
| revise (rule met)         | revised, unless the corrections differ, or a tag names a      |
|                           | fault that correcting the text cannot fix                     |
| reject by all             | rejected                                                      |
| anything else             | disputed                                                      |

"Rule met" is all (unanimous) or more than half (majority). A rejection takes an item out of the
benchmark, so it needs all judgements under either rule. Ratings are about the text as it was: once
everyone agrees on one new text or on a rejection, a gap between the ratings changes nothing.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeVar, cast

from projects.criteria import DEFAULT_CRITERIA, Criterion

VerdictWord = Literal["approve", "revise", "reject"]
OutcomeWord = Literal["approved", "revised", "rejected", "disputed"]
RuleWord = Literal["unanimous", "majority"]

LETTERS: Mapping[VerdictWord, str] = {"approve": "A", "revise": "E", "reject": "R"}
VERDICTS: tuple[VerdictWord, ...] = ("approve", "revise", "reject")
KEY_TAG = "wrong_key"
INCURABLE_TAG = "duplicate"
FLAG_TAGS = frozenset({"not_answerable", INCURABLE_TAG})
OPEN_ERRORS = "open_errors"
FIRST = " < "
FURTHER = ("answer", "explanation")
C = TypeVar("C", bound="Correction")

_WORDS = {letter: verdict for verdict, letter in LETTERS.items()}
_TOKEN = re.compile(r"([AER])([0-9]+)")


class ReasonCode(StrEnum):
    """Why a panel is in dispute; the order is the order in which reasons are listed."""

    VERDICT_SPLIT = "verdict_split"
    SCORE_GAP = "score_gap"
    DIFFERENT_CORRECTIONS = "different_corrections"
    KEY_CHALLENGED = "key_challenged"
    FLAGGED = "flagged"
    EXPERTS_DISAGREE = "experts_disagree"


@dataclass(frozen=True, slots=True)
class Correction:
    """A reviewer's text of the question and of each option, in the order of the item.

    `answer` and `explanation` are None where the text has none. In what somebody sends, None says
    that it stays as it is: `in_full` puts the text of the revision there.
    """

    question: str
    options: tuple[str, ...]
    answer: str | None = None
    explanation: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Give what a judgement stores: {"question": text, "options": [text, …]} and the rest."""
        stored: dict[str, Any] = {"question": self.question, "options": list(self.options)}
        return stored | {name: text for name, text in self.further() if text}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        further = (stored.get(name) for name in FURTHER)
        return cls(stored["question"], tuple(stored["options"]), *further)

    @classmethod
    def of(cls, text: "WholeText") -> Self:
        """The text of a revision."""
        further = (text.answer or None, text.explanation or None)
        return cls(text.question, tuple(text.options), *further)

    def further(self) -> list[tuple[str, str]]:
        """(field, text) of the answer and the explanation, '' where there is none."""
        return [(name, getattr(self, name) or "") for name in FURTHER]

    def texts(self) -> list[tuple[str, str]]:
        """(field, text) of the question, each option, the answer and the explanation."""
        options = [(f"options.{index}", text) for index, text in enumerate(self.options)]
        return [("question", self.question), *options, *self.further()]

    def in_full(self, before: "WholeText") -> Self:
        """The text with what it leaves as it is in `before`, normalised."""
        answer = before.answer if self.answer is None else self.answer
        explanation = before.explanation if self.explanation is None else self.explanation
        return normalise_correction(replace(self, answer=answer, explanation=explanation))


class WholeText(Protocol):
    """A revision, as far as a correction is compared with it."""

    @property
    def question(self) -> str: ...
    @property
    def options(self) -> Sequence[str]: ...
    @property
    def answer(self) -> str | None: ...
    @property
    def explanation(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class PanelJudgement:
    """The part of a judgement that counts towards the outcome.

    `ratings` holds one number for each of `criteria`. A correction comes with *revise*, and only
    with it. Raises ValueError for an unknown verdict, a rating that is missing or off the scale,
    or a misplaced correction.
    """

    verdict: VerdictWord
    ratings: Mapping[str, int]
    tags: frozenset[str] = frozenset()
    correction: Correction | None = None
    criteria: Sequence[Criterion] = DEFAULT_CRITERIA

    def __post_init__(self) -> None:
        tally_token(self.verdict, self.ratings, self.criteria)
        if (self.verdict == "revise") != (self.correction is not None):
            raise ValueError("a correction comes with the verdict revise, and only with it")


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason for a dispute with its data.

    `criterion`, `low`, `high` belong to a score gap; `fields` to different corrections
    ("question", "options.0", …); `causes` to a flag (error tags, or "open_errors").
    """

    code: ReasonCode
    criterion: str | None = None
    low: int | None = None
    high: int | None = None
    fields: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Give {code, …} with the data of this reason only."""
        data: dict[str, Any] = {"code": self.code.value}
        if self.criterion is not None:
            data |= {"criterion": self.criterion, "low": self.low, "high": self.high}
        if self.fields:
            data["fields"] = list(self.fields)
        if self.causes:
            data["causes"] = list(self.causes)
        return data


@dataclass(frozen=True, slots=True)
class Decision:
    """An outcome (None while seats are open), why it is disputed, and the agreed new text.

    `reasons` is empty unless disputed; `correction` is set exactly when revised, in NFC without
    outer blanks.
    """

    outcome: OutcomeWord | None
    reasons: tuple[Reason, ...] = ()
    correction: Correction | None = None


class TallyEntry(NamedTuple):
    """One judgement of a tally; `ratings` are in the order of the criteria."""

    verdict: VerdictWord
    ratings: tuple[int, ...]


def decide(
    judgements: Sequence[PanelJudgement],
    *,
    panel_size: int,
    verdict_rule: RuleWord,
    score_gap: int,
    has_open_errors: bool,
) -> Decision:
    """Give the outcome of a panel; more judgements than seats (a further seat) all count.

    `score_gap` is the difference between the highest and the lowest rating of one criterion
    from which an approval is disputed. A dispute names all reasons that hold, in fixed order.
    Raises ValueError when `panel_size` or `score_gap` is below 1.
    """
    if panel_size < 1 or score_gap < 1:
        raise ValueError("panel_size and score_gap start at 1")
    if len(judgements) < panel_size:
        return Decision(None)
    winner = _winner(judgements, verdict_rule)
    if winner == "reject":
        return Decision("rejected")
    reasons = _reasons(judgements, winner, score_gap, has_open_errors=has_open_errors)
    if winner is None or any(_is_blocking(reason, winner) for reason in reasons):
        return Decision("disputed", reasons)
    if winner == "approve":
        return Decision("approved")
    return Decision("revised", correction=_corrections(judgements)[0])


def normalise_correction(correction: C) -> C:
    """Give the text by which corrections are compared: NFC, without outer white space."""
    return replace(
        correction,
        question=_normalise(correction.question),
        options=tuple(_normalise(text) for text in correction.options),
        **{name: _normalise(text) or None for name, text in correction.further()},
    )


def tally_token(
    verdict: str, ratings: Mapping[str, int], criteria: Sequence[Criterion] = DEFAULT_CRITERIA
) -> str:
    """Write one judgement as its verdict's letter and a digit for each criterion, e.g. A45.

    Raises ValueError for an unknown verdict, or a rating that is missing or off the scale.
    """
    if verdict not in LETTERS:
        raise ValueError(f"unknown verdict {verdict!r}")
    for criterion in criteria:
        if ratings.get(criterion.name) not in criterion.scale:
            raise ValueError(f"the rating for {criterion.name} is missing or off the scale")
    digits = "".join(str(ratings[criterion.name]) for criterion in criteria)
    return LETTERS[cast("VerdictWord", verdict)] + digits


def make_tally(tokens: Iterable[str]) -> str:
    """Join tokens to the canonical tally of a panel: sorted, with blanks between them."""
    return " ".join(sorted(tokens))


def parse_tally(
    tally: str, criteria: Sequence[Criterion] = DEFAULT_CRITERIA
) -> tuple[TallyEntry, ...]:
    """Read the judgements in force of a tally by `criteria`; ValueError when it is not one.

    The empty tally has no judgements.
    """
    return tuple(_entry(token, criteria) for token in tokens_of(tally))


def tokens_of(tally: str) -> list[str]:
    """The tokens of the judgements in force."""
    return tally.partition(FIRST)[0].split()


def first_tally(tally: str) -> str:
    """The tally of the judgements that the panel was made for, given before anybody asked again.

    Agreement and ratings are measured on these: an answer to a senior's note is not independent,
    and further seats are only added where reviewers disagreed.
    """
    return tally.partition(FIRST)[2] or tally


def later_tally(tally: str, tokens: Iterable[str]) -> str:
    """The tally of a panel that was complete as `tally` and has the judgements `tokens` now.

    Both are kept, "A44 A55 E43 < A44 E43": what is in force, and the first judgements.
    """
    return make_tally(tokens) + FIRST + first_tally(tally)


def _winner(judgements: Sequence[PanelJudgement], rule: RuleWord) -> VerdictWord | None:
    counts = Counter(judgement.verdict for judgement in judgements)
    verdict, count = counts.most_common(1)[0]
    if count == len(judgements):
        return verdict
    is_enough = rule == "majority" and 2 * count > len(judgements)
    return verdict if is_enough and verdict != "reject" else None


def _reasons(
    judgements: Sequence[PanelJudgement],
    winner: VerdictWord | None,
    score_gap: int,
    *,
    has_open_errors: bool,
) -> tuple[Reason, ...]:
    tags = frozenset().union(*(judgement.tags for judgement in judgements))
    reasons = [Reason(ReasonCode.VERDICT_SPLIT)] if winner is None else []
    reasons += _score_gaps(judgements, score_gap)
    if fields := _differing_fields(_corrections(judgements)):
        reasons.append(Reason(ReasonCode.DIFFERENT_CORRECTIONS, fields=fields))
    if KEY_TAG in tags:
        reasons.append(Reason(ReasonCode.KEY_CHALLENGED))
    causes = sorted(tags & FLAG_TAGS)
    if winner == "approve" and has_open_errors:
        causes.append(OPEN_ERRORS)
    if causes:
        reasons.append(Reason(ReasonCode.FLAGGED, causes=tuple(causes)))
    return tuple(reasons)


def _is_blocking(reason: Reason, winner: VerdictWord) -> bool:
    if winner == "approve":
        return reason.code is not ReasonCode.DIFFERENT_CORRECTIONS
    if reason.code is ReasonCode.FLAGGED:
        return INCURABLE_TAG in reason.causes
    return reason.code is not ReasonCode.SCORE_GAP


def _score_gaps(judgements: Sequence[PanelJudgement], score_gap: int) -> list[Reason]:
    ratings = {
        criterion.name: [judgement.ratings[criterion.name] for judgement in judgements]
        for criterion in judgements[0].criteria
    }
    return [
        Reason(ReasonCode.SCORE_GAP, name, min(values), max(values))
        for name, values in ratings.items()
        if max(values) - min(values) >= score_gap
    ]


def _corrections(judgements: Sequence[PanelJudgement]) -> list[Correction]:
    return [
        normalise_correction(judgement.correction)
        for judgement in judgements
        if judgement.correction is not None
    ]


def _differing_fields(corrections: Sequence[Correction]) -> tuple[str, ...]:
    fields = ["question"] if len({each.question for each in corrections}) > 1 else []
    longest = max((len(each.options) for each in corrections), default=0)
    fields += [
        f"options.{index}"
        for index in range(longest)
        if len({each.options[index : index + 1] for each in corrections}) > 1
    ]
    further = zip(*(each.further() for each in corrections), strict=True)
    fields += [texts[0][0] for texts in further if len(set(texts)) > 1]
    return tuple(fields)


def _normalise(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def _entry(token: str, criteria: Sequence[Criterion]) -> TallyEntry:
    match = _TOKEN.fullmatch(token)
    ratings = tuple(map(int, match[2])) if match else ()
    is_complete = len(ratings) == len(criteria)
    is_on_scale = all(r in c.scale for r, c in zip(ratings, criteria, strict=False))
    if match is None or not (is_complete and is_on_scale):
        raise ValueError(f"{token!r} is not a judgement of a tally")
    return TallyEntry(_WORDS[match[1]], ratings)
