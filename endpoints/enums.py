"""The kinds of outside service."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class ProviderName(TextChoices):
    """Each has an entry in `endpoints.connections.PROVIDERS`, but for ELSEWHERE.

    That one stands for whatever another program asked; nothing is ever called at it. Those between
    the first and the last are plain engines: they translate texts and answer no prompts.
    """

    OPENAI_COMPATIBLE = "openai", _("OpenAI-compatible")
    GOOGLE_BASIC = "google_v2", _("Google Translate v2")
    GOOGLE_ADVANCED = "google_v3", _("Google Translate v3")
    DEEPL = "deepl", _("DeepL")
    MICROSOFT = "microsoft", _("Microsoft Translator")
    LIBRETRANSLATE = "libretranslate", _("LibreTranslate")
    NIUTRANS = "niutrans", _("NiuTrans")
    HTTP_TEMPLATE = "http_template", _("another translation engine (HTTP template)")
    ELSEWHERE = "elsewhere", _("asked by another program")
