"""The forms that start a translation job and edit its prompt."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.enums import TranslationStrategy
from annotation.items.queries import ItemFilter
from annotation.models.translating import MIN_SAMPLES, MOST_SAMPLES
from annotation.translating.actions import MAX_CONCURRENCY, SYSTEM_LENGTH, TranslationSettings
from annotation.translating.queries import Selection
from endpoints.models import ModelSpec
from endpoints.specs.queries import usable_models
from projects.models import Project, Subject


class TranslationForm(forms.Form):
    """The system, model, strategy and items of a new translation job."""

    system = forms.CharField(
        label=_("System"),
        max_length=SYSTEM_LENGTH,
        help_text=_(
            "The name of these translations in tables. Each item has one text of a system."
        ),
    )
    model = forms.ModelChoiceField(label=_("Model"), queryset=ModelSpec.objects.none())
    strategy = forms.ChoiceField(label=_("Strategy"), choices=TranslationStrategy.choices)
    judge = forms.ModelChoiceField(
        label=_("Judge"),
        queryset=ModelSpec.objects.none(),
        required=False,
        empty_label=_("the model itself"),
        help_text=_("Scores or ranks candidates."),
    )
    samples = forms.IntegerField(
        label=_("Candidates"),
        min_value=MIN_SAMPLES,
        max_value=MOST_SAMPLES,
        initial=3,
        help_text=_("For best of N, fuse and rank."),
    )
    subject = forms.ModelChoiceField(
        label=_("Subject"),
        queryset=Subject.objects.none(),
        required=False,
        empty_label=_("all subjects"),
    )
    limit = forms.IntegerField(
        label=_("Number of items"),
        min_value=0,
        max_value=10**6,
        initial=0,
        help_text=_("0 means all. Start with 20 items to measure tokens and price."),
    )
    budget = forms.DecimalField(
        label=_("Budget"),
        required=False,
        max_digits=12,
        decimal_places=4,
        help_text=_("US dollars. The job ends when it is spent."),
    )
    concurrency = forms.IntegerField(
        label=_("Requests at once"), min_value=1, max_value=MAX_CONCURRENCY, initial=8
    )

    def __init__(self, project: Project, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        models = usable_models(project).order_by("name")
        fields: dict[str, Any] = self.fields
        fields["model"].queryset = fields["judge"].queryset = models
        fields["model"].empty_label = None
        fields["subject"].queryset = Subject.objects.filter(project=project).order_by("name")

    def settings(self) -> TranslationSettings:
        data = self.cleaned_data
        subject = data["subject"].slug if data["subject"] else ""
        return TranslationSettings(
            system=data["system"],
            strategy=data["strategy"],
            model=data["model"],
            judge=data["judge"],
            samples=data["samples"],
            concurrency=data["concurrency"],
            budget=data["budget"],
            selection=Selection(items=ItemFilter(subject=subject), limit=data["limit"]),
        )


class ResumeForm(forms.Form):
    """The budget of a job that continues; empty leaves it as it is."""

    budget = forms.DecimalField(required=False, max_digits=12, decimal_places=4)


class PromptForm(forms.Form):
    """The prompt of translation jobs; `revision` is the one that is being edited."""

    revision = forms.IntegerField(widget=forms.HiddenInput)
    system = forms.CharField(
        label=_("System message"), required=False, widget=forms.Textarea(attrs={"rows": 5})
    )
    frame = forms.CharField(label=_("User message"), widget=forms.Textarea(attrs={"rows": 12}))
