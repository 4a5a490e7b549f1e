"""Forms for models and runs."""

import json
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from endpoints.models import Endpoint
from evaluation.actions import RunSettings, SpecValues
from evaluation.actions.runs import (
    DEFAULT_METHODS,
    MAX_CONCURRENCY,
    MAX_EPOCHS,
    MAX_SHOTS,
    RUN_METHODS,
    RUNNABLE_RELEASES,
)
from evaluation.labels import METHODS
from evaluation.models import ModelSpec
from evaluation.queries.specs import current_models, known_prompts
from projects.models import Project
from releases.models import Release

PLAIN = ("temperature", "max_tokens", "top_p", "seed")


class ModelForm(forms.Form):
    """A model spec, with fields for common decoding parameters and JSON for all others."""

    name = forms.CharField(
        label=_("Name"),
        max_length=100,
        help_text=_("The name in tables and files. Use Latin letters, digits, “.”, “_” and “-”."),
    )
    endpoint = forms.ChoiceField(
        label=_("Endpoint"), help_text=_("The service that runs the model.")
    )
    model = forms.CharField(
        label=_("Model"), max_length=200, help_text=_("The model's name at the endpoint.")
    )
    temperature = forms.FloatField(label=_("Temperature"), required=False)
    max_tokens = forms.IntegerField(label=_("Maximum tokens"), required=False)
    top_p = forms.FloatField(label=_("Top p"), required=False)
    seed = forms.IntegerField(
        label=_("Seed"), required=False, help_text=_("Increases by one with each epoch.")
    )
    other = forms.CharField(
        label=_("Other parameters"),
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_('A JSON object, such as {"reasoning_effort": "low"}.'),
    )

    def __init__(self, *args: Any, project: Project, **options: Any) -> None:
        super().__init__(*args, **options)
        usable = Endpoint.objects.usable_in(project).order_by("name", "pk")
        field: Any = self.fields["endpoint"]
        field.choices = [(each.name, f"{each.name} ({each.base_url})") for each in usable]

    def clean_other(self) -> dict[str, Any]:
        text = self.cleaned_data["other"].strip()
        if not text:
            return {}
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError(gettext("This is not valid JSON.")) from error
        if not isinstance(found, dict):
            raise forms.ValidationError(
                gettext('Enter a JSON object, such as {"reasoning_effort": "low"}.')
            )
        taken = sorted(set(found) & set(PLAIN))
        if taken:
            raise forms.ValidationError(gettext("Use the separate field for %s.") % taken[0])
        return found

    def values(self) -> SpecValues:
        data = self.cleaned_data
        plain = {name: data[name] for name in PLAIN if data[name] is not None}
        return SpecValues(
            endpoint=data["endpoint"],
            model=data["model"],
            parameters=plain | data["other"],
        )


def model_initial(spec: ModelSpec) -> dict[str, Any]:
    """Return the values of a spec for the fields of the form."""
    plain = {name: spec.parameters[name] for name in PLAIN if name in spec.parameters}
    other = {name: value for name, value in spec.parameters.items() if name not in PLAIN}
    return {
        "name": spec.name,
        "endpoint": spec.endpoint.name,
        "model": spec.model,
        **plain,
        "other": json.dumps(other, ensure_ascii=False) if other else "",
    }


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
    methods = forms.MultipleChoiceField(
        label=_("Methods"),
        choices=[(name, METHODS[name].label) for name in RUN_METHODS],
        initial=list(DEFAULT_METHODS),
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Scoring uses the stored answers and costs nothing. With Numeric, the run also asks the"
            " items that a number answers, and shows their accuracy apart from the others."
        ),
    )
    concurrency = forms.IntegerField(
        label=_("Concurrent requests"), min_value=1, max_value=MAX_CONCURRENCY, initial=8
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
