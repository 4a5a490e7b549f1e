"""What e-mails about accounts say, and sending those that wait."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from smtplib import SMTPException
from typing import Any

import structlog
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts.actions.emails import forget_email, take_email
from accounts.actions.invitations import invitation_secret
from accounts.enums import EmailKind
from accounts.models import OutgoingEmail, User
from accounts.offers import offer_lines
from accounts.queries import usable_invitations, waiting_emails
from accounts.reset_tokens import reset_tokens
from accounts.selectors import find_user

log = structlog.get_logger(__name__)


def invitation_url(secret: str) -> str:
    """The whole address of an invitation, to be sent or passed on by hand."""
    return site_url(reverse("accounts:invitation", args=[secret]))


def site_url(path: str) -> str:
    return f"{settings.SITE_URL.rstrip('/')}{path}"


def send_waiting_emails(
    *,
    clock: Callable[[], datetime] = timezone.now,
    database: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> int:
    """Send what is due, each once whatever the number of workers; return how many were sent.

    An e-mail that the mail server does not take is tried again later. One whose worker dies
    between sending and forgetting it is sent twice. Everything that touches the database runs
    inside `database()`, and nothing that waits for the mail server does.
    """
    sent = 0
    while True:
        with database():
            found = _next_message(clock())
        if found is None:
            return sent
        email, message = found
        try:
            message.send()
        except (OSError, SMTPException) as error:
            log.warning("mail.not_sent", kind=email.kind, error=type(error).__name__)
            continue
        sent += 1
        with database():
            forget_email(email)


def _next_message(now: datetime) -> tuple[OutgoingEmail, EmailMultiAlternatives] | None:
    """Take the next e-mail that is due and has somebody to go to, and write it."""
    for email in waiting_emails(now=now):
        if not take_email(email, now):
            continue
        with translation.override(email.language):
            message = _WRITERS[EmailKind(email.kind)](email, now)
        if message is not None:
            return email, message
        forget_email(email)
    return None


def _invitation(email: OutgoingEmail, now: datetime) -> EmailMultiAlternatives | None:
    """To the invited person; None if the link leads nowhere any more."""
    invitation = usable_invitations(now=now).filter(pk=email.data["invitation"]).first()
    if invitation is None:
        return None
    context = {
        "user": invitation.user,
        "invited_by": invitation.invited_by,
        "project": {"name": email.data["project"]},
        "link": invitation_url(invitation_secret(invitation.nonce)),
        "expires_at": invitation.expires_at,
        "offer": invitation.offer,
    }
    return make_message("emails/invitation", context, invitation.user)


def _password_reset(email: OutgoingEmail, now: datetime) -> EmailMultiAlternatives | None:
    """To the person at the address; None if nobody there signs in with a password."""
    user = find_user(email.data["email"])
    if user is None or not user.is_active or not user.has_usable_password():
        return None
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    path = reverse("accounts:password-reset-confirm", args=[uid, reset_tokens.make_token(user)])
    return make_message("emails/password_reset", {"user": user, "link": site_url(path)}, user)


Writer = Callable[[OutgoingEmail, datetime], EmailMultiAlternatives | None]
_WRITERS: dict[EmailKind, Writer] = {
    EmailKind.INVITATION: _invitation,
    EmailKind.PASSWORD_RESET: _password_reset,
}


def declare_writer(kind: EmailKind, write: Writer) -> None:
    """Have `write` make the e-mails of `kind`; an app says so in a module named `email_kinds`."""
    _WRITERS[kind] = write


def make_message(template: str, context: dict[str, Any], to: User) -> EmailMultiAlternatives:
    """In the language that the person chose; without a choice in that of the request."""
    with translation.override(to.language or translation.get_language()):
        if "offer" in context:
            context["lines"] = offer_lines(context["offer"])
        subject = " ".join(render_to_string(f"{template}_subject.txt", context).split())
        body = render_to_string(f"{template}.txt", context)
        message = EmailMultiAlternatives(subject=subject, body=body, to=[to.email])
        message.attach_alternative(render_to_string(f"{template}.html", context), "text/html")
    return message
