"""The difference of two public releases, for whoever asks: hidden items are counted, never named."""

from dataclasses import dataclass
from typing import Any

from releases.differences import ReleaseDifference, difference, lower_versions
from releases.models import Release

LISTED = 1_000
"""How many of each kind of change are listed: texts are compared word by word, which takes time."""


@dataclass(frozen=True, slots=True)
class PublicPair:
    """A public release, the earlier public one it is compared with, and all that it could be."""

    release: Release
    before: Release
    earlier: tuple[Release, ...]

    @property
    def parts(self) -> list[Any]:
        """All that the difference depends on."""
        rows = (self.release, self.before)
        return ["difference", *((row.pk, row.content_hash) for row in rows)]

    def difference(self, *, most: int = LISTED) -> ReleaseDifference:
        return difference(self.before, self.release, shows_hidden=False, most=most)


def public_pair(release: Release, since: str) -> PublicPair | None:
    """`release` beside the earlier public version `since`, or the nearest without one.

    None where there is no such version, and for `source`: what the source held is not public.
    """
    rows = Release.objects.filter(project=release.project_id).for_everybody()
    earlier = tuple(lower_versions(rows.select_related("project"), release))
    before = next((row for row in earlier if since in ("", row.version)), None)
    return PublicPair(release, before, earlier) if before else None
