"""Questions over disputes and adjudications; nothing here writes."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.db.models import BooleanField, Exists, F, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL

from accounts.models import User
from annotation.enums import ItemState
from annotation.models import Item
from projects.enums import Role
from projects.models import Project
from projects.rules import role_in
from review.enums import PanelState
from review.models import (
    Adjudication,
    DisputeVisit,
    Panel,
    Round,
)
from review.rules import is_substitute_for, own_panels
from review.seats.inquiries import waits


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
    return rows.filter(is_substitute_for(user, project))


def adjudications_like(panel: Panel, *, limit: int = 5) -> list[Adjudication]:
    """The latest decisions in the project on disputes with one of the reasons of this one."""
    has_reason = Q()
    for code in panel.reason_codes.split():
        has_reason |= Q(panel__reason_codes__contains=code)
    if not has_reason:
        return []
    rows = Adjudication.objects.filter(has_reason, panel__round__project=panel.round.project_id)
    in_force = rows.filter(panel__adjudication=F("pk")).exclude(panel__item=panel.item_id)
    return list(in_force.select_related("panel__item").order_by("-pk")[:limit])


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


def oldest_dispute_at(project: Project) -> datetime | None:
    """When the dispute came up that has waited for a senior the longest."""
    rows = waiting_for_senior(project).order_by("decided_at")
    return rows.values_list("decided_at", flat=True).first()
