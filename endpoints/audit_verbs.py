"""The words for what happens to endpoints."""

from django.utils.translation import gettext_lazy as _

VERBS = {
    "endpoint.changed": _("changed an endpoint"),
    "endpoint.created": _("defined an endpoint"),
}
