"""The words for what happens in rounds of review."""

from django.utils.translation import gettext_lazy as _

VERBS = {
    "guideline.created": _("changed the guideline"),
    "panel.adjudicated": _("settled a dispute"),
    "panel.reopened": _("reopened a dispute"),
    "panel.substitute-named": _("named a substitute for a dispute"),
    "round-opening.cancelled": _("cancelled the opening of a round"),
    "round-opening.resumed": _("resumed the opening of a round"),
    "round-opening.started": _("started to open a round"),
    "round.changed": _("changed a round"),
    "round.closed": _("closed a round"),
    "round.discarded": _("discarded a round"),
    "round.opened": _("opened a round"),
    "round.paused": _("paused a round"),
    "round.resumed": _("resumed a round"),
    "work_statement.closed": _("closed a statement of work"),
}
