"""Forms to build or yank a release."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from common.reasons import REASON_LENGTH
from releases.actions import BuildRequest, DetailsRequest
from releases.actions.requests import MAX_DEV, MAX_SEED
from releases.details import LONGEST_PROSE, PROSE
from releases.enums import DevSource, OptionOrder
from releases.exporters import FORMATS
from releases.matters import Matter
from releases.splits import SplitRule
from releases.versions import MAX_LENGTH
from releases.waivers import WaiverRequest

FORMAT_CHOICES = [(name, FORMATS[name].label) for name in sorted(FORMATS)]


PROSE_HELP: Any = _("Markdown. The card prints this after what it says by itself.")


class ProseField(forms.CharField):
    """A text for a section of the card."""

    def __init__(self, *, help_text: Any = PROSE_HELP, **options: Any) -> None:
        super().__init__(
            required=False,
            max_length=LONGEST_PROSE,
            widget=forms.Textarea(attrs={"rows": 4}),
            help_text=help_text,
            **options,
        )


WAIVE = "waive_"
MOST_HIDDEN = 100
LONGEST_SHARE = len(str(MOST_HIDDEN))


class BuildForm(forms.Form):
    """The parameters of a build; the black box is given in per cent.

    What may be waived has a field for the reason; a field left empty waives nothing.
    """

    version = forms.CharField(
        label=_("Version"),
        max_length=MAX_LENGTH,
        help_text=_("Three numbers, such as 1.2.0, higher than every published version."),
    )
    dev_per_subject = forms.IntegerField(
        label=_("Dev items per subject"),
        min_value=0,
        max_value=MAX_DEV,
        help_text=_("Few-shot examples."),
    )
    dev_from = forms.ChoiceField(
        label=_("Where dev items come from"),
        choices=DevSource.choices,
        required=False,
        help_text=_(
            "Items that are carved from the tests stay examples in later versions. Those with an "
            "explanation come first."
        ),
    )
    black_box_percent = forms.IntegerField(
        label=_("Black box: percentage of test items"),
        min_value=0,
        max_value=MOST_HIDDEN,
        help_text=_(
            "Hidden items, drawn from each subject. No file contains their text or key. "
            "Items that were published before stay open. 100 hides every test item: nobody can "
            "then score a model with the files alone."
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
    option_order = forms.ChoiceField(
        label=_("Order of the options"),
        choices=OptionOrder.choices,
        required=False,
        help_text=_(
            "Shuffled: every letter is the key about equally often in each subject. Items that "
            "an earlier release shuffled keep their order, and so do items whose options speak of "
            "letters, such as “A and B”."
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

    def __init__(self, *args: Any, waivable: Sequence[Matter] = (), **options: Any) -> None:
        super().__init__(*args, **options)
        for matter in waivable:
            self.fields[f"{WAIVE}{matter.code}"] = forms.CharField(
                label=_("Reason to waive: %(problem)s") % {"problem": matter.words},
                required=False,
                max_length=REASON_LENGTH,
            )

    def build_request(self) -> BuildRequest:
        values = self.cleaned_data
        return BuildRequest(
            waivers=tuple(
                WaiverRequest(name.removeprefix(WAIVE), reason)
                for name, reason in values.items()
                if name.startswith(WAIVE) and reason
            ),
            version=values["version"],
            dev_per_subject=values["dev_per_subject"],
            black_box_share=values["black_box_percent"] / 100,
            seed=values["seed"],
            formats=tuple(values["formats"]),
            notes=values["notes"],
            prefers_experts=values["prefers_experts"],
            option_order=values["option_order"] or OptionOrder.KEPT,
            dev_from=values["dev_from"] or DevSource.SOURCE,
        )

    def split_rule(self) -> SplitRule:
        """The rule to preview; a missing or invalid field counts as its initial value."""
        values: dict[str, Any] = {**START, **getattr(self, "cleaned_data", {})}
        return SplitRule(
            values["dev_per_subject"],
            values["black_box_percent"] / 100,
            values["seed"],
            values.get("dev_from") or DevSource.SOURCE,
        )


def asked_share(data: Mapping[str, Any]) -> float:
    """The share to hide that a form's data ask for; what is not in range counts as none."""
    text = str(data.get("black_box_percent", ""))
    per_cent = int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_SHARE else 0
    return per_cent / 100 if per_cent <= MOST_HIDDEN else 0.0


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
        help_text=_("One per line: Family, Given; ORCID. Or the name of an organisation."),
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
    contributors = ProseField(
        label=_("More about contributors"),
        help_text=_("Members choose for themselves. Name others only if they agreed."),
    )

    def details_request(self) -> DetailsRequest:
        values = dict(self.cleaned_data)
        prose = {name: values.pop(name) for name in PROSE}
        return DetailsRequest(**values, prose=prose)


class HubForm(forms.Form):
    repository = forms.CharField(
        label=_("Repository"),
        max_length=200,
        help_text=_("Owner and name, such as my-group/ti-mmlu. It is made if it is not there."),
    )
    is_private = forms.BooleanField(
        label=_("Private, if it has to be made"),
        required=False,
        help_text=_("Only members of the owner see it, until you make it public there."),
    )


class YankForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Everyone who opens the release sees it."),
    )
