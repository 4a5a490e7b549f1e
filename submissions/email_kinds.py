"""Writing the e-mail that says how a submission ended: its state and what its team is told, nothing else."""

from datetime import datetime

from django.core.mail import EmailMultiAlternatives
from django.urls import reverse

from accounts.enums import EmailKind
from accounts.mail import declare_writer, make_message, site_url
from accounts.models import OutgoingEmail
from submissions.models import Submission
from submissions.presenters import result_words


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


declare_writer(EmailKind.SUBMISSION, write_result)
