"""The forms that start a screening job and filter its opinions."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.enums import OpinionState, Screen
from annotation.items.queries import ItemFilter
from annotation.screening.actions import MAX_CONCURRENCY, ScreeningSettings
from annotation.screening.queries import OpinionFilter
from annotation.translating.queries import Selection
from endpoints.models import ModelSpec
from endpoints.specs.queries import usable_models
from projects.models import Project, Subject


class ScreeningForm(forms.Form):
    """The model, screens and items of a new screening job."""

    model = forms.ModelChoiceField(label=_("Model"), queryset=ModelSpec.objects.none())
    screens = forms.MultipleChoiceField(
        label=_("Screens"),
        choices=Screen.choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Each screen asks one question about each item, in one call."),
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
        fields: dict[str, Any] = self.fields
        fields["model"].queryset = usable_models(project).order_by("name")
        fields["model"].empty_label = None
        fields["subject"].queryset = Subject.objects.filter(project=project).order_by("name")

    def settings(self) -> ScreeningSettings:
        data = self.cleaned_data
        subject = data["subject"].slug if data["subject"] else ""
        return ScreeningSettings(
            model=data["model"],
            screens=tuple(data["screens"]),
            concurrency=data["concurrency"],
            budget=data["budget"],
            selection=Selection(items=ItemFilter(subject=subject), limit=data["limit"]),
        )


class ScreenPromptForm(forms.Form):
    """The prompt of one screen; `revision` is the one that is being edited."""

    revision = forms.IntegerField(widget=forms.HiddenInput)
    frame = forms.CharField(label=_("Prompt"), widget=forms.Textarea(attrs={"rows": 8}))


class OpinionFilterForm(forms.Form):
    """Which opinions of a job to list; the address and the API read it alike."""

    state = forms.ChoiceField(
        label=_("Opinion"),
        required=False,
        choices=[each for each in OpinionState.choices if each[0] != OpinionState.OPEN],
    )
    screen = forms.ChoiceField(
        label=_("Screen"), required=False, choices=[("", _("all screens")), *Screen.choices]
    )
    confidence = forms.FloatField(
        label=_("Confidence, at least"),
        required=False,
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "0.05"}),
    )

    def wanted(self) -> OpinionFilter:
        data = self.cleaned_data
        return OpinionFilter(
            state=data["state"] or OpinionState.DOUBT,
            screen=data["screen"],
            confidence=data["confidence"],
        )
