"""Writing digests: how many of which kind in which project, never what anybody wrote."""

from datetime import datetime

from django.core.mail import EmailMultiAlternatives
from django.urls import reverse

from accounts.enums import DigestChoice, EmailKind
from accounts.mail import declare_writer, make_message, site_url
from accounts.models import OutgoingEmail, User
from notifications.queries import digest_of
from notifications.unsubscribing import unsubscribe_token


def write_digest(email: OutgoingEmail, now: datetime) -> EmailMultiAlternatives | None:
    """None if the person has read it all, may not see it any more, or wants no e-mails."""
    user = User.objects.filter(pk=email.data["user"], is_active=True).first()
    if user is None or user.digest == DigestChoice.OFF:
        return None
    lines = digest_of(user, datetime.fromisoformat(email.data["mailed_at"]))
    if not lines:
        return None
    leave = site_url(reverse("notifications:unsubscribe", args=[unsubscribe_token(user)]))
    context = {
        "user": user,
        "lines": [(project, kind.label, count) for project, kind, count in lines],
        "count": sum(count for _project, _kind, count in lines),
        "link": site_url(reverse("notifications:list")),
        "unsubscribe": leave,
    }
    message = make_message("emails/digest", context, user)
    message.extra_headers = {
        "List-Unsubscribe": f"<{leave}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    return message


declare_writer(EmailKind.DIGEST, write_digest)
