"""The form to publish a release on the Hugging Face Hub."""

from django import forms
from django.utils.translation import gettext_lazy as _


class HubForm(forms.Form):
    repository = forms.CharField(
        label=_("Repository"),
        max_length=200,
        help_text=_(
            "Owner and name, such as my-group/ti-mmlu. It is created if it does not exist."
        ),
    )
    is_private = forms.BooleanField(
        label=_("Private, if it is created"),
        required=False,
        help_text=_("Only members of the owner see it, until you make it public there."),
    )
