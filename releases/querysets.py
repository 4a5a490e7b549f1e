"""Adjectives of the table of releases."""

from typing import Any

from django.db.models import QuerySet

from releases.enums import ReleaseState


class ReleaseQuerySet(QuerySet[Any]):
    def public(self) -> "ReleaseQuerySet":
        """Releases whose files readers have or had: published, and yanked afterwards."""
        return self.filter(state__in=[ReleaseState.PUBLISHED, ReleaseState.YANKED])

    def standing(self) -> "ReleaseQuerySet":
        """Releases whose version is taken: all but the failed."""
        return self.exclude(state=ReleaseState.FAILED)
