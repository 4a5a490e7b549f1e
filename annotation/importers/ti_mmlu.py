"""Reads TLUE's Ti-MMLU: `<subject>.jsonl`, question and options in one published string.

Rows are translations of CMMLU items: `loc` is subject and row. A folder (or the file's folder)
whose name says few-shot (`ti_mmlu_5shot`, `few_shot`, `dev`) holds translations of dev items;
`split` of the request overrides the name. Options that can't be told with certainty leave the
text whole, with an `options_unreadable` mark. Our releases list the options of such a row beside
its text, in a column `options`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from annotation.importers.base import (
    MAX_INDEX_DIGITS,
    Column,
    Data,
    ImportRequest,
    Layout,
    Mark,
    Row,
    RowError,
    RowRef,
    Split,
    TranslationRow,
)
from annotation.importers.cells import RowFault, check_key, required_text, text_of
from annotation.importers.cmmlu import uid_of
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.labels import gettext_noop
from annotation.importers.options import ParsedOptions, Unreadable, cut_at, parse_options
from annotation.importers.reading import each_file, folder_names
from annotation.importers.table_rows import TableRow
from annotation.importers.tables import columns_of, read_jsonl
from languages import get_language

name: Final = "ti_mmlu"
suffixes: Final = frozenset({".jsonl"})
layout: Final = Layout(
    summary=gettext_noop("The published files of TLUE’s Ti-MMLU: translations of CMMLU items."),
    files=gettext_noop(
        "one <subject>.jsonl per subject; few-shot items in a folder with a name such as "
        "ti_mmlu_5shot"
    ),
    columns=(
        Column("loc", gettext_noop("the subject and row number of the CMMLU item")),
        Column("polished_ti_content", gettext_noop("question and options in one text")),
        Column("answer", gettext_noop("the letter of the correct option")),
        Column(
            "options",
            gettext_noop(
                "a list of the options, if the text does not show clearly where each begins"
            ),
            is_required=False,
        ),
    ),
)
_COLUMNS: Final = ("loc", "polished_ti_content", "answer")
_OPTION_COUNT: Final = 4
_LOC: Final = re.compile(r"\A(?P<subject>.*[^0-9])(?P<index>[0-9]{1,9})")
_FEW_SHOT: Final = re.compile(r"(?i)(?:^|[^a-z])(?:[0-9]{1,3}|few|n)[-_ ]?shots?(?:[^a-z]|$)")
_LETTERS: Final = get_language("bo").option_letters


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for the columns in the first row."""
    return 0.95 if columns_of(file, inputs).issuperset(_COLUMNS[:2]) else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield one translation a line."""
    return each_file(request, suffixes, lambda file: _read_file(file, request))


def split_of(file: InputFile, inputs: InputFiles) -> Split:
    """Return 'dev' where the name of the place says few-shot, else 'test'."""
    folders = folder_names(file, inputs)
    if any(_FEW_SHOT.search(folder) for folder in folders):
        return "dev"
    return "dev" if folders[-1].lower() == "dev" else "test"


def _read_file(file: InputFile, request: ImportRequest) -> Iterator[Row]:
    split = request.split or split_of(file, request.inputs)
    subject = file.stem
    for row in read_jsonl(file, request.inputs):
        yield row if isinstance(row, RowError) else _translation(row, subject, split)


def _translation(row: TableRow, subject: str, split: Split) -> TranslationRow | RowError:
    missing = next((column for column in _COLUMNS if column not in row.cells), None)
    if missing is not None:
        return RowError(row.ref, "missing_column", {"file": row.ref.file, "column": missing})
    try:
        uid = _uid(row.cells, subject, split)
        key = check_key(text_of(row.cells, "answer"), _OPTION_COUNT)
        text = text_of(row.cells, "polished_ti_content")
        return divide(row.ref, uid, text, key, told=_told(row.cells, text))
    except RowFault as fault:
        return fault.at(row.ref)


def _uid(cells: Mapping[str, object], subject: str, split: Split) -> str:
    loc = required_text(cells, "loc")
    rest = loc.removeprefix(subject)
    if rest != loc and rest.isascii() and rest.isdecimal() and len(rest) <= MAX_INDEX_DIGITS:
        return uid_of(subject, int(rest), split)
    match = _LOC.fullmatch(loc)
    if match is None:
        raise RowFault("bad_loc", {"value": loc[:80]})
    return uid_of(match["subject"], int(match["index"]), split)


def _told(cells: Mapping[str, object], text: str) -> ParsedOptions | None:
    """Return the parts of the text as the row lists them; None where it lists none that fit."""
    listed = cells.get("options")
    if not isinstance(listed, list) or len(listed) != _OPTION_COUNT:
        return None
    options = [option for option in listed if isinstance(option, str)]
    return cut_at(text, options) if len(options) == _OPTION_COUNT else None


def divide(
    ref: RowRef,
    uid: str,
    raw: str,
    key: str | None,
    *,
    told: ParsedOptions | None = None,
    system: str = name,
    option_count: int | None = _OPTION_COUNT,
) -> TranslationRow:
    """Return a published text with its options where they are certain, else whole and marked.

    `told` are its parts where the row says them, `option_count` is None where it may be any.
    """
    parsed = told or parse_options(raw, option_count, script_letters=_LETTERS)
    marks: tuple[Mark, ...] = ()
    if isinstance(parsed, Unreadable):
        data: Data = {"reason": parsed.reason, "found": parsed.found}
        expected: Data = {"expected": option_count} if option_count else {}
        marks = (
            Mark("options_unreadable", "question", parsed.start, parsed.end, {**data, **expected}),
        )
        parsed = ParsedOptions(raw, ())
    return TranslationRow(
        ref=ref,
        uid=uid,
        question=parsed.question,
        options=parsed.options,
        key=key,
        system=system,
        raw=raw,
        marks=marks,
        is_default_system=True,
    )
