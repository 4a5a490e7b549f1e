"""States and subsets of a release."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class ReleaseState(TextChoices):
    BUILDING = "building", _("building")
    BUILT = "built", _("ready to publish")
    PUBLISHED = "published", _("published")
    YANKED = "yanked", _("yanked")
    FAILED = "failed", _("failed")


RELEASE_TRANSITIONS: dict[str, frozenset[str]] = {
    ReleaseState.BUILDING: frozenset({ReleaseState.BUILT, ReleaseState.FAILED}),
    ReleaseState.FAILED: frozenset({ReleaseState.BUILDING}),
    ReleaseState.BUILT: frozenset({ReleaseState.PUBLISHED}),
    ReleaseState.PUBLISHED: frozenset({ReleaseState.YANKED}),
    ReleaseState.YANKED: frozenset(),
}


class Subset(TextChoices):
    OPEN = "open", pgettext_lazy("subset", "open")
    BLACK_BOX = "black-box", _("black box")
