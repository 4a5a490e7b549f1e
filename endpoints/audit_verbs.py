"""The words for what happens to endpoints and models."""

from django.utils.translation import gettext_lazy as _

VERBS = {
    "endpoint.changed": _("changed an endpoint"),
    "endpoint.created": _("defined an endpoint"),
    "model.retired": _("retired a model"),
    "model.returned": _("brought back a model"),
    "model_test.cancelled": _("cancelled the test of a model"),
    "model_test.resumed": _("resumed the test of a model"),
    "model_test.started": _("tested a model"),
    "model.created": _("added a model"),
    "model.revised": _("revised a model"),
}
