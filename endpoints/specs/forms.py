"""The form of a model."""

import json
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from endpoints.models import BATCH_FACTOR, Endpoint, ModelSpec
from endpoints.specs.actions import SpecValues
from projects.models import Project

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
    prompt_price = forms.DecimalField(
        label=_("Price of prompts"),
        required=False,
        max_digits=10,
        decimal_places=4,
        help_text=_("US dollars per million tokens."),
    )
    completion_price = forms.DecimalField(
        label=_("Price of answers"),
        required=False,
        max_digits=10,
        decimal_places=4,
        help_text=_("US dollars per million tokens."),
    )
    batch_factor = forms.DecimalField(
        label=_("Price of batch files"),
        initial=BATCH_FACTOR,
        required=False,
        max_digits=5,
        decimal_places=4,
        help_text=_("As a share of the prices: 0.5 is half the price."),
    )
    size = forms.DecimalField(
        label=_("Size"),
        required=False,
        max_digits=9,
        decimal_places=4,
        help_text=_("Billions of parameters, such as 7 or 0.5. Figures by size need it."),
    )
    cutoff = forms.CharField(
        label=_("End of its training data"),
        max_length=7,
        required=False,
        help_text=_("Such as 2026-06."),
    )
    tuned_from = forms.CharField(
        label=_("Tuned from"),
        max_length=100,
        required=False,
        help_text=_("The name of its base model in this project, to compare the two."),
    )
    other = forms.CharField(
        label=_("Other parameters"),
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_('A JSON object, such as {"reasoning_effort": "low"}.'),
    )

    def __init__(self, *args: Any, project: Project | None, **options: Any) -> None:
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
            prompt_price=data["prompt_price"],
            completion_price=data["completion_price"],
            size=data["size"],
            cutoff=data["cutoff"],
            tuned_from=data["tuned_from"],
            batch_factor=BATCH_FACTOR if data["batch_factor"] is None else data["batch_factor"],
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
        "prompt_price": spec.prompt_price,
        "completion_price": spec.completion_price,
        "batch_factor": spec.batch_factor.normalize(),
        "size": spec.size_text,
        "cutoff": spec.cutoff,
        "tuned_from": spec.tuned_from,
        "other": json.dumps(other, ensure_ascii=False) if other else "",
    }
