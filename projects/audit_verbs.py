"""The words for what happens to projects, members and sources."""

from django.utils.translation import gettext_lazy as _

VERBS = {
    "contributor.agreed": _("agreed to be named in releases"),
    "contributor.withdrew": _("withdrew from being named in releases"),
    "member.added": _("added a member"),
    "member.changed": _("changed a member"),
    "member.invited_again": _("sent a new invitation"),
    "member.paused": _("paused a member"),
    "member.removed": _("removed a member"),
    "member.resumed": _("ended the pause of a member"),
    "offer.changed": _("changed what invitations say"),
    "pay_rate.set": _("set the pay of a member"),
    "project.changed": _("changed the project"),
    "project.criteria_changed": _("changed the criteria"),
    "project.created": _("created the project"),
    "source.changed": _("changed a source"),
    "subjects.grouped": _("changed the categories of subjects"),
}
