"""Forms that start an extraction audit, and that take what a person reads."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.audits.actions import AGREED, DOUBTFUL, MOST


class AuditForm(forms.Form):
    """How many responses of each sort people read."""

    doubtful = forms.IntegerField(
        label=_(
            "Responses in which no method finds an answer, and as many in which methods differ"
        ),
        min_value=1,
        max_value=MOST,
        initial=DOUBTFUL,
    )
    agreed = forms.IntegerField(
        label=_("Responses in which methods agree"), min_value=1, max_value=MOST, initial=AGREED
    )


class ReadingForm(forms.Form):
    """The response, and the answer; `none` is the button for no answer."""

    response = forms.IntegerField()
    answer = forms.CharField(max_length=100, required=False)
    none = forms.BooleanField(required=False)

    def answer_read(self) -> str | None:
        data: dict[str, Any] = self.cleaned_data
        return None if data["none"] else data["answer"]
