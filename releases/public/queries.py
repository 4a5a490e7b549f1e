"""Find what everybody may know of public releases: projects, versions and errata."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.db.models import IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from projects.models import Project
from releases.enums import ReleaseState
from releases.models import ProblemReport, Release
from releases.querysets import ProblemQuerySet

ERRATA_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of a project that everybody sees, the newest first."""

    rows: Sequence[Release]

    @property
    def newest_good(self) -> Release | None:
        """Return the highest version that nobody has yanked."""
        return next((row for row in self.rows if row.state == ReleaseState.PUBLISHED), None)

    def before(self, release: Release) -> Sequence[Release]:
        """Return the lower versions, the nearest first."""
        return [row for row in self.rows if row.precedence < release.precedence]


def versions_of(project: Project) -> Versions:
    """Return the project's public versions, in one query: a project has few."""
    rows = Release.objects.filter(project=project).for_everybody().defer("quality", "facts")
    newest_first = sorted(
        rows.select_related("project"),
        key=attrgetter("precedence"),
        reverse=True,
    )
    return Versions(newest_first)


def errata_of(release: Release) -> ProblemQuerySet:
    """Return the known errors of a release, in the order of its files."""
    rows: ProblemQuerySet = ProblemReport.objects.errata().filter(release=release)
    found: ProblemQuerySet = rows.select_related("placed", "mended_in").order_by(
        "placed__position", "pk"
    )
    return found


def projects_for_everybody() -> QuerySet[Any]:
    """Return the projects with a public release; `shown_at`, `shown_version`, `shown_counts` and
    `shown_simulated` (judgements that a program gave; None in older ones) are the latest's.
    """
    releases = Release.objects.for_everybody()
    simulated = Cast(KeyTextTransform("simulated_judgements", "facts"), IntegerField())
    latest = releases.filter(project=OuterRef("pk")).order_by("-published_at", "-pk")
    latest = latest.annotate(simulated=simulated)
    names = {
        "shown_at": "published_at",
        "shown_version": "version",
        "shown_counts": "counts",
        "shown_simulated": "simulated",
    }
    found: QuerySet[Any] = Project.objects.filter(pk__in=releases.values("project")).annotate(
        **{name: Subquery(latest.values(field)[:1]) for name, field in names.items()}
    )
    return found
