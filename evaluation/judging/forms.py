"""The form that has a model judge the answers of a run."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from endpoints.budgets import BudgetUnmeasured
from endpoints.models import ModelSpec
from endpoints.specs.queries import prompted_models
from evaluation.judging.actions import JudgingSettings
from evaluation.judging.rubric import RUBRIC
from evaluation.models import AnswerJudging, Run
from evaluation.runs.actions import MAX_CONCURRENCY
from prompts.rubrics import LONGEST_RUBRIC


class JudgingForm(forms.Form):
    judge = forms.ModelChoiceField(
        label=_("Judge"),
        queryset=ModelSpec.objects.none(),
        help_text=_("A model of this project, but not the one that answered."),
    )
    rubric = forms.CharField(
        label=_("Rubric"),
        initial=RUBRIC,
        max_length=LONGEST_RUBRIC,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 12}),
        help_text=_("{question}, {reference} and {response} stand for the texts."),
    )
    budget = forms.DecimalField(
        label=_("Budget"),
        required=False,
        max_digits=12,
        decimal_places=4,
        help_text=_("US dollars. The judging ends when it is spent."),
    )
    concurrency = forms.IntegerField(
        label=_("Concurrent requests"), min_value=1, max_value=MAX_CONCURRENCY, initial=8
    )

    def __init__(self, run: Run, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        field: Any = self.fields["judge"]
        others = prompted_models(run.release.project).exclude(model=run.model_spec.model)
        field.queryset = others.order_by("name")

    def settings(self) -> JudgingSettings:
        data = self.cleaned_data
        rubric = data["rubric"].replace("\r\n", "\n")  # browsers send CR LF
        return JudgingSettings(rubric, data["budget"], data["concurrency"])


def judging_initial(judging: AnswerJudging | None) -> dict[str, Any]:
    """Return the values with which a judging goes on: without a budget that cannot be kept."""
    if judging is None:
        return {}
    names = ("rubric", "budget", "concurrency")
    values = {"judge": judging.model_spec_id, **{name: getattr(judging, name) for name in names}}
    if judging.job.error_code == BudgetUnmeasured.code:
        values["budget"] = None
    return values
