"""Keeps hidden items of a release from endpoints that the project does not allow for them."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy

from common.errors import DomainError
from endpoints.models import ModelSpec
from endpoints.queries import may_see_hidden_items
from evaluation.queries import asked_items
from releases.enums import Subset
from releases.models import Release


class HiddenItemsKept(DomainError):
    code = "hidden_items_kept"
    detail = gettext_lazy(
        "Release %(version)s has hidden items, and this project does not allow their text at the "
        "endpoint “%(endpoint)s”. Allow it on the page Machine translation, or choose a model at an "
        "allowed endpoint."
    )


def check_hidden_items(release: Release, spec: ModelSpec, methods: Sequence[str]) -> None:
    """Raise HiddenItemsKept where a run would send hidden items that its project guards."""
    if release.project.guards_hidden_items and hidden_items_sent(release, spec, methods):
        raise HiddenItemsKept(version=release.version, endpoint=spec.endpoint.name)


def hidden_items_sent(release: Release, spec: ModelSpec, methods: Sequence[str]) -> int:
    """Return how many hidden items a run would send to an endpoint that is not allowed for them."""
    hidden = asked_items(release, methods).filter(subset=Subset.BLACK_BOX).count()
    is_allowed = not hidden or may_see_hidden_items(release.project, [spec.endpoint_id])
    return 0 if is_allowed else hidden
