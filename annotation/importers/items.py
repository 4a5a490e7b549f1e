"""Reads our own items as JSONL, CSV, XLSX or Parquet.

Columns: `uid`, `subject`, `question`, `options` or `option_a`…`option_f`, `key`; optionally
`translation_question` with `translation_options` or `translation_option_a`…, `translation_key`
and `system`; `explanation`, `level`, `year`, `category`, `split`. Others are kept as metadata.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Final, cast

from annotation.importers.base import (
    LETTERS,
    ImportRequest,
    Row,
    RowError,
    RowRef,
    SourceRow,
    Split,
    TranslationRow,
)
from annotation.importers.build import (
    RowFault,
    check_key,
    check_options,
    check_text,
    options_of,
    required_text,
    text_of,
)
from annotation.importers.drive import each_file
from annotation.importers.errors import ImportRefused
from annotation.importers.tables import TableRow, columns_of_files, read_table
from annotation.importers.trees import InputFile, Tree

name: Final = "items"
UID_LENGTH: Final = 200
_REQUIRED: Final = ("uid", "subject", "question", "key")
_OPTION_COLUMNS: Final = ("options", *(f"option_{letter.lower()}" for letter in LETTERS))
_KNOWN: Final = frozenset(
    (*_REQUIRED, *_OPTION_COLUMNS, "explanation", "level", "year", "category", "split", "system")
) | {f"translation_{column}" for column in ("question", "key", "system", *_OPTION_COLUMNS)}


def detect(tree: Tree) -> float:
    """Look for a table file with the required columns."""
    return 0.9 if any(found.issuperset(_REQUIRED) for found in columns_of_files(tree)) else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield the items of every table file, with their translation where it has one."""
    return each_file(request, "", lambda file: _read_file(file, request))


def _read_file(file: InputFile, request: ImportRequest) -> Iterator[Row]:
    rows = read_table(file, request.tree)
    for row in require_columns(rows, _REQUIRED, file):
        if isinstance(row, RowError):
            yield row
            continue
        try:
            yield _item(row, request.split)
        except RowFault as fault:
            yield fault.at(row.ref)


def require_columns(
    rows: Iterator[TableRow | RowError], required: tuple[str, ...], file: InputFile
) -> Iterator[TableRow | RowError]:
    """Refuse a table without the columns; in JSONL, where rows differ, name the row instead."""
    for row in rows:
        if isinstance(row, TableRow):
            missing = next((column for column in required if column not in row.cells), None)
            if missing is not None:
                data = {"file": file.name, "column": missing}
                if file.suffix not in {".jsonl", ".ndjson"}:
                    raise ImportRefused("missing_column", data)
                yield RowError(row.ref, "missing_column", data)
                continue
        yield row


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
    """Return a translation from its question, options and system; `raw` joins the texts as read."""
    question, options, system = parts
    if not question.strip():
        raise RowFault("empty_text", {"column": "translation_question"})
    published = text_of(cells, "translation_key").strip()
    key = check_key(published, max(len(options), 1)) if published and options else None
    return TranslationRow(ref, uid, question, options, key, system, "\n".join((question, *options)))
