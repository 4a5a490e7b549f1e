"""Read what the public pages show of items and files; texts of hidden items are never asked for."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from languages.letters import LETTERS
from releases.enums import Subset
from releases.models import Artifact, Release, ReleaseItem


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


def open_items(
    release: Release, *, subject: str = "", beginning: str = ""
) -> QuerySet[ReleaseItem]:
    """Return open items with subject and text, in the order of the files."""
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
    """Return the ids of the open items before and after, or "", in one query."""
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
    """Return the folders of a release with what they hold."""
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
