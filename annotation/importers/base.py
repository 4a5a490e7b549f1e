"""The values that importers hand on, and what every importer promises."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from annotation.importers.errors import ImportRefused
from annotation.importers.trees import ImportLimits, Tree

__all__ = [
    "ImportLimits",
    "ImportRefused",
    "ImportRequest",
    "Importer",
    "Mark",
    "Row",
    "RowError",
    "RowRef",
    "SourceRow",
    "TranslationRow",
]

LETTERS: Final = "ABCDEF"
MIN_OPTIONS: Final = 2
MAX_OPTIONS: Final = len(LETTERS)
MAX_INDEX_DIGITS: Final = 9

Data = Mapping[str, str | int]
Split = Literal["test", "dev"]


@dataclass(frozen=True, slots=True)
class RowRef:
    """A place a user can find again.

    `row` counts from 1 as an editor counts lines (JSONL) or a spreadsheet counts rows (CSV,
    XLSX: the header is row 1), or as the position in a list (JSON, Parquet). 0 is the whole file.
    """

    file: str
    row: int


@dataclass(frozen=True, slots=True)
class Mark:
    """Something seen while parsing; `start` and `end` are code points of the named field."""

    code: str
    field: str
    start: int
    end: int
    data: Data


@dataclass(frozen=True, slots=True)
class TranslationRow:
    """One candidate translation; `raw` is the published text, untouched."""

    ref: RowRef
    uid: str
    question: str
    options: tuple[str, ...]
    key: str | None
    system: str
    raw: str
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One source item; `key` is a letter within the options."""

    ref: RowRef
    uid: str
    subject: str
    question: str
    options: tuple[str, ...]
    key: str
    split: Split
    explanation: str = ""
    level: str = ""
    year: str = ""
    category: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    translation: TranslationRow | None = None


@dataclass(frozen=True, slots=True)
class RowError:
    """A row that can't be imported; `messages.describe(code, data)` says it in words."""

    ref: RowRef
    code: str
    data: Data = field(default_factory=dict)


Row = SourceRow | TranslationRow | RowError


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What an importer is asked to read; `split` overrides what the names of folders tell."""

    tree: Tree
    keys: Tree | None = None
    split: Split | None = None


class Importer(Protocol):
    """One format: a sure-footed guess whether files look like it, and a streaming reader."""

    name: str

    def detect(self, tree: Tree) -> float:
        """Return how well the files look like this format, from 0 (no) to 1; reads little."""
        ...

    def read(self, request: ImportRequest) -> Iterator[Row]:
        """Yield rows in file order; raises ImportRefused where no row can be read."""
        ...
