"""What the public pages read; no text of a hidden item is ever asked for."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from languages.letters import LETTERS
from projects.models import Project
from releases.enums import ReleaseState, Subset
from releases.models import Artifact, ProblemReport, Release, ReleaseItem
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


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files of one folder at the root of a release."""

    name: str
    file_count: int
    row_count: int
    size: int


@dataclass(frozen=True, slots=True)
class ShownOption:
    letter: str
    text: str
    is_key: bool


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


def open_items(
    release: Release, *, subject: str = "", beginning: str = ""
) -> QuerySet[ReleaseItem]:
    """Open items with subject and text, in the order of the files."""
    rows = ReleaseItem.objects.filter(release=release, subset=Subset.OPEN)
    if subject:
        rows = rows.filter(subject__slug=subject, subject__release=release)
    if beginning:
        rows = rows.filter(public_id__startswith=beginning)
    found = rows.select_related("subject", "revision")
    return found.defer(
        "provenance", "source_question", "source_options", "source_answer", "explanation"
    )


def open_item(release: Release, public_id: str) -> ReleaseItem | None:
    rows = ReleaseItem.objects.filter(release=release, subset=Subset.OPEN, public_id=public_id)
    found: ReleaseItem | None = rows.select_related("subject", "revision").first()
    return found


def neighbours(placed: ReleaseItem) -> tuple[str, str]:
    """The ids of the open items before and after, empty where there is none; one query."""
    rows = ReleaseItem.objects.filter(
        release=placed.release_id,
        subset=Subset.OPEN,
        position__in=[placed.position - 1, placed.position + 1],
    )
    found = dict(rows.values_list("position", "public_id"))
    return found.get(placed.position - 1, ""), found.get(placed.position + 1, "")


def shown_options(placed: ReleaseItem) -> list[ShownOption]:
    options = zip(LETTERS, placed.options, strict=False)
    return [ShownOption(letter, text, letter == placed.key) for letter, text in options]


def file_groups(files: Iterable[Artifact]) -> list[FileGroup]:
    """The folders of a release with what they hold."""
    found: dict[str, list[Artifact]] = defaultdict(list)
    for file in files:
        folder, slash, _name = file.name.partition("/")
        if slash:
            found[folder].append(file)
    return [
        FileGroup(
            name,
            len(held),
            sum(file.row_count or 0 for file in held),
            sum(file.size for file in held),
        )
        for name, held in sorted(found.items())
    ]


def projects_for_everybody() -> QuerySet[Any]:
    """Projects with a release that everybody sees; `shown_at`, `shown_version` and `shown_counts` are the latest's."""
    releases = Release.objects.for_everybody()
    latest = releases.filter(project=OuterRef("pk")).order_by("-published_at", "-pk")
    names = {"shown_at": "published_at", "shown_version": "version", "shown_counts": "counts"}
    found: QuerySet[Any] = Project.objects.filter(pk__in=releases.values("project")).annotate(
        **{name: Subquery(latest.values(field)[:1]) for name, field in names.items()}
    )
    return found
