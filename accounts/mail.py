"""What e-mails about accounts say, and sending those that wait."""

from contextlib import nullcontext
from datetime import datetime
from email.utils import make_msgid
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts.actions.emails import Emails, Writer
from accounts.actions.invitations import invitation_secret
from accounts.enums import EmailKind
from accounts.models import OutgoingEmail, User
from accounts.offers import offer_lines
from accounts.queries import usable_invitations
from accounts.reset_tokens import reset_tokens
from accounts.selectors import find_user
from common.outbox import Clock, Database


def invitation_url(secret: str) -> str:
    """Return the whole address of an invitation, to be sent or passed on by hand."""
    return site_url(reverse("accounts:invitation", args=[secret]))


def site_url(path: str) -> str:
    return f"{settings.SITE_URL.rstrip('/')}{path}"


def send_waiting_emails(*, clock: Clock = timezone.now, database: Database = nullcontext) -> int:
    """Send what is due, each once whatever the number of workers; return how many tries that were.

    An e-mail that the mail server does not take is tried again later. One whose worker dies
    between sending it and removing its row is sent twice.
    """
    return Emails(_write).send_due(clock=clock, database=database)


def _write(email: OutgoingEmail, now: datetime) -> EmailMultiAlternatives | None:
    return _WRITERS[EmailKind(email.kind)](email, now)


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


_WRITERS: dict[EmailKind, Writer] = {
    EmailKind.INVITATION: _invitation,
    EmailKind.PASSWORD_RESET: _password_reset,
}


def declare_writer(kind: EmailKind, write: Writer) -> None:
    """Have `write` make the e-mails of `kind`; an app says so in a module named `email_kinds`."""
    _WRITERS[kind] = write


def make_message(template: str, context: dict[str, Any], to: User) -> EmailMultiAlternatives:
    """Make an e-mail in the language that the person chose; without a choice in that of the request.

    Its Message-ID names this site: Django's own asks the network for the name of the host, which
    takes as long as a name server that does not answer.
    """
    with translation.override(to.language or translation.get_language()):
        if "offer" in context:
            context["lines"] = offer_lines(context["offer"])
        subject = " ".join(render_to_string(f"{template}_subject.txt", context).split())
        body = render_to_string(f"{template}.txt", context)
        message = EmailMultiAlternatives(
            subject=subject,
            body=body,
            to=[to.email],
            headers={"Message-ID": make_msgid(domain=urlsplit(settings.SITE_URL).hostname)},
        )
        message.attach_alternative(render_to_string(f"{template}.html", context), "text/html")
    return message
