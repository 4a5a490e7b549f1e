"""Reads Belebele: questions about a passage, with `mc_answer1` to `mc_answer4`.

The passage stands before its question, with an empty line between them, since nobody can answer
or judge one without the other. Uid `<link>#<question_number>`. The key counts from 1.
"""

from collections.abc import Iterator
from typing import Final

from annotation.importers.base import Column, ImportRequest, Layout, Row, SourceRow
from annotation.importers.cells import (
    RowFault,
    check_options,
    metadata_of,
    required_text,
    text_of,
    uid_in,
)
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.labels import gettext_noop
from annotation.importers.published import PublishedFile, read_published, texts_of
from annotation.importers.table_rows import TableRow
from annotation.importers.tables import ANY_SUFFIXES, columns_of
from languages.letters import letter_of

name: Final = "belebele"
suffixes: Final = ANY_SUFFIXES
layout: Final = Layout(
    summary=gettext_noop("The published files of Belebele: questions about a passage."),
    files=gettext_noop("JSONL, JSON, CSV, XLSX or Parquet"),
    columns=(
        Column("link", gettext_noop("the address of the passage, for the uid")),
        Column("question_number", gettext_noop("the number of the question about the passage")),
        Column("flores_passage", gettext_noop("the passage; it is put before the question")),
        Column("question", gettext_noop("the question")),
        Column("mc_answer1 … mc_answer4", gettext_noop("one option per column")),
        Column("correct_answer_num", gettext_noop("the correct option, counted from 1")),
        Column("dialect, ds", gettext_noop("kept as metadata, like all others"), is_required=False),
    ),
)
_OPTIONS: Final = ("mc_answer1", "mc_answer2", "mc_answer3", "mc_answer4")
_REQUIRED: Final = (
    "link", "question_number", "flores_passage", "question", "mc_answer1", "mc_answer2",
    "correct_answer_num",
)  # fmt: skip
_NAMES: Final = (*_REQUIRED, *_OPTIONS)
_KEPT: Final = frozenset({"link", "question_number"})


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for the columns."""
    return 0.95 if columns_of(file, inputs, _NAMES).issuperset(_REQUIRED) else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield one item a row."""
    return read_published(request, suffixes, _NAMES, _REQUIRED, _item)


def _item(row: TableRow, about: PublishedFile) -> SourceRow:
    cells = row.cells
    options = check_options(texts_of(cells, _OPTIONS))
    passage, question = required_text(cells, "flores_passage"), required_text(cells, "question")
    number = required_text(cells, "question_number").strip()
    return SourceRow(
        ref=row.ref,
        uid=uid_in({"uid": f"{required_text(cells, 'link').strip()}#{number}"}),
        subject=name,
        question=f"{passage}\n\n{question}",
        options=options,
        key=_key(text_of(cells, "correct_answer_num").strip(), len(options)),
        split=about.split,
        metadata=metadata_of(cells, {*_NAMES} - _KEPT),
    )


def _key(said: str, count: int) -> str:
    if not said:
        raise RowFault("no_answer", {"column": "correct_answer_num"})
    if not (said.isascii() and said.isdecimal() and 1 <= int(said[:4]) <= count):
        raise RowFault("key_out_of_range", {"key": said[:40], "last": str(count)})
    return letter_of(int(said) - 1)
