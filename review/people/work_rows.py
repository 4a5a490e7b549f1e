"""One's own work as the page shows it and as the API and the downloads give it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.diffs import Segment, diff
from annotation.items.text_rows import label_of
from annotation.models import Opinion
from common.downloads import csv_lines
from projects.criteria import DEFAULT_NAMES, names_of
from projects.models import Project
from review.enums import ErrorTag, Fate, FaultKind, RoundState, Verdict
from review.figures.labels import short_label
from review.models import Judgement
from review.outcomes import Correction
from review.people.work import accepted_text, own_text, reason_of

_BEFORE = ("id", "project", "round", "item", "submitted_at", "verdict")
_AFTER = (
    "tags",
    "comment",
    "correction",
    "outcome",
    "fate",
    "accepted",
    "reason",
    "active_seconds",
)
READ_AT_ONCE = 500
TONES: Mapping[str, str] = {
    Fate.KEPT: "good",
    Fate.EDITED: "info",
    Fate.OVERTURNED: "warn",
    Fate.DISPUTED: "outline",
    Fate.WAITING: "outline",
    Fate.UNDECIDED: "outline",
}


@dataclass(frozen=True, slots=True)
class ChangedField:
    """One text that was accepted in other words than the person's, as the difference from theirs."""

    field: str
    diff: Sequence[Segment]

    @property
    def label(self) -> str:
        """What stands before the text."""
        return label_of(self.field)


@dataclass(frozen=True, slots=True)
class WorkCard:
    """One judgement on the page; `is_told` once its panel has an outcome."""

    judgement: Judgement
    question: str
    verdict: str
    ratings: Sequence[tuple[str, int]]
    tags: Sequence[str]
    fate: str
    tone: str
    changes: Sequence[ChangedField]
    has_accepted: bool
    reason: str
    control: str
    opinions: Sequence[Opinion] = ()


def work_card(judgement: Any, opinions: Sequence[Opinion] = ()) -> WorkCard:
    """The card of a row of `review.people.work.work_of`, with what its author may see of models."""
    mine, accepted = own_text(judgement), accepted_text(judgement)
    return WorkCard(
        judgement=judgement,
        question=mine.question or judgement.panel.item.question,
        verdict=str(Verdict(judgement.verdict).label),
        ratings=[
            (short_label(each), judgement.ratings[each.name])
            for each in judgement.panel.round.project.criteria
        ],
        tags=[str(ErrorTag(tag).label) for tag in judgement.tags],
        fate=str(Fate(judgement.fate).label),
        tone=TONES[judgement.fate],
        changes=_changes(mine, accepted) if accepted else (),
        has_accepted=accepted is not None,
        reason=reason_of(judgement),
        control=_control_words(judgement.panel),
        opinions=opinions,
    )


def work_row(judgement: Any) -> dict[str, Any]:
    """A row of `review.people.work.work_of` as the API gives it."""
    accepted = accepted_text(judgement)
    return {
        "id": judgement.pk,
        "project": judgement.panel.round.project.slug,
        "round": judgement.panel.round.number,
        "item": judgement.panel.item.uid,
        "submitted_at": judgement.submitted_at,
        "verdict": judgement.verdict,
        "ratings": judgement.ratings,
        "tags": judgement.tags,
        "comment": judgement.comment,
        "correction": judgement.correction,
        "outcome": judgement.decision,
        "fate": judgement.fate,
        "accepted": accepted.as_json() if accepted else None,
        "reason": reason_of(judgement),
        "active_seconds": judgement.active_seconds,
    }


def work_csv(work: QuerySet[Judgement]) -> Iterator[str]:
    """Every row as a line of a table; a criterion that a row's project lacks has an empty cell."""
    columns = _columns_of(work)
    return csv_lines(columns, (dict.fromkeys(columns) | row for row in work_rows(work)))


def work_rows(work: QuerySet[Judgement]) -> Iterator[dict[str, Any]]:
    """Every row for a download, with a value for each criterion of its project."""
    for judgement in work.order_by("pk").iterator(READ_AT_ONCE):
        row = work_row(judgement)
        ratings = row.pop("ratings")
        names = names_of(judgement.panel.round.project.criteria)
        submitted_at = row["submitted_at"].isoformat().replace("+00:00", "Z")
        yield row | {name: ratings[name] for name in names} | {"submitted_at": submitted_at}


def _columns_of(work: QuerySet[Judgement]) -> tuple[str, ...]:
    """Between the others one column for each criterion of the projects."""
    found = Project.objects.filter(pk__in=work.order_by().values("panel__round__project"))
    names = [name for project in found.order_by("pk") for name in names_of(project.criteria)]
    return (*_BEFORE, *(dict.fromkeys(names) or DEFAULT_NAMES), *_AFTER)


def _control_words(panel: Any) -> str:
    """What a control item was, told once its round is closed; empty before and for other items."""
    if not panel.is_control or panel.round.state != RoundState.CLOSED:
        return ""
    if not panel.control.fault:
        return _("This was a control item, shown as it is.")
    fault = FaultKind(panel.control.fault).label
    return _("This was a control item with a planted fault: %(fault)s.") % {"fault": fault}


def _changes(mine: Correction, accepted: Correction) -> list[ChangedField]:
    """What became of the person's text; published options may not have been divided in it."""
    before = dict(mine.texts())
    pairs = [(name, before.get(name, ""), new) for name, new in accepted.texts()]
    return [ChangedField(name, diff(old, new)) for name, old, new in pairs if old != new]
