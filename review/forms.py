"""Forms of the review pages: they read what was typed, the actions judge it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from common.db import LARGEST_ID
from review.actions.adjudication import DecisionContent
from review.actions.judgements import LONGEST_SECONDS, LONGEST_TEXT, JudgementContent
from review.actions.rounds import RoundSettings
from review.criteria import CRITERIA, NAMES, Criterion
from review.enums import DecisionKind, ErrorTag, Selection, SkipReason, Verdict, VerdictRule
from review.labels import criterion_label
from review.models import Judgement
from review.outcomes import Correction

OPTION_FIELDS = tuple(f"option_{index}" for index in range(6))


class TextsMixin(forms.Form):
    """The question and up to six options as they stand in the editors."""

    question = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_0 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_1 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_2 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_3 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_4 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)
    option_5 = forms.CharField(required=False, strip=False, max_length=LONGEST_TEXT)

    def correction(self) -> Correction:
        """The texts; browsers send line ends as CR LF, texts hold LF."""
        options = [self.cleaned_data[name] for name in OPTION_FIELDS if name in self.data]
        return Correction(
            _line_ends(self.cleaned_data["question"]), tuple(map(_line_ends, options))
        )


class JudgementForm(TextsMixin):
    assignment = forms.IntegerField(min_value=1, max_value=LARGEST_ID)
    revision = forms.IntegerField(min_value=1, max_value=LARGEST_ID)
    idempotency_key = forms.CharField(max_length=100)
    verdict = forms.ChoiceField(choices=Verdict.choices)
    tags = forms.MultipleChoiceField(choices=ErrorTag.choices, required=False)
    comment = forms.CharField(required=False, max_length=LONGEST_TEXT)
    active_seconds = forms.IntegerField(required=False, min_value=0, max_value=LONGEST_SECONDS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for each in CRITERIA:
            self.fields[each.name] = forms.IntegerField(
                min_value=each.lowest, max_value=each.highest
            )

    def content(self) -> JudgementContent:
        data = self.cleaned_data
        is_revise = data["verdict"] == Verdict.REVISE
        return JudgementContent(
            verdict=data["verdict"],
            ratings={name: data[name] for name in NAMES},
            tags=data["tags"],
            comment=_line_ends(data["comment"]),
            correction=self.correction() if is_revise else None,
            active_seconds=data["active_seconds"] or 0,
        )


class SkipForm(forms.Form):
    assignment = forms.IntegerField(min_value=1, max_value=LARGEST_ID)
    reason = forms.ChoiceField(choices=SkipReason.choices)
    note = forms.CharField(required=False, max_length=2000)


class AdjudicationForm(TextsMixin):
    decision = forms.ChoiceField(
        choices=DecisionKind.choices,
        error_messages={"required": _("Choose a decision first.")},
    )
    judgement = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_ID)
    reason = forms.CharField(required=False, max_length=LONGEST_TEXT)
    citation = forms.CharField(required=False, max_length=500)

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
        )


class OpenRoundForm(forms.Form):
    panel_size = forms.IntegerField(
        label=_("Judgements for each item"), min_value=1, max_value=9, initial=2
    )
    selection = forms.ChoiceField(
        label=_("Items"), choices=Selection.choices, initial=Selection.NOT_APPROVED
    )
    sample_size = forms.IntegerField(
        label=_("Size of the sample"),
        required=False,
        min_value=1,
        max_value=10**8,
        help_text=_("Only for a sample. Each subject gets its share."),
    )
    seed = forms.IntegerField(
        label=_("Seed of the sample"), min_value=0, max_value=2**31 - 1, initial=0
    )
    verdict_rule = forms.ChoiceField(label=_("Verdict rule"), choices=VerdictRule.choices)
    score_gap = forms.IntegerField(
        label=_("Rating gap that opens a dispute"), min_value=1, max_value=5, initial=2
    )
    reservation_minutes = forms.IntegerField(
        label=_("Minutes that an item is reserved"), min_value=1, max_value=1440, initial=30
    )
    cap_per_person = forms.IntegerField(
        label=_("Most items for one person"), required=False, min_value=1, max_value=10**8
    )
    due_on = forms.DateField(
        label=_("Due on"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    is_same_panel_allowed = forms.TypedChoiceField(
        label=_("People who judged in the round before"),
        choices=[
            ("", _("may judge the same items only if there are too few others")),
            ("yes", _("may judge the same items again")),
            ("no", _("judge other items")),
        ],
        coerce=lambda value: value == "yes",
        empty_value=None,
        required=False,
    )
    is_unfinishable_allowed = forms.BooleanField(
        label=_("Open the round even if some items cannot get all their judgements"),
        required=False,
    )

    def settings(self) -> RoundSettings:
        data: dict[str, Any] = dict(self.cleaned_data)
        del data["is_unfinishable_allowed"]
        return RoundSettings(
            **{
                **data,
                "selection": Selection(data["selection"]),
                "verdict_rule": VerdictRule(data["verdict_rule"]),
            }
        )


class GuidelineForm(forms.Form):
    """The text and, for each criterion, one line that says what each rating means."""

    text = forms.CharField(
        label=_("Instructions"),
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 16}),
        help_text=_("You can use Markdown."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for each in CRITERIA:
            self.fields[each.name] = _rubric_field(each)

    def rubric(self) -> dict[str, list[str]]:
        return {
            name: [line.strip() for line in self.cleaned_data[name].splitlines() if line.strip()]
            for name in NAMES
        }


def _rubric_field(criterion: Criterion) -> forms.CharField:
    scale = {
        "lowest": criterion.lowest,
        "highest": criterion.highest,
        "lines": len(criterion.scale),
    }
    return forms.CharField(
        label=_("%(criterion)s, %(lowest)s to %(highest)s")
        % {**scale, "criterion": criterion_label(criterion)},
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": len(criterion.scale)}),
        help_text=_("%(lines)s lines, one for each rating, starting with %(lowest)s.") % scale,
    )


def _line_ends(text: str) -> str:
    return text.replace("\r\n", "\n")
