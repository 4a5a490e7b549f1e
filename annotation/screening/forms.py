"""The forms that start a screening job and filter its opinions."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.asking.forms import AskingForm, hold_field
from annotation.enums import OpinionState, Screen
from annotation.screening.actions import ScreeningSettings
from annotation.screening.queries import OpinionFilter


class ScreeningForm(AskingForm):
    """The model, screens and items of a new screening job."""

    field_order = ("model", "screens")
    screens = forms.MultipleChoiceField(
        label=_("Screens"),
        choices=Screen.choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Each screen asks one question about each item, in one call."),
    )
    hold = hold_field()

    def settings(self) -> ScreeningSettings:
        return ScreeningSettings(screens=tuple(self.cleaned_data["screens"]), **self.shared())


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
