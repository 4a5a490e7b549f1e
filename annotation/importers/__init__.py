"""Readers of the files that items and translations come in; knows no database.

`open_import(path)` yields a SourceRow, TranslationRow or RowError for each row; nothing is
guessed and nothing of the text is changed but white space around a question and its options.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Final

from annotation.importers import cmmlu, items, mmlu, safetybench, ti_mmlu, translations
from annotation.importers.base import (
    ImportRequest,
    Mark,
    Row,
    RowError,
    RowRef,
    SourceRow,
    Split,
    TranslationRow,
)
from annotation.importers.drive import unique_uids
from annotation.importers.errors import ImportRefused
from annotation.importers.messages import describe
from annotation.importers.tables import TABLE_SUFFIXES, refuse_unreadable
from annotation.importers.trees import ImportLimits, Tree, open_tree

__all__ = [
    "FORMATS",
    "ImportLimits",
    "ImportRefused",
    "Mark",
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


def detect_format(path: Path, limits: ImportLimits = _DEFAULTS) -> str:
    """Return the name of the format that the content shows; ImportRefused where none does."""
    return _detect(open_tree(path, limits))


def open_import(
    path: Path,
    format: str | None = None,  # the word of the command line
    keys: Path | None = None,
    limits: ImportLimits = _DEFAULTS,
    split: Split | None = None,
) -> Iterator[Row]:
    """Open a file, folder or zipped folder; the format is checked now, rows are read lazily.

    A given `format` is taken as it is. Uids are unique in what is yielded: a second row with the
    same uid (and system) is a RowError. Raises ImportRefused here or while reading.
    """
    tree = open_tree(path, limits)
    name = format or _detect(tree)
    if name not in FORMATS:
        raise ImportRefused("unknown_format", {"format": name, "known": ", ".join(FORMATS)})
    answers = open_tree(keys, limits) if keys else None
    return unique_uids(FORMATS[name].read(ImportRequest(tree, answers, split)))


def _refuse_unreadable(tree: Tree) -> None:
    """Raise the better reason where the first file isn't recognised because it can't be read."""
    file = tree.files[0]
    if file.suffix == ".json":
        safetybench.load(file, tree)
    elif file.suffix in TABLE_SUFFIXES:
        refuse_unreadable(file, tree)


def _detect(tree: Tree) -> str:
    found = {name: module.detect(tree) for name, module in FORMATS.items()}
    best = max(found, key=lambda name: found[name])
    if found[best] <= 0:
        _refuse_unreadable(tree)
        known = ", ".join(FORMATS)
        raise ImportRefused("format_not_recognised", {"file": tree.root, "known": known})
    return best
