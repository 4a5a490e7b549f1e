"""Forms of comparisons, solving rounds and what follows: they read, the actions judge."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Item
from common.db import LARGEST_ID
from common.reasons import REASON_LENGTH
from languages.letters import letters_of
from review.actions.answers import MOST_TEXTS, AnswerContent, TextOpinion
from review.actions.judgements import LONGEST_SECONDS, LONGEST_TEXT
from review.criteria import NAMES

UNSURE = "unsure"


class AnswerForm(forms.Form):
    assignment = forms.IntegerField(min_value=1, max_value=LARGEST_ID)
    idempotency_key = forms.CharField(max_length=100)
    choice = forms.CharField(required=False, max_length=40)
    token = forms.CharField(required=False, max_length=40)
    comment = forms.CharField(required=False, max_length=LONGEST_TEXT)
    active_seconds = forms.IntegerField(required=False, min_value=0, max_value=LONGEST_SECONDS)

    def content(self, *, is_comparison: bool) -> AnswerContent:
        """What was given; of a solving round an empty choice is none, "unsure" an empty answer."""
        data = self.cleaned_data
        said: dict[str, Any] = {
            "comment": data["comment"].replace("\r\n", "\n"),
            "active_seconds": data["active_seconds"] or 0,
        }
        if is_comparison:
            return AnswerContent(token=data["token"], opinions=self._opinions(), **said)
        choice = data["choice"] or "?"  # no option has this letter
        return AnswerContent(choice="" if choice == UNSURE else choice, **said)

    def _opinions(self) -> dict[int, TextOpinion]:
        """What stands in the controls of each text, by its number; an untouched text has none."""
        found = {}
        for number in range(1, MOST_TEXTS + 1):
            if f"shown_{number}" not in self.data:
                break
            found[number] = self._opinion(number)
        return found

    def _opinion(self, number: int) -> TextOpinion:
        approve = self.data.get(f"approve_{number}", "")
        ratings = {name: self._number(f"{name}_{number}") for name in NAMES}
        return TextOpinion(
            is_approved={"yes": True, "no": False}.get(approve),
            ratings={name: value for name, value in ratings.items() if value is not None},
            rank=self._number(f"rank_{number}"),
        )

    def _number(self, name: str) -> int | None:
        value = self.data.get(name, "")
        return int(value) if value.isdecimal() and value.isascii() and len(value) < 3 else None


class KeyRulingForm(forms.Form):
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


class ChooseSystemForm(forms.Form):
    """Which system's texts go on to the next round, and whether reviewed texts may give way."""

    what = forms.ChoiceField(label=_("Whose text goes on"), widget=forms.RadioSelect)
    is_reviewed_included = forms.BooleanField(
        label=_("Also replace texts that people have judged, decided on or corrected"),
        required=False,
        help_text=_("They stay in the history of the item, but are reviewed anew."),
    )

    def __init__(self, *args: Any, choices: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["what"]
        field.choices = choices
