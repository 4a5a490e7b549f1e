"""The answer that every reader of terms gives."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as attribute
from typing import Final

from annotation.glossary.term_values import TermValues, cleaned, problems
from annotation.importers.labels import gettext_noop

MOST_ROWS: Final = 50_000
MOST_PROBLEMS: Final = 100

FILE_PROBLEMS: Final[Mapping[str, str]] = {
    "not_text": gettext_noop("The file is not UTF-8 text."),
    "not_csv": gettext_noop("This line cannot be read as CSV: %(why)s"),
    "no_column": gettext_noop("The first line must name the column “%(column)s”."),
    "column_unknown": gettext_noop(
        "The column “%(column)s” is not known. The known columns are: %(known)s."
    ),
    "column_repeated": gettext_noop("The column “%(column)s” appears twice. Keep one of them."),
    "not_xml": gettext_noop("The file cannot be read as XML: %(why)s"),
    "xml_entities": gettext_noop(
        "The file defines XML entities, which are not read. Write the characters themselves."
    ),
    "not_tbx": gettext_noop("This is XML, but not TBX. Save the terms as TBX-Basic or CSV."),
    "no_term": gettext_noop("The entry has no term in %(language)s."),
    "several_terms": gettext_noop(
        "The entry has several terms in %(language)s. Give each an entry of its own."
    ),
    "same_term": gettext_noop("This is the same term as in row %(row)s."),
    "too_large": gettext_noop("The file is larger than %(limit)s MB. Split it."),
    "too_many_rows": gettext_noop("The file has more than %(limit)s terms. Split it."),
}


@dataclass(frozen=True, slots=True)
class TermRow:
    """One term of a file; `row` is its line or the number of its entry."""

    row: int
    values: TermValues


@dataclass(frozen=True, slots=True)
class RowProblem:
    """One fault of a row; row 0 is the file as a whole."""

    row: int
    field: str
    code: str
    data: Mapping[str, str | int] = attribute(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReadTerms:
    """The terms of a file and its faults."""

    rows: tuple[TermRow, ...] = ()
    problems: tuple[RowProblem, ...] = ()


def is_utf_16(content: bytes) -> bool:
    """Return whether the file begins with the mark of UTF-16."""
    return content.startswith((BOM_UTF16_LE, BOM_UTF16_BE))


def refused(code: str, **data: str | int) -> ReadTerms:
    """Return the reading of a file that cannot be read at all."""
    return ReadTerms(problems=(RowProblem(0, "", code, data),))


def checked(rows: Iterable[TermRow], known: Iterable[RowProblem] = ()) -> ReadTerms:
    """Return the rows, cleaned, with everything that is wrong with them; no more than `MOST_PROBLEMS`."""
    good: list[TermRow] = []
    found = list(known)
    first: dict[tuple[str, str, str], int] = {}
    for row in rows:
        values = cleaned(row.values)
        wrong = [RowProblem(row.row, p.field, p.code, p.data) for p in problems(values)]
        if not wrong and (before := first.setdefault(values.identity, row.row)) != row.row:
            wrong = [RowProblem(row.row, "source", "same_term", {"row": before})]
        found += wrong
        good.append(TermRow(row.row, values))
        if len(good) > MOST_ROWS:
            return refused("too_many_rows", limit=MOST_ROWS)
    found.sort(key=lambda problem: problem.row)
    return ReadTerms(tuple(good), tuple(found[:MOST_PROBLEMS]))
