"""The form with which a reader reports a problem."""

from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from releases.enums import ProblemKind
from releases.problems.actions import LONGEST_CONTACT, LONGEST_TEXT, Problem


class ProblemForm(forms.Form):
    """The fields of a report; `website` is a trap for programs, people do not see it."""

    item = forms.CharField(
        label=_("Item"),
        max_length=200,
        help_text=_("The id as written in the files, such as law/12."),
    )
    kind = forms.ChoiceField(
        label=_("What is wrong?"), choices=ProblemKind.choices, widget=forms.RadioSelect
    )
    text = forms.CharField(
        label=_("Tell us more"),
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_(
            "Say what is wrong and what would be right, in plain text of at most 2,000 characters."
        ),
    )
    contact = forms.EmailField(
        label=_("Your e-mail address"),
        required=False,
        max_length=LONGEST_CONTACT,
        help_text=_(
            "Only if we may write to you about it. Only the people who decide the report see it."
        ),
    )
    website = forms.CharField(label=_("Leave this empty"), required=False)

    def __init__(self, *args: Any, is_monolingual: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        if is_monolingual:
            kinds = [kind for kind in ProblemKind.choices if kind[0] != ProblemKind.TRANSLATION]
            cast("forms.ChoiceField", self.fields["kind"]).choices = kinds

    @property
    def is_from_a_program(self) -> bool:
        return bool(self.data.get("website"))

    def problem(self) -> Problem:
        values = self.cleaned_data
        return Problem(values["item"], values["kind"], values["text"], values["contact"])
