"""Forms of the workbench: they read what was typed, the actions judge it."""

from collections.abc import Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any, Self

from django import forms
from django.http import QueryDict

from common.db import LARGEST_ID
from projects.criteria import Criterion, names_of
from review.enums import (
    ErrorTag,
    SkipReason,
    Verdict,
)
from review.limits import LONGEST_SECONDS, LONGEST_TEXT
from review.outcomes import FURTHER, Correction
from review.workbench.actions.judgements import JudgementContent

OPTION_FIELDS = tuple(f"option_{index}" for index in range(10))


class TextsMixin(forms.Form):
    """The texts as they stand in the editors: a question, up to ten options, and the rest."""

    question = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_0 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_1 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_2 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_3 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_4 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_5 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_6 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_7 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_8 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_9 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    answer = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    explanation = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)

    def correction(self) -> Correction:
        """The texts; browsers send line ends as CR LF, texts hold LF."""
        data = self.cleaned_data
        options = [data[name] for name in OPTION_FIELDS if name in self.data]
        return Correction(
            _line_ends(data["question"]),
            tuple(map(_line_ends, options)),
            **{name: _line_ends(data[name]) for name in FURTHER if name in self.data},
        )


class JudgementForm(TextsMixin):
    """What somebody says of an item; only *revise* has texts, and only then they are read."""

    assignment = forms.IntegerField(min_value=1, max_value=LARGEST_ID)
    revision = forms.IntegerField(min_value=1, max_value=LARGEST_ID)
    idempotency_key = forms.CharField(max_length=100)
    verdict = forms.ChoiceField(choices=Verdict.choices)
    tags = forms.MultipleChoiceField(choices=ErrorTag.choices, required=False)
    comment = forms.CharField(required=False, max_length=LONGEST_TEXT)
    active_seconds = forms.IntegerField(required=False, min_value=0, max_value=LONGEST_SECONDS)
    revealed_after = forms.IntegerField(required=False, min_value=0, max_value=LONGEST_SECONDS)
    numbers_confirmed = forms.BooleanField(required=False)

    def __init__(self, data: QueryDict, *, criteria: Sequence[Criterion]) -> None:
        scales = tuple((each.name, each.lowest, each.highest) for each in criteria)
        has_texts = data.get("verdict") == Verdict.REVISE
        self.base_fields = _judgement_fields(type(self), scales, has_texts)  # type: ignore[misc]
        self._names = names_of(criteria)
        super().__init__(data)

    def content(self) -> JudgementContent:
        data = self.cleaned_data
        is_revise = data["verdict"] == Verdict.REVISE
        return JudgementContent(
            verdict=data["verdict"],
            ratings={name: data[name] for name in self._names},
            tags=data["tags"],
            comment=_line_ends(data["comment"]),
            correction=self.correction() if is_revise else None,
            active_seconds=data["active_seconds"] or 0,
            revealed_after=data["revealed_after"],
            # A page of the build before named it otherwise.
            numbers_confirmed=data["numbers_confirmed"] or "keys_confirmed" in self.data,
        )


class SharedFields(dict[str, forms.Field]):
    """Fields that every form of a kind reads by; nothing may change them.

    Django copies a form's fields for each request, in case one is changed. That takes longer than
    reading what was sent.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


@lru_cache(maxsize=512)
def _judgement_fields(
    form: type[JudgementForm],
    scales: tuple[tuple[str, int, int], ...],
    has_texts: bool,
) -> SharedFields:
    """The fields of a judgement by criteria of these names and scales."""
    declared: dict[str, forms.Field] = deepcopy(form.base_fields)
    if not has_texts:
        declared = {name: f for name, f in declared.items() if name not in TextsMixin.base_fields}
    ratings = {
        name: forms.IntegerField(min_value=lowest, max_value=highest)
        for name, lowest, highest in scales
    }
    return SharedFields({**declared, **ratings})


class SuggestionForm(TextsMixin):
    assignment = forms.IntegerField(min_value=1, max_value=LARGEST_ID)
    idempotency_key = forms.CharField(max_length=100)
    verdict = forms.ChoiceField(choices=Verdict.choices, required=False)
    comment = forms.CharField(required=False, max_length=LONGEST_TEXT)
    reason = forms.CharField(required=False, max_length=40)

    def content(self) -> dict[str, Any]:
        """What `keep_suggestion` takes; without the verdict *revise* the texts are the item's own."""
        data = self.cleaned_data
        is_revise = data["verdict"] == Verdict.REVISE
        return {
            "verdict": data["verdict"],
            "correction": self.correction() if is_revise else None,
            "comment": _line_ends(data["comment"]),
            "reason": data["reason"],
            "idempotency_key": data["idempotency_key"],
        }


class SkipForm(forms.Form):
    assignment = forms.IntegerField(min_value=1, max_value=LARGEST_ID)
    reason = forms.ChoiceField(choices=SkipReason.choices)
    note = forms.CharField(required=False, max_length=2000)


def _line_ends(text: str) -> str:
    return text.replace("\r\n", "\n")
