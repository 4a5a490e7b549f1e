"""The words for what happens in rounds of review."""

from django.utils.translation import gettext_lazy as _

VERBS = {
    "guideline.created": _("changed the guideline"),
    "item.translation_chosen": _("chose another translation of an item"),
    "panel.key_settled": _("settled a dispute about a key"),
    "panel.adjudicated": _("settled a dispute"),
    "panel.reopened": _("reopened a dispute"),
    "panel.substitute-named": _("named a substitute for a dispute"),
    "reviewer-reliability.cancelled": _("cancelled an estimate of reliability"),
    "reviewer-reliability.resumed": _("resumed an estimate of reliability"),
    "reviewer-reliability.started": _("started an estimate of reliability"),
    "round-opening.cancelled": _("cancelled the opening of a round"),
    "round-opening.resumed": _("resumed the opening of a round"),
    "round-opening.started": _("started to open a round"),
    "round-tables.cancelled": _("cancelled storing the tables of a round"),
    "round-tables.resumed": _("resumed storing the tables of a round"),
    "round-tables.started": _("started to store the tables of a round"),
    "round.changed": _("changed a round"),
    "round.closed": _("closed a round"),
    "round.discarded": _("discarded a round"),
    "round.opened": _("opened a round"),
    "round.paused": _("paused a round"),
    "round.resumed": _("resumed a round"),
    "work_statement.closed": _("closed a statement of work"),
}
