"""The words for what happens to arenas."""

from django.utils.translation import gettext_lazy as _

VERBS = {
    "arena.cancelled": _("cancelled the judging of an arena"),
    "arena.created": _("created an arena"),
    "arena.imported": _("imported an arena"),
    "arena.resumed": _("resumed the judging of an arena"),
    "arena.started": _("started the judging of an arena"),
}
