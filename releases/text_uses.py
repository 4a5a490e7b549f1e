"""Tell review which texts are in a release, or in one that is being built."""

from collections.abc import Collection

from releases.models import ReleaseItem
from review.text_uses import declare_text_use


def is_released(revisions: Collection[int]) -> bool:
    return ReleaseItem.objects.filter(revision__in=revisions).exists()


declare_text_use("releases", is_released)
