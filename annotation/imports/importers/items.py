"""Reads our own items as JSONL, CSV, XLSX or Parquet.

Columns: `uid`, `subject`, `question`, `options` or `option_a`…`option_f`, `key`; optionally
`translation_question` with `translation_options` or `translation_option_a`…, `translation_key`
and `system`; `explanation`, `level`, `year`, `category`, `split`. Others are kept as metadata.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Final, cast

from annotation.imports.importers.base import (
    Column,
    ImportRequest,
    Layout,
    Row,
    RowError,
    RowRef,
    SourceRow,
    Split,
    TranslationRow,
)
from annotation.imports.importers.cells import (
    RowFault,
    check_key,
    check_options,
    check_text,
    options_of,
    required_text,
    text_of,
)
from annotation.imports.importers.input_files import InputFile, InputFiles
from annotation.imports.importers.labels import gettext_noop
from annotation.imports.importers.reading import each_file
from annotation.imports.importers.table_rows import TableRow
from annotation.imports.importers.tables import (
    TABLE_SUFFIXES,
    columns_of,
    read_own_table,
    require_columns,
)
from languages.letters import LETTERS

name: Final = "items"
suffixes: Final = TABLE_SUFFIXES
layout: Final = Layout(
    summary=gettext_noop("Items in our own columns, with or without a translation."),
    files=gettext_noop("JSONL, CSV, XLSX or Parquet"),
    columns=(
        Column("uid", gettext_noop("a name that never changes")),
        Column("subject", gettext_noop("the subject that figures are grouped by")),
        Column("question", gettext_noop("the question in the source language")),
        Column(
            "options / option_a … option_f",
            gettext_noop("a list of 2 to 6 options, or one option a column"),
        ),
        Column("key", gettext_noop("the letter of the correct option")),
        Column("translation_question", gettext_noop("the translated question"), is_required=False),
        Column(
            "translation_options / translation_option_a …",
            gettext_noop("the translated options"),
            is_required=False,
        ),
        Column("translation_key", gettext_noop("the key of the translation"), is_required=False),
        Column("system", gettext_noop("who or what translated the row"), is_required=False),
        Column("split", gettext_noop("test (the default) or dev"), is_required=False),
        Column(
            "explanation, level, year, category",
            gettext_noop("more about the item; other columns are kept as metadata"),
            is_required=False,
        ),
    ),
)
UID_LENGTH: Final = 200
_REQUIRED: Final = ("uid", "subject", "question", "key")
_OPTION_COLUMNS: Final = ("options", *(f"option_{letter.lower()}" for letter in LETTERS))
_KNOWN: Final = frozenset(
    (*_REQUIRED, *_OPTION_COLUMNS, "explanation", "level", "year", "category", "split", "system")
) | {f"translation_{column}" for column in ("question", "key", "system", *_OPTION_COLUMNS)}


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for a table with the required columns."""
    return 0.9 if columns_of(file, inputs).issuperset(_REQUIRED) else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield the items of every table file, with their translation where it has one."""
    return each_file(request, suffixes, lambda file: _read_file(file, request))


def _read_file(file: InputFile, request: ImportRequest) -> Iterator[Row]:
    rows = read_own_table(file, request.inputs)
    for row in require_columns(rows, _REQUIRED, file):
        if isinstance(row, RowError):
            yield row
            continue
        try:
            yield _item(row, request.split)
        except RowFault as fault:
            yield fault.at(row.ref)


def uid_in(cells: Mapping[str, object]) -> str:
    """Return a uid: one line without outer white space, at most 200 characters."""
    uid = required_text(cells, "uid")
    if uid != uid.strip() or not uid.isprintable() or len(uid) > UID_LENGTH:
        raise RowFault("bad_uid", {"uid": repr(uid[:60]), "limit": UID_LENGTH})
    return uid


def _item(row: TableRow, split: Split | None) -> SourceRow:
    cells = row.cells
    uid = uid_in(cells)
    options = check_options(options_of(cells))
    return SourceRow(
        ref=row.ref,
        uid=uid,
        subject=required_text(cells, "subject"),
        question=required_text(cells, "question"),
        options=options,
        key=check_key(text_of(cells, "key"), len(options)),
        split=split or _split(cells),
        explanation=text_of(cells, "explanation"),
        level=text_of(cells, "level"),
        year=text_of(cells, "year"),
        category=text_of(cells, "category"),
        metadata=_metadata(cells),
        translation=_translation(cells, row.ref, uid),
    )


def _split(cells: Mapping[str, object]) -> Split:
    value = text_of(cells, "split").strip() or "test"
    if value not in {"test", "dev"}:
        raise RowFault("bad_split", {"value": value[:40]})
    return cast("Split", value)


def _metadata(cells: Mapping[str, object]) -> dict[str, str]:
    extra = {
        column: text_of(cells, column) if _is_plain(value) else _as_json(value, column)
        for column, value in cells.items()
        if column and column not in _KNOWN and value not in (None, "")
    }
    for column in extra:
        check_text(column, "metadata")
    return extra


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _as_json(value: object, column: str) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    check_text(text, column)
    return text


def _translation(cells: Mapping[str, object], ref: RowRef, uid: str) -> TranslationRow | None:
    question = text_of(cells, "translation_question")
    options = options_of(cells, "translation_")
    if not question and not any(options):
        return None
    system = text_of(cells, "translation_system") or text_of(cells, "system")
    return translation_row(cells, ref, uid, (question, options, system.strip()))


def translation_row(
    cells: Mapping[str, object], ref: RowRef, uid: str, parts: tuple[str, tuple[str, ...], str]
) -> TranslationRow:
    """Return a translation from its question, options and system."""
    question, options, system = parts
    if not question.strip():
        raise RowFault("empty_text", {"column": "translation_question"})
    published = text_of(cells, "translation_key").strip()
    key = check_key(published, max(len(options), 1)) if published and options else None
    return TranslationRow(ref, uid, question, options, key, system)
