"""From an endpoint to a client of it and the limit that all its clients share."""

from collections.abc import Callable, Mapping

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from endpoints.actions import check_allowed, reach_of
from endpoints.enums import ProviderName
from endpoints.models import Endpoint
from endpoints.pacing import SharedPace
from endpoints.providers.base import ChatProvider
from endpoints.providers.http_calls import MissingKeyError, clean_base_url
from endpoints.providers.openai_compatible import OpenAICompatible
from endpoints.providers.redis_limits import RedisTokenBucket, client_of
from endpoints.providers.translation.catalogue import ENGINES
from endpoints.providers.translation.client import PlainEngine
from endpoints.queries import endpoint_limit
from endpoints.rate_limits import RateLimiter, limiter_of_process
from projects.models import Project


class KeyMissing(DomainError):
    """Every member may read why work stopped, so the variable's name is not in the words."""

    code = "key_missing"
    detail = _(
        "The worker has no key for this endpoint. Ask the administrator to set the environment"
        " variable of the key and restart the worker, then resume."
    )


class EndpointClosed(DomainError):
    code = "endpoint_closed"
    detail = _(
        "This project may not use the endpoint “%(name)s” any more. Choose another endpoint, or"
        " ask an administrator."
    )


def _openai_compatible(endpoint: Endpoint) -> ChatProvider:
    return OpenAICompatible(
        endpoint.base_url, key_variable=endpoint.api_key_env, reach=reach_of(endpoint)
    )


def _plain_engine(endpoint: Endpoint) -> ChatProvider:
    return PlainEngine(
        ENGINES[endpoint.provider],
        endpoint.base_url,
        key_variable=endpoint.api_key_env,
        reach=reach_of(endpoint),
    )


PROVIDERS: Mapping[str, Callable[[Endpoint], ChatProvider]] = {
    ProviderName.OPENAI_COMPATIBLE: _openai_compatible,
    **dict.fromkeys(ENGINES, _plain_engine),
}


def check_usable(endpoint: Endpoint, project: Project) -> None:
    """Raise EndpointClosed or EndpointNotAllowed where `project` may not call the endpoint now."""
    check_allowed(endpoint.base_url)
    if not Endpoint.objects.usable_in(project).filter(pk=endpoint.pk).exists():
        raise EndpointClosed(name=endpoint.name)


def connect(endpoint: Endpoint) -> ChatProvider:
    """A client of the endpoint; nothing is sent yet. Raises KeyMissing, EndpointNotAllowed."""
    check_allowed(endpoint.base_url)
    try:
        return PROVIDERS[endpoint.provider](endpoint)
    except MissingKeyError as error:
        raise KeyMissing from error


def address_of(endpoint: Endpoint) -> str:
    """Return the address as clients of the endpoint name it in hashes of requests."""
    return clean_base_url(endpoint.base_url)


def limiter_of(endpoint: Endpoint) -> RateLimiter:
    """Return the limit of an address that all workers share, by Redis or else by the database.

    Without a limit, pauses that the endpoint asks for hold within this process. A changed limit
    applies from the next chunk of the work.
    """
    limit = endpoint_limit(endpoint)
    rate = limit / 60 if limit else None
    if settings.REDIS_URL:
        return RedisTokenBucket(client_of(settings.REDIS_URL), endpoint.base_url, rate or 0.0)
    if rate:
        return SharedPace(endpoint.base_url, rate)
    return limiter_of_process(endpoint.base_url)
