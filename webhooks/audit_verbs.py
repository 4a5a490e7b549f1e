"""The words for what happens to webhooks."""

from django.utils.translation import gettext_lazy as _

VERBS = {
    "webhook.added": _("added a webhook"),
    "webhook.changed": _("changed a webhook"),
    "webhook.failing": _("a webhook was switched off, because its address does not answer"),
    "webhook.pinged": _("sent a test to a webhook"),
    "webhook.removed": _("removed a webhook"),
    "webhook.replayed": _("sent events to a webhook again"),
    "webhook.secret_rotated": _("made a new secret for a webhook"),
    "webhook.switched_on": _("switched a webhook on again"),
}
