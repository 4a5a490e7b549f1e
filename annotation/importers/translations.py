"""Reads further translations of items that are already there, as JSONL, CSV, XLSX or Parquet.

Columns: `uid`, `system`, `question`, `options` or `option_a`…`option_f`, optionally `key`.
`system` may be left out where it is named for the whole import. An empty question or option is
read as it stands, for the checks to report; a row without any text is refused.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from annotation.importers.base import ImportRequest, Row, RowError, TranslationRow
from annotation.importers.build import RowFault, check_key, options_of, text_of
from annotation.importers.drive import each_file
from annotation.importers.items import require_columns, uid_in
from annotation.importers.tables import TableRow, columns_of_files, read_table
from annotation.importers.trees import InputFile, Tree

name: Final = "translations"
_REQUIRED: Final = ("uid", "question")


def detect(tree: Tree) -> float:
    """Look for a table file with uid, system and question but no subject."""
    found = (set(columns) for columns in columns_of_files(tree) if "subject" not in columns)
    return 0.85 if any(columns >= {"uid", "system", "question"} for columns in found) else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield one translation a row."""
    return each_file(request, "", lambda file: _read_file(file, request.tree))


def _read_file(file: InputFile, tree: Tree) -> Iterator[Row]:
    for row in require_columns(read_table(file, tree), _REQUIRED, file):
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
        raw="\n".join((question, *options)),
    )
