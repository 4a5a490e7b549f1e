"""Compare two public releases for anybody: hidden items are counted, never named."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from releases.changes.changelog import send_markdown
from releases.changes.differences import ReleaseDifference, difference, lower_versions
from releases.files.content import release_facts
from releases.models import Release
from releases.public.kept_answers import kept, not_for_search

LISTED = 1_000
"""How many of each kind of change are listed: texts are compared word by word, which takes time."""


@dataclass(frozen=True, slots=True)
class PublicPair:
    """A public release, the earlier public one to compare it with, and all earlier ones."""

    release: Release
    before: Release
    earlier: tuple[Release, ...]

    @property
    def parts(self) -> list[Any]:
        """Return all that the difference depends on."""
        rows = (self.release, self.before)
        return ["difference", *((row.pk, row.content_hash) for row in rows)]

    def difference(self, *, most: int = LISTED) -> ReleaseDifference:
        return difference(self.before, self.release, shows_hidden=False, most=most)


def public_pair(release: Release, since: str) -> PublicPair | None:
    """Return `release` with the earlier public version `since`, or the nearest if `since` is empty.

    None where there is no such version, and for `source`: what the source held is not public.
    """
    rows = Release.objects.filter(project=release.project_id).for_everybody()
    earlier = tuple(lower_versions(rows.select_related("project"), release))
    before = next((row for row in earlier if since in ("", row.version)), None)
    return PublicPair(release, before, earlier) if before else None


def public_changelog(request: HttpRequest, pair: PublicPair) -> HttpResponseBase:
    """Send the difference of `pair` as a Markdown file that callers may keep, with the canary."""

    def make() -> HttpResponseBase:
        canary = release_facts(pair.release).canary
        return send_markdown(pair.release.project.slug, pair.difference(), canary=canary)

    return not_for_search(kept(request, parts=[*pair.parts, "markdown"], make=make))
