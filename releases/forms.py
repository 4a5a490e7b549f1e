"""Forms to build or yank a release."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from releases.actions import BuildRequest, DetailsRequest
from releases.actions.requests import MAX_DEV, MAX_SEED
from releases.details import LONGEST_PROSE, PROSE
from releases.exporters import FORMATS
from releases.splits import SplitRule
from releases.versions import MAX_LENGTH

FORMAT_CHOICES = [(name, FORMATS[name].title or name.upper()) for name in sorted(FORMATS)]


class ProseField(forms.CharField):
    """A text for a section of the card."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            required=False,
            max_length=LONGEST_PROSE,
            widget=forms.Textarea(attrs={"rows": 4}),
            help_text=_("Markdown. The card says what the data tell, and then this."),
            **options,
        )


class BuildForm(forms.Form):
    """The parameters of a build; the black box is given in per cent."""

    version = forms.CharField(
        label=_("Version"),
        max_length=MAX_LENGTH,
        help_text=_("Three numbers, such as 1.2.0, higher than every published version."),
    )
    dev_per_subject = forms.IntegerField(
        label=_("Dev items per subject"),
        min_value=0,
        max_value=MAX_DEV,
        help_text=_("Few-shot examples, taken from the dev items of the source."),
    )
    black_box_percent = forms.IntegerField(
        label=_("Black box: percentage of test items"),
        min_value=0,
        max_value=99,
        help_text=_(
            "Hidden items, drawn from each subject. No file contains their text or key. "
            "Items that were published before stay open."
        ),
    )
    prefers_experts = forms.BooleanField(
        label=_("Hide first what experts wrote or changed"),
        required=False,
        help_text=_(
            "And items whose key was corrected or that no public source holds: these cannot be "
            "looked up."
        ),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=MAX_SEED,
        help_text=_("Building the same items with the same seed gives identical files."),
    )
    formats = forms.MultipleChoiceField(
        label=_("Formats"), choices=FORMAT_CHOICES, widget=forms.CheckboxSelectMultiple
    )
    notes = forms.CharField(
        label=_("Notes"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("What is new in this version. Shown in its README."),
    )

    def build_request(self) -> BuildRequest:
        values = self.cleaned_data
        return BuildRequest(
            version=values["version"],
            dev_per_subject=values["dev_per_subject"],
            black_box_share=values["black_box_percent"] / 100,
            seed=values["seed"],
            formats=tuple(values["formats"]),
            notes=values["notes"],
            prefers_experts=values["prefers_experts"],
        )

    def split_rule(self) -> SplitRule:
        """The rule to preview; a missing or invalid field counts as its initial value."""
        values: dict[str, Any] = {**START, **getattr(self, "cleaned_data", {})}
        return SplitRule(
            values["dev_per_subject"], values["black_box_percent"] / 100, values["seed"]
        )


START: dict[str, Any] = {
    "dev_per_subject": 5,
    "black_box_percent": 0,
    "seed": 0,
    "formats": sorted(FORMATS),
}


class DetailsForm(forms.Form):
    """What cards and citations say; the sections of prose are fields of their own."""

    title = forms.CharField(
        label=_("Title"),
        required=False,
        max_length=200,
        help_text=_("The name of the project if empty."),
    )
    authors = forms.CharField(
        label=_("Authors"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("One a line: Family, Given; ORCID. Or the name of an organisation."),
    )
    doi = forms.CharField(label=_("DOI"), required=False, max_length=200)
    url = forms.CharField(label=_("Web address"), required=False, max_length=500)
    licence = forms.CharField(
        label=_("Licence of the release"),
        required=False,
        max_length=100,
        help_text=_("An SPDX id such as CC-BY-NC-SA-4.0; the licence of the sources if empty."),
    )
    motivation = ProseField(label=_("Why it was made"))
    collection = ProseField(label=_("Collection and review"))
    uses = ProseField(label=_("Uses"))
    limitations = ProseField(label=_("Limitations"))
    maintenance = ProseField(label=_("Maintenance"))

    def details_request(self) -> DetailsRequest:
        values = dict(self.cleaned_data)
        prose = {name: values.pop(name) for name in PROSE}
        return DetailsRequest(**values, prose=prose)


class YankForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Everyone who opens the release sees it."),
    )
