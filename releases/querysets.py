"""Adjectives of the tables of releases and of problem reports."""

from typing import Any

from django.db.models import QuerySet

from releases.enums import ProblemState, ReleaseState


class ReleaseQuerySet(QuerySet[Any]):
    def public(self) -> "ReleaseQuerySet":
        """Keep the releases whose files readers have or had: published, and yanked afterwards."""
        return self.filter(state__in=[ReleaseState.PUBLISHED, ReleaseState.YANKED])

    def for_everybody(self) -> "ReleaseQuerySet":
        """Keep the releases that are shown without an account."""
        return self.public().filter(is_for_everybody=True)

    def standing(self) -> "ReleaseQuerySet":
        """Keep the releases whose version is taken: all but the failed."""
        return self.exclude(state=ReleaseState.FAILED)


class ProblemQuerySet(QuerySet[Any]):
    def errata(self) -> "ProblemQuerySet":
        """Keep the problems that a senior or manager found to be true."""
        return self.filter(state=ProblemState.ACCEPTED)

    def undecided(self) -> "ProblemQuerySet":
        return self.filter(state=ProblemState.OPEN)
