"""Who has a dispute open: said to others, never in their way."""

from datetime import datetime, timedelta

from accounts.models import User
from review.models import DisputeVisit, Panel

VISIT = timedelta(seconds=150)


def visit_dispute(*, panel: Panel, visitor: User, now: datetime) -> list[str]:
    """Say that `visitor` has the dispute open; return the names of the others who have.

    Keyed by (panel, visitor). Visits whose time is over are removed.
    """
    DisputeVisit.objects.filter(panel=panel, expires_at__lte=now).delete()
    # One statement: a visit that somebody else removes at this moment is made anew.
    DisputeVisit.objects.bulk_create(
        [DisputeVisit(panel=panel, user=visitor, expires_at=now + VISIT)],
        update_conflicts=True,
        unique_fields=["panel", "user"],
        update_fields=["expires_at"],
    )
    rows = DisputeVisit.objects.filter(panel=panel).exclude(user=visitor)
    return [visit.user.name for visit in rows.select_related("user").order_by("pk")]
