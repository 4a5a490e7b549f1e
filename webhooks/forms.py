"""Forms to add a webhook and to choose its events."""

from django import forms
from django.utils.translation import gettext_lazy as _

from webhooks.actions.managing import LONGEST
from webhooks.enums import CHOSEN

CHOICES = [(str(name), name.label) for name in CHOSEN]


class EventsForm(forms.Form):
    events = forms.MultipleChoiceField(
        label=_("Send when"), choices=CHOICES, widget=forms.CheckboxSelectMultiple
    )


class WebhookForm(EventsForm):
    url = forms.CharField(
        label=_("Address"),
        max_length=LONGEST,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
        help_text=_("It must begin with https:// and be reachable from this server."),
    )
    field_order = ["url", "events"]
