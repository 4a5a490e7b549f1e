"""Forms of adjudications: they read what was typed, the actions judge it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Item
from common.db import LARGEST_ID
from common.reasons import REASON_LENGTH
from languages.letters import letters_of
from review.disputes.actions.adjudication import DecisionContent
from review.enums import (
    DecisionKind,
)
from review.limits import LONGEST_TEXT
from review.models import Judgement
from review.workbench.forms import TextsMixin


class KeyAdjudicationForm(forms.Form):
    """What a senior decides about a doubted key; the key that stands is a choice like the others."""

    key = forms.ChoiceField(label=_("The right key"), widget=forms.RadioSelect)
    seen_key = forms.CharField(max_length=40, widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The experts who answered and later readers of the item see it."),
    )

    def __init__(self, *args: Any, item: Item, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["seen_key"].initial = item.key
        field: Any = self.fields["key"]
        field.choices = [
            (letter, _("%(letter)s – the key stands") % {"letter": letter})
            if letter == item.key
            else (letter, letter)
            for letter in letters_of(len(item.options))
        ]


class AdjudicationForm(TextsMixin):
    decision = forms.ChoiceField(
        choices=DecisionKind.choices,
        error_messages={"required": _("Choose a decision first.")},
    )
    judgement = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_ID)
    reason = forms.CharField(required=False, max_length=LONGEST_TEXT)
    citation = forms.CharField(required=False, max_length=500)
    idempotency_key = forms.CharField(required=False, max_length=100)
    numbers_confirmed = forms.BooleanField(required=False)

    def content(self, judgement: Judgement | None, fields: list[str]) -> DecisionContent:
        data = self.cleaned_data
        is_merge = data["decision"] == DecisionKind.MERGE
        return DecisionContent(
            kind=data["decision"],
            judgement=judgement,
            fields=fields,
            correction=self.correction() if is_merge else None,
            reason=data["reason"],
            citation=data["citation"],
            numbers_confirmed=data["numbers_confirmed"],
        )
