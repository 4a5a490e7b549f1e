"""The input of exporters: the frozen release as streams of plain rows, and a folder to write into."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from releases.files.exporters.output import OutputFile, OutputFolder
from releases.files.manifest import ReleaseFacts

SPLITS = ("dev", "test")

_PLAIN_STEM = re.compile(r"[a-z0-9][a-z0-9_.-]{0,79}", re.ASCII)
_NOT_PLAIN = re.compile(r"[^a-z0-9_]+", re.ASCII)
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")
"""Windows takes such a name for a device, whatever follows a dot."""
_DEFAULT = re.compile(r"default(?:-subject)*")


class Row(NamedTuple):
    """An open item with its approved text; `answer` counts options from 0, -1 where there are none.

    `reference` is the answer of an item without options: a number, or a text where there is one.
    `explanation` is in the target language; what begins with `source_` is the source's own, in the
    source language. `source_ids` are the ids of the rows of the source that the item is made of.
    `direction` are the languages of an item that asks for a translation, as in `zh-bo`.
    """

    id: str
    subject: str
    split: str
    question: str
    choices: Sequence[str]
    answer: int
    explanation: str
    category: str = ""
    level: str = ""
    year: str = ""
    kind: str = "choice"
    source_question: str = ""
    source_choices: Sequence[str] = ()
    source_ids: Sequence[str] = ()
    reference: str = ""
    source_reference: str = ""
    source_explanation: str = ""
    direction: str = ""


class HiddenItem(NamedTuple):
    """The public facts of an item in the black box."""

    id: str
    subject: str
    option_count: int


class WithheldText(NamedTuple):
    """A hidden item as models are asked it, in a release that withholds only the answers."""

    id: str
    subject: str
    kind: str
    question: str
    choices: Sequence[str]
    direction: str


class ReleasedItem(NamedTuple):
    """An item with its line in the ledger, and with its row unless it is hidden.

    The line is finished JSON, without any text or name of a person.
    """

    line: str
    told: Row | HiddenItem
    text: WithheldText | None = None


@dataclass(frozen=True, slots=True)
class ReleaseContent:
    """Everything that may be written; keys of hidden items are not in here at all.

    `formats` are those chosen for this release, by name.
    `items` starts a new stream each time it is called, in the order of the files: by subject, dev
    before test. Hidden items come last, so that their place tells nothing.
    """

    facts: ReleaseFacts
    formats: tuple["DataFormat", ...]
    quality: dict[str, Any]
    items: Callable[[], Iterator[ReleasedItem]]


class Exporter(Protocol):
    """Writes files that describe a release into `folder`.

    It runs after the data is written and finds in `folder.files` the name, size, row count and
    hash of every file so far. The same content gives the same bytes.
    """

    def __call__(self, content: ReleaseContent, folder: OutputFolder, /) -> None: ...


class RowWriter(Protocol):
    """Writes the rows of one file as they come: a release may be larger than memory.

    The same rows give the same bytes, however they are divided into calls of `write`.
    """

    def write(self, rows: Sequence[Row], /) -> None: ...

    def close(self) -> None:
        """Write what is still held back; the caller closes the file."""
        ...


def every_row(_row: Row) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class DataFormat:
    """A format that can be chosen: a file `<name>/<split>/<subject>.<name>` for each of those.

    `writer` is given the file and the facts of the release. `description` is the Markdown line about the format
    in the README, `opening` the line of Python there that opens one file, and `title` what people
    call it. `folders` {split: folder} and `ending` are for layouts that others fixed, and `takes`
    says which rows such a layout can hold.
    """

    name: str
    media_type: str
    writer: Callable[[OutputFile, ReleaseFacts], RowWriter]
    description: str
    opening: str
    folders: Mapping[str, str] | None = None
    ending: str = ""
    title: str = ""
    takes: Callable[[Row], bool] = every_row

    @property
    def label(self) -> str:
        return self.title or self.name.upper()

    def folder(self, split: str) -> str:
        return self.folders[split] if self.folders else f"{self.name}/{split}"

    def path(self, split: str, stem: str) -> str:
        """Return the name of the file of a subject, with forward slashes."""
        return f"{self.folder(split)}/{stem}.{self.ending or self.name}"


def file_stem(subject: str) -> str:
    """Return a file name for a subject, plain ASCII on every system and unique to the subject."""
    if _PLAIN_STEM.fullmatch(subject) and not _DEVICE.fullmatch(subject):
        return subject
    plain = _NOT_PLAIN.sub("_", subject.lower()).strip("_")[:60] or "subject"
    return f"{plain}-{hashlib.sha256(subject.encode()).hexdigest()[:8]}"


def configuration_name(stem: str) -> str:
    """Return the name by which loaders know a subject; `default` names all subjects together.

    Each stem has a name of its own.
    """
    return f"{stem}-subject" if _DEFAULT.fullmatch(stem) else stem
