"""What a senior sees of a dispute: a row for each text, a column for each proposal, the reasons."""

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from annotation.diffs import Segment, diff
from annotation.items.text_rows import TextRow, label_of, text_in
from projects.criteria import Criterion
from review.disputes.labels import ReasonText, reason_text
from review.disputes.queries import decisions_on, earlier_panels
from review.enums import DecisionKind, ErrorTag, Outcome, RoundKind, Verdict
from review.figures.labels import short_label
from review.models import Adjudication, Judgement, Panel
from review.outcomes import FURTHER, Correction
from review.workbench.presenters import panel_rows

MOST_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Vote:
    """What one reviewer said beside their text, without a name; `ratings` pairs label and number."""

    verdict: str
    ratings: Sequence[tuple[str, int]]
    tags: Sequence[str]
    comment: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One text of a proposal; `diff` is what it changes, empty where it changes nothing.

    `same_as` is the number of the first proposal with this text, 0 where that is this one.
    """

    number: int
    text: str
    diff: Sequence[Segment]
    same_as: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """A corrected text and the votes of all who gave it; `judgement` is the id of the first."""

    number: int
    judgement: int
    votes: Sequence[Vote]


@dataclass(frozen=True, slots=True)
class MatrixRow:
    text: TextRow
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Matrix:
    """The texts row by row; `votes` are approvals and rejections, which have no text of their own."""

    rows: Sequence[MatrixRow]
    proposals: Sequence[Proposal]
    votes: Sequence[Vote]
    judged: int

    @property
    def approvals(self) -> int:
        return sum(vote.verdict == Verdict.APPROVE for vote in self.votes)

    @property
    def is_wide(self) -> bool:
        """Whether so many columns stand here that nothing fits beside them."""
        return len(self.proposals) > 2


@dataclass(frozen=True, slots=True)
class PastAdjudication:
    """A senior's decision; `withdrawn` is the reason why it was taken back, None if it stands."""

    decision: str
    reason: str
    withdrawn: str | None


@dataclass(frozen=True, slots=True)
class PastRound:
    number: int
    outcome: str
    adjudications: Sequence[PastAdjudication]


def text_rows(
    panel: Panel,
    typed: Mapping[str, str] | None = None,
    judgements: Iterable[Judgement] = (),
) -> list[TextRow]:
    """The rows of the current text and of what is proposed beside it, with what the senior typed."""
    rows = panel_rows(panel)
    rows += _proposed_rows(panel, {row.field for row in rows}, judgements)
    return [replace(row, edited_text=(typed or {}).get(row.input_name)) for row in rows]


def matrix(
    panel: Panel, judgements: Sequence[Judgement], typed: Mapping[str, str] | None = None
) -> Matrix:
    """The proposals of a dispute side by side, in an order that does not tell who came first.

    Identical corrections are one proposal.
    """
    rows = text_rows(panel, typed, judgements)
    criteria = panel.round.project.criteria
    proposals: dict[Correction, list[Judgement]] = {}
    others = []
    for judgement in shuffled(panel, judgements):
        if judgement.correction is None:
            others.append(judgement)
        else:
            proposals.setdefault(Correction.from_json(judgement.correction), []).append(judgement)
    texts = [dict(correction.texts()) for correction in proposals]
    return Matrix(
        rows=[
            _row(row, [] if row.is_fixed else [text.get(row.field, "") for text in texts])
            for row in rows
        ],
        proposals=[
            Proposal(number, group[0].pk, [_vote(each, criteria) for each in group])
            for number, group in enumerate(proposals.values(), start=1)
        ],
        votes=[_vote(judgement, criteria) for judgement in others],
        judged=len(judgements),
    )


def askable(panel: Panel, judgements: Sequence[Judgement]) -> list[tuple[int, str]]:
    """Each judgement with words that tell it from the others, to ask its reviewer; never a name."""
    found = []
    texts: list[Correction] = []
    criteria = panel.round.project.criteria
    for judgement in shuffled(panel, judgements):
        words = [str(Verdict(judgement.verdict).label)]
        if judgement.correction is not None:
            text = Correction.from_json(judgement.correction)
            texts += [] if text in texts else [text]
            words = [_("Proposal %(number)s") % {"number": texts.index(text) + 1}]
        words += [f"{short_label(each)} {judgement.ratings[each.name]}" for each in criteria]
        words += [f"“{judgement.comment[:60]}”"] if judgement.comment else []
        found.append((judgement.pk, " · ".join(words)))
    return found


def shuffled(panel: Panel, judgements: Iterable[Judgement]) -> list[Judgement]:
    """The judgements in an order that is random but the same each time the dispute is read."""
    found = sorted(judgements, key=lambda judgement: judgement.pk)
    random.Random(panel.pk).shuffle(found)  # hides who came first, no secret
    return found


def reasons(panel: Panel) -> list[ReasonText]:
    return [reason_text(reason, panel.round.project.criteria) for reason in panel.reasons]


def history(panel: Panel) -> list[PastRound]:
    """The latest rounds of the item before this one, and this one where it was decided before.

    Rounds that compared texts or solved the items are told only where a senior decided something.
    """
    panels = [*earlier_panels(panel), panel]
    adjudications: dict[int, list[PastAdjudication]] = {each.pk: [] for each in panels}
    for decision in decisions_on(panels):
        adjudications[decision.panel_id].append(_past_adjudication(decision))
    return [
        PastRound(each.round.number, _outcome_label(each), adjudications[each.pk])
        for each in panels
        if adjudications[each.pk] or (each != panel and each.round.kind == RoundKind.REVIEW)
    ][-MOST_ROUNDS:]


def _outcome_label(panel: Panel) -> str:
    return str(Outcome(panel.outcome).label) if panel.outcome else _("no outcome")


def _past_adjudication(decision: Adjudication) -> PastAdjudication:
    reopening = getattr(decision, "reopening", None)
    return PastAdjudication(
        decision=str(DecisionKind(decision.decision).label),
        reason=decision.reason,
        withdrawn=reopening.reason if reopening else None,
    )


def _proposed_rows(
    panel: Panel, there: Collection[str], judgements: Iterable[Judgement]
) -> list[TextRow]:
    """Rows of an answer or explanation that only a proposal has; the current text has none."""
    given = {name for each in judgements for name in each.correction or {}}
    return [
        TextRow(label_of(name), name, text_in(panel.item, name), "", is_key=False, findings=())
        for name in FURTHER
        if name in given and name not in there
    ]


def _row(row: TextRow, texts: Sequence[str]) -> MatrixRow:
    cells = [_cell(row, texts, index) for index in range(len(texts))]
    return MatrixRow(row, cells)


def _cell(row: TextRow, texts: Sequence[str], index: int) -> Cell:
    text, first = texts[index], texts.index(texts[index])
    changes = diff(row.target_text, text) if text != row.target_text else ()
    return Cell(index + 1, text, changes, same_as=first + 1 if changes and first < index else 0)


def _vote(judgement: Judgement, criteria: Sequence[Criterion]) -> Vote:
    return Vote(
        verdict=judgement.verdict,
        ratings=[(short_label(each), judgement.ratings[each.name]) for each in criteria],
        tags=[str(ErrorTag(tag).label) for tag in judgement.tags],
        comment=judgement.comment,
    )
