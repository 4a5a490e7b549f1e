"""The form to yank a release."""

from django import forms
from django.utils.translation import gettext_lazy as _


class YankForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Everyone who opens the release sees it."),
    )
