"""The states of submissions, who may send them, and what is shown of them."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class SubmissionState(TextChoices):
    QUEUED = "queued", _("waiting to be scored")
    SCORED = "scored", _("scored")
    FAILED = "failed", _("failed on our side")
    FAULTY = "faulty", _("failed at the team's endpoint")
    CANCELLED = "cancelled", _("cancelled")


SUBMISSION_TRANSITIONS: dict[str, frozenset[str]] = {
    SubmissionState.QUEUED: frozenset(
        {
            SubmissionState.SCORED,
            SubmissionState.FAILED,
            SubmissionState.FAULTY,
            SubmissionState.CANCELLED,
        }
    ),
    SubmissionState.SCORED: frozenset(),
    SubmissionState.FAILED: frozenset(),
    SubmissionState.FAULTY: frozenset(),
    SubmissionState.CANCELLED: frozenset(),
}
UNCOUNTED = (SubmissionState.FAILED, SubmissionState.CANCELLED)
"""States in which dictionaries take nothing of the quota."""
UNSCORED = (*UNCOUNTED, SubmissionState.FAULTY)
"""States in which a submission has ended without a score."""


class Visibility(TextChoices):
    """Whether the leaderboard lists a submission."""

    SHOWN = "shown", _("shown")
    WITHDRAWN = "withdrawn", _("withdrawn by its team")
    HIDDEN = "hidden", _("hidden by a manager")


class TellingKind(TextChoices):
    """What a team was told.

    That is the answer to a submission, the categories with it, whether an endpoint passed its first
    contact, or scores by corrected keys.
    """

    ANSWER = "answer"
    CATEGORIES = "categories"
    CONTACT = "contact"
    CORRECTION = "correction"


class Admission(TextChoices):
    EVERYBODY = "everybody", _("everybody who accepts the terms")
    ADMITTED = "admitted", _("teams that a manager has admitted")


class FlagCode(TextChoices):
    """Why somebody should look at a submission; `submissions.flags` has the words for people.

    OTHER has the text of a flag from before flags had codes.
    """

    MEMBERS = "members"
    SAME_ANSWERS = "same_answers"
    WRONG_KEYS = "wrong_keys"
    FALSE_KEYS = "false_keys"
    NOTE = "note"
    OTHER = "other"
