"""Questions over rounds, panels and judgements; nothing here writes."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import BooleanField, Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL

from accounts.models import User
from annotation.enums import ItemState, TranslationState
from annotation.models import Item
from projects.enums import JUDGES, Role
from projects.models import Project
from projects.rules import role_in
from review.default_guideline import first_rubric, first_text
from review.enums import Outcome, PanelState, RoundKind, RoundState, SeatState
from review.inquiries import waits
from review.item_choice import reviewable_items
from review.models import (
    Adjudication,
    Assignment,
    DisputeVisit,
    Guideline,
    Judgement,
    Panel,
    Reveal,
    Round,
    Substitute,
)
from review.rules import own_panels


@dataclass(frozen=True, slots=True)
class RoundProgress:
    """How far a round is: panels by state and seats judged of all."""

    panels: int
    settled: int
    disputed: int
    judging: int
    seats: int
    seats_judged: int

    @property
    def percent(self) -> int:
        return 100 * self.seats_judged // self.seats if self.seats else 0


@dataclass(frozen=True, slots=True)
class ReviewerProgress:
    """What the workbench shows: seats judged of all, and how many by this person."""

    judged: int
    total: int
    mine: int


@dataclass(frozen=True, slots=True)
class DisputeProgress:
    settled: int
    total: int


def round_progress(round_: Round) -> RoundProgress:
    """Count the panels of a round by state; one query over the queue's index."""
    count = _by_state(Panel.objects.filter(round=round_))
    return RoundProgress(
        panels=round_.panel_count,
        settled=count.get(PanelState.SETTLED, 0),
        disputed=count.get(PanelState.DISPUTED, 0),
        judging=count.get(PanelState.JUDGING, 0),
        seats=round_.seat_count,
        seats_judged=round_.judged_count + round_.answered_count,
    )


def progress_told_to(user: User, round_: Round) -> RoundProgress:
    """The progress of a round for its pages.

    Only managers read it without control items while the round is open: a number that does not
    move with a judgement would tell its reviewer that the item was one.
    """
    told = round_progress(round_)
    is_open = round_.control_count and round_.state == RoundState.OPEN
    if not is_open or user.is_superuser or role_in(user, round_.project) == Role.MANAGER:
        return told
    controls = Panel.with_controls.filter(round=round_, is_control=True)
    disputed = Count("pk", filter=Q(outcome=Outcome.DISPUTED))
    judging = Count("pk", filter=Q(outcome=""))
    more = controls.aggregate(disputed=disputed, judging=judging)
    return RoundProgress(
        panels=told.panels + round_.control_count,
        settled=told.settled + round_.control_count - sum(more.values()),
        disputed=told.disputed + more["disputed"],
        judging=told.judging + more["judging"],
        seats=shown_total(round_),
        seats_judged=shown_judged(round_),
    )


def told_as_of(user: User, project: Project, as_of: int | None = None) -> int | None:
    """The round as of which `user` reads figures: `as_of`, or None for this moment.

    While control items are about, who may be shown them reads the rounds before: a figure that
    moves with the judgement of an item and not with that of a control would tell them apart.
    """
    is_told = as_of is not None or not project.is_browsing_closed
    if is_told or user.has_perm("annotation.view_items", project):
        return as_of
    current = open_round_of(project)
    return current.number - 1 if current else None


def _by_state(panels: QuerySet[Panel]) -> dict[str, int]:
    rows = panels.values("state").annotate(n=Count("pk")).order_by()
    return {row["state"]: row["n"] for row in rows}


def seats_open_to(user: User) -> QuerySet[Assignment]:
    """Seats of review in projects where `user` judges; that one is theirs its actions find out."""
    return Assignment.objects.filter(
        round__project__memberships__user=user,
        round__project__memberships__role__in=JUDGES,
        round__kind=RoundKind.REVIEW,
    )


def reviewer_progress(round_: Round, reviewer: User) -> ReviewerProgress:
    mine = Assignment.objects.filter(round=round_, reviewer=reviewer, state=SeatState.JUDGED)
    return ReviewerProgress(
        judged=shown_judged(round_),
        total=shown_total(round_),
        mine=mine.count(),
    )


def shown_judged(round_: Round) -> int:
    """Seats judged, as the workbench counts them: control items are seats like others there."""
    return round_.judged_count + round_.control_judged_count + round_.answered_count


def shown_total(round_: Round) -> int:
    """All seats of a round, as the workbench counts them."""
    return round_.seat_count + round_.control_count * round_.panel_size


def judged_rounds(projects: Collection[Project]) -> dict[int, int]:
    """The numbers of open rounds in which every seat is judged, by the id of their project."""
    rounds = Round.objects.filter(project__in=projects, state=RoundState.OPEN)
    done = [each for each in rounds.order_by("pk") if shown_judged(each) >= shown_total(each)]
    return {each.project_id: each.number for each in done}


def guideline_in_force(project: Project) -> Guideline:
    """The latest version; until there is one, what every project starts with, as version 0.

    That one is not stored: it becomes version 1 when the first round opens.
    """
    latest = project.guidelines.order_by("-version").first()
    return latest or Guideline(
        project=project,
        version=0,
        text=first_text(is_monolingual=project.is_monolingual),
        rubric=first_rubric(project.criteria),
    )


def unfinished_round_of(project: Project) -> Round | None:
    """The round that is open or being opened in the project, if one is."""
    return (
        project.rounds.exclude(state=RoundState.CLOSED).select_related("guideline", "job").first()
    )


def empty_rounds(project: Project) -> QuerySet[Round]:
    """Closed rounds in which nothing was judged: they can be discarded."""
    rows = Round.objects.filter(
        project=project, state=RoundState.CLOSED, judged_count=0, answered_count=0
    )
    return rows.order_by("number")


def open_round_of(project: Project) -> Round | None:
    """The round that is open in the project, if one is."""
    return project.rounds.filter(state=RoundState.OPEN).select_related("guideline").first()


def open_disputes(project: Project) -> QuerySet[Panel]:
    """Disputes that are not settled; those of excluded items wait for nobody."""
    return Panel.objects.filter(
        round__project=project, state=PanelState.DISPUTED, item__state=ItemState.ACTIVE
    )


def waiting_for_senior(project: Project) -> QuerySet[Panel]:
    """Open disputes without those that wait for a reviewer."""
    return open_disputes(project).exclude(waits())


def disputes(project: Project) -> QuerySet[Panel]:
    """Open disputes of a project, worst agreement first."""
    return (
        open_disputes(project)
        .select_related("round__project", "item__subject", "revision")
        .order_by("-severity", "pk")
    )


def queued(project: Project) -> QuerySet[Panel]:
    """Open disputes of a project as the queue reads them: along the index of its order.

    The state is a literal, so that both databases see that the partial indexes serve, and the rest
    are conditions on each row, so that none begins with another table.
    """
    is_disputed = RawSQL("review_panel.state = 'disputed'", (), BooleanField())
    rounds = Round.objects.filter(pk=OuterRef("round"), project=project)
    items = Item.objects.filter(pk=OuterRef("item"), state=ItemState.ACTIVE)
    rows = Panel.objects.filter(is_disputed, Exists(rounds), Exists(items))
    return rows.select_related("round__project", "item__subject", "revision").order_by(
        "-severity", "pk"
    )


def disputes_for(project: Project, user: User) -> QuerySet[Panel]:
    """Open disputes without those that this person judged or wrote.

    Who is neither manager nor senior sees those that they were named for in a senior's place.
    """
    rows = queued(project).exclude(own_panels(user))
    if user.is_superuser or role_in(user, project) in (Role.MANAGER, Role.SENIOR):
        return rows
    return rows.filter(Exists(Substitute.objects.filter(panel=OuterRef("pk"), user=user)))


def rulings_like(panel: Panel, *, limit: int = 5) -> list[Adjudication]:
    """The latest decisions in the project on disputes with one of the reasons of this one."""
    has_reason = Q()
    for code in panel.reason_codes.split():
        has_reason |= Q(panel__reason_codes__contains=code)
    if not has_reason:
        return []
    rows = Adjudication.objects.filter(has_reason, panel__round__project=panel.round.project_id)
    in_force = rows.filter(panel__adjudication=F("pk")).exclude(panel__item=panel.item_id)
    return list(in_force.select_related("panel__item").order_by("-pk")[:limit])


def rulings_about(user: User, project: Project) -> QuerySet[Adjudication]:
    """Decisions in force on disputes that `user` judged, newest first, with item and guideline.

    `reason` and `citation` are for the reviewers; who decided is not.
    """
    judged = Judgement.objects.filter(panel=OuterRef("panel"), reviewer=user)
    rows = Adjudication.objects.filter(Exists(judged), panel__round__project=project)
    in_force = rows.filter(panel__adjudication=F("pk"))
    return in_force.select_related(
        "panel__item", "panel__round__guideline", "resulting_revision"
    ).order_by("-pk")


def visitors_of(panels: Sequence[int], *, but: User, now: datetime) -> dict[int, list[str]]:
    """By panel the names of the others who have its page open."""
    rows = DisputeVisit.objects.filter(panel__in=panels, expires_at__gt=now).exclude(user=but)
    found: dict[int, list[str]] = defaultdict(list)
    for panel, name in rows.order_by("pk").values_list("panel", "user__name"):
        found[panel].append(name)
    return found


def panels_settled_by(user: User, project: Project) -> QuerySet[Panel]:
    """Disputes whose decision in force is this person's, the latest first."""
    rows = Panel.objects.filter(round__project=project, adjudication__senior=user)
    return rows.select_related("round", "item", "adjudication").order_by("-adjudication")


def decisions_on(panels: Sequence[Panel]) -> list[Adjudication]:
    """Every decision ever taken on these panels, in the order of time, with its withdrawal."""
    rows = Adjudication.objects.filter(panel__in=panels)
    return list(rows.select_related("reopening").order_by("pk"))


def earlier_panels(panel: Panel) -> list[Panel]:
    """What earlier rounds came to on the item, oldest first."""
    rows = Panel.objects.filter(item=panel.item_id, round__number__lt=panel.round.number)
    return list(rows.select_related("round").order_by("round__number"))


def judgements_visible_to(project: Project, user: User) -> QuerySet[Judgement]:
    """Judgements that `user` may see, their own always.

    Blindness: nobody sees another's on a panel that is still being judged. Of the others,
    managers see all, seniors those on panels that are not in dispute: there they decide between
    judgements without names.
    """
    rows = Judgement.with_controls.filter(
        Q(is_control=False) | Q(reviewer=user), panel__round__in=project.rounds.all()
    )
    role = role_in(user, project)
    if user.is_superuser or role == Role.MANAGER:
        return rows.filter(~Q(panel__state=PanelState.JUDGING) | Q(reviewer=user))
    if role == Role.SENIOR:
        hidden = [PanelState.JUDGING, PanelState.DISPUTED]
        return rows.filter(~Q(panel__state__in=hidden) | Q(reviewer=user))
    return rows.filter(reviewer=user)


def told_judgements(project: Project) -> QuerySet[Judgement]:
    """Judgements of panels that are not being judged any more: what a command gives out."""
    rows = Judgement.objects.filter(panel__round__in=project.rounds.all())
    return rows.exclude(panel__state=PanelState.JUDGING)


def dispute_progress(round_: Round) -> DisputeProgress:
    """Disputes settled of all that came up in a round."""
    disputed = Panel.objects.filter(round=round_, outcome=Outcome.DISPUTED)
    counts = disputed.aggregate(
        total=Count("pk"), settled=Count("pk", filter=Q(state=PanelState.SETTLED))
    )
    return DisputeProgress(**counts)


def selection_counts(project: Project) -> dict[str, int]:
    """How many items each choice of a round that needs nothing else would take now."""
    state = "working_translation__state"
    counts: dict[str, int] = reviewable_items(project).aggregate(
        all=Count("pk"),
        not_approved=Count("pk", filter=Q(**{state: TranslationState.PENDING})),
        approved=Count("pk", filter=Q(**{state: TranslationState.APPROVED})),
        findings=Count("pk", filter=Q(has_open_errors=True) | Q(has_open_warnings=True)),
    )
    return counts


def oldest_dispute_at(project: Project) -> datetime | None:
    """When the dispute came up that has waited for a senior the longest."""
    rows = waiting_for_senior(project).order_by("decided_at")
    return rows.values_list("decided_at", flat=True).first()


def seconds_before_reveal(
    panel: int, reviewer: int | None, claimed_at: datetime | None
) -> int | None:
    """How long a target text was shown alone, by the server's clock; None if it is still."""
    rows = Reveal.objects.filter(panel=panel, reviewer=reviewer)
    revealed_at = rows.values_list("revealed_at", flat=True).first()
    if revealed_at is None or claimed_at is None:
        return None
    return max(0, int((revealed_at - claimed_at).total_seconds()))
