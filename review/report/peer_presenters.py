"""Figures of reviewers made ready for their pages: matrix of pairs, questions, common items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from projects.criteria import Criteria, criterion_of, names_of
from review.enums import Outcome, Verdict
from review.guidelines.labels import criterion_label
from review.report.peer_queries import PairRow, Person, ReviewerRow, ReviewerTables

FASTER, SLOWER = 3.0, 3.0
"""So many times quicker or slower than the others is worth a question."""
STRICTER = 0.75
"""A severity whose whole interval is as far from 0 as this is worth a question."""
LEAST_ASKED = 30
"""Nobody is asked about fewer judgements."""


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """Two people's agreement in per cent over `items`; empty where they share no item."""

    text: str
    items: int
    url: str
    tone: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    name: str
    cells: tuple[MatrixCell | None, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """Something about one person that a manager might ask about, and where to pause them."""

    person: Person
    text: str
    member_url: str


@dataclass(frozen=True, slots=True)
class CommonItem:
    """One item that both judged."""

    uid: str
    item_url: str
    subject: str
    round: int
    outcome: str
    verdicts: tuple[str, str]
    ratings: tuple[str, str]
    is_same: bool


def pair_matrix(slug: str, tables: ReviewerTables) -> list[MatrixRow]:
    """One row and one column for each reviewer, by name; None on the diagonal."""
    people = sorted((row.person for row in tables.reviewers), key=lambda p: (p.name, p.pk))
    pairs: dict[frozenset[int], PairRow] = {
        frozenset((row.first.pk, row.second.pk)): row for row in tables.pairs
    }
    return [
        MatrixRow(
            row.name,
            tuple(
                None if row.pk == other.pk else _matrix_cell(slug, pairs, row, other)
                for other in people
            ),
        )
        for row in people
    ]


def questions_about(slug: str, tables: ReviewerTables) -> list[Question]:
    """What stands out, as questions: speed and ratings, of people with enough judgements only."""
    return [
        Question(person=row.person, text=text, member_url=_member_url(slug, row.person))
        for row in tables.reviewers
        if row.figures.judgements >= LEAST_ASKED
        for text in [*_speed(row), *_severity(row, tables.rated)]
    ]


def common_item(slug: str, panel: Any) -> CommonItem:
    """A panel of `common_panels` for its page."""
    verdicts = (panel.first_verdict, panel.second_verdict)
    names = names_of(panel.round.project.criteria)
    return CommonItem(
        uid=panel.item.uid,
        item_url=reverse("annotation:item", args=[slug, panel.item_id]),
        subject=panel.item.subject.name,
        round=panel.round.number,
        outcome=str(Outcome(panel.outcome).label) if panel.outcome else _("no outcome"),
        verdicts=(str(Verdict(verdicts[0]).label), str(Verdict(verdicts[1]).label)),
        ratings=(_ratings(panel.first_ratings, names), _ratings(panel.second_ratings, names)),
        is_same=verdicts[0] == verdicts[1],
    )


def _matrix_cell(
    slug: str, pairs: Mapping[frozenset[int], PairRow], row: Person, other: Person
) -> MatrixCell:
    pair = pairs.get(frozenset((row.pk, other.pk)))
    if pair is None:
        return MatrixCell("", 0, "", "")
    value = pair.figures.agreement.value
    return MatrixCell(
        text=_("few") if value is None else f"{value * 100:.0f} %",
        items=pair.figures.items,
        url=reverse("review:pair", args=[slug, row.pk, other.pk]),
        tone="" if value is None else str(min(4, int(value * 5))),
    )


def _speed(row: ReviewerRow) -> list[str]:
    mine, others = row.figures.median_seconds, row.figures.others_median_seconds
    if not mine or not others:
        return []
    seconds = {"mine": f"{mine:.0f}", "others": f"{others:.0f}"}
    if mine * FASTER <= others:
        words = _(
            "Faster than others: median %(mine)s s against %(others)s s. Do they read everything?"
        )
        return [words % seconds]
    if mine >= others * SLOWER:
        words = _("Slower than others: median %(mine)s s against %(others)s s. What takes so long?")
        return [words % seconds]
    return []


def _severity(row: ReviewerRow, rated: Criteria) -> list[str]:
    found = []
    for name, estimate in row.figures.severity.items():
        if estimate.value is None or estimate.low is None or estimate.high is None:
            continue
        values = {
            "criterion": criterion_label(criterion_of(rated, name)),
            "points": f"{abs(estimate.value):.1f}",
        }
        if estimate.high <= -STRICTER:
            words = _(
                "Rates %(criterion)s %(points)s points lower than others. Do they read the "
                "guideline differently?"
            )
            found.append(words % values)
        elif estimate.low >= STRICTER:
            words = _(
                "Rates %(criterion)s %(points)s points higher than others. Do they read the "
                "guideline differently?"
            )
            found.append(words % values)
    return found


def _member_url(slug: str, person: Person) -> str:
    if person.membership is None:
        return ""
    return reverse("projects:member", args=[slug, person.membership])


def _ratings(ratings: Mapping[str, int], names: Sequence[str]) -> str:
    return " · ".join(str(ratings[name]) for name in names)
