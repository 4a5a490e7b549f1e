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

from annotation.imports.importers import cmmlu, items, mmlu, safetybench, ti_mmlu, translations
from annotation.imports.importers.base import (
    Data,
    ImportRequest,
    Mark,
    Row,
    RowError,
    RowRef,
    SourceRow,
    Split,
    TranslationRow,
)
from annotation.imports.importers.errors import ImportRefused
from annotation.imports.importers.input_files import (
    FILES_TRIED,
    InputFiles,
    open_input,
)
from annotation.imports.importers.labels import describe
from annotation.imports.importers.limits import ImportLimits
from annotation.imports.importers.reading import unique_uids
from annotation.imports.importers.tables import TABLE_SUFFIXES, refuse_unreadable

__all__ = [
    "FORMATS",
    "FileUse",
    "ImportLimits",
    "ImportRefused",
    "Mark",
    "OpenedImport",
    "Row",
    "RowError",
    "RowRef",
    "SourceRow",
    "Split",
    "TranslationRow",
    "describe",
    "detect_format",
    "open_import",
]

FORMATS: Final[Mapping[str, ModuleType]] = MappingProxyType(
    {module.name: module for module in (cmmlu, mmlu, ti_mmlu, safetybench, items, translations)}
)
_DEFAULTS: Final = ImportLimits()


@dataclass(frozen=True, slots=True)
class FileUse:
    """What became of one file: read as `format`, or left out for the reason `code`."""

    name: str
    format: str
    code: str = ""
    data: Data = field(default_factory=dict)

    @property
    def is_used(self) -> bool:
        return not self.code


@dataclass(frozen=True, slots=True)
class OpenedImport:
    """An import that is ready to be read; `rows` can be read once."""

    format: str
    files: tuple[FileUse, ...]
    rows: Iterator[Row]


def detect_format(path: Path, limits: ImportLimits = _DEFAULTS) -> str:
    """Return the format that the content shows; ImportRefused where none does, or several do."""
    inputs = open_input(path, limits)
    return _only_format(_recognise(inputs), inputs)


def open_import(
    path: Path,
    format: str | None = None,  # the word of the command line
    keys: Path | None = None,
    limits: ImportLimits = _DEFAULTS,
    split: Split | None = None,
) -> OpenedImport:
    """Open a file, folder or zipped folder; the format is checked now, rows are read lazily.

    With a `format`, files that show another one are left out if some show this one; otherwise
    everything must be of one format. Uids are unique in what is yielded: a second row with the
    same uid (and system) is a RowError. Raises ImportRefused here or while reading.
    """
    inputs = open_input(path, limits)
    recognised = _recognise(inputs)
    name = format or _only_format(recognised, inputs)
    if name not in FORMATS:
        raise ImportRefused("unknown_format", {"format": name, "known": ", ".join(FORMATS)})
    answers = open_input(keys, limits) if keys else None
    uses = tuple(_uses(inputs, name, recognised))
    chosen = {use.name for use in uses if use.is_used}
    wanted = replace(inputs, files=tuple(file for file in inputs.files if file.name in chosen))
    rows = unique_uids(FORMATS[name].read(ImportRequest(wanted, answers, split)), limits.rows)
    return OpenedImport(name, (*uses, *_key_uses(answers)), rows)


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
        raise ImportRefused("format_not_recognised", {"file": inputs.root, "known": known})
    if len(counts) > 1:
        examples = {name: file for file, name in reversed([*recognised.items()])}
        formats = ", ".join(f"{name} ({examples[name]})" for name in FORMATS if name in counts)
        raise ImportRefused("several_formats", {"file": inputs.root, "formats": formats})
    return next(iter(counts))


def _refuse_unreadable(inputs: InputFiles) -> None:
    """Raise the better reason where the first file isn't recognised because it can't be read."""
    file = inputs.files[0]
    if file.suffix == ".json":
        safetybench.load(file, inputs)
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


def _key_uses(answers: InputFiles | None) -> Iterator[FileUse]:
    for file in answers.files if answers else ():
        yield FileUse(file.name, "keys")
