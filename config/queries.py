"""The one question that spans every app: where the items of a project are on their way."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from annotation.duplicates.queries import PairFilter, pairs_of
from annotation.enums import ItemState, PairState, TranslationState
from annotation.models import Item
from projects.models import Project
from releases.enums import ReleaseState
from releases.models import Release, ReleaseItem
from review.models import Panel
from review.queries import oldest_dispute_at, open_disputes
from review.report_queries import Stage, stage_table


@dataclass(frozen=True, slots=True)
class Funnel:
    """Counts of active items; `in_release` is of the latest release that was published."""

    items: int
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
class Overview:
    """What waits for whom, and how far the items are."""

    funnel: Funnel
    stages: list[Stage]
    disputes: int
    oldest_dispute_at: datetime | None
    open_duplicates: int


def overview(project: Project) -> Overview:
    """Gather the overview; a fixed number of queries, whatever the number of items."""
    open_pairs = pairs_of(project, PairFilter(state=PairState.OPEN))
    return Overview(
        funnel=funnel(project),
        stages=stage_table(project),
        disputes=open_disputes(project).count(),
        oldest_dispute_at=oldest_dispute_at(project),
        open_duplicates=open_pairs.values("a", "b").distinct().count(),
    )


def funnel(project: Project) -> Funnel:
    items = Item.objects.filter(project=project, state=ItemState.ACTIVE)
    state = "working_translation__state"
    counts = items.aggregate(
        items=Count("pk"),
        translated=Count("working_translation"),
        approved=Count("pk", filter=Q(**{state: TranslationState.APPROVED})),
        rejected=Count("pk", filter=Q(**{state: TranslationState.REJECTED})),
    )
    panels = Panel.objects.filter(round__project=project, item__state=ItemState.ACTIVE)
    release = (
        Release.objects.filter(project=project, state=ReleaseState.PUBLISHED)
        .order_by("-published_at", "-pk")
        .first()
    )
    return Funnel(
        **counts,
        with_errors=items.with_open_findings(severity="error").count(),
        judged=panels.exclude(outcome="").values("item").distinct().count(),
        release=release,
        in_release=ReleaseItem.objects.filter(release=release).count() if release else 0,
    )
