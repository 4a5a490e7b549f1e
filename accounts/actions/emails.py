"""Every write to e-mails on their way: a row in the transaction of what they tell of, sent by a worker.

So a request takes as long for an address that is known as for one that is not, an e-mail is never
lost or sent for something that was rolled back, and a long job does not hold it up: each worker
sends from a thread of its own.
"""

from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db.models import F
from django.utils import translation

from accounts.enums import EmailKind
from accounts.models import Invitation, OutgoingEmail, User

MOST_TRIES = 8
FIRST_WAIT = timedelta(minutes=1)

log = structlog.get_logger(__name__)


def queue_invitation(*, invitation: Invitation, project_name: str, now: datetime) -> None:
    """Have the link of an invitation sent to the person, in the language of its offer if it has one."""
    data = {"invitation": invitation.pk, "project": project_name}
    _queue(EmailKind.INVITATION, data, now, invitation.offer.get("about_language", ""))


def queue_password_reset(*, email: str, now: datetime) -> None:
    """Have a link for a new password sent, if the worker finds an account with this address."""
    _queue(EmailKind.PASSWORD_RESET, {"email": email.strip().lower()}, now)


def queue_digest(*, user: User, mailed_at: datetime, now: datetime) -> None:
    """Have the digest of `mailed_at` sent to `user`."""
    _queue(EmailKind.DIGEST, {"user": user.pk, "mailed_at": mailed_at.isoformat()}, now)


def take_email(email: OutgoingEmail, now: datetime) -> bool:
    """Count a try and keep other workers from the row until the next one; False if one was quicker.

    Counting comes before sending: a worker that dies of an e-mail has tried it. The waits double
    from a minute to about two hours; after MOST_TRIES the row is given up.
    """
    rows = OutgoingEmail.objects.filter(pk=email.pk, send_after=email.send_after)
    if email.tries >= MOST_TRIES:
        if rows.delete()[0]:
            log.error("mail.given_up", kind=email.kind, tries=email.tries)
        return False
    wait = FIRST_WAIT * 2**email.tries
    return bool(rows.update(send_after=now + wait, tries=F("tries") + 1))


def forget_email(email: OutgoingEmail) -> None:
    """Remove a row whose e-mail was sent, or is not to be sent any more."""
    OutgoingEmail.objects.filter(pk=email.pk).delete()


def _queue(kind: EmailKind, data: dict[str, Any], now: datetime, language: str = "") -> None:
    OutgoingEmail.objects.create(
        kind=kind,
        data=data,
        language=language or translation.get_language(),
        created_at=now,
        send_after=now,
    )
