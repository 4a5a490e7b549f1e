"""Writing down who tried to get in, from where and how it ended."""

from datetime import datetime, timedelta

from django.conf import settings

from accounts.enums import SignInOutcome
from accounts.models import SignInAttempt, User
from accounts.networks import network_of


def record_sign_in(
    *, user: User | None, address: str, outcome: SignInOutcome, now: datetime
) -> None:
    """Add one attempt to the history and remove what is older than SIGN_IN_HISTORY_DAYS."""
    SignInAttempt.objects.create(
        user=user, address=address, network=network_of(address), outcome=outcome, occurred_at=now
    )
    oldest = now - timedelta(days=settings.SIGN_IN_HISTORY_DAYS)
    SignInAttempt.objects.filter(occurred_at__lt=oldest).delete()
