"""Finding items by a part of their text, at a cost that doesn't grow with the project (ADR 0016).

A page is read in order of uid until it is full. That is quick where many items match; where few do,
indexes of trigrams name them first. Which of the two it is shows from the indexes themselves: each
is asked for one more than `FEW` rows.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from django.db import connection
from django.db.models import Q, QuerySet

from annotation.models import Item, Translation
from annotation.search_text import PADDING, folded

FEW = 1000
MOST_TERMS = 100
SIZE = 3  # of a trigram
LAST_CHARACTER = "\U0010ffff"


_SQLITE_PART: Final = (
    "SELECT * FROM (SELECT %s AS part, rowid FROM {fts} WHERE {fts} MATCH %s LIMIT %s)"
)
_POSTGRES_PART: Final = (
    "(SELECT %s::int AS part, {column} FROM {table} WHERE text LIKE %s LIMIT %s)"
)


class TextIndex(NamedTuple):
    """The index of trigrams over one table of search texts, which each database has its own of."""

    table: str
    column: str
    postgres: str

    @property
    def fts(self) -> str:
        return f"{self.table}_fts"

    @property
    def vocabulary(self) -> str:
        return f"{self.table}_vocabulary"


SOURCES: Final = TextIndex("annotation_itemsearchtext", "item_id", "itemsearchtext_trigrams")
TRANSLATIONS: Final = TextIndex(
    "annotation_translationsearchtext", "translation_id", "translationsearchtext_trigrams"
)


def items_with_text(rows: QuerySet[Item], text: str) -> QuerySet[Item]:
    """Return those of `rows` that contain `text`, of any length, in uid, question or translation."""
    if PADDING[0] in text:  # it stands behind every stored text and in none
        return rows.none()
    wanted = folded(text)
    rows = rows.filter(
        Q(search_text__text__contains=wanted)
        | Q(working_translation__search_text__text__contains=wanted)
    )
    found = _candidates(wanted)
    return rows if found is None else rows.filter(pk__in=found)


def rows_with_each(texts: Sequence[str], index: TextIndex) -> list[list[int]]:
    """For each folded text the rows that may contain it, in one query; none for those in very many.

    Without an index, and for texts shorter than a trigram, nothing is found.
    """
    long = [text for text in texts if len(text) >= SIZE]
    if not long or not _has_index(connection.vendor, index):
        return []
    is_sqlite = connection.vendor == "sqlite"
    part = _SQLITE_PART if is_sqlite else _POSTGRES_PART
    argument = _all_trigrams if is_sqlite else _like_pattern
    one = part.format(table=index.table, fts=index.fts, column=index.column)
    arguments = [value for n, text in enumerate(long) for value in (n, argument(text), FEW + 1)]
    found: list[list[int]] = [[] for _text in long]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join([one] * len(long)), arguments)
        for number, row in cursor.fetchall():
            found[number].append(row)
    return [rows if len(rows) <= FEW else [] for rows in found]


def _all_trigrams(text: str) -> str:
    return " AND ".join(map(_quoted, _trigrams(text)))


def _like_pattern(text: str) -> str:
    return f"%{connection.ops.prep_for_like_query(text)}%"


def few(ids: QuerySet[Any, Any]) -> list[int] | None:
    """Return the ids, or None when there are so many that a page in order fills up quickly."""
    return _few(ids[: FEW + 1])


def _few(ids: Iterable[int]) -> list[int] | None:
    found = list(ids)
    return found if len(found) <= FEW else None


def _candidates(text: str) -> set[int] | None:
    """Return the items that may contain a text; None for very many, or where no index can tell."""
    items = _rows_with(text, SOURCES)
    translations = None if items is None else _rows_with(text, TRANSLATIONS)
    if items is None or translations is None:
        return None
    theirs = Translation.all_rows.filter(pk__in=translations).values_list("item", flat=True)
    return {*items, *theirs}


def _rows_with(text: str, index: TextIndex) -> list[int] | None:
    """Ask an index which rows may contain a text; they are compared with it afterwards."""
    if not _has_index(connection.vendor, index):
        return None
    ask = _ask_sqlite if connection.vendor == "sqlite" else _ask_postgres
    return ask(text, index)


@cache
def _has_index(vendor: str, index: TextIndex) -> bool:
    """Return whether the migration could make the index: PostgreSQL may refuse the extension."""
    is_sqlite = vendor == "sqlite"
    table, name = ("sqlite_master", index.fts) if is_sqlite else ("pg_class", index.postgres)
    column = "name" if is_sqlite else "relname"
    return bool(_values(f"SELECT 1 FROM {table} WHERE {column} = %s", [name]))  # noqa: S608


def _ask_sqlite(text: str, index: TextIndex) -> list[int] | None:
    terms = _trigrams(text) if len(text) >= SIZE else _terms_beginning_with(text, index)
    if terms is None or not terms:
        return terms  # type: ignore[return-value]
    joined = (" AND " if len(text) >= SIZE else " OR ").join(map(_quoted, terms))
    sql = f"SELECT rowid FROM {index.fts} WHERE {index.fts} MATCH %s LIMIT %s"  # noqa: S608
    return _few(_values(sql, [joined, FEW + 1]))


def _terms_beginning_with(text: str, index: TextIndex) -> list[str] | None:
    """Return the trigrams that begin with one or two characters, None when there are very many."""
    sql = f"SELECT term FROM {index.vocabulary} WHERE term >= %s AND term < %s LIMIT %s"  # noqa: S608
    terms = _values(sql, [text, text + LAST_CHARACTER, MOST_TERMS + 1])
    return terms if len(terms) <= MOST_TERMS else None


def _ask_postgres(text: str, index: TextIndex) -> list[int] | None:
    """Ask PostgreSQL, which takes the trigrams out of the pattern; shorter texts have none."""
    if len(text) < SIZE:
        return None
    sql = f"SELECT {index.column} FROM {index.table} WHERE text LIKE %s LIMIT %s"  # noqa: S608
    return _few(_values(sql, [f"%{connection.ops.prep_for_like_query(text)}%", FEW + 1]))


def _trigrams(text: str) -> list[str]:
    return sorted({text[at : at + SIZE] for at in range(len(text) - SIZE + 1)})


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def _values(sql: str, parameters: list[Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return [value for (value,) in cursor.fetchall()]
