"""The form of a guideline: it reads what was typed, the action judges it."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from projects.criteria import Criterion, names_of
from review.guidelines.labels import criterion_label
from review.limits import LONGEST_TEXT


class GuidelineForm(forms.Form):
    """The text and, for each criterion, one line that says what each rating means."""

    text = forms.CharField(
        label=_("Instructions"),
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 16}),
        help_text=_("You can use Markdown."),
    )

    def __init__(self, *args: Any, criteria: Sequence[Criterion], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._names = names_of(criteria)
        for each in criteria:
            self.fields[each.name] = rubric_field(each)

    def rubric(self) -> dict[str, list[str]]:
        return {
            name: [line.strip() for line in self.cleaned_data[name].splitlines() if line.strip()]
            for name in self._names
        }


def rubric_field(criterion: Criterion) -> forms.CharField:
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
        help_text=_(
            "%(lines)s lines, one for each rating, starting with %(lowest)s. Or one line about all "
            "of them."
        )
        % scale,
    )
