"""The kinds of outside service."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class ProviderName(TextChoices):
    """Each has an entry in `endpoints.connections.PROVIDERS`."""

    OPENAI_COMPATIBLE = "openai", _("OpenAI-compatible")
