"""The forms that start a translation job and edit its prompt."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.asking.forms import AskingForm, hold_field
from annotation.enums import TranslationStrategy
from annotation.models.translating import MIN_SAMPLES, MOST_SAMPLES
from annotation.translating.actions import SYSTEM_LENGTH, TranslationSettings
from endpoints.models import ModelSpec
from projects.models import Project


class TranslationForm(AskingForm):
    """The system, model, strategy and items of a new translation job."""

    field_order = ("system", "model", "strategy", "judge", "samples", "hold")
    system = forms.CharField(
        label=_("System"),
        max_length=SYSTEM_LENGTH,
        help_text=_(
            "The name of these translations in tables. Each item has one text of a system."
        ),
    )
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
    hold = hold_field()

    def __init__(self, project: Project, *args: Any, **options: Any) -> None:
        super().__init__(project, *args, **options)
        fields: dict[str, Any] = self.fields
        fields["judge"].queryset = fields["model"].queryset

    def settings(self) -> TranslationSettings:
        own = {name: self.cleaned_data[name] for name in ("system", "strategy", "judge", "samples")}
        return TranslationSettings(**own, **self.shared())


class PromptForm(forms.Form):
    """The prompt of translation jobs; `revision` is the one that is being edited."""

    revision = forms.IntegerField(widget=forms.HiddenInput)
    system = forms.CharField(
        label=_("System message"), required=False, widget=forms.Textarea(attrs={"rows": 5})
    )
    frame = forms.CharField(label=_("User message"), widget=forms.Textarea(attrs={"rows": 12}))
