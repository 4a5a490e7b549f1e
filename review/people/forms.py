"""Forms of the pages of a person's work: they read what was typed."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from projects.forms import MonthField
from review.enums import (
    Fate,
)
from review.people.work import WorkFilter


class WorkFilterForm(forms.Form):
    project = forms.ChoiceField(label=_("Project"), required=False)
    round = forms.IntegerField(label=_("Round"), required=False, min_value=1, max_value=32_767)
    fate = forms.ChoiceField(
        label=_("Outcome"), required=False, choices=[("", _("all")), *Fate.choices]
    )
    month = MonthField(label=_("Month"), required=False)

    def __init__(self, *args: Any, projects: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["project"]
        field.choices = [("", _("all")), *projects]

    def wanted(self) -> WorkFilter:
        """The filter of the fields that are valid; the page says which are not."""
        found = self.cleaned_data
        return WorkFilter(
            project=found.get("project", ""),
            round=found.get("round"),
            fate=found.get("fate", ""),
            month=found.get("month"),
        )


class AnswerWorkFilterForm(WorkFilterForm):
    """The filter of one's answers, which have no fate."""

    fate = None  # type: ignore[assignment]
