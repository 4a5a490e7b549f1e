"""States and subsets of a release."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class ReleaseState(TextChoices):
    BUILDING = "building", _("being built")
    BUILT = "built", _("built, not published")
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
    OPEN = "open", _("open")
    BLACK_BOX = "black-box", _("black box")
