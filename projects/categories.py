"""Which category, dimension and level a subject belongs to, as benchmarks publish it."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from common.names import fold_name

FOLDER: Final = Path(__file__).parent / "published_categories"
PUBLISHED: Final = {
    "cmmlu": "CMMLU",
    "mm_eval": "MM-Eval",
    "safetybench": "SafetyBench",
    "tmlu": "TMLU",
}
"""Benchmarks with a published assignment, by the name of its file in `FOLDER`.

CMMLU: the repository haonan-li/CMMLU; its category "China specific", which overlaps the others, is
the dimension here. MM-Eval: arXiv 2411.09492. SafetyBench: arXiv 2309.07045. TMLU: arXiv 2403.20180.
"""
COLUMNS: Final = ("category", "dimension", "level")
LONGEST_CELL: Final = 10_000


class CategoriesUnreadable(DomainError):
    code = "categories_unreadable"
    detail = _(
        "A file of categories is a CSV table with the column subject and at least one of the columns "
        "category, dimension and level."
    )
    status = 400


class SubjectUnnamed(DomainError):
    code = "subject_unnamed"
    detail = _("Line %(line)d names no subject.")
    status = 400


class SubjectTwice(DomainError):
    code = "subject_twice"
    detail = _("Line %(line)d names the subject %(subject)s a second time.")
    status = 400


@dataclass(frozen=True, slots=True)
class Grouping:
    """What a subject belongs to; an empty text is nothing."""

    category: str = ""
    dimension: str = ""
    level: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """A published assignment that names some of a project's subjects."""

    code: str
    name: str
    named: int
    of: int


@cache
def published(code: str) -> Mapping[str, Grouping]:
    """Return a published assignment by subject. Raises KeyError for an unknown name."""
    if code not in PUBLISHED:
        raise KeyError(code)
    return read_groupings((FOLDER / f"{code}.csv").read_text(encoding="utf-8"))


def read_groupings(text: str) -> dict[str, Grouping]:
    """Read a CSV text with the column `subject` and some of `category`, `dimension` and `level`.

    Raises CategoriesUnreadable, SubjectUnnamed, SubjectTwice.
    """
    try:
        csv.field_size_limit(LONGEST_CELL)  # of the process, so each reader sets its own
        return _groupings_of(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    except csv.Error as error:
        raise CategoriesUnreadable from error


def _groupings_of(reader: "csv.DictReader[str]") -> dict[str, Grouping]:
    names = {(name or "").strip().casefold(): name for name in reader.fieldnames or ()}
    if "subject" not in names or not names.keys() & set(COLUMNS):
        raise CategoriesUnreadable
    found: dict[str, Grouping] = {}
    seen: set[str] = set()
    for cells in reader:
        subject = (cells[names["subject"]] or "").strip()
        if not subject:
            raise SubjectUnnamed(line=reader.line_num)
        if fold_name(subject) in seen:
            raise SubjectTwice(line=reader.line_num, subject=subject)
        seen.add(fold_name(subject))
        texts = {name: (cells[names[name]] or "").strip() for name in COLUMNS if name in names}
        found[subject] = Grouping(**texts)
    if not found:
        raise CategoriesUnreadable
    return found


def matched(
    groupings: Mapping[str, Grouping], slugs: Iterable[str]
) -> tuple[dict[str, Grouping], list[str]]:
    """Return the groupings by slug, and the names in them that match none of the slugs.

    Names that look alike are one.
    """
    own = {fold_name(slug): slug for slug in slugs}
    found, foreign = {}, []
    for subject, grouping in groupings.items():
        slug = own.get(fold_name(subject))
        if slug is None:
            foreign.append(subject)
        else:
            found[slug] = grouping
    return found, foreign


def offers(slugs: Iterable[str]) -> Iterator[Offer]:
    """Yield the published assignments that name one of the subjects, the fullest first."""
    slugs = list(slugs)
    counts = {code: len(matched(published(code), slugs)[0]) for code in PUBLISHED}
    for code in sorted(PUBLISHED, key=lambda code: (-counts[code], code)):
        if counts[code]:
            yield Offer(code, PUBLISHED[code], counts[code], len(slugs))
