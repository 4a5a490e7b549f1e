"""States of responses and styles of prompts."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class ResponseState(TextChoices):
    ANSWERED = "answered", _("answered")
    FAILED = "failed", _("no answer from the endpoint")


class PromptStyle(TextChoices):
    DIRECT = "direct", _("direct answer")
    CHAIN_OF_THOUGHT = "chain-of-thought", _("chain of thought")
