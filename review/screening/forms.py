"""The form that chooses the threshold of a screen."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.enums import Screen


class ThresholdForm(forms.Form):
    """A screen, and the confidence from which its doubts count; empty: all of them count."""

    screen = forms.ChoiceField(label=_("Screen"), choices=Screen.choices)
    confidence = forms.FloatField(
        label=_("Threshold"),
        required=False,
        min_value=0,
        max_value=1,
        help_text=_("Doubts count from this confidence on. Leave it empty to count all."),
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
