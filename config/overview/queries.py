"""The overview of a project: where its items are, and what waits for whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from accounts.models import User
from annotation.duplicates.queries import open_pair_counts
from annotation.enums import ItemState, TranslationState
from annotation.items.kept import kept, kept_minutes
from annotation.models import Item
from projects.models import Project
from releases.enums import ReleaseState
from releases.models import Release, ReleaseItem
from review.disputes.queries import oldest_dispute_at, waiting_for_senior
from review.enums import RoundState
from review.models import Panel, Round
from review.report.queries import stage_report
from review.report.rows import Stage
from review.report.selectors import told_as_of
from review.rounds.queries import ReviewerProgress, reviewer_progress, unfinished_round_of
from review.seats.waiting import (
    RoundForPerson,
    WaitingDisputes,
    disputes_waiting,
    people_for_what_is_left,
    round_as_met_by,
)


@dataclass(frozen=True, slots=True)
class Funnel:
    """Counts of items; `in_release` is of the latest release that was published.

    `items` and `judged` count what was excluded since, `excluded` of the items: the beginning of
    the way does not shrink when a duplicate is dropped. The other counts are of active items.
    """

    items: int
    excluded: int
    translated: int
    with_errors: int
    judged: int
    approved: int
    rejected: int
    release: Release | None
    in_release: int

    @property
    def clean(self) -> int:
        return self.translated - self.with_errors


@dataclass(frozen=True, slots=True)
class OwnPart:
    """A judge's own part in the open round, and who else may take what is left."""

    place: RoundForPerson
    progress: ReviewerProgress
    left_for: Sequence[User]


@dataclass(frozen=True, slots=True)
class Overview:
    """What waits for whom, and how far the items are.

    `current` is the open round, `unfinished` that one or the one that is being opened, and `mine`
    how this person meets the open one, none for those who do not judge. `disputes` are those that
    they may settle, and `other_disputes` wait for other seniors; both are none for who sees no
    disputes. Programs gave `simulated` of the judgements, not people. `figures_wait` while what is
    decided would tell which items are controls. `kept_minutes` says how old the funnel of a large
    project may be.
    """

    funnel: Funnel
    kept_minutes: int | None
    figures_wait: bool
    stages: list[Stage]
    current: Round | None
    unfinished: Round | None
    mine: OwnPart | None
    disputes: WaitingDisputes | None
    other_disputes: WaitingDisputes | None
    simulated: int
    open_duplicates: int


def overview(project: Project, user: User, *, now: datetime) -> Overview:
    """Gather the overview; a fixed number of queries, whatever the number of items."""
    mine, others = _disputes(project, user)
    unfinished = unfinished_round_of(project)
    current = unfinished if unfinished and unfinished.state == RoundState.OPEN else None
    told = told_as_of(user, project)
    report = stage_report(project, as_of=told)
    return Overview(
        funnel=kept(project, "funnel", lambda: funnel(project)),
        kept_minutes=kept_minutes(project),
        figures_wait=told is not None,
        stages=list(report.stages),
        current=current,
        unfinished=unfinished,
        mine=_own_part(current, user, now),
        disputes=mine,
        other_disputes=others,
        simulated=report.simulated,
        open_duplicates=open_pair_counts([project]).get(project.pk, 0),
    )


def _own_part(current: Round | None, user: User, now: datetime) -> OwnPart | None:
    found = round_as_met_by(user, current, now=now) if current else None
    if found is None:
        return None
    left = [] if found.can_take else people_for_what_is_left(found.round, now=now)
    return OwnPart(found, reviewer_progress(found.round, user), left)


def _disputes(
    project: Project, user: User
) -> tuple[WaitingDisputes | None, WaitingDisputes | None]:
    if not user.has_perm("review.view_disputes", project):
        return None, None
    mine = disputes_waiting(user, [project]).get(project.pk)
    rest = waiting_for_senior(project).count() - (mine.count if mine else 0)
    return mine, WaitingDisputes(rest, oldest_dispute_at(project)) if rest > 0 else None


def funnel(project: Project) -> Funnel:
    items = Item.objects.filter(project=project)
    active = Q(state=ItemState.ACTIVE)
    state = "working_translation__state"
    counts = items.aggregate(
        items=Count("pk"),
        excluded=Count("pk", filter=Q(state=ItemState.EXCLUDED)),
        translated=Count("working_translation", filter=active),
        approved=Count("pk", filter=active & Q(**{state: TranslationState.APPROVED})),
        rejected=Count("pk", filter=active & Q(**{state: TranslationState.REJECTED})),
    )
    panels = Panel.objects.filter(round__project=project)
    release = (
        Release.objects.filter(project=project, state=ReleaseState.PUBLISHED)
        .order_by("-published_at", "-pk")
        .first()
    )
    return Funnel(
        **counts,
        with_errors=items.filter(active).with_open_findings(severity="error").count(),
        judged=panels.exclude(outcome="").values("item").distinct().count(),
        release=release,
        in_release=ReleaseItem.objects.filter(release=release).count() if release else 0,
    )
