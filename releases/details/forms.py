"""The form for what cards and citations say."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from releases.details.actions import DetailsRequest
from releases.details.values import LONGEST_PROSE, PROSE

PROSE_HELP: Any = _("Markdown. The card prints this after the text that it generates.")


class ProseField(forms.CharField):
    def __init__(self, *, help_text: Any = PROSE_HELP, **options: Any) -> None:
        super().__init__(
            required=False,
            max_length=LONGEST_PROSE,
            widget=forms.Textarea(attrs={"rows": 4}),
            help_text=help_text,
            **options,
        )


class DetailsForm(forms.Form):
    """The texts of cards and citations; the sections of prose are fields of their own."""

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
        help_text=_(
            "One per line: Family, Given; ORCID. Or the name of an organisation, in quotes if it has a comma."
        ),
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
