"""The form to build a release."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from common.reasons import REASON_LENGTH
from releases.building.actions import MAX_DEV, MAX_SEED, BuildRequest
from releases.enums import DevSource, HiddenPart, OptionOrder
from releases.files.exporters import FORMATS
from releases.readiness.matters import Matter
from releases.readiness.waivers import WaiverRequest
from releases.splits import SplitRule
from releases.versions import MAX_LENGTH

FORMAT_CHOICES = [(name, FORMATS[name].label) for name in sorted(FORMATS)]


WAIVE = "waive_"


MOST_HIDDEN = 100


LONGEST_SHARE = len(str(MOST_HIDDEN))


class BuildForm(forms.Form):
    """The settings of a build; the black box is given in per cent.

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
            "Hidden items, drawn from each subject. No file contains their key. "
            "Items that were published before stay open. 100 hides every test item: nobody can "
            "then score a model with the files alone."
        ),
    )
    hidden_part = forms.ChoiceField(
        label=_("What is published of hidden items"),
        choices=HiddenPart.choices,
        required=False,
        help_text=_(
            "If only answers are withheld, people can send their model's answers here to be scored. "
            "Texts that were published once cannot be closed again."
        ),
    )
    prefers_experts = forms.BooleanField(
        label=_("Hide first what experts wrote or changed"),
        required=False,
        help_text=_(
            "Also items whose key was corrected, and items that are in no public source. Their "
            "answers cannot be looked up."
        ),
    )
    option_order = forms.ChoiceField(
        label=_("Order of the options"),
        choices=OptionOrder.choices,
        required=False,
        help_text=_(
            "Shuffled: every letter is the key about equally often in each subject. Items that an "
            "earlier release shuffled keep their order, and so do items whose options mention "
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
            hidden_part=values["hidden_part"] or HiddenPart.CLOSED,
        )

    def split_rule(self) -> SplitRule:
        """Return the rule to preview; a missing or invalid field counts as its initial value."""
        values: dict[str, Any] = {**START, **getattr(self, "cleaned_data", {})}
        return SplitRule(
            values["dev_per_subject"],
            values["black_box_percent"] / 100,
            values["seed"],
            values.get("dev_from") or DevSource.SOURCE,
        )


def asked_share(data: Mapping[str, Any]) -> float:
    """Return the share to hide that a form's data ask for, 0 if it is out of range."""
    text = str(data.get("black_box_percent", ""))
    per_cent = int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_SHARE else 0
    return per_cent / 100 if per_cent <= MOST_HIDDEN else 0.0


def asked_part(data: Mapping[str, Any]) -> str:
    """Return what a form's data ask to publish of hidden items; nothing unless it is said."""
    asked = data.get("hidden_part")
    return HiddenPart.WITHHELD if asked == HiddenPart.WITHHELD else HiddenPart.CLOSED


START: dict[str, Any] = {
    "dev_per_subject": 5,
    "black_box_percent": 0,
    "seed": 0,
    "formats": sorted(FORMATS),
}
