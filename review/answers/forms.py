"""The form of an answer: it reads what was typed, the action judges it."""

from collections.abc import Sequence
from typing import Any

from django import forms

from common.db import LARGEST_ID
from projects.criteria import Criterion, names_of
from review.answers.actions import MOST_TEXTS, AnswerContent, TextOpinion
from review.limits import LONGEST_SECONDS, LONGEST_TEXT

UNSURE = "unsure"


class AnswerForm(forms.Form):
    assignment = forms.IntegerField(min_value=1, max_value=LARGEST_ID)
    idempotency_key = forms.CharField(max_length=100)
    choice = forms.CharField(required=False, max_length=40)
    token = forms.CharField(required=False, max_length=40)
    comment = forms.CharField(required=False, max_length=LONGEST_TEXT)
    active_seconds = forms.IntegerField(required=False, min_value=0, max_value=LONGEST_SECONDS)

    def __init__(self, *args: Any, criteria: Sequence[Criterion], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._names = names_of(criteria)

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
        ratings = {name: self._number(f"{name}_{number}") for name in self._names}
        return TextOpinion(
            is_approved={"yes": True, "no": False}.get(approve),
            ratings={name: value for name, value in ratings.items() if value is not None},
            rank=self._number(f"rank_{number}"),
        )

    def _number(self, name: str) -> int | None:
        value = self.data.get(name, "")
        return int(value) if value.isdecimal() and value.isascii() and len(value) < 3 else None
