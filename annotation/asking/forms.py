"""What people type to start a job that asks models about items, and to resume one."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.asking.actions import AskingSettings
from annotation.asking.queries import Selection
from annotation.items.queries import ItemFilter
from annotation.items.uid_lists import uids_of
from annotation.models.asking import MAX_CONCURRENCY
from endpoints.models import ModelSpec
from endpoints.specs.queries import usable_models
from projects.models import Project, Subject


def hold_field() -> forms.BooleanField:
    """Return the field of kinds of job that take batch files."""
    return forms.BooleanField(
        label=_("Ask by batch file"),
        required=False,
        help_text=_("The job waits for the answers of files, which cost less at some services."),
    )


class AskingForm(forms.Form):
    """The model and the items of a new job; a kind of job puts its own fields after the model."""

    model = forms.ModelChoiceField(label=_("Model"), queryset=ModelSpec.objects.none())
    subject = forms.ModelChoiceField(
        label=_("Subject"),
        queryset=Subject.objects.none(),
        required=False,
        empty_label=_("all subjects"),
    )
    uids = forms.CharField(
        label=_("Only these items"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_("One uid on each line; empty means all."),
    )
    limit = forms.IntegerField(
        label=_("Number of items"),
        min_value=0,
        max_value=10**6,
        initial=0,
        help_text=_("0 means all. Start with 20 items to measure tokens and price."),
    )
    budget = forms.DecimalField(
        label=_("Budget"),
        required=False,
        max_digits=12,
        decimal_places=4,
        help_text=_("US dollars. The job ends when it is spent."),
    )
    concurrency = forms.IntegerField(
        label=_("Requests at once"), min_value=1, max_value=MAX_CONCURRENCY, initial=8
    )

    def __init__(self, project: Project, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        fields: dict[str, Any] = self.fields
        fields["model"].queryset = usable_models(project).order_by("name")
        fields["model"].empty_label = None
        fields["subject"].queryset = Subject.objects.filter(project=project).order_by("name")

    def settings(self) -> AskingSettings:
        raise NotImplementedError

    def shared(self) -> dict[str, Any]:
        """Return the settings that are the same for all kinds."""
        data = self.cleaned_data
        subject = data["subject"].slug if data["subject"] else ""
        selection = Selection(
            items=ItemFilter(subject=subject),
            limit=data["limit"],
            uids=uids_of(data.get("uids", "")),
        )
        return {
            "model": data["model"],
            "concurrency": data["concurrency"],
            "budget": data["budget"],
            "is_held": data.get("hold", False),
            "selection": selection,
        }


class TaskPromptForm(forms.Form):
    """The prompt of a task of a kind of job; `revision` is the one that is being edited."""

    revision = forms.IntegerField(widget=forms.HiddenInput)
    frame = forms.CharField(label=_("Prompt"), widget=forms.Textarea(attrs={"rows": 8}))


class ResumeForm(forms.Form):
    """The budget of a job or a run that continues; empty leaves it as it is."""

    budget = forms.DecimalField(required=False, max_digits=12, decimal_places=4)
