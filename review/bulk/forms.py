"""Forms of the page that changes many items: what to do, and confirming what was shown."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from common.reasons import REASON_LENGTH
from projects.actions.subjects import LONGEST
from review.bulk.actions import WITH_REASON
from review.enums import BulkKind


class WhatToDoForm(forms.Form):
    """What to do to the items of a filter; the category goes with one of the kinds only."""

    change = forms.ChoiceField(
        label=_("What to do"), choices=BulkKind.choices, widget=forms.RadioSelect
    )
    to_category = forms.CharField(
        label=_("Category"),
        required=False,
        max_length=LONGEST,
        help_text=_(
            "For “Assign a category” only. A category belongs to whole subjects: items of a subject "
            "that is not selected as a whole stay as they are."
        ),
    )

    def kind(self) -> BulkKind:
        return BulkKind(self.cleaned_data["change"])


class ConfirmForm(forms.Form):
    """Confirming a preview: its digest, and the reason where there must be one."""

    digest = forms.CharField(widget=forms.HiddenInput, max_length=64)
    reason = forms.CharField(
        label=_("Reason"), max_length=REASON_LENGTH, widget=forms.Textarea(attrs={"rows": 3})
    )

    def __init__(self, *args: Any, kind: BulkKind, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if kind not in WITH_REASON:
            del self.fields["reason"]
