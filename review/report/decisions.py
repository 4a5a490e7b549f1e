"""Which decisions of seniors a report counts: those in force at the moment that it speaks of."""

from datetime import datetime

from django.db.models import Q

from projects.models import Project


def decided_before(project: Project, as_of: int | None) -> datetime | None:
    """The end of what a report as of a round tells: when the next round was opened."""
    if as_of is None:
        return None
    later = project.rounds.filter(number__gt=as_of).order_by("number")
    return later.values_list("opened_at", flat=True).first()


def in_force_at(moment: datetime) -> Q:
    """The decisions that were in force at `moment`, whether or not they were taken back later."""
    kept = Q(reopening=None) | Q(reopening__reopened_at__gte=moment)
    return kept & Q(decided_at__lt=moment)
