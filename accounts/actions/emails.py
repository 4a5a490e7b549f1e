"""Every write to e-mails on their way: a row in the transaction of what they tell of, sent by a worker.

So a request takes as long for an address that is known as for one that is not, an e-mail is never
lost or sent for something that was rolled back, and a long job does not hold it up: each worker
sends from a thread of its own.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from smtplib import SMTPException
from typing import Any

import structlog
from django.core.mail import EmailMultiAlternatives
from django.db.models import QuerySet
from django.utils import translation

from accounts.enums import EmailKind
from accounts.models import Invitation, OutgoingEmail, User
from common.outbox import Outbox

Writer = Callable[[OutgoingEmail, datetime], EmailMultiAlternatives | None]

log = structlog.get_logger(__name__)


def queue_invitation(*, invitation: Invitation, project_name: str, now: datetime) -> None:
    """Have the link of an invitation sent to the person, in the language of its offer if it has one."""
    data = {"invitation": invitation.pk, "project": project_name}
    _queue(EmailKind.INVITATION, data, now, invitation.offer.get("about_language", ""))


def queue_account(*, invitation: Invitation, release: int, now: datetime) -> None:
    """Have the link to an account sent to somebody who wants to send submissions to a release."""
    _queue(EmailKind.ACCOUNT, {"invitation": invitation.pk, "release": release}, now)


def queue_password_reset(*, email: str, now: datetime) -> None:
    """Have a link for a new password sent, if the worker finds an account with this address."""
    _queue(EmailKind.PASSWORD_RESET, {"email": email.strip().lower()}, now)


def queue_digest(*, user: User, mailed_at: datetime, now: datetime) -> None:
    """Have the digest of `mailed_at` sent to `user`."""
    _queue(EmailKind.DIGEST, {"user": user.pk, "mailed_at": mailed_at.isoformat()}, now)


def queue_submission_ended(*, submission: int, now: datetime) -> None:
    """Have the sender of a submission told that it has ended."""
    _queue(EmailKind.SUBMISSION, {"submission": submission}, now)


class Emails(Outbox[OutgoingEmail, EmailMultiAlternatives, str]):
    """The e-mails that wait, one at a time: a worker that dies of an e-mail has tried no other.

    `write` makes the e-mail of a row, or none if it has become pointless. A row goes when its e-mail
    was sent, is not to be sent any more, or was tried for four hours.
    """

    delays = tuple(timedelta(minutes=2**n) for n in range(8))

    def __init__(self, write: Writer) -> None:
        self._write = write

    def waiting(self) -> QuerySet[OutgoingEmail]:
        return OutgoingEmail.objects.all()

    def write(self, row: OutgoingEmail, now: datetime) -> EmailMultiAlternatives | None:
        with translation.override(row.language):
            message = self._write(row, now)
        if message is None:
            self.held(row).delete()
        return message

    def send(self, messages: Sequence[EmailMultiAlternatives]) -> list[str]:
        """Return what went wrong with each, by name; empty where the mail server took it."""
        return [_send(message) for message in messages]

    def record(self, row: OutgoingEmail, outcome: str, now: datetime) -> None:
        if outcome:
            log.warning("mail.not_sent", kind=row.kind, error=outcome)
        else:  # whoever else took it meanwhile
            OutgoingEmail.objects.filter(pk=row.pk).delete()

    def give_up(self, row: OutgoingEmail, now: datetime) -> None:
        if self.held(row).delete()[0]:
            log.error("mail.given_up", kind=row.kind, tries=row.tries)


def _send(message: EmailMultiAlternatives) -> str:
    try:
        message.send()
    except (OSError, SMTPException) as error:
        return type(error).__name__
    return ""


def _queue(kind: EmailKind, data: dict[str, Any], now: datetime, language: str = "") -> None:
    OutgoingEmail.objects.create(
        kind=kind,
        data=data,
        language=language or translation.get_language(),
        created_at=now,
        due_at=now,
    )
