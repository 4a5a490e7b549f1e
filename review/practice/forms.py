"""The form of a practice item: it reads what was typed."""

from django import forms
from django.utils.translation import gettext_lazy as _

from review.enums import (
    ErrorTag,
    Verdict,
)


class PracticeForm(forms.Form):
    verdict = forms.ChoiceField(
        label=_("Verdict"), choices=Verdict.choices, widget=forms.RadioSelect
    )
    tags = forms.MultipleChoiceField(
        label=_("What is wrong?"),
        choices=ErrorTag.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
