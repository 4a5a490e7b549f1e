"""The manifest of a release and the string that marks its texts, as exact bytes."""

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from releases.details import Author, Details
from releases.option_orders import KEPT
from releases.splits import SOURCE
from releases.waivers import WaiverNote

MANIFEST_NAME = "manifest.json"
MANIFEST_FORMAT = 4
_encode_line = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_NEW_LINE = "\n"
_LINE_BREAKS = tuple((mark, f"\\u{ord(mark):04x}") for mark in "\x85\u2028\u2029")
_CANARY_NAMESPACE = uuid.UUID("6f1d1c3e-52a4-5f0b-9d7e-0f4b1b2a9c11")


NO_DETAILS = Details()


class WrittenFile(NamedTuple):
    """A file as written; `name` is its path in the release, with forward slashes."""

    name: str
    media_type: str
    sha256: str
    size: int
    row_count: int | None


@dataclass(frozen=True, slots=True)
class SourceNote:
    """An upstream benchmark with what its licence asks for."""

    name: str
    revision: str
    url: str
    licence: str
    attribution: str
    checksum: str


@dataclass(frozen=True, slots=True)
class SubjectCount:
    """Items of one subject; `test` counts the black box too.

    `…_without_options` are open items that ask for something else than a choice.
    """

    slug: str
    name: str
    category: str
    test: int
    dev: int
    black_box: int
    test_without_options: int = 0
    dev_without_options: int = 0


@dataclass(frozen=True, slots=True)
class Counts:
    """Items of a release: items = test + dev = open + black_box.

    `levels` counts the open items of each level, `option_counts` all items by number of options,
    `kinds` the open items of each kind but multiple choice.
    """

    items: int
    test: int
    dev: int
    open: int
    black_box: int
    subjects: tuple[SubjectCount, ...]
    levels: dict[str, int] = field(default_factory=dict)
    option_counts: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)

    @property
    def hides_every_test(self) -> bool:
        return 0 < self.test == self.black_box


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """What is true of a release as a whole, whatever formats it is written in."""

    project: str
    name: str
    version: str
    source_language: str
    target_language: str
    seed: int
    dev_per_subject: int
    black_box_share: float
    formats: tuple[str, ...]
    notes: str
    canary: str
    software_version: str
    counts: Counts
    sources: tuple[SourceNote, ...]
    hidden_public: dict[str, int] = field(default_factory=dict)
    """By subject the hidden items whose source anybody can look up."""
    details: Details = NO_DETAILS
    waivers: tuple[WaiverNote, ...] = ()
    dev_from: str = SOURCE
    carved: int = 0
    """Dev items that the source gives as tests."""
    duplicates_removed: int = 0
    people: Mapping[str, Any] = field(default_factory=dict)
    """Those who judged, as `releases.people` tells of them."""
    option_order: str = KEPT
    criteria: tuple[tuple[str, str], ...] = ()
    """(name, short label) of what reviewers rated, as figures and tables call it."""
    contributors: tuple[str, ...] = ()
    """Names of those who agreed to be named, in their own order."""
    unshuffled: int = 0
    """Items of a shuffled release that keep their order because they speak of letters or places."""

    @property
    def is_monolingual(self) -> bool:
        """Whether the items were written in the language of the release, not translated into it."""
        return self.source_language == self.target_language

    @property
    def are_all_choices(self) -> bool:
        has_hidden_others = not self.counts.open and "0" in self.counts.option_counts
        return not self.counts.kinds and not has_hidden_others


def manifest_bytes(facts: ReleaseFacts, files: Iterable[WrittenFile]) -> bytes:
    """The manifest: the facts and every file written before it, by name. Holds no time."""
    body = asdict(facts)
    if not facts.contributors:  # as in releases from before people could be named
        del body["contributors"]
    body["software"] = {"name": "lotsawa", "version": body.pop("software_version")}
    body["manifest_format"] = MANIFEST_FORMAT
    body["artifacts"] = [file._asdict() for file in sorted(files)]
    return json_document(body)


def details_from(body: Mapping[str, Any]) -> Details:
    """The details as a manifest or a frozen release holds them."""
    authors = tuple(Author(**author) for author in body.get("authors", ()))
    return Details(**{**body, "authors": authors})


def canary_string(*, project: str, version: str, seed: int) -> str:
    """The mark in every row of a version, by which its texts can be found in training data."""
    mark = uuid.uuid5(_CANARY_NAMESPACE, f"{project}\n{version}\n{seed}")
    return f"Evaluation data of {project} {version}: keep out of training. canary {mark}"


def json_document(body: Mapping[str, Any]) -> bytes:
    """One JSON document: sorted keys, two spaces, a newline at the end. Refuses NaN."""
    return f"{_indented(body, _NEW_LINE)}\n".encode()


def _indented(value: Any, line: str) -> str:
    """What `json.dumps` gives with an indent of two, in half its time.

    `line` is a line break with the indentation where `value` stands. Keys must be texts.
    """
    if isinstance(value, str):
        return json_text(value)
    inner = f"{line}  "
    if isinstance(value, Mapping):
        parts = [f"{json_text(key)}: {_indented(value[key], inner)}" for key in sorted(value)]
        return _in_brackets("{}", parts, line, inner)
    if isinstance(value, list | tuple):
        return _in_brackets("[]", [_indented(each, inner) for each in value], line, inner)
    return _encode_line(value)


def _in_brackets(brackets: str, parts: Sequence[str], line: str, inner: str) -> str:
    if not parts:
        return brackets
    return f"{brackets[0]}{inner}{f',{inner}'.join(parts)}{line}{brackets[1]}"


def json_line(body: Mapping[str, Any]) -> str:
    """One line of JSONL in the order of `body`; no other line break than its end."""
    return f"{keep_on_one_line(_encode_line(body))}\n"


json_text = encode_basestring
"""One text as JSON; a line put together from such texts costs half of what a dict costs."""


def keep_on_one_line(text: str) -> str:
    """Escape in finished JSON what some readers take for the end of a line besides a newline."""
    if text.isascii():  # known of every text without a look at its letters
        return text
    for mark, escape in _LINE_BREAKS:
        if mark in text:
            text = text.replace(mark, escape)
    return text


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
