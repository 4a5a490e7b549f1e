"""What people type about an endpoint."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from endpoints.actions import CALLED_PROVIDERS, EndpointValues
from endpoints.enums import ProviderName
from endpoints.models import MOST_CONCURRENCY, MOST_REQUESTS_PER_MINUTE, Endpoint
from projects.models import Project

LONGEST_ID = 18


class ProjectsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Refuses ids that are too large for a database, which would raise an error of its own."""

    def clean(self, value: Any) -> Any:
        for pk in value or ():
            if not str(pk).isdecimal() or len(str(pk)) > LONGEST_ID:
                words = self.error_messages["invalid_pk_value"]
                raise forms.ValidationError(words, code="invalid_pk_value", params={"pk": pk})
        return super().clean(value)


class EndpointForm(forms.Form):
    """A project's own endpoint: an address without a key."""

    name = forms.CharField(
        label=_("Name"),
        max_length=100,
        help_text=_(
            "Latin letters, digits, “.”, “_” and “-”. Models refer to the endpoint by this name."
        ),
    )
    provider = forms.ChoiceField(
        label=_("Kind"),
        choices=CALLED_PROVIDERS,
        required=False,
        help_text=_("A translation engine serves translation jobs only."),
    )
    base_url = forms.CharField(
        label=_("Address"),
        max_length=300,
        help_text=_(
            "The base address of the API, such as https://example.org/v1. The documentation lists those"
            " of translation engines."
        ),
        widget=forms.URLInput(attrs={"spellcheck": "false"}),
    )
    requests_per_minute = forms.IntegerField(
        label=_("Maximum calls per minute"),
        required=False,
        min_value=1,
        max_value=MOST_REQUESTS_PER_MINUTE,
        help_text=_("For all runs at this address together. Leave it empty for no limit."),
    )
    concurrency = forms.IntegerField(
        label=_("Maximum calls at the same time"),
        required=False,
        min_value=1,
        max_value=MOST_CONCURRENCY,
        help_text=_(
            "For all runs at this address together, which share it evenly. Leave it empty for no limit."
        ),
    )
    is_active = forms.BooleanField(
        label=_("In use"),
        required=False,
        initial=True,
        help_text=_("New runs cannot use an endpoint that is not in use."),
    )

    def __init__(self, *args: Any, endpoint: Endpoint | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if endpoint is None:
            del self.fields["is_active"]
        else:
            for name in ("name", "provider", "base_url"):
                self.fields[name].disabled = True

    def values(self) -> EndpointValues:
        data = self.cleaned_data
        return EndpointValues(
            name=data["name"],
            base_url=data["base_url"],
            api_key_env=data.get("api_key_env", ""),
            requests_per_minute=data["requests_per_minute"],
            concurrency=data["concurrency"],
            provider=data["provider"] or ProviderName.OPENAI_COMPATIBLE,
        )


class ServerEndpointForm(EndpointForm):
    """An endpoint of the server, which may have a key and says which projects may use it."""

    api_key_env = forms.CharField(
        label=_("Variable of the API key"),
        max_length=100,
        required=False,
        help_text=_(
            "Name of the environment variable of the worker that holds the key, such as"
            " OPENAI_API_KEY. The key itself is never entered or shown."
        ),
    )
    allowed_projects = ProjectsField(
        label=_("Projects that may use it"),
        queryset=Project.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    field_order = (
        "name",
        "provider",
        "base_url",
        "api_key_env",
        "requests_per_minute",
        "concurrency",
        "allowed_projects",
        "is_active",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["allowed_projects"]
        field.queryset = Project.objects.order_by("name", "pk")


def endpoint_initial(endpoint: Endpoint) -> dict[str, Any]:
    """The values of an endpoint as the fields of either form hold them."""
    return {
        "name": endpoint.name,
        "provider": endpoint.provider,
        "base_url": endpoint.base_url,
        "api_key_env": endpoint.api_key_env,
        "requests_per_minute": endpoint.requests_per_minute,
        "concurrency": endpoint.concurrency,
        "is_active": endpoint.is_active,
        "allowed_projects": list(endpoint.allowed_projects.all()),
    }
