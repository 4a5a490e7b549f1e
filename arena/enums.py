"""How battles are planned."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Plan(TextChoices):
    BASELINE = "baseline", _("each against the baseline")
    BALANCED = "balanced", _("all against all")


class CallState(TextChoices):
    ANSWERED = "answered", _("answered")
    FAILED = "failed", _("failed")
