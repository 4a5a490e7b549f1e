"""What everybody may know of public releases: the projects that have any, their versions and errata."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from projects.models import Project
from releases.enums import ReleaseState
from releases.models import ProblemReport, Release
from releases.querysets import ProblemQuerySet
from releases.versions import parse_version

ERRATA_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of a project that everybody sees, the newest first."""

    rows: Sequence[Release]

    @property
    def newest_good(self) -> Release | None:
        """The highest that nobody has yanked."""
        return next((row for row in self.rows if row.state == ReleaseState.PUBLISHED), None)

    def before(self, release: Release) -> Sequence[Release]:
        """Those with a lower version, the nearest first."""
        this = parse_version(release.version).precedence
        return [row for row in self.rows if parse_version(row.version).precedence < this]


def versions_of(project: Project) -> Versions:
    """One query; a project has few versions."""
    rows = Release.objects.filter(project=project).for_everybody().defer("quality", "facts")
    newest_first = sorted(
        rows.select_related("project"),
        key=lambda row: parse_version(row.version).precedence,
        reverse=True,
    )
    return Versions(newest_first)


def errata_of(release: Release) -> ProblemQuerySet:
    """What is known to be wrong in a release, in the order of its files."""
    rows: ProblemQuerySet = ProblemReport.objects.errata().filter(release=release)
    found: ProblemQuerySet = rows.select_related("placed", "mended_in").order_by(
        "placed__position", "pk"
    )
    return found


def projects_for_everybody() -> QuerySet[Any]:
    """Projects with a release that everybody sees; `shown_at`, `shown_version` and `shown_counts` are the latest's."""
    releases = Release.objects.for_everybody()
    latest = releases.filter(project=OuterRef("pk")).order_by("-published_at", "-pk")
    names = {"shown_at": "published_at", "shown_version": "version", "shown_counts": "counts"}
    found: QuerySet[Any] = Project.objects.filter(pk__in=releases.values("project")).annotate(
        **{name: Subquery(latest.values(field)[:1]) for name, field in names.items()}
    )
    return found
