"""Reads any table by a mapping, which says which column holds what.

A mapping is written `question=frage,options=a1:a4,key=loesung`. A colon takes all columns from one
to another, a plus sign joins single ones: `options=right+wrong`. A backslash stands before a comma,
a plus sign or a backslash that belongs to a name. Beside the fields of an item there
are `key_as` (letter, zero, one or text: how the key names the option), `kind` (choice, number or
open), `sheet` and `separator` (comma, tab, semicolon or bar). Without a uid it is the name of the
file and the row; without a subject it is the name of the file. Other columns are kept as metadata.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, cast

from annotation.importers.base import (
    Data,
    ImportRequest,
    Kind,
    Row,
    SourceRow,
    Split,
    TranslationRow,
)
from annotation.importers.cells import (
    RowFault,
    check_key,
    check_options,
    is_list,
    list_of,
    metadata_of,
    required_text,
    text_of,
    uid_in,
)
from annotation.importers.errors import ImportRefused
from annotation.importers.published import PublishedFile, key_of, letter_at, read_published
from annotation.importers.table_rows import TableRow
from annotation.importers.tables import ANY_SUFFIXES, first_row
from common.names import fold_name
from languages.letters import letter_of

name: Final = "mapped"
suffixes: Final = ANY_SUFFIXES
FIELDS: Final = (
    "uid", "subject", "question", "options", "key", "explanation", "level", "year", "category",
    "split", "translation_question", "translation_options", "system",
)  # fmt: skip
_TOKEN: Final = re.compile(r"\\.|.", re.DOTALL)
LISTS: Final = frozenset({"options", "translation_options"})
KEY_KINDS: Final = ("letter", "zero", "one", "text")
KINDS: Final = ("choice", "number", "open")
SEPARATORS: Final[Mapping[str, str]] = MappingProxyType(
    {"comma": ",", "tab": "\t", "semicolon": ";", "bar": "|"}
)
_SETTINGS: Final[Mapping[str, Sequence[str] | None]] = MappingProxyType(
    {"key_as": KEY_KINDS, "kind": KINDS, "separator": tuple(SEPARATORS), "sheet": None}
)


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """The columns of each field, and how the table is read; '' for what the content shows."""

    columns: Mapping[str, tuple[str, ...]]
    key_as: str = "letter"
    kind: str = "choice"
    sheet: str = ""
    separator: str = ""


def parse_map(text: str) -> ColumnMap:
    """Return the mapping that a text describes; raises ImportRefused with the part at fault."""
    columns: dict[str, tuple[str, ...]] = {}
    settings: dict[str, str] = {}
    for part in filter(None, (each.strip() for each in _divided(text, ","))):
        field, sign, value = (each.strip() for each in part.partition("="))
        if not sign or not value or field in columns or field in settings:
            raise _bad_map(part)
        if field in FIELDS:
            columns[field] = tuple(_unescaped(each.strip()) for each in _divided(value, "+"))
        elif field in _SETTINGS and _unescaped(value) in (_SETTINGS[field] or (_unescaped(value),)):
            settings[field] = _unescaped(value)
        else:
            raise _bad_map(part)
    found = ColumnMap(columns, **settings)
    missing = next((field for field in _needed(found) if field not in columns), None)
    if missing:
        raise ImportRefused("map_incomplete", {"field": missing})
    return found


def written(columns: ColumnMap) -> str:
    """Return a mapping as the text that `parse_map` reads."""
    parts = [
        f"{field}={'+'.join(map(_escaped, names))}" for field, names in columns.columns.items()
    ]
    settings = {
        "key_as": columns.key_as if columns.kind == "choice" else "",
        "kind": columns.kind,
        "sheet": columns.sheet,
        "separator": columns.separator,
    }
    parts += [f"{setting}={_escaped(value)}" for setting, value in settings.items() if value]
    return ",".join(parts)


def _divided(text: str, sign: str) -> list[str]:
    parts = [""]
    for token in _TOKEN.findall(text):
        if token == sign:
            parts.append("")
        else:
            parts[-1] += token
    return parts


def _escaped(name: str) -> str:
    return re.sub(r"([,+\\])", r"\\\1", name)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def look(request: ImportRequest, sheet: str, separator: str) -> Iterator[Row]:
    """Yield each row with all of its cells as metadata, for somebody who maps the columns."""
    sign = SEPARATORS.get(separator, "")
    inputs = replace(request.inputs, sheet=sheet, separator=sign)

    def row_of(row: TableRow, about: PublishedFile) -> SourceRow:
        shown = {_writable(column): _shown(value) for column, value in row.cells.items()}
        return SourceRow(
            row.ref, about.next_uid(name), name, "", (), "", about.split, metadata=shown
        )

    return read_published(replace(request, inputs=inputs), suffixes, (), (), row_of)


def _writable(column: str) -> str:
    """Return the name of a column without halves of surrogate pairs, which no page can show."""
    return column.encode("utf-8", "replace").decode()


def _shown(value: object) -> str:
    try:
        return metadata_of({"cell": value}, ()).get("cell", "")
    except RowFault:
        return ""


def _needed(found: ColumnMap) -> tuple[str, ...]:
    return {"choice": ("question", "options", "key"), "number": ("question", "key")}.get(
        found.kind, ("question",)
    )


def _bad_map(part: str) -> ImportRefused:
    known = ", ".join((*FIELDS, *_SETTINGS))
    return ImportRefused("bad_map", {"part": part[:80], "known": known})


def read(request: ImportRequest, columns: ColumnMap) -> Iterator[Row]:
    """Yield one item a row; raises ImportRefused where a file has not the columns of the mapping."""
    separator = SEPARATORS.get(columns.separator, "")
    inputs = replace(request.inputs, sheet=columns.sheet, separator=separator)
    found: dict[str, _Reader] = {}

    def item(row: TableRow, about: PublishedFile) -> SourceRow:
        if row.ref.file not in found:
            file = next(file for file in inputs.files if file.name == row.ref.file)
            header = (*first_row(file, inputs), *row.cells)
            found[row.ref.file] = _Reader(columns, _resolved(columns, header, file.name))
        return found[row.ref.file].item(row, about)

    return read_published(replace(request, inputs=inputs), suffixes, (), (), item)


def _resolved(columns: ColumnMap, header: Sequence[str], file: str) -> dict[str, tuple[str, ...]]:
    """Return the columns of a file by field, spelled as the file spells them."""
    return {field: _all_named(names, header, file) for field, names in columns.columns.items()}


def columns_there(columns: ColumnMap, header: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the columns by field, as `read` takes them, without fields whose columns are not there."""
    found: dict[str, tuple[str, ...]] = {}
    for field, names in columns.columns.items():
        with suppress(ImportRefused):
            found[field] = _all_named(names, header, "")
    return found


def _all_named(names: Sequence[str], header: Sequence[str], file: str) -> tuple[str, ...]:
    known = {fold_name(column): column for column in reversed(header)}
    order = [*dict.fromkeys(header)]
    return tuple(column for name in names for column in _columns_named(name, known, order, file))


def _columns_named(
    name: str, known: Mapping[str, str], order: Sequence[str], file: str
) -> Sequence[str]:
    if fold_name(name) in known:
        return (known[fold_name(name)],)
    first, colon, last = name.partition(":")
    ends = [known.get(fold_name(end)) for end in (first, last)]
    if not colon or ends[0] is None or ends[1] is None:
        raise ImportRefused("map_column_missing", {"file": file, "column": name})
    start, stop = (order.index(end) for end in ends if end is not None)
    if stop < start:
        raise ImportRefused("map_column_missing", {"file": file, "column": name})
    return order[start : stop + 1]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the rows of one file."""

    map: ColumnMap
    columns: Mapping[str, tuple[str, ...]]

    def item(self, row: TableRow, about: PublishedFile) -> SourceRow:
        cells = row.cells
        subject = self._text(cells, "subject").strip() or about.subject or name
        uid = about.next_uid(subject)
        if "uid" in self.columns:
            uid = uid_in({"uid": self._text(cells, "uid").strip()})
        options = self._options(cells, "options") if self.map.kind == "choice" else ()
        options = check_options(options) if self.map.kind == "choice" else ()
        return SourceRow(
            ref=row.ref,
            uid=uid,
            subject=subject,
            question=required_text(cells, self.columns["question"][0]),
            options=options,
            key=self._key(cells, options),
            kind=cast("Kind", self.map.kind),
            answer=self._text(cells, "key") if self.map.kind == "open" else "",
            split=self._split(cells, about),
            explanation=self._text(cells, "explanation"),
            level=self._text(cells, "level"),
            year=self._text(cells, "year"),
            category=self._text(cells, "category"),
            metadata=metadata_of(cells, {c for named in self.columns.values() for c in named}),
            translation=self._translation(row, uid),
        )

    def _text(self, cells: Mapping[str, object], field: str) -> str:
        return text_of(cells, self.columns[field][0]) if field in self.columns else ""

    def _options(self, cells: Mapping[str, object], field: str) -> tuple[str, ...]:
        """Return the options of a list, of labelled choices, or of several columns."""
        names = self.columns.get(field, ())
        if len(names) == 1:
            value = cells.get(names[0])
            if isinstance(value, Mapping) and "text" in value:
                value = value["text"]
            if isinstance(value, list) and all(isinstance(each, Mapping) for each in value):
                value = [each.get("text") for each in value]
            if not is_list(value):
                raise RowFault("not_a_list", {"column": names[0]})
            return list_of(value, names[0])
        texts = [text_of(cells, column) for column in names]
        while texts and not texts[-1]:
            texts.pop()
        return tuple(texts)

    def _key(self, cells: Mapping[str, object], options: tuple[str, ...]) -> str:
        if self.map.kind == "open":
            return ""
        column = self.columns["key"][0]
        said = required_text(cells, column)
        if self.map.kind == "number":
            return said.strip()
        if self.map.key_as == "letter":
            return key_of(cells, column, len(options))
        if self.map.key_as == "text":
            return _key_by_text(said, options)
        place = said.strip()
        if not (place.isascii() and place.isdecimal()):
            raise RowFault("key_not_a_number", {"column": column, "key": place[:40]})
        if self.map.key_as == "one":
            place = str(int(place[:9]) - 1)
        if int(place[:9]) not in range(len(options)):
            data: Data = {"key": said.strip()[:40], "last": letter_of(len(options) - 1)}
            raise RowFault("key_out_of_range", data)
        return letter_at({column: place}, column, len(options))

    def _split(self, cells: Mapping[str, object], about: PublishedFile) -> Split:
        said = self._text(cells, "split").strip().lower() or about.split
        if said not in {"test", "dev"}:
            raise RowFault("bad_split", {"value": said[:40]})
        return cast("Split", said)

    def _translation(self, row: TableRow, uid: str) -> TranslationRow | None:
        question = self._text(row.cells, "translation_question")
        has_options = self.map.kind == "choice" and "translation_options" in self.columns
        options = self._options(row.cells, "translation_options") if has_options else ()
        if not question and not any(options):
            return None
        if not question.strip():
            column = self.columns.get("translation_question", ("translation_question",))[0]
            raise RowFault("empty_text", {"column": column})
        system = self._text(row.cells, "system").strip()
        return TranslationRow(row.ref, uid, question, options, None, system)


def _key_by_text(said: str, options: Sequence[str]) -> str:
    """Return the letter of the one option that says the same; raises RowFault for none or several."""
    same = [position for position, option in enumerate(options) if option.strip() == said.strip()]
    if len(same) != 1:
        raise RowFault("key_is_no_option", {"key": said.strip()[:40], "found": len(same)})
    return check_key(letter_of(same[0]), len(options))
