"""What people type to describe a model or to start a run."""

import json
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from evaluation.actions import RunSettings, SpecValues
from evaluation.actions.runs import (
    DEFAULT_METHODS,
    MAX_CONCURRENCY,
    MAX_EPOCHS,
    MAX_SHOTS,
    RUN_METHODS,
    RUNNABLE_RELEASES,
)
from evaluation.actions.specs import MOST_REQUESTS_PER_MINUTE
from evaluation.labels import METHODS
from evaluation.models import ModelSpec
from evaluation.queries.specs import current_models, known_prompts
from releases.models import Release

PLAIN = ("temperature", "max_tokens", "top_p", "seed")


class ModelForm(forms.Form):
    """A model spec; the usual decoding parameters have fields, any other goes in as JSON."""

    name = forms.CharField(
        label=_("Name"),
        max_length=100,
        help_text=_("How tables and files call it: Latin letters, digits, “.”, “_” and “-”."),
    )
    base_url = forms.CharField(
        label=_("Endpoint"),
        max_length=300,
        help_text=_("The base address of an OpenAI-compatible API, such as https://…/v1."),
        widget=forms.URLInput(attrs={"spellcheck": "false"}),
    )
    model = forms.CharField(
        label=_("Model"), max_length=200, help_text=_("What the endpoint calls the model.")
    )
    api_key_env = forms.CharField(
        label=_("Variable of the API key"),
        max_length=100,
        required=False,
        help_text=_(
            "Name of the environment variable of the worker that holds the key, such as"
            " OPENAI_API_KEY. The key itself is never entered or shown."
        ),
    )
    requests_per_minute = forms.IntegerField(
        label=_("Most calls a minute"),
        required=False,
        min_value=1,
        max_value=MOST_REQUESTS_PER_MINUTE,
        help_text=_("By all runs on this endpoint together. Left out means no limit."),
    )
    temperature = forms.FloatField(label=_("Temperature"), required=False)
    max_tokens = forms.IntegerField(label=_("Longest answer, tokens"), required=False)
    top_p = forms.FloatField(label=_("Top p"), required=False)
    seed = forms.IntegerField(
        label=_("Seed"), required=False, help_text=_("Moves on by one with each epoch.")
    )
    other = forms.CharField(
        label=_("Other parameters"),
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_('A JSON object, such as {"reasoning_effort": "low"}. Left out means none.'),
    )

    def clean_other(self) -> dict[str, Any]:
        text = self.cleaned_data["other"].strip()
        if not text:
            return {}
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError(_now("This is not JSON.")) from error
        if not isinstance(found, dict):
            raise forms.ValidationError(_now("Write an object: names and values in { }."))
        taken = sorted(set(found) & set(PLAIN))
        if taken:
            raise forms.ValidationError(_now("There is a field of its own for: %s.") % taken[0])
        return found

    def values(self) -> SpecValues:
        data = self.cleaned_data
        plain = {name: data[name] for name in PLAIN if data[name] is not None}
        return SpecValues(
            base_url=data["base_url"],
            model=data["model"],
            api_key_env=data["api_key_env"],
            parameters=plain | data["other"],
            requests_per_minute=data["requests_per_minute"],
        )


def model_initial(spec: ModelSpec) -> dict[str, Any]:
    """The values of a spec as the form's fields hold them."""
    plain = {name: spec.parameters[name] for name in PLAIN if name in spec.parameters}
    other = {name: value for name, value in spec.parameters.items() if name not in PLAIN}
    return {
        "name": spec.name,
        "base_url": spec.base_url,
        "model": spec.model,
        "api_key_env": spec.api_key_env,
        "requests_per_minute": spec.requests_per_minute,
        **plain,
        "other": json.dumps(other, ensure_ascii=False) if other else "",
    }


class ReleaseChoice(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Release) -> str:
        return f"{obj.version} ({obj.get_state_display()})"


class RunForm(forms.Form):
    """A release, a model, a prompt and how often and how many at once."""

    release = ReleaseChoice(label=_("Release"), queryset=Release.objects.none())
    model = forms.ModelChoiceField(label=_("Model"), queryset=ModelSpec.objects.none())
    prompt = forms.ChoiceField(label=_("Prompt"))
    shots = forms.IntegerField(
        label=_("Examples before each question"),
        min_value=0,
        max_value=MAX_SHOTS,
        initial=0,
        help_text=_("Dev items of the same subject, in their order. 0 asks without examples."),
    )
    epochs = forms.IntegerField(
        label=_("Epochs"),
        min_value=1,
        max_value=MAX_EPOCHS,
        initial=1,
        help_text=_("How often each question is asked; the spread is shown from two on."),
    )
    methods = forms.MultipleChoiceField(
        label=_("Scored by"),
        choices=[(name, METHODS[name].label) for name in RUN_METHODS],
        initial=list(DEFAULT_METHODS),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Scoring reads stored answers and costs nothing."),
    )
    concurrency = forms.IntegerField(
        label=_("Calls at once"), min_value=1, max_value=MAX_CONCURRENCY, initial=8
    )

    def __init__(self, project: Project, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        releases = Release.objects.filter(project=project, state__in=RUNNABLE_RELEASES)
        fields: dict[str, Any] = self.fields
        for name, rows in (
            ("release", releases.order_by("-pk")),
            ("model", current_models(project).order_by("name")),
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
        )
