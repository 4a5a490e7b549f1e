"""Letters to people about their accounts; a letter that cannot be sent never undoes what it tells."""

from smtplib import SMTPException
from typing import Any

import structlog
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.actions import IssuedInvitation

log = structlog.get_logger(__name__)


def invitation_url(secret: str) -> str:
    """The whole address of an invitation, to be sent or passed on by hand."""
    return site_url(reverse("accounts:invitation", args=[secret]))


def site_url(path: str) -> str:
    return f"{settings.SITE_URL.rstrip('/')}{path}"


def send_invitation(*, issued: IssuedInvitation, project_name: str) -> bool:
    """Write to the invited person; return whether the mail server took it."""
    invitation = issued.invitation
    context = {
        "user": invitation.user,
        "invited_by": invitation.invited_by,
        "project": {"name": project_name},
        "link": invitation_url(issued.secret),
        "expires_at": invitation.expires_at,
    }
    return _send(template="emails/invitation", context=context, to=invitation.user.email)


def _send(*, template: str, context: dict[str, Any], to: str) -> bool:
    subject = " ".join(render_to_string(f"{template}_subject.txt", context).split())
    message = EmailMultiAlternatives(
        subject=subject, body=render_to_string(f"{template}.txt", context), to=[to]
    )
    message.attach_alternative(render_to_string(f"{template}.html", context), "text/html")
    try:
        message.send()
    except (OSError, SMTPException) as error:
        log.warning("mail.not_sent", template=template, error=type(error).__name__)
        return False
    return True
