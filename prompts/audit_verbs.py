"""The words for what happens to prompts."""

from django.utils.translation import gettext_lazy as _

VERBS = {"prompt.created": _("added a prompt"), "prompt.revised": _("revised a prompt")}
