"""What people are told."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Kind(TextChoices):
    MENTIONED = "mentioned", _("mentions of you")
    REPLIED = "replied", _("replies in threads that you take part in")
    SENT_BACK = "sent_back", _("items sent back to you")
    SUBSTITUTE = "substitute", _("disputes that you were named for")
    OVERTURNED = "overturned", _("disputes settled against your judgement")
    SETTLED = "settled", _("settled disputes that you judged")
    REOPENED = "reopened", _("reopened disputes that you judged")
    ROUND_OPENED = "round_opened", _("new rounds")
    ROUND_DUE = "round_due", _("rounds that are due soon")
    PROPOSED = "proposed", _("proposed terms")
    DECIDED = "decided", _("decisions on your proposals")
    JOB_ENDED = "job_ended", _("background jobs that ended")
    WEBHOOK_OFF = "webhook_off", _("webhooks that were switched off")
    TEAM_WAITS = "team_waits", _("teams that wait to be admitted")
    ADMITTED = "admitted", _("teams of yours that were admitted")
    RESCORED = "rescored", _("scores of yours that have changed")


# Those that tell a word of their event.
OF_EVENTS = (Kind.PROPOSED, Kind.DECIDED, Kind.TEAM_WAITS, Kind.ADMITTED, Kind.RESCORED)
# Those for people outside the project who send it submissions.
FOR_SENDERS = (Kind.ADMITTED, Kind.RESCORED)
# Those about an item or what its reviewers said: not for viewers.
ABOUT_ITEMS = (
    Kind.MENTIONED,
    Kind.REPLIED,
    Kind.SENT_BACK,
    Kind.SUBSTITUTE,
    Kind.OVERTURNED,
    Kind.SETTLED,
    Kind.REOPENED,
    Kind.PROPOSED,
    Kind.DECIDED,
)
