"""Every write to endpoints."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.addresses import Limits, read_networks
from common.errors import DomainError
from endpoints.enums import ProviderName
from endpoints.models import MOST_CONCURRENCY, MOST_REQUESTS_PER_MINUTE, Endpoint
from endpoints.parameters import KEY_VARIABLE, NAME, is_allowed_endpoint
from endpoints.providers.http_calls import BaseUrlError, clean_base_url
from projects.models import Project

URL_LENGTH = 300
CALLED_PROVIDERS = [pair for pair in ProviderName.choices if pair[0] != ProviderName.ELSEWHERE]


class EndpointInvalid(DomainError):
    code = "endpoint_invalid"
    detail = _("Some values are not valid.")
    status = 400


class EndpointTaken(DomainError):
    code = "endpoint_taken"
    detail = _("There is already an endpoint “%(name)s”. Choose another name.")


class EndpointNotPublic(DomainError):
    code = "endpoint_not_public"
    detail = _(
        "%(host)s is not a public address, and endpoints of projects may reach only those here. An"
        " administrator can allow the network with LOTSAWA_ENDPOINT_NETWORKS, or define the"
        " endpoint for this project."
    )
    status = 403


class EndpointNotAllowed(DomainError):
    code = "endpoint_not_allowed"
    detail = _(
        "This server does not call %(url)s. An administrator can add the address to"
        " LOTSAWA_ALLOWED_ENDPOINTS."
    )
    status = 403


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointValues:
    """What a new endpoint is; `api_key_env` is for those that an administrator defines."""

    name: str
    base_url: str
    api_key_env: str = ""
    requests_per_minute: int | None = None
    concurrency: int | None = None
    provider: str = ProviderName.OPENAI_COMPATIBLE


@transaction.atomic
def create_endpoint(
    *,
    values: EndpointValues,
    project: Project | None,
    actor: User | None,
    now: datetime,
    allowed_projects: Collection[Project] = (),
) -> Endpoint:
    """Define an endpoint of `project`, or of the server where that is None.

    A project's own endpoint never has a key, so that no manager can send a key of the server
    to an address of their choice. It reaches public addresses and allowed networks only; a name is
    checked when it is called. Raises EndpointInvalid, EndpointNotAllowed, EndpointNotPublic,
    EndpointTaken.
    """
    clean = _clean(values, has_project=project is not None)
    check_allowed(clean.base_url)
    if project is not None:
        _check_public(clean.base_url, project_reach())
    try:
        with transaction.atomic():
            endpoint: Endpoint = Endpoint.objects.create(
                project=project,
                name=clean.name,
                provider=clean.provider,
                base_url=clean.base_url,
                api_key_env=clean.api_key_env,
                requests_per_minute=clean.requests_per_minute,
                concurrency=clean.concurrency,
                created_by=actor,
                created_at=now,
            )
    except IntegrityError as error:
        raise EndpointTaken(name=clean.name) from error
    endpoint.allowed_projects.set(allowed_projects)
    _record(endpoint, "endpoint.created", actor, now)
    return endpoint


@transaction.atomic
def change_endpoint(
    *,
    endpoint: Endpoint,
    api_key_env: str,
    requests_per_minute: int | None,
    concurrency: int | None,
    is_active: bool,
    actor: User | None,
    now: datetime,
    allowed_projects: Collection[Project] | None = None,
) -> None:
    """Change all of an endpoint but its name and address; a new address is a new endpoint.

    Running work goes by a new limit from its next look, and by a new key when it connects again.
    `allowed_projects` None leaves them as they are. Raises EndpointInvalid.
    """
    values = EndpointValues(
        name=endpoint.name,
        base_url=endpoint.base_url,
        api_key_env=api_key_env,
        requests_per_minute=requests_per_minute,
        concurrency=concurrency,
        provider=endpoint.provider,
    )
    clean = _clean(values, has_project=endpoint.project_id is not None)
    endpoint.api_key_env = clean.api_key_env
    endpoint.requests_per_minute = clean.requests_per_minute
    endpoint.concurrency = clean.concurrency
    endpoint.is_active = is_active
    endpoint.save(update_fields=["api_key_env", "requests_per_minute", "concurrency", "is_active"])
    if allowed_projects is not None:
        endpoint.allowed_projects.set(allowed_projects)
    _record(endpoint, "endpoint.changed", actor, now)


def ensure_own_endpoint(
    *,
    project: Project,
    base_url: str,
    requests_per_minute: int | None,
    actor: User | None,
    now: datetime,
) -> Endpoint:
    """The project's own endpoint at this address, made and named after its host if there is none.

    Raises as `create_endpoint` does.
    """
    url, fault = _clean_url(base_url)
    if fault:
        raise EndpointInvalid(fields={"base_url": [fault]})
    rows = Endpoint.objects.filter(project=project, provider=ProviderName.OPENAI_COMPATIBLE)
    found: Endpoint | None = rows.filter(base_url=url).first()
    if found is not None:
        return found
    values = EndpointValues(
        name=_free_name(project, url), base_url=url, requests_per_minute=requests_per_minute
    )
    return create_endpoint(values=values, project=project, actor=actor, now=now)


def check_allowed(base_url: str) -> None:
    """Raise EndpointNotAllowed when the settings of the server do not let it call `base_url`."""
    if not is_allowed_endpoint(base_url, settings.ALLOWED_ENDPOINTS):
        raise EndpointNotAllowed(url=base_url)


def outside_address(base_url: str) -> str:
    """Return the address as it is stored, if somebody outside a project may name it.

    A name is checked when it is called. Raises EndpointInvalid, EndpointNotAllowed,
    EndpointNotPublic.
    """
    url, fault = _clean_url(base_url)
    if fault:
        raise EndpointInvalid(fields={"base_url": [fault]})
    check_allowed(url)
    _check_public(url, outside_reach())
    return url


def reach_of(endpoint: Endpoint) -> Limits | None:
    """Return what an endpoint may reach: anything if an administrator defined it, which is None."""
    return project_reach() if endpoint.project_id is not None else None


def project_reach() -> Limits:
    """Return what endpoints of projects may reach: public addresses, and networks of the settings."""
    return Limits(ports=None, networks=read_networks(settings.ENDPOINT_NETWORKS))


def outside_reach() -> Limits:
    """Return what addresses of people outside may reach: public ones, and networks for them alone."""
    return Limits(ports=None, networks=read_networks(settings.SUBMISSION_NETWORKS))


def _check_public(base_url: str, reach: Limits) -> None:
    host = urlsplit(base_url).hostname or ""
    if not reach.allows_host(host):
        raise EndpointNotPublic(host=host)


def may_quote(endpoint: Endpoint) -> bool:
    """Whether people may read what the endpoint sent when it failed.

    Else a manager could read what services inside the network say to anybody who asks. An
    administrator chose the address of an endpoint of the server, or named it in the settings.
    """
    allowed = settings.ALLOWED_ENDPOINTS
    is_named = bool(allowed) and is_allowed_endpoint(endpoint.base_url, allowed)
    return endpoint.project_id is None or is_named


def _clean(values: EndpointValues, *, has_project: bool) -> EndpointValues:
    """The values as they are stored. Raises EndpointInvalid with every fault found."""
    faults: dict[str, list[str]] = {}
    if not NAME.fullmatch(values.name):
        faults["name"] = [gettext("Use 1 to 100 Latin letters, digits, “.”, “_” and “-”.")]
    if values.provider not in {name for name, _title in CALLED_PROVIDERS}:
        known = ", ".join(name for name, _title in CALLED_PROVIDERS)
        faults["provider"] = [gettext("Choose one of: %s.") % known]
    key = values.api_key_env.strip()
    if fault := _key_fault(key, has_project=has_project):
        faults["api_key_env"] = [fault]
    limit = values.requests_per_minute
    if limit is not None and not 1 <= limit <= MOST_REQUESTS_PER_MINUTE:
        faults["requests_per_minute"] = [
            gettext("Enter a whole number from 1 to 100,000, or leave the field empty.")
        ]
    if values.concurrency is not None and not 1 <= values.concurrency <= MOST_CONCURRENCY:
        faults["concurrency"] = [
            gettext("Enter a whole number from 1 to 1,000, or leave the field empty.")
        ]
    url, fault = _clean_url(values.base_url)
    if fault:
        faults["base_url"] = [fault]
    if faults:
        raise EndpointInvalid(fields=faults)
    return replace(values, base_url=url, api_key_env=key)


def _key_fault(key: str, *, has_project: bool) -> str:
    if key and has_project:
        return gettext(
            "A project's own endpoint has no key. Ask an administrator to define an endpoint with"
            " a key for this project."
        )
    if key and not KEY_VARIABLE.fullmatch(key):
        return gettext(
            "Enter the name of a variable such as OPENAI_API_KEY: capital letters, ending in"
            " _API_KEY or _API_TOKEN, not beginning with LOTSAWA_. Never enter the key itself here."
        )
    return ""


def _clean_url(value: str) -> tuple[str, str]:
    """(the address as it is stored, what is wrong with it); one of the two is empty."""
    try:
        url = clean_base_url(value)
    except BaseUrlError as error:
        return "", _url_text(error.code)
    if len(url) > URL_LENGTH:
        return "", gettext("The address is longer than 300 characters.")
    return url, ""


def _url_text(code: str) -> str:
    return {
        "malformed": gettext("This is not an address. Enter one such as https://example.org/v1."),
        "scheme": gettext("The address must begin with http:// or https://."),
        "host": gettext("The address has no host name."),
        "credentials": gettext("The address must not contain a user name or a password."),
        "query": gettext("The address must not have a query or a fragment."),
        "path": gettext("The address must not contain “..” or escaped characters."),
    }[code]


def _free_name(project: Project, url: str) -> str:
    """The host of the address, with a number behind it where that name is taken."""
    host = "".join(
        char if char.isascii() and (char.isalnum() or char in ".-") else "-"
        for char in url.split("://")[1].split("/", maxsplit=1)[0]
    ).strip(".-")[:90]
    taken = set(Endpoint.objects.filter(project=project).values_list("name", flat=True))
    names = (host if number == 1 else f"{host}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def _record(endpoint: Endpoint, verb: str, actor: User | None, now: datetime) -> None:
    record_event(
        actor=actor,
        verb=verb,
        target=f"endpoint:{endpoint.pk}",
        scope=endpoint.project.slug if endpoint.project else "",
        data={
            "name": endpoint.name,
            "provider": endpoint.provider,
            "base_url": endpoint.base_url,
            "api_key_env": endpoint.api_key_env,
            "requests_per_minute": endpoint.requests_per_minute,
            "concurrency": endpoint.concurrency,
            "is_active": endpoint.is_active,
            "projects": sorted(
                endpoint.allowed_projects.order_by("slug").values_list("slug", flat=True)
            ),
        },
        now=now,
    )
