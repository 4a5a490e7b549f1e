"""Reads TLUE's Ti-SafetyBench: translations of SafetyBench items, joined by category and id.

A row has `id`, `category` and `answer`, which counts the options from 0 or is a letter, and either
`question` and `options`, or both in one text `polished_ti_content` as Ti-MMLU has it. A row
without an answer is a translation without a key.
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
from annotation.importers.cells import RowFault, list_of, required_text, text_of
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.labels import gettext_noop
from annotation.importers.published import letter_at, plain_subject
from annotation.importers.reading import each_file
from annotation.importers.table_rows import TableRow
from annotation.importers.tables import (
    ANY_SUFFIXES,
    first_row,
    read_table,
    require_columns,
    with_names,
)
from annotation.importers.ti_mmlu import divide
from languages.letters import MAX_OPTIONS

name: Final = "ti_safetybench"
suffixes: Final = ANY_SUFFIXES
layout: Final = Layout(
    summary=gettext_noop("The published files of TLUE’s Ti-SafetyBench: translations."),
    files=gettext_noop("a JSON list, JSONL, CSV, XLSX or Parquet"),
    columns=(
        Column("id", gettext_noop("the number of the SafetyBench item")),
        Column("category", gettext_noop("the category of the SafetyBench item")),
        Column(
            "question, options / polished_ti_content",
            gettext_noop("the text, in two columns or in one"),
        ),
        Column(
            "answer",
            gettext_noop("the correct option: counted from 0, or its letter"),
            is_required=False,
        ),
    ),
)
_REQUIRED: Final = ("id", "category")
_NAMES: Final = (*_REQUIRED, "question", "options", "answer", "polished_ti_content")
_TIBETAN: Final = range(0x0F00, 0x1000)


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for the columns of SafetyBench around a Tibetan text."""
    first = first_row(file, inputs, _NAMES)
    if not first.keys() >= {*_REQUIRED}:
        return 0.0
    is_whole = "polished_ti_content" in first
    text = first.get("polished_ti_content" if is_whole else "question")
    is_tibetan = isinstance(text, str) and any(ord(sign) in _TIBETAN for sign in text)
    return 0.95 if is_tibetan and (is_whole or "options" in first) else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield one translation a row."""
    return each_file(request, suffixes, lambda file: _read_file(file, request.inputs))


def _read_file(file: InputFile, inputs: InputFiles) -> Iterator[Row]:
    rows = with_names(read_table(file, inputs), _NAMES)
    for row in require_columns(rows, _REQUIRED, file):
        if isinstance(row, RowError):
            yield row
            continue
        try:
            yield _translation(row)
        except RowFault as fault:
            yield fault.at(row.ref)


def _translation(row: TableRow) -> TranslationRow:
    cells = row.cells
    category, number = required_text(cells, "category"), required_text(cells, "id").strip()
    uid = f"{plain_subject(category)}/{number}"
    if "polished_ti_content" in cells:
        key = _key(cells, MAX_OPTIONS)
        text = text_of(cells, "polished_ti_content")
        return divide(row.ref, uid, text, key, system=name, option_count=None)
    options = list_of(cells.get("options"), "options")
    if not any(text.strip() for text in (text_of(cells, "question"), *options)):
        raise RowFault("empty_text", {"column": "question"})
    return TranslationRow(
        ref=row.ref,
        uid=uid,
        question=text_of(cells, "question"),
        options=options,
        key=_key(cells, len(options)),
        system=name,
        is_default_system=True,
    )


def _key(cells: Mapping[str, object], count: int) -> str | None:
    return letter_at(cells, "answer", count) if text_of(cells, "answer").strip() else None
