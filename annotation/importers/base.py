"""The values that importers hand on, and what every importer promises."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from annotation.importers.input_files import InputFiles

MAX_INDEX_DIGITS: Final = 9

Data = Mapping[str, str | int]
Split = Literal["test", "dev"]
Kind = Literal["choice", "number", "open", "translation"]


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
    """One candidate translation.

    `raw` is the published text, untouched, where the importer had to divide it; '' where the file
    has the question and each option apart.
    `answer` and `explanation` are the translated ones, '' where the file has none.
    `is_default_system` says that the importer supplied `system`, since its files never name one.
    """

    ref: RowRef
    uid: str
    question: str
    options: tuple[str, ...]
    key: str | None
    system: str
    raw: str = ""
    marks: tuple[Mark, ...] = ()
    is_default_system: bool = False
    answer: str = ""
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One source item; `key` is a letter within the options.

    Without options the key of a number is the number as written, and `answer` is the reference
    answer of the other kinds, '' where the file has none.
    """

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
    kind: Kind = "choice"
    answer: str = ""
    translation: TranslationRow | None = None


@dataclass(frozen=True, slots=True)
class RowError:
    """A row that can't be imported; `labels.describe(code, data)` puts it into words."""

    ref: RowRef
    code: str
    data: Data = field(default_factory=dict)


Row = SourceRow | TranslationRow | RowError


@dataclass(frozen=True, slots=True)
class Note:
    """Something to know of a file that was read; `labels.describe(code, data)` has the words."""

    file: str
    code: str
    data: Data = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """A request to an importer; `split` overrides what folder names say."""

    inputs: InputFiles
    keys: InputFiles | None = None
    split: Split | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a format in words; `names` is written as in the file."""

    names: str
    holds: str
    is_required: bool = True


@dataclass(frozen=True, slots=True)
class Layout:
    """A description of a format's files for the people who prepare them."""

    summary: str
    files: str
    columns: tuple[Column, ...]
