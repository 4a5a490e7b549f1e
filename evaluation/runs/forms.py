"""The form that starts a run."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.asking.forms import hold_field
from endpoints.models import ModelSpec
from endpoints.specs.queries import prompted_models
from evaluation.results.labels import METHODS
from evaluation.runs.actions import (
    DEFAULT_METHODS,
    MAX_CONCURRENCY,
    MAX_EPOCHS,
    MAX_ROTATION,
    MAX_SHOTS,
    RUNNABLE_RELEASES,
    RunSettings,
)
from evaluation.runs.lists import NEWEST, ORDERS, RunFilter
from jobs.enums import JobState
from projects.models import Project
from prompts.queries import known_prompts
from releases.models import Release
from releases.queries import releases_seen_by
from scoring.scorers import RUN_METHODS


class ReleaseChoice(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Release) -> str:
        return f"{obj.version} ({obj.get_state_display()})"


class RunForm(forms.Form):
    """The release, model, prompt and settings of a new run."""

    release = ReleaseChoice(label=_("Release"), queryset=Release.objects.none())
    model = forms.ModelChoiceField(label=_("Model"), queryset=ModelSpec.objects.none())
    prompt = forms.ChoiceField(label=_("Prompt"))
    shots = forms.IntegerField(
        label=_("Examples before each question"),
        min_value=0,
        max_value=MAX_SHOTS,
        initial=0,
        help_text=_("Dev items of the same subject, in order. Choose 0 for no examples."),
    )
    epochs = forms.IntegerField(
        label=_("Epochs"),
        min_value=1,
        max_value=MAX_EPOCHS,
        initial=1,
        help_text=_(
            "How many times to ask each question. With two or more, you see how much answers vary."
        ),
    )
    rotation = forms.IntegerField(
        label=_("Rotate options by"),
        required=False,
        min_value=0,
        max_value=MAX_ROTATION,
        initial=0,
        help_text=_(
            "1 shows the second option first and the first one last. Compare runs with different "
            "rotations to see whether the order matters."
        ),
    )
    methods = forms.MultipleChoiceField(
        label=_("Methods"),
        choices=[(name, METHODS[name].label) for name in RUN_METHODS],
        initial=list(DEFAULT_METHODS),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=_(
            "Scoring uses the stored answers and costs nothing. With Numeric, the run also asks "
            "the items whose answer is a number, and with Exact the open-ended items that have a "
            "reference answer; their accuracies are shown separately. With Translation, it asks the "
            "items that ask for a translation, which get BLEU and chrF++. Without any method, the run "
            "asks the open-ended items, for an arena."
        ),
    )
    is_published = forms.BooleanField(
        label=_("Read answers as the published scorer does"),
        required=False,
        help_text=_(
            "Leaves reasoning that is never closed in the answer, to compare figures with TLUE."
        ),
    )
    is_asked_again = forms.BooleanField(
        label=_("Ask again what earlier runs have answered"),
        required=False,
        help_text=_(
            "Otherwise the run uses stored answers to the same question with the same model and "
            "parameters, and asks only what is new."
        ),
    )
    budget = forms.DecimalField(
        label=_("Budget"),
        required=False,
        max_digits=12,
        decimal_places=4,
        help_text=_("US dollars. The run ends when it is spent."),
    )
    concurrency = forms.IntegerField(
        label=_("Concurrent requests"), min_value=1, max_value=MAX_CONCURRENCY, initial=8
    )

    hold = hold_field()

    def __init__(self, user: User, project: Project, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        releases = releases_seen_by(user, project).filter(state__in=RUNNABLE_RELEASES)
        fields: dict[str, Any] = self.fields
        for name, rows in (
            ("release", releases.order_by("-pk")),
            ("model", prompted_models(project).order_by("name")),
        ):
            fields[name].queryset, fields[name].empty_label = rows, None
        fields["prompt"].choices = [
            (prompt.name, f"{prompt.name} ({prompt.get_style_display()})")
            for prompt in known_prompts(project, now=timezone.now())
        ]

    def settings(self) -> RunSettings:
        data = self.cleaned_data
        return RunSettings(
            shots=data["shots"],
            epochs=data["epochs"],
            methods=tuple(data["methods"]),
            concurrency=data["concurrency"],
            is_published=data["is_published"],
            is_asked_again=data["is_asked_again"],
            budget=data["budget"],
            rotation=data["rotation"] or 0,
            is_held=data["hold"],
        )


class RunFilterForm(forms.Form):
    q = forms.CharField(label=_("Search"), required=False, max_length=100)
    model = forms.CharField(required=False, max_length=100)
    release = forms.CharField(required=False, max_length=40)
    prompt = forms.CharField(required=False, max_length=100)
    state = forms.ChoiceField(
        label=_("State"), required=False, choices=[("", _("all")), *JobState.choices]
    )
    rotation = forms.IntegerField(
        label=_("Rotation"), required=False, min_value=0, max_value=MAX_ROTATION
    )
    order = forms.ChoiceField(
        label=_("Order"),
        required=False,
        choices=[
            ("", _("newest first")),
            ("oldest", _("oldest first")),
            ("score", _("highest accuracy first")),
            ("model", _("by model")),
        ],
    )

    def wanted(self) -> RunFilter:
        """Return the filter of the fields that are valid."""
        names = {field.name for field in fields(RunFilter)}
        return RunFilter(**{name: self.cleaned_data[name] for name in names & {*self.cleaned_data}})

    def order_by(self) -> Sequence[str]:
        return ORDERS[self.cleaned_data.get("order") or NEWEST]
