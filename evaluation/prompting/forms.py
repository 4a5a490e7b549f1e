"""The form of a prompt, with the choices of its preview."""

from dataclasses import asdict, fields
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.runs.actions import MAX_SHOTS, RUNNABLE_RELEASES
from evaluation.runs.forms import ReleaseChoice
from languages import LANGUAGES
from projects.models import Project
from prompts.actions import LARGEST_SEED, LONGEST_PROMPT
from prompts.enums import OptionLabels, PromptStyle, ShotLayout
from prompts.rendering import OPTION_LINE, Template
from releases.models import Release


def _text(label: Any, rows: int, help_text: Any = "", *, required: bool = False) -> forms.CharField:
    return forms.CharField(
        label=label,
        required=required,
        max_length=LONGEST_PROMPT,
        strip=False,
        help_text=help_text,
        widget=forms.Textarea(attrs={"rows": rows}),
    )


class PromptForm(forms.Form):
    """A prompt; `revision` is the one that is being edited, empty for a new prompt."""

    name = forms.CharField(
        label=_("Name"),
        max_length=100,
        help_text=_("The name in tables and files. Use Latin letters, digits, “.”, “_” and “-”."),
    )
    revision = forms.IntegerField(required=False, widget=forms.HiddenInput)
    language = forms.ChoiceField(label=_("Language"))
    style = forms.ChoiceField(label=_("Style"), choices=PromptStyle.choices)
    system = _text(_("System message"), 3)
    frame = _text(_("User message"), 8, _("With {question} and {options}."), required=True)
    labels = forms.ChoiceField(
        label=_("Names of options"),
        choices=OptionLabels.choices,
        help_text=_("Answers are read by these names. Items with ten options are not numbered."),
    )
    option_line = forms.CharField(
        label=_("One option"), max_length=100, strip=False, initial=OPTION_LINE
    )
    layout = forms.ChoiceField(
        label=_("Examples"),
        choices=ShotLayout.choices,
        help_text=_("In one text, they stand at {examples} in the user message, or before it."),
    )
    shot_frame = _text(
        _("One example"), 4, _("Empty: as the user message. In one text it needs {answer}.")
    )
    shot_seed = forms.IntegerField(
        label=_("Seed of examples"),
        required=False,
        min_value=0,
        max_value=LARGEST_SEED,
        help_text=_("Draws the examples of each subject at random. Empty: the first dev items."),
    )
    prefill = _text(
        _("Beginning of the answer"),
        2,
        _("Sent as the last turn of the model. Not every endpoint goes on from there."),
    )
    number_system = _text(_("System message for numbers"), 2)
    number_frame = _text(
        _("User message for numbers"),
        4,
        _("For items that a number answers, with {question}. Empty: the built-in words."),
    )
    translation_frame = _text(
        _("User message for translations"),
        4,
        _(
            "For items that ask for a translation, with {question}, {source_language} and "
            "{target_language}. Empty: the built-in words."
        ),
    )
    release = ReleaseChoice(
        label=_("Release for the preview"), queryset=Release.objects.none(), required=False
    )
    shots = forms.IntegerField(
        label=_("Examples in the preview"), min_value=0, max_value=MAX_SHOTS, initial=2
    )
    uid = forms.CharField(
        label=_("Item in the preview"),
        required=False,
        max_length=200,
        help_text=_("The id of an open item. Empty: the first one."),
    )

    def __init__(self, project: Project, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        releases = Release.objects.filter(project=project, state__in=RUNNABLE_RELEASES)
        own: dict[str, Any] = self.fields
        own["release"].queryset = releases.order_by("-pk")
        own["language"].choices = [
            (each.code, f"{each.name or each.code} ({each.code})")
            for _tag, each in sorted(LANGUAGES.items())
        ]
        own["language"].initial = project.target_language
        if (latest := releases.order_by("-pk").first()) is not None:
            own["release"].initial = latest.pk

    def template(self) -> Template:
        data = self.cleaned_data
        return Template(**{field.name: _unix(data[field.name]) for field in fields(Template)})


def initial_of(template: Template) -> dict[str, Any]:
    return asdict(template)


def _unix(value: Any) -> Any:
    """Browsers send the ends of lines as CRLF."""
    return value.replace("\r\n", "\n") if isinstance(value, str) else value
