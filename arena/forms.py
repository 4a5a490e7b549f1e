"""The form that creates an arena."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from arena.actions.arenas import FAMILY_LENGTH, MOST_BATTLES, NAME_LENGTH, ArenaSettings
from arena.models import DEFAULT_BOUND, LARGEST_SEED, MOST_EACH
from arena.queries import open_runs
from arena.rubric import RUBRIC
from endpoints.models import ModelSpec
from endpoints.specs.queries import usable_models
from evaluation.models import Run
from projects.models import Project
from prompts.rubrics import LONGEST_RUBRIC

LONGEST_FAMILIES = 10_000


class RunLabel:
    def label_from_instance(self, obj: Run) -> str:
        return f"{obj.pk} · {obj.model_spec.name} · {obj.release.version}"


class RunsChoice(RunLabel, forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Runs to tick."""


class RunChoice(RunLabel, forms.ModelChoiceField):  # type: ignore[type-arg]
    """A run to choose."""


class ArenaForm(forms.Form):
    """The runs, judges and plan of a new arena; its release is the one of the runs."""

    name = forms.CharField(label=_("Name"), max_length=NAME_LENGTH)
    runs = RunsChoice(
        label=_("Runs"),
        queryset=Run.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Finished runs without methods, all on one release."),
    )
    baseline = RunChoice(
        label=_("Baseline"),
        queryset=Run.objects.none(),
        required=False,
        empty_label=_("none: all play against all"),
        help_text=_("With a baseline, every run plays against it on every item."),
    )
    each = forms.IntegerField(
        label=_("Battles of a run on an item"),
        min_value=1,
        max_value=MOST_EACH,
        initial=2,
        help_text=_("If all play against all."),
    )
    judges = forms.ModelMultipleChoiceField(
        label=_("Judges"),
        queryset=ModelSpec.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("A model never judges its own answers."),
    )
    families = forms.CharField(
        label=_("Families"),
        required=False,
        max_length=LONGEST_FAMILIES,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("One model=family a line. A judge never judges its family either."),
    )
    sample = forms.IntegerField(
        label=_("Battles that people judge too"), min_value=0, max_value=MOST_BATTLES, initial=50
    )
    bound = forms.FloatField(
        label=_("Least agreement with people"),
        min_value=0,
        max_value=1,
        initial=DEFAULT_BOUND,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=_(
            "From 0 to 1. A judge that agrees with people on a smaller share of the pairs counts for no rank."
        ),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=LARGEST_SEED,
        initial=0,
        help_text=_("The same seed gives the same battles and the same pairs for people."),
    )
    rubric = forms.CharField(
        label=_("What judges are told"),
        max_length=LONGEST_RUBRIC,
        initial=RUBRIC,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 12}),
    )

    def __init__(self, user: User, project: Project, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        fields: dict[str, Any] = self.fields
        fields["runs"].queryset = fields["baseline"].queryset = open_runs(user, project)
        fields["judges"].queryset = usable_models(project).order_by("name")

    def clean_families(self) -> dict[str, str]:
        found = {}
        for line in filter(None, map(str.strip, self.cleaned_data["families"].splitlines())):
            model, sign, family = (part.strip() for part in line.partition("="))
            if not (model and sign and family):
                words = gettext("Write one model=family a line, with at most %d characters: %s")
                raise forms.ValidationError(words % (FAMILY_LENGTH, line))
            found[model] = family
        return found

    def clean_rubric(self) -> str:
        """Return the rubric with the line ends that it is stored with; browsers send CR LF."""
        rubric: str = self.cleaned_data["rubric"]
        return rubric.replace("\r\n", "\n")

    def settings(self) -> ArenaSettings:
        data = self.cleaned_data
        runs = list(data["runs"])
        return ArenaSettings(
            name=data["name"],
            release=runs[0].release,
            runs=runs,
            judges=list(data["judges"]),
            baseline=data["baseline"],
            each=data["each"],
            rubric=data["rubric"],
            sample=data["sample"],
            bound=data["bound"],
            seed=data["seed"],
            families=data["families"],
        )
