"""Questions over rounds and how far they are; nothing here writes."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from accounts.models import User
from annotation.enums import TranslationState
from projects.enums import Role
from projects.models import Project
from projects.rules import role_in
from review.enums import Outcome, PanelState, RoundState, SeatState
from review.models import (
    Assignment,
    Panel,
    Round,
)
from review.selection.item_choice import reviewable_items


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


def _by_state(panels: QuerySet[Panel]) -> dict[str, int]:
    rows = panels.values("state").annotate(n=Count("pk")).order_by()
    return {row["state"]: row["n"] for row in rows}


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
