"""The words for what happens to arenas."""

from django.utils.translation import gettext_lazy as _

VERBS = {
    "arena-count.cancelled": _("cancelled the counting of an arena"),
    "arena-count.resumed": _("resumed the counting of an arena"),
    "arena-count.started": _("had an arena counted again"),
    "arena.cancelled": _("cancelled the judging of an arena"),
    "arena.created": _("created an arena"),
    "arena.deleted": _("deleted an arena without verdicts"),
    "arena.hidden": _("hid an arena from the leaderboard"),
    "arena.imported": _("imported an arena"),
    "arena.judge_brought_back": _("let a judge of an arena count again"),
    "arena.judge_left_out": _("left a judge out of an arena"),
    "arena.resumed": _("resumed the judging of an arena"),
    "arena.shown": _("showed a hidden arena on the leaderboard again"),
    "arena.started": _("started the judging of an arena"),
}
