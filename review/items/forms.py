"""The form of a text changed by hand: it reads what was typed, the action judges it."""

from django import forms

from common.db import LARGEST_ID
from review.workbench.forms import TextsMixin


class ItemTextForm(TextsMixin):
    """A text changed by hand; `base` is the revision that it was typed over."""

    base = forms.IntegerField(min_value=1, max_value=LARGEST_ID)
    act = forms.CharField(required=False)
    numbers_confirmed = forms.BooleanField(required=False)

    @property
    def is_check(self) -> bool:
        """Whether the text is only to be checked."""
        return bool(self.cleaned_data["act"] == "check")
