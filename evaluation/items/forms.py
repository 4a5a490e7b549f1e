"""Forms that start an analysis of items, and decide on suggestions."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from releases.models import Release


class AnalysisForm(forms.Form):
    """The release to analyse, and one of the same items in the source language."""

    release = forms.ModelChoiceField(
        label=_("Release"),
        queryset=Release.objects.none(),
        to_field_name="version",
        empty_label=None,
    )
    source_release = forms.CharField(
        label=_("Release in the source language"),
        max_length=160,
        required=False,
        help_text=_(
            "Optional: VERSION, or PROJECT:VERSION for a release of another project that you manage. "
            "Its items need the same uids, and the same models must have run on it. Then you also "
            "see which items lose more in translation than others."
        ),
    )

    def __init__(self, releases: Any, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        fields: dict[str, Any] = self.fields
        fields["release"].queryset = releases


class SendForm(forms.Form):
    """The selected suggestions, and how many people judge each item."""

    ids = forms.TypedMultipleChoiceField(coerce=int, required=False)
    panel_size = forms.IntegerField(
        label=_("Judgements per item"), min_value=1, max_value=9, initial=2
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        fields: dict[str, Any] = self.fields
        data: Any = self.data
        given = data.getlist("ids") if self.is_bound else []
        fields["ids"].choices = [(one, one) for one in given if one.isascii() and one.isdecimal()]
