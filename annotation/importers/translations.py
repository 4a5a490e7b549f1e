"""Reads further translations of items that are already there, as JSONL, CSV, XLSX or Parquet.

Columns: `uid`, `system`, `question`, `options` or `option_a`…`option_j`, optionally `key`, and
`answer` and `explanation` where the item has them.
`system` may be left out where it is named for the whole import. An empty question or option is
read as it stands, for the checks to report; a row without any text is refused.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from annotation.importers.base import (
    Column,
    ImportRequest,
    Layout,
    Row,
    RowError,
    TranslationRow,
)
from annotation.importers.cells import RowFault, check_key, options_of, text_of, uid_in
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.items import OPTION_COLUMNS
from annotation.importers.labels import gettext_noop
from annotation.importers.reading import each_file
from annotation.importers.table_rows import TableRow
from annotation.importers.tables import (
    TABLE_SUFFIXES,
    columns_of,
    read_own_table,
    require_columns,
    with_names,
)

name: Final = "translations"
suffixes: Final = TABLE_SUFFIXES
layout: Final = Layout(
    summary=gettext_noop("More translations of items that are already in the project."),
    files=gettext_noop("JSONL, CSV, TSV, XLSX or Parquet"),
    columns=(
        Column("uid", gettext_noop("the uid of the item")),
        Column("question", gettext_noop("the translated question")),
        Column(
            "options / option_a … option_j",
            gettext_noop("a list of the translated options, or one option per column"),
        ),
        Column(
            "system",
            gettext_noop("who or what translated the row; or name it once for the whole import"),
            is_required=False,
        ),
        Column("key", gettext_noop("the key of the translation"), is_required=False),
        Column(
            "answer, explanation",
            gettext_noop("the translated reference answer and explanation"),
            is_required=False,
        ),
    ),
)
_REQUIRED: Final = ("uid", "question")
_NAMES: Final = (*_REQUIRED, *OPTION_COLUMNS, "system", "key", "answer", "explanation", "subject")


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for a table with uid, system and question but no subject."""
    columns = columns_of(file, inputs, _NAMES)
    return 0.85 if columns >= {"uid", "system", "question"} and "subject" not in columns else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield one translation a row."""
    return each_file(request, suffixes, lambda file: _read_file(file, request.inputs))


def _read_file(file: InputFile, inputs: InputFiles) -> Iterator[Row]:
    for row in require_columns(with_names(read_own_table(file, inputs), _NAMES), _REQUIRED, file):
        if isinstance(row, RowError):
            yield row
            continue
        try:
            yield _translation(row)
        except RowFault as fault:
            yield fault.at(row.ref)


def _translation(row: TableRow) -> TranslationRow:
    cells: Mapping[str, object] = row.cells
    question = text_of(cells, "question")
    options = options_of(cells)
    if not any(text.strip() for text in (question, *options)):
        raise RowFault("empty_text", {"column": "question"})
    published = text_of(cells, "key").strip()
    key = check_key(published, len(options)) if published and options else None
    return TranslationRow(
        ref=row.ref,
        uid=uid_in(cells),
        question=question,
        options=options,
        key=key,
        system=text_of(cells, "system").strip(),
        answer=text_of(cells, "answer"),
        explanation=text_of(cells, "explanation"),
    )
