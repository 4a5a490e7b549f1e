"""Readers of the files that items and translations come in; knows no database.

The `rows` of `open_import(path)` are a SourceRow, TranslationRow or RowError each. Nothing is
guessed, and nothing of the text is changed but white space around a question and its options.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Final

from annotation.importers import (
    arena,
    belebele,
    ceval,
    cmmlu,
    global_mmlu,
    items,
    mapped,
    mm_eval,
    mmlu,
    mmlu_pro,
    safetybench,
    ti_mmlu,
    ti_safetybench,
    tmlu,
    translation_items,
    translations,
)
from annotation.importers.base import (
    Data,
    ImportRequest,
    Note,
    Row,
    Split,
)
from annotation.importers.errors import ImportRefused
from annotation.importers.input_files import FILES_TRIED, InputFiles, open_input
from annotation.importers.json_files import load_json
from annotation.importers.limits import ImportLimits
from annotation.importers.lookalikes import option_columns
from annotation.importers.reading import unique_uids
from annotation.importers.tables import TABLE_SUFFIXES, first_row, refuse_unreadable
from annotation.importers.workbooks import sheets_of
from common.names import fold_name

FORMATS: Final[Mapping[str, ModuleType]] = MappingProxyType(
    {
        module.name: module
        for module in (
            cmmlu,
            mmlu,
            mmlu_pro,
            global_mmlu,
            ceval,
            tmlu,
            belebele,
            mm_eval,
            ti_mmlu,
            safetybench,
            ti_safetybench,
            items,
            translations,
            translation_items,
            arena,
        )
    }
)
_ANSWERS: Final = frozenset({"answer", "answer key", "answerkey", "key", "label", "gold", "target"})
_DEFAULTS: Final = ImportLimits()


@dataclass(frozen=True, slots=True)
class FileUse:
    """The fate of one file: read as `format`, or left out for the reason `code`."""

    name: str
    format: str
    code: str = ""
    data: Data = field(default_factory=dict)

    @property
    def is_used(self) -> bool:
        return not self.code


@dataclass(frozen=True, slots=True)
class OpenedImport:
    """An import that is ready to be read; `rows` can be read once.

    `notes` are about workbooks: which sheets are not read, and what is hidden in those that are.
    """

    format: str
    files: tuple[FileUse, ...]
    rows: Iterator[Row]
    notes: tuple[Note, ...] = ()


def open_import(
    path: Path,
    format: str | None = None,  # the word of the command line
    keys: Path | None = None,
    limits: ImportLimits = _DEFAULTS,
    split: Split | None = None,
    mapping: str = "",
) -> OpenedImport:
    """Open a file, folder or zipped folder; the format is checked now, rows are read lazily.

    With a `mapping` (`mapped.parse_map`) every table is read by it, whatever format it shows.
    With a `format`, files that show another one are left out if some show this one; otherwise
    everything must be of one format. Uids are unique in what is yielded: a second row with the
    same uid (and system) is a RowError. Raises ImportRefused here or while reading.
    """
    inputs = open_input(path, limits)
    if mapping:
        return _open_mapped(inputs, split, mapped.parse_map(mapping))
    recognised = _recognise(inputs)
    name = format or _only_format(recognised, inputs)
    if name not in FORMATS:
        raise ImportRefused("unknown_format", {"format": name, "known": ", ".join(FORMATS)})
    answers = open_input(keys, limits) if keys else None
    uses = tuple(_uses(inputs, name, recognised))
    chosen = {use.name for use in uses if use.is_used}
    wanted = replace(inputs, files=tuple(file for file in inputs.files if file.name in chosen))
    rows = unique_uids(FORMATS[name].read(ImportRequest(wanted, answers, split)), limits.rows)
    return OpenedImport(name, (*uses, *_key_uses(answers)), rows, tuple(_sheet_notes(wanted)))


def look_at(path: Path, sheet: str, separator: str, limits: ImportLimits) -> OpenedImport:
    """Open any table to see its columns: each row has its cells as metadata, and nothing else."""
    inputs = replace(open_input(path, limits), sheet=sheet)
    rows = mapped.look(ImportRequest(inputs), sheet, separator)
    return OpenedImport("", (), rows, tuple(_sheet_notes(inputs)))


def _open_mapped(
    inputs: InputFiles, split: Split | None, columns: mapped.ColumnMap
) -> OpenedImport:
    inputs = replace(inputs, sheet=columns.sheet)
    rows = mapped.read(ImportRequest(inputs, split=split), columns)
    uses = tuple(FileUse(file.name, mapped.name) for file in inputs.files)
    left_out = tuple(FileUse(file.name, "", file.code, file.data) for file in inputs.unused)
    return OpenedImport(
        mapped.name,
        (*uses, *left_out),
        unique_uids(rows, inputs.limits.rows),
        tuple(_sheet_notes(inputs)),
    )


def _recognise(inputs: InputFiles) -> dict[str, str]:
    """Return the format that each file shows, of the first files of each kind in each folder."""
    tried: Counter[tuple[str, str]] = Counter()
    found: dict[str, str] = {}
    for file in inputs.files:
        kind = (file.name.rpartition("/")[0], file.suffix)
        tried[kind] += 1
        if tried[kind] > FILES_TRIED:
            continue
        readers = [module for module in FORMATS.values() if file.suffix in module.suffixes]
        scores = {module.name: module.recognise(file, inputs) for module in readers}
        best = max(scores, key=lambda name: scores[name], default="")
        if best and scores[best] > 0:
            found[file.name] = best
    return found


def _only_format(recognised: Mapping[str, str], inputs: InputFiles) -> str:
    counts = Counter(recognised.values())
    if not counts:
        _refuse_unreadable(inputs)
        known = ", ".join(FORMATS)
        columns = ", ".join(_option_columns(inputs))
        if columns:
            data = {"file": inputs.root, "known": known, "columns": columns}
            raise ImportRefused("options_not_recognised", data)
        raise ImportRefused("format_not_recognised", {"file": inputs.root, "known": known})
    if len(counts) > 1:
        examples = {name: file for file, name in reversed([*recognised.items()])}
        formats = ", ".join(f"{name} ({examples[name]})" for name in FORMATS if name in counts)
        raise ImportRefused("several_formats", {"file": inputs.root, "formats": formats})
    return next(iter(counts))


def _option_columns(inputs: InputFiles) -> list[str]:
    """Return the columns of the first file that look like options."""
    cells = first_row(inputs.files[0], inputs)
    answer = next((cells[column] for column in cells if fold_name(column) in _ANSWERS), None)
    free = {column: value for column, value in cells.items() if fold_name(column) not in _ANSWERS}
    return option_columns(free, answer)


def _refuse_unreadable(inputs: InputFiles) -> None:
    """Raise the better reason where the first file isn't recognised because it can't be read."""
    file = inputs.files[0]
    if file.suffix == ".json":
        load_json(file, inputs)
    elif file.suffix in TABLE_SUFFIXES:
        refuse_unreadable(file, inputs)


def _uses(inputs: InputFiles, name: str, recognised: Mapping[str, str]) -> Iterator[FileUse]:
    is_shown = name in recognised.values()
    for file in inputs.files:
        shows = recognised.get(file.name, name)
        if file.suffix not in FORMATS[name].suffixes:
            known = ", ".join(sorted(FORMATS[name].suffixes))
            yield FileUse(file.name, "", "other_type", {"format": name, "known": known})
        elif is_shown and shows != name:
            yield FileUse(file.name, shows, "other_format", {"format": shows})
        else:
            yield FileUse(file.name, name)
    for unused in inputs.unused:
        yield FileUse(unused.name, "", unused.code, unused.data)


def _sheet_notes(inputs: InputFiles) -> Iterator[Note]:
    """Yield what a person should know of each workbook; a damaged one is refused while reading."""
    for file in inputs.files:
        if file.suffix != ".xlsx":
            continue
        try:
            sheets = sheets_of(file, inputs)
        except ImportRefused:
            continue
        used: Data = {"sheet": sheets.used}
        if sheets.others:
            yield Note(file.name, "other_sheets", {**used, "others": ", ".join(sheets.others)})
        if sheets.hidden_rows:
            yield Note(file.name, "hidden_rows", {**used, "rows": ", ".join(sheets.hidden_rows)})
        if sheets.hidden_columns:
            columns = ", ".join(sheets.hidden_columns)
            yield Note(file.name, "hidden_columns", {**used, "columns": columns})


def _key_uses(answers: InputFiles | None) -> Iterator[FileUse]:
    for file in answers.files if answers else ():
        yield FileUse(file.name, "keys")
