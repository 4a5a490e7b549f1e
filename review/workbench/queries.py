"""Questions over judgements and the seats to judge; nothing here writes."""

from datetime import datetime

from django.db.models import Q, QuerySet

from accounts.models import User
from projects.enums import JUDGES, Role
from projects.models import Project
from projects.rules import role_in
from review.enums import PanelState, RoundKind
from review.models import (
    Assignment,
    Judgement,
    Reveal,
)


def seats_open_to(user: User) -> QuerySet[Assignment]:
    """Seats of review in projects where `user` judges; that one is theirs its actions find out."""
    return Assignment.objects.filter(
        round__project__memberships__user=user,
        round__project__memberships__role__in=JUDGES,
        round__kind=RoundKind.REVIEW,
    )


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


def seconds_before_reveal(
    panel: int, reviewer: int | None, claimed_at: datetime | None
) -> int | None:
    """How long a target text was shown alone, by the server's clock; None if it is still."""
    rows = Reveal.objects.filter(panel=panel, reviewer=reviewer)
    revealed_at = rows.values_list("revealed_at", flat=True).first()
    if revealed_at is None or claimed_at is None:
        return None
    return max(0, int((revealed_at - claimed_at).total_seconds()))
