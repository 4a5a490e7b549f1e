"""The form to search what is translated already."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.memory.queries import ALL, APPROVED, BOTH, LONGEST_TEXT, SOURCE, TARGET, Concordance

SIDES = [(BOTH, _("source and translation")), (SOURCE, _("source")), (TARGET, _("translation"))]
SCOPES = [(APPROVED, _("approved items")), (ALL, _("all items"))]


class ConcordanceForm(forms.Form):
    q = forms.CharField(label=_("Word or phrase"), required=False, max_length=200)
    side = forms.ChoiceField(label=_("Search in"), required=False, choices=SIDES)
    scope = forms.ChoiceField(label=_("Items"), required=False, choices=SCOPES)

    def wanted(self) -> Concordance:
        """Return what to look for; what is not valid is left out."""
        given = self.cleaned_data
        return Concordance(
            q=given.get("q", ""),
            side=given.get("side") or BOTH,
            scope=given.get("scope") or APPROVED,
        )


class MemoryForm(forms.Form):
    """An item by its uid, or any text."""

    item = forms.CharField(required=False, max_length=200)
    text = forms.CharField(
        label=_("Text in the source language"), required=False, max_length=LONGEST_TEXT
    )
