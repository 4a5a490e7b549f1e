"""The forms of outsiders and of managers."""

import json
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from endpoints.parameters import LONGEST_PARAMETERS
from submissions.actions.endpoints import LARGEST_SEED, TeamEndpoint
from submissions.actions.key_copies import LONGEST_RECIPIENT, MOST_FALSE
from submissions.actions.sending import Declared
from submissions.actions.teams import PolicyContent
from submissions.actions.tracing import MOST_LEAKED
from submissions.checking import MOST_BYTES, Pairs, read_file
from submissions.enums import Admission
from submissions.models import (
    FEWEST_IN_CATEGORY,
    MOST_A_DAY,
    MOST_A_MONTH,
    MOST_AT_CONTACT,
    MOST_IN_CATEGORY,
)


class AccountForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=150)
    email = forms.EmailField(label=_("E-mail"), max_length=254)


class TermsForm(forms.Form):
    """The terms' version is the one that was read."""

    affiliation = forms.CharField(label=_("Affiliation"), max_length=200)
    terms_version = forms.IntegerField(widget=forms.HiddenInput)
    accepts = forms.BooleanField(label=_("I accept the terms"))


class JoinForm(TermsForm):
    """The terms, with the team of somebody who has none yet."""

    team = forms.CharField(label=_("Name of a new team"), max_length=100, required=False)
    code = forms.CharField(
        label=_("Code of an existing team"),
        max_length=24,
        required=False,
        help_text=_("Members of a team see its code here."),
    )
    field_order = ("affiliation", "team", "code", "terms_version", "accepts")


def weights_field() -> forms.TypedChoiceField:
    """Return the choice whether the weights of a model are open; None if nothing is chosen."""
    choices = [
        ("", pgettext_lazy("weights", "not said")),
        ("open", pgettext_lazy("weights", "open")),
        ("closed", pgettext_lazy("weights", "closed")),
    ]
    return forms.TypedChoiceField(
        label=_("Weights"),
        choices=choices,
        required=False,
        coerce=lambda chosen: chosen == "open",
        empty_value=None,
    )


class SubmissionForm(forms.Form):
    file = forms.FileField(
        label=_("Answers"),
        help_text=_(
            "JSON: an object of ids and answers, or lists of answers if you asked several times. CSV: "
            "the columns id and answer. At most 3 MB."
        ),
    )
    model = forms.CharField(label=_("Model"), max_length=200)
    size = forms.CharField(
        label=_("Size"), max_length=50, required=False, help_text=_("Such as 7B.")
    )
    has_open_weights = weights_field()
    cutoff = forms.CharField(
        label=_("End of its training data"),
        max_length=20,
        required=False,
        help_text=_("Such as 2026-06."),
    )
    prompt = forms.CharField(
        label=_("Prompt"),
        max_length=10_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise forms.ValidationError(
                _(
                    "The file is larger than 3 MB. Send fewer answers for each item, or JSON without "
                    "line breaks and indentation."
                )
            )
        return file

    def pairs(self) -> Pairs:
        """Read the answers, which takes long. Raises Unreadable."""
        return read_file(self.cleaned_data["file"].read())

    def declared(self) -> Declared:
        values = {name: self.cleaned_data[name] for name in Declared.__slots__}
        return Declared(**values)


class EndpointForm(forms.Form):
    """A team's endpoint. What was typed as the key is never shown again."""

    base_url = forms.CharField(
        label=_("Address"),
        max_length=300,
        help_text=_("Of an OpenAI-compatible service, such as https://example.org/v1."),
    )
    model = forms.CharField(
        label=_("Model"), max_length=200, help_text=_("As your endpoint names it.")
    )
    key = forms.CharField(
        label=_("API key"),
        max_length=500,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_(
            "It is stored encrypted, used for this submission alone, and deleted when it ends. Use "
            "one that you can revoke."
        ),
    )
    parameters = forms.CharField(
        label=_("Decoding parameters"),
        max_length=LONGEST_PARAMETERS,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_('As a JSON object, such as {"temperature": 0}.'),
    )
    seed = forms.IntegerField(
        label=_("Seed of the order"),
        required=False,
        min_value=0,
        max_value=LARGEST_SEED,
        help_text=_("Questions are asked in a random order. Leave it empty to have one drawn."),
    )
    size = forms.CharField(
        label=_("Size"), max_length=50, required=False, help_text=_("Such as 7B.")
    )
    has_open_weights = weights_field()
    cutoff = forms.CharField(
        label=_("End of its training data"),
        max_length=20,
        required=False,
        help_text=_("Such as 2026-06."),
    )

    def clean_parameters(self) -> dict[str, object]:
        try:
            found = json.loads(self.cleaned_data["parameters"] or "{}")
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise forms.ValidationError(_("Enter a JSON object."))
        return found

    def declared(self) -> Declared:
        names = ("model", "size", "cutoff", "has_open_weights")
        return Declared(**{name: self.cleaned_data[name] for name in names})

    def endpoint(self) -> TeamEndpoint:
        names = ("base_url", "key", "parameters", "seed")
        return TeamEndpoint(**{name: self.cleaned_data[name] for name in names})


class PolicyForm(forms.Form):
    """`seen` says which rules the page showed."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False, empty_value=None)
    is_open = forms.BooleanField(label=_("Take submissions"), required=False)
    admission = forms.ChoiceField(label=_("Who may send them"), choices=Admission.choices)
    accepts_dictionaries = forms.BooleanField(
        label=_("Take files of answers"),
        required=False,
        help_text=_("For parts with withheld answers."),
    )
    accepts_endpoints = forms.BooleanField(
        label=_("Take endpoints"),
        required=False,
        help_text=_(
            "This server asks the team's endpoint. Closed parts can be scored only so, and the "
            "team's server then sees their questions."
        ),
    )
    first_contact = forms.IntegerField(
        label=_("Questions at first contact"),
        min_value=0,
        max_value=MOST_AT_CONTACT,
        help_text=_(
            "An endpoint is asked so many questions of a closed part first, always the same for a "
            "team, and the others only if it answers them better than guessing. 0 asks all at once."
        ),
    )
    is_board_public = forms.BooleanField(
        label=_("Show the leaderboard to everybody"),
        required=False,
        help_text=_(
            "It names the models of your own runs and arenas too, and the judges of arenas."
        ),
    )
    terms = forms.CharField(
        label=pgettext_lazy("conditions", "Terms"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text=_(
            "Everybody accepts them before sending anything, and again when you change them."
        ),
    )
    per_day = forms.IntegerField(
        label=_("Submissions per team and day"), min_value=1, max_value=MOST_A_DAY
    )
    per_month = forms.IntegerField(
        label=_("Submissions per team and month"), min_value=1, max_value=MOST_A_MONTH
    )
    fewest_in_category = forms.IntegerField(
        label=_("Fewest items of a category with a score of its own"),
        min_value=FEWEST_IN_CATEGORY,
        max_value=MOST_IN_CATEGORY,
    )

    def content(self) -> PolicyContent:
        values: dict[str, Any] = {name: self.cleaned_data[name] for name in PolicyContent.__slots__}
        return PolicyContent(**values)


class KeyCopyForm(forms.Form):
    recipient = forms.CharField(
        label=_("Recipient"),
        max_length=LONGEST_RECIPIENT,
        help_text=_("The person or organisation that gets the copy. The file names it."),
    )
    false_count = forms.IntegerField(
        label=_("False keys"),
        min_value=1,
        max_value=MOST_FALSE,
        help_text=_(
            "With more false keys you also find people who use only some of the keys, but scores by "
            "the copy are less exact."
        ),
    )


class LeakForm(forms.Form):
    file = forms.FileField(
        label=_("Text with leaked questions"),
        help_text=_(
            "JSONL, CSV or plain text in UTF-8, with the options of each question. At most 20 MB. It is "
            "not stored."
        ),
    )

    def clean_file(self) -> bytes:
        """Return the content, and of a file that is too large one byte more than it may have."""
        content: bytes = self.cleaned_data["file"].read(MOST_LEAKED + 1)
        return content
