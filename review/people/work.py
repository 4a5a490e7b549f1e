"""One person's judgements and what became of them.

While a panel is being judged, only the person's own part is told. Afterwards come the outcome, the
accepted text and the senior's reason, and never who else judged.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Case, CharField, Count, F, Q, QuerySet, Sum, TextField, Value, When
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Coalesce

from accounts.models import User
from common.db import SameJson, UtcMonth
from common.months import Month, parse_month
from projects.enums import Role
from projects.models import Membership
from review.enums import DecisionKind, Fate, Outcome, PanelState, RoundState, Verdict
from review.models import Answer, Judgement, Panel
from review.outcomes import FURTHER, Correction
from review.seats.inquiries import work_done
from review.selection.controls import shown_text

Work = TypeVar("Work", Answer, Judgement)
READERS = (Role.MANAGER, Role.SENIOR, Role.REVIEWER)
SETTLED_BY = {
    DecisionKind.APPROVE: Outcome.APPROVED,
    DecisionKind.ADOPT: Outcome.REVISED,
    DecisionKind.MERGE: Outcome.REVISED,
    DecisionKind.REJECT: Outcome.REJECTED,
}
AGREES: Mapping[str, str] = {
    Verdict.APPROVE: Outcome.APPROVED,
    Verdict.REVISE: Outcome.REVISED,
    Verdict.REJECT: Outcome.REJECTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFilter:
    """Which judgements to read; empty means any. `project` is a slug, `round` a number."""

    project: str = ""
    round: int | None = None
    fate: str = ""
    month: Month | None = None


@dataclass(frozen=True, slots=True)
class MonthOfWork:
    """What one person judged in a month, and how many `answers` they gave in rounds of other kinds.

    `judgements` and `active_seconds` count what statements of work count, so also judgements that
    a second look replaced. `decided` judgements have an outcome by now, and in `agreed` of these the verdict was that
    outcome.
    """

    month: Month
    judgements: int
    decided: int
    agreed: int
    active_seconds: int
    answers: int = 0

    @property
    def agreement(self) -> float | None:
        return self.agreed / self.decided if self.decided else None


def work_of(user: User, wanted: WorkFilter) -> QuerySet[Judgement]:
    """The judgements of `user`, each with `decision` and `fate`, and all that `accepted_text` reads.

    Only of projects whose items they may read now. Order them by `-pk` to read the newest first.
    """
    rows = _with_fates(_judgements(user, wanted)).select_related(
        "panel__round__project",
        "panel__item",
        "panel__revision__superseded_by",
        "panel__control",
        "panel__adjudication__resulting_revision",
    )
    return rows.filter(fate=wanted.fate) if wanted.fate else rows


def own_text(judgement: Judgement) -> Correction:
    """The text that the person wanted: their correction, or what they judged."""
    if judgement.correction:
        return Correction.from_json(judgement.correction)
    return shown_text(judgement.panel)


def accepted_text(judgement: Any) -> Correction | None:
    """The text that was accepted in the end; None while undecided, and where the item was rejected.

    `judgement` is a row of `work_of`.
    """
    panel = judgement.panel
    if judgement.decision == Outcome.APPROVED:
        return shown_text(panel)
    if judgement.decision != Outcome.REVISED:
        return None
    if panel.is_control:
        return _text_of_control(judgement)
    if panel.outcome == Outcome.REVISED:
        revision = panel.revision.superseded_by
    else:
        revision = panel.adjudication.resulting_revision
    return Correction.of(revision)


def _text_of_control(judgement: Any) -> Correction:
    """The true text once the round is closed; until then what all its judges corrected it to."""
    panel = judgement.panel
    if panel.round.state == RoundState.CLOSED:
        return Correction.of(panel.revision)
    given = Judgement.with_controls.filter(panel=panel.pk, correction__isnull=False).order_by("pk")
    first: Any = given.values_list("correction", flat=True)[0]
    return Correction.from_json(first)


def reason_of(judgement: Judgement) -> str:
    """Why the senior decided as they did; empty without a dispute or a reason."""
    adjudication = getattr(judgement.panel, "adjudication", None)
    return adjudication.reason if adjudication else ""


def months_of_work(user: User, wanted: WorkFilter) -> list[MonthOfWork]:
    """The months in which `user` judged anything, the oldest first; one grouped query."""
    rows: Any = (
        chosen_of(work_done(), user, wanted)
        .annotate(month=UtcMonth("submitted_at"), decision=_decision())
        .values("month", "verdict", "decision", "is_withdrawn", "is_control", "panel__round__state")
        .annotate(n=Count("pk"), seconds=Sum("active_seconds"))
        .order_by("month")
    )
    months: dict[Month, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        months[parse_month(row["month"])].append(row)
    return [_month(month, found) for month, found in months.items()]


def fates_since(user: User, moment: datetime | None) -> dict[int, dict[str, int]]:
    """For each project, how many judgements were kept, edited and overturned since `moment`.

    The keys are ids of projects; one grouped query over what was decided since.
    """
    decided = Q(panel__settled_at__gt=moment) if moment else Q(panel__settled_at__isnull=False)
    rows = (
        _with_fates(_judgements(user, WorkFilter()).filter(decided))
        .values("panel__round__project", "fate")
        .annotate(n=Count("pk"))
        .order_by()
    )
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for row in rows:
        found[row["panel__round__project"]][row["fate"]] = row["n"]
    return found


def fates_on(panel: Panel) -> dict[int, str]:
    """What became of each judgement of a panel, by reviewer; one query."""
    rows = _with_fates(Judgement.objects.filter(panel=panel)).order_by("pk")
    return dict(rows.values_list("reviewer", "fate"))


def projects_worked_in(user: User) -> list[tuple[str, str]]:
    """(slug, name) of each project in which `user` judged anything that they may read now."""
    rows = places_of(user).filter(project__rounds__panels__judgements__reviewer=user)
    pairs = rows.values_list("project__slug", "project__name").distinct()
    return list(pairs.order_by("project__name", "project__slug"))


def _judgements(user: User, wanted: WorkFilter) -> QuerySet[Judgement]:
    return chosen_of(Judgement.with_controls.all(), user, wanted)


def chosen_of(rows: QuerySet[Work], user: User, wanted: WorkFilter) -> QuerySet[Work]:
    """Return the judgements or answers of a person that a filter wants, in projects that they may read."""
    projects = places_of(user)
    if wanted.project:
        projects = projects.filter(project__slug=wanted.project)
    rows = rows.filter(reviewer=user, panel__round__project__in=projects.values("project"))
    if wanted.round is not None:
        rows = rows.filter(panel__round__number=wanted.round)
    if wanted.month:
        rows = rows.filter(submitted_at__gte=wanted.month.start, submitted_at__lt=wanted.month.end)
    return rows


def places_of(user: User) -> QuerySet[Membership]:
    """Return the memberships of a person that may read judgements and answers."""
    found: QuerySet[Membership] = Membership.objects.filter(user=user).in_role(*READERS)
    return found


def _with_fates(rows: QuerySet[Judgement]) -> QuerySet[Any]:
    found: QuerySet[Any] = rows.annotate(
        decision=_decision(),
        own_question=KeyTextTransform("question", "correction"),
        own_options=SameJson(KeyTransform("options", "correction")),
        **{f"own_{name}": _own_text_of(name) for name in FURTHER},
    ).annotate(fate=_fate())
    return found


def _own_text_of(name: str) -> Coalesce:
    """The answer or explanation of a correction, '' where it has none."""
    return Coalesce(KeyTextTransform(name, "correction"), Value(""), output_field=TextField())


def _decision() -> Case:
    """What was decided of the panel in the end, `disputed` until a senior has; empty before."""
    settled = [
        When(panel__adjudication__decision=kind, then=Value(outcome.value))
        for kind, outcome in SETTLED_BY.items()
    ]
    return Case(*settled, default=F("panel__outcome"), output_field=CharField())


def _fate() -> Case:
    """An instance of Fate, from `decision`, the verdict and, for a correction, its text."""
    kept = Q(decision=Outcome.REJECTED, verdict=Verdict.REJECT)
    kept |= Q(decision=Outcome.APPROVED, verdict=Verdict.APPROVE)
    # All corrections of such a panel were the same.
    kept |= Q(panel__outcome=Outcome.REVISED, verdict=Verdict.REVISE)
    # A control on which its judges differ is told like a dispute until its round closes.
    is_open_control = Q(panel__is_control=True, panel__outcome=Outcome.DISPUTED)
    resulting = "panel__adjudication__resulting_revision"
    same_text = Q(
        verdict=Verdict.REVISE,
        own_question=F(f"{resulting}__question"),
        own_options=SameJson(F(f"{resulting}__options")),
        **{f"own_{name}": F(f"{resulting}__{name}") for name in FURTHER},
    )
    return Case(
        When(panel__state=PanelState.JUDGING, then=Value(Fate.WAITING.value)),
        When(panel__state=PanelState.UNFINISHED, then=Value(Fate.UNDECIDED.value)),
        When(
            Q(panel__state=PanelState.DISPUTED) | is_open_control, then=Value(Fate.DISPUTED.value)
        ),
        When(kept | same_text, then=Value(Fate.KEPT.value)),
        When(
            Q(decision=Outcome.REJECTED) | Q(verdict=Verdict.REJECT),
            then=Value(Fate.OVERTURNED.value),
        ),
        default=Value(Fate.EDITED.value),
        output_field=CharField(),
    )


def _month(month: Month, rows: Sequence[dict[str, Any]]) -> MonthOfWork:
    counted = [row for row in rows if not row["is_withdrawn"] and not _is_told(row)]
    decided = [row for row in counted if row["decision"] in AGREES.values()]
    agreed = [row for row in decided if AGREES[row["verdict"]] == row["decision"]]
    return MonthOfWork(
        month=month,
        judgements=sum(row["n"] for row in rows),
        decided=sum(row["n"] for row in decided),
        agreed=sum(row["n"] for row in agreed),
        active_seconds=sum(row["seconds"] for row in rows),
    )


def _is_told(row: dict[str, Any]) -> bool:
    """Whether these are control items that their round's end has told of: they are no agreement."""
    return bool(row["is_control"]) and row["panel__round__state"] == RoundState.CLOSED
