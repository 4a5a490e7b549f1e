"""Labels of the audit events of runs, judges, Min-k % tests, audits, analyses of items and suggestions to review."""

from django.utils.translation import gettext_lazy as _

VERBS = {
    "answer-judging.cancelled": _("cancelled the judging of a run’s answers"),
    "answer-judging.resumed": _("resumed the judging of a run’s answers"),
    "answer-judging.started": _("started the judging of a run’s answers"),
    "extraction-audit.cancelled": _("cancelled the drawing of an extraction audit"),
    "extraction-audit.resumed": _("resumed the drawing of an extraction audit"),
    "extraction-audit.started": _("started an extraction audit"),
    "item-analysis.cancelled": _("cancelled an analysis of items"),
    "item-analysis.resumed": _("resumed an analysis of items"),
    "item-analysis.started": _("started an analysis of items"),
    "min-k.cancelled": _("cancelled the Min-k % test of a run"),
    "min-k.resumed": _("resumed the Min-k % test of a run"),
    "min-k.started": _("started the Min-k % test of a run"),
    "run-import.cancelled": _("cancelled an import of answers"),
    "run-import.resumed": _("resumed an import of answers"),
    "run-import.started": _("started an import of answers"),
    "run.cancelled": _("cancelled a run"),
    "run.resumed": _("resumed a run"),
    "run.started": _("started a run"),
    "scoring.cancelled": _("cancelled the rescoring of a run"),
    "scoring.resumed": _("resumed the rescoring of a run"),
    "scoring.started": _("started the rescoring of a run"),
    "suggestion.dismissed": _("dismissed a suggestion to review"),
    "suggestions.sent": _("opened a round on suggestions to review"),
    "run.held": _("had a run wait for its batch file"),
    "run-answers.started": _("gave answers of batch files to a run"),
    "run-answers.cancelled": _("cancelled storing the answers of a run"),
    "run-answers.resumed": _("resumed storing the answers of a run"),
}
