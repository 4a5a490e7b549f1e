"""The forms of making jobs."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.asking.forms import AskingForm
from annotation.making.actions import MOST_CHARACTERS, MOST_LINES
from annotation.making.by_model.actions import MakingJobSettings
from projects.models import Project


class MakingJobForm(AskingForm):
    """The model, the pairs and the seed of a new making job."""

    field_order = ("model", "pairs", "seed")
    pairs = forms.CharField(
        label=gettext_lazy("Pairs"),
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "One on each line, at most 1,000: JSON objects with question and answer, or a CSV table "
            "with these columns. Optional: subject, id. The command takes longer files."
        ),
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        min_value=0,
        max_value=2**31 - 1,
        initial=0,
        help_text=gettext_lazy("It draws the place of the right answer."),
    )

    def __init__(self, project: Project, *args: Any, **options: Any) -> None:
        super().__init__(project, *args, **options)
        for name in ("subject", "uids", "limit"):  # of items, and a pair is none yet
            del self.fields[name]

    def clean_pairs(self) -> str:
        pairs: str = self.cleaned_data["pairs"]
        if len(pairs.splitlines()) > MOST_LINES:
            raise ValidationError(_("Enter at most 1,000 lines, or use the command."))
        return pairs

    def settings(self) -> MakingJobSettings:
        data = {**self.cleaned_data}
        return MakingJobSettings(**data)
