"""Reads our own items as JSONL, CSV, XLSX or Parquet.

Columns: `uid`, `subject`, `question`, `options` or `option_a`…`option_j`, `key`; optionally
`translation_question` with `translation_options` or `translation_option_a`…, `translation_key`,
`translation_explanation` and `system`; `explanation`, `level`, `year`, `category`, `split`. Others
are kept as metadata.

A row without options has `answer` in place of `key`, and `kind`: number, open or translation. Without
`kind` it is a number where the answer is one and nothing else, and open otherwise. Its translated
reference answer is `translation_answer`.
"""

from collections.abc import Iterator, Mapping
from typing import Final, cast

from annotation.importers.base import (
    Column,
    ImportRequest,
    Kind,
    Layout,
    Row,
    RowError,
    RowRef,
    SourceRow,
    Split,
    TranslationRow,
)
from annotation.importers.cells import (
    RowFault,
    check_key,
    check_options,
    metadata_of,
    options_of,
    required_text,
    text_of,
    uid_in,
)
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.labels import gettext_noop
from annotation.importers.lookalikes import refuse_lookalikes
from annotation.importers.reading import each_file
from annotation.importers.table_rows import TableRow
from annotation.importers.tables import (
    LINE_SUFFIXES,
    TABLE_SUFFIXES,
    columns_of,
    read_own_table,
    require_columns,
    with_names,
)
from languages.letters import BEYOND_LETTERS, LETTERS
from languages.numerals import LONGEST_NUMBER, read_number

name: Final = "items"
suffixes: Final = TABLE_SUFFIXES
layout: Final = Layout(
    summary=gettext_noop("Items in our own columns, with or without a translation."),
    files=gettext_noop("JSONL, CSV, TSV, XLSX or Parquet"),
    columns=(
        Column("uid", gettext_noop("a name that never changes")),
        Column("subject", gettext_noop("the subject that figures are grouped by")),
        Column("question", gettext_noop("the question in the source language")),
        Column(
            "options / option_a … option_j",
            gettext_noop("a list of 2 to 10 options, or one option per column"),
        ),
        Column("key", gettext_noop("the letter of the correct option")),
        Column(
            "kind, answer",
            gettext_noop(
                "of an item without options: number, open or translation, and its reference answer"
            ),
            is_required=False,
        ),
        Column("translation_question", gettext_noop("the translated question"), is_required=False),
        Column(
            "translation_options / translation_option_a …",
            gettext_noop("the translated options"),
            is_required=False,
        ),
        Column("translation_key", gettext_noop("the key of the translation"), is_required=False),
        Column(
            "translation_answer, translation_explanation",
            gettext_noop("the translated reference answer and explanation"),
            is_required=False,
        ),
        Column("system", gettext_noop("who or what translated the row"), is_required=False),
        Column("split", gettext_noop("test (the default) or dev"), is_required=False),
        Column(
            "explanation, level, year, category",
            gettext_noop("more about the item; other columns are kept as metadata"),
            is_required=False,
        ),
    ),
)
_REQUIRED: Final = ("uid", "subject", "question")
_ANSWERS: Final = ("key", "answer")
OPTION_COLUMNS: Final = (
    "options",
    *(f"option_{letter.lower()}" for letter in LETTERS + BEYOND_LETTERS),
)
_KNOWN: Final = frozenset(
    (
        *_REQUIRED,
        "key",
        *OPTION_COLUMNS,
        "explanation",
        "level",
        "year",
        "category",
        "split",
        "system",
    )
) | {
    f"translation_{column}"
    for column in ("question", "key", "system", "answer", "explanation", *OPTION_COLUMNS)
}
_KINDS: Final = frozenset({"number", "open", "translation"})
_OF_KIND: Final = frozenset({"kind", "answer"})
"""Known in rows without options; beside options they are metadata like any other column."""
_NAMES: Final = _KNOWN | _OF_KIND


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for a table with the required columns."""
    columns = columns_of(file, inputs, _NAMES)
    is_ours = columns.issuperset(_REQUIRED) and not columns.isdisjoint(_ANSWERS)
    return 0.9 if is_ours else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield the items of every table file, with their translation where it has one."""
    return each_file(request, suffixes, lambda file: _read_file(file, request))


def _read_file(file: InputFile, request: ImportRequest) -> Iterator[Row]:
    rows = with_names(read_own_table(file, request.inputs), _NAMES)
    for row in require_columns(rows, _required(file, request.inputs), file):
        if isinstance(row, RowError):
            yield row
            continue
        try:
            yield _item(row, file, request.split)
        except RowFault as fault:
            yield fault.at(row.ref)


def _required(file: InputFile, inputs: InputFiles) -> tuple[str, ...]:
    """Return the columns that must be there; rows of JSONL differ, so each is asked for its own."""
    if file.suffix in LINE_SUFFIXES or "answer" in columns_of(file, inputs, _NAMES):
        return _REQUIRED
    return (*_REQUIRED, "key")


def _item(row: TableRow, file: InputFile, split: Split | None) -> SourceRow:
    cells = row.cells
    uid = uid_in(cells)
    options = options_of(cells)
    kind = _kind(cells) if not options else "choice"
    if kind != "choice" and not cells.get("kind"):
        refuse_lookalikes(cells, _NAMES)
    if kind == "choice" and "key" not in cells:
        raise RowFault("missing_column", {"file": file.name, "column": "key"})
    options = check_options(options) if kind == "choice" else ()
    return SourceRow(
        ref=row.ref,
        uid=uid,
        subject=required_text(cells, "subject"),
        question=required_text(cells, "question"),
        options=options,
        key=_key(cells, kind, len(options)),
        kind=kind,
        answer="" if kind in {"choice", "number"} else text_of(cells, "answer"),
        split=split or _split(cells),
        explanation=text_of(cells, "explanation"),
        level=text_of(cells, "level"),
        year=text_of(cells, "year"),
        category=text_of(cells, "category"),
        metadata=metadata_of(cells, _KNOWN if kind == "choice" else _KNOWN | _OF_KIND),
        translation=_translation(cells, row.ref, uid),
    )


def _kind(cells: Mapping[str, object]) -> Kind:
    """Return the kind of a row without options; a choice where nothing says that it needs none.

    It is never read from the answer alone where columns look like options.
    """
    named = text_of(cells, "kind").strip()
    if named and named not in _KINDS | {"choice"}:
        raise RowFault("bad_kind", {"value": named[:40]})
    if named:
        return cast("Kind", named)
    answer = text_of(cells, "answer").strip()
    if not answer:
        return "choice"
    return "open" if read_number(answer) is None else "number"


def _key(cells: Mapping[str, object], kind: Kind, option_count: int) -> str:
    """Return the letter of the key, or the number that answers the item; raises RowFault."""
    if kind == "choice":
        return check_key(text_of(cells, "key"), option_count)
    if kind != "number":
        return ""
    number = (text_of(cells, "answer") or text_of(cells, "key")).strip()
    if not number:
        raise RowFault("empty_text", {"column": "answer"})
    if len(number) > LONGEST_NUMBER:
        raise RowFault("cell_too_long", {"column": "answer", "limit": LONGEST_NUMBER})
    return number


def _split(cells: Mapping[str, object]) -> Split:
    value = text_of(cells, "split").strip() or "test"
    if value not in {"test", "dev"}:
        raise RowFault("bad_split", {"value": value[:40]})
    return cast("Split", value)


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
    return TranslationRow(
        ref,
        uid,
        question,
        options,
        key,
        system,
        answer=text_of(cells, "translation_answer"),
        explanation=text_of(cells, "translation_explanation"),
    )
