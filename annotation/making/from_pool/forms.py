"""The form of sampling jobs."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.asking.forms import AskingForm
from annotation.making.actions import MOST_CHARACTERS, MOST_LINES
from annotation.making.from_pool.actions import DEFAULT_COUNT, SamplingSettings
from annotation.making.from_pool.pool import MOST_PROMPTS
from projects.models import Project


class SamplingForm(AskingForm):
    """The model, the pool, the size of the sample and the seed of a new sampling job."""

    field_order = ("model", "pool", "count", "seed")
    pool = forms.CharField(
        label=gettext_lazy("Pool"),
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "One prompt on each line, at most 1,000. JSON objects and CSV tables have “prompt”, and "
            "optionally “subject” and “id”. The command takes longer files."
        ),
    )
    count = forms.IntegerField(
        label=gettext_lazy("Number of prompts"),
        min_value=1,
        max_value=MOST_PROMPTS,
        initial=DEFAULT_COUNT,
        help_text=gettext_lazy("How many are drawn."),
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        min_value=0,
        max_value=2**31 - 1,
        initial=0,
        help_text=gettext_lazy("It finds the topics, and decides between equal scores."),
    )

    def __init__(self, project: Project, *args: Any, **options: Any) -> None:
        super().__init__(project, *args, **options)
        for name in ("subject", "uids", "limit"):  # of items, and a prompt is none yet
            del self.fields[name]

    def clean_pool(self) -> str:
        pool: str = self.cleaned_data["pool"]
        if len(pool.splitlines()) > MOST_LINES:
            raise ValidationError(_("Enter at most 1,000 lines, or use the command."))
        return pool

    def settings(self) -> SamplingSettings:
        data = {**self.cleaned_data}
        return SamplingSettings(**data)
