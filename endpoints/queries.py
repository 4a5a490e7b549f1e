"""Questions about endpoints."""

from collections.abc import Iterable

from django.db.models import Min

from endpoints.models import Endpoint
from projects.models import Project


def may_see_hidden_items(project: Project, endpoints: Iterable[int]) -> bool:
    """Return whether the project allows the text of its hidden items at all of these endpoints."""
    wanted = set(endpoints)
    rows = Endpoint.objects.filter(pk__in=wanted, hidden_item_projects=project)
    return rows.count() == len(wanted)


def endpoint_limit(endpoint: Endpoint) -> int | None:
    """The most calls a minute to the address of `endpoint`, of all work together; None is no limit.

    It is the smallest limit of the active endpoints at that address, in whatever project.
    """
    return _smallest("requests_per_minute", endpoint.base_url)


def endpoint_concurrency(base_url: str) -> int | None:
    """The most calls to an address that may be under way at once, in the same way."""
    return _smallest("concurrency", base_url)


def _smallest(field: str, base_url: str) -> int | None:
    there = Endpoint.objects.active().filter(base_url=base_url)
    limit: int | None = there.aggregate(limit=Min(field))["limit"]
    return limit
