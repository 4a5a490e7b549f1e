"""Questions about endpoints."""

from django.db.models import Min

from endpoints.models import Endpoint


def endpoint_limit(endpoint: Endpoint) -> int | None:
    """The most calls a minute to the address of `endpoint`, of all work together; None is no limit.

    It is the smallest limit of the active endpoints at that address, in whatever project.
    """
    there = Endpoint.objects.active().filter(base_url=endpoint.base_url)
    limit: int | None = there.aggregate(limit=Min("requests_per_minute"))["limit"]
    return limit
