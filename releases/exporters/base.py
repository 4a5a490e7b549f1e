"""What exporters get and give: the open rows of a release in, named streams of text out."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from releases.manifest import ReleaseFacts

LETTERS = "ABCDEF"

_PLAIN_STEM = re.compile(r"[a-z0-9][a-z0-9_.-]{0,79}", re.ASCII)
_NOT_PLAIN = re.compile(r"[^a-z0-9_]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Row:
    """An open item with its approved text; `answer` counts options from 0.

    `explanation` is the source's own, in the source language.
    """

    id: str
    subject: str
    split: str
    question: str
    choices: tuple[str, ...]
    answer: int
    explanation: str


@dataclass(frozen=True, slots=True)
class HiddenItem:
    """All that is public of an item in the black box."""

    id: str
    subject: str
    option_count: int


@dataclass(frozen=True, slots=True)
class RoundNote:
    """What one round said of an item; `outcome` is empty where it came to none."""

    number: int
    outcome: str
    is_adjudicated: bool
    reviewers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """Where an item's text comes from and what review knows of it; holds no text and no key.

    `reviewers` are pseudonyms of this release: numbered as they first appear in the ledger.
    """

    id: str
    subject: str
    split: str
    subset: str
    source: str
    source_revision: str
    system: str
    origin: str
    revisions: int
    rounds: tuple[RoundNote, ...]


@dataclass(frozen=True, slots=True)
class ReleaseContent:
    """Everything that may be written; the text of the black box is not in here at all.

    `rows` come in the order of the files: by subject, dev before test.
    """

    facts: ReleaseFacts
    rows: tuple[Row, ...]
    hidden: tuple[HiddenItem, ...]
    ledger: tuple[LedgerEntry, ...]
    quality: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file to write as UTF-8; `row_count` is None where rows make no sense."""

    name: str
    media_type: str
    pieces: Iterable[str]
    row_count: int | None


def rows_by_file(rows: Iterable[Row]) -> Iterator[tuple[str, str, list[Row]]]:
    """Give (split, subject, rows) for each split of each subject, in the order of `rows`."""
    for (subject, split), group in groupby(rows, key=lambda row: (row.subject, row.split)):
        yield split, subject, list(group)


def file_stem(subject: str) -> str:
    """A file name for a subject that is plain ASCII on every system, one for each subject."""
    if _PLAIN_STEM.fullmatch(subject):
        return subject
    plain = _NOT_PLAIN.sub("_", subject.lower()).strip("_")[:60] or "subject"
    return f"{plain}-{hashlib.sha256(subject.encode()).hexdigest()[:8]}"
