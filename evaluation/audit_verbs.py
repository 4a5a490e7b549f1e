"""Labels of the audit events of models and runs."""

from django.utils.translation import gettext_lazy as _

VERBS = {
    "model.created": _("added a model"),
    "model.revised": _("revised a model"),
    "run.cancelled": _("cancelled a run"),
    "run.resumed": _("resumed a run"),
    "run.started": _("started a run"),
    "scoring.cancelled": _("cancelled the rescoring of a run"),
    "scoring.resumed": _("resumed the rescoring of a run"),
    "scoring.started": _("started the rescoring of a run"),
}
