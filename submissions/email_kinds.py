"""Writing the e-mails to people who send submissions: the link to an account, and how one ended.

The second has its state and what its team is told, nothing else.
"""

from datetime import datetime
from urllib.parse import urlencode

from django.core.mail import EmailMultiAlternatives
from django.urls import reverse

from accounts.actions.invitations import invitation_secret
from accounts.enums import EmailKind
from accounts.mail import declare_writer, invitation_url, make_message, site_url
from accounts.models import OutgoingEmail
from accounts.queries import usable_invitations
from releases.models import Release
from submissions.models import Submission
from submissions.presenters import result_words


def write_account(email: OutgoingEmail, now: datetime) -> EmailMultiAlternatives | None:
    """Return None if the link leads nowhere any more. A name that a stranger typed is not sent."""
    invitation = usable_invitations(now=now).filter(pk=email.data["invitation"]).first()
    release = Release.objects.select_related("project").filter(pk=email.data["release"]).first()
    if invitation is None or release is None:
        return None
    part = reverse("submissions:part", args=[release.project.slug, release.version])
    secret = invitation_secret(invitation.nonce)
    context = {
        "release": release,
        "link": f"{invitation_url(secret)}?{urlencode({'next': part})}",
        "part_url": site_url(part),
        "expires_at": invitation.expires_at,
    }
    return make_message("emails/account", context, invitation.user)


def write_result(email: OutgoingEmail, _now: datetime) -> EmailMultiAlternatives | None:
    """Return None if the sender's account was closed meanwhile."""
    rows = Submission.objects.select_related(
        "release__project", "sent_by", "twin", "team", "endpoint"
    )
    submission = rows.filter(pk=email.data["submission"], sent_by__is_active=True).first()
    if submission is None:
        return None
    context = {
        "user": submission.sent_by,
        "submission": submission,
        "project": submission.release.project,
        "words": result_words(submission),
        "link": site_url(reverse("submissions:submission", args=[submission.pk])),
    }
    return make_message("emails/submission", context, submission.sent_by)


declare_writer(EmailKind.ACCOUNT, write_account)
declare_writer(EmailKind.SUBMISSION, write_result)
