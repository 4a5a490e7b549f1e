"""What a person says about a file of answers."""

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.outside.readers import READERS
from evaluation.results.labels import METHODS
from evaluation.runs.actions import DEFAULT_METHODS, RUNNABLE_RELEASES
from projects.models import Project
from releases.models import Release
from scoring.scorers import RUN_METHODS

FORMATS = {
    "tlue": _("TLUE: model_result and loc, a line for each answer"),
    "lm_eval": _("lm-evaluation-harness: samples_….jsonl"),
    "inspect": _("Inspect: a log, .eval or .json"),
    "openai_batch": _("OpenAI: the output file of a batch"),
    "csv": _("A CSV table with the columns id and answer"),
}


class RunImportForm(forms.Form):
    file = forms.FileField(label=_("File"))
    format = forms.ChoiceField(
        label=_("Format"),
        required=False,
        choices=[("", _("As the content says")), *((name, FORMATS[name]) for name in READERS)],
    )
    release = forms.ModelChoiceField(label=_("Release"), queryset=Release.objects.none())
    model = forms.CharField(
        label=_("Model"),
        max_length=100,
        required=False,
        help_text=_("Leave it empty to take the name that the file gives."),
    )
    methods = forms.MultipleChoiceField(
        label=_("Methods"),
        choices=[(name, METHODS[name].label) for name in RUN_METHODS],
        initial=list(DEFAULT_METHODS),
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, project: Project, *args: object, **more: object) -> None:
        super().__init__(*args, **more)  # type: ignore[arg-type]
        rows = Release.objects.filter(project=project, state__in=RUNNABLE_RELEASES)
        self.fields["release"].queryset = rows.order_by("-pk")  # type: ignore[attr-defined]
