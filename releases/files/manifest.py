"""Write the manifest of a release and the string that marks its texts, as exact bytes."""

import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from releases.details.licences import each_once
from releases.details.values import Author, Details
from releases.option_orders import KEPT
from releases.splits import SOURCE

MANIFEST_NAME = "manifest.json"
MANIFEST_FORMAT = 5
_encode_line = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_LINE_BREAKS = tuple((mark, f"\\u{ord(mark):04x}") for mark in "\x85\u2028\u2029")
_CANARY_NAMESPACE = uuid.UUID("6f1d1c3e-52a4-5f0b-9d7e-0f4b1b2a9c11")


NO_DETAILS = Details()
CLOSED, WITHHELD = "closed", "withheld"
"""What of hidden items leaves the server: nothing, or their texts without the keys."""
NOT_BY_PEOPLE = "simulated: not reviewed by people"
"""What every file says of items of which a program judged some."""


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
class WaiverNote:
    """A waiver as a release tells it: no person is named.

    `problems` is how many it covered, `items` how many lines of the ledger they concern. `role`
    is that of who gave it, empty for the operator of the server; `day` is the date in UTC.
    """

    code: str
    reason: str
    role: str
    day: str
    problems: int
    items: int


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
    """The facts of a release as a whole, whatever formats it is written in."""

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
    """Those who judged, as `releases.building.people` tells of them."""
    option_order: str = KEPT
    criteria: tuple[tuple[str, str], ...] = ()
    """(name, short label) of what reviewers rated, as figures and tables call it."""
    contributors: tuple[str, ...] = ()
    """Names of those who agreed to be named, in their own order."""
    hidden_part: str = CLOSED
    """Whether the texts of hidden items are in the files; their keys never are."""
    unshuffled: int = 0
    """Items of a shuffled release that keep their order because they speak of letters or places."""
    day: str = ""
    """The date on which the release was frozen, in UTC, as 2026-11-28."""
    simulated_judgements: int = 0
    """How many judgements, decisions of disputes and keys a program gave, and no person."""
    address: str = ""
    """Where this server shows the release."""
    explained_by: dict[str, int] = field(default_factory=dict)
    """By model the items whose explanation it wrote."""
    translated_by: tuple[dict[str, Any], ...] = ()
    """What translating by models took: system, items, calls, tokens and the price in US dollars."""

    @property
    def licence(self) -> str:
        """Return the chosen licence, or the one of all sources, or ""."""
        names = each_once(source.licence for source in self.sources)
        return self.details.licence or (names[0] if len(names) == 1 else "")

    @property
    def has_withheld(self) -> bool:
        """Return whether there are hidden items whose texts are public."""
        return self.hidden_part == WITHHELD and self.counts.black_box > 0

    @property
    def reviewed(self) -> str:
        """Say who reviewed the items, for a sentence about them."""
        return NOT_BY_PEOPLE if self.simulated_judgements else "approved by reviewers"

    @property
    def is_monolingual(self) -> bool:
        """Return whether the items were written in the language of the release, not translated."""
        return self.source_language == self.target_language

    @property
    def are_all_choices(self) -> bool:
        has_hidden_others = not self.counts.open and "0" in self.counts.option_counts
        return not self.counts.kinds and not has_hidden_others


def manifest_bytes(facts: ReleaseFacts, files: Iterable[WrittenFile]) -> bytes:
    """Return the manifest: the facts and every file written before it, by name.

    Its only time is the day on which the release was frozen.
    """
    body = asdict(facts)
    if not facts.contributors:  # as in releases from before people could be named
        del body["contributors"]
    if not facts.explained_by:  # as in releases from before models could explain
        del body["explained_by"]
    if not facts.translated_by:  # as in releases from before models could translate
        del body["translated_by"]
    if facts.hidden_part == CLOSED:  # as in releases from before there was another kind
        del body["hidden_part"]
    body["software"] = {"name": "lotsawa", "version": body.pop("software_version")}
    body["manifest_format"] = MANIFEST_FORMAT
    body["artifacts"] = [file._asdict() for file in sorted(files)]
    return json_document(body)


def facts_from(body: Mapping[str, Any], counts: Counts) -> ReleaseFacts:
    """Read the facts of a release from JSON, as a manifest or a frozen release holds them."""
    known = {name: body[name] for name in ReleaseFacts.__slots__ if name in body}
    details = body.get("details", {})
    authors = tuple(Author(**author) for author in details.get("authors", ()))
    told = {
        "counts": counts,
        "formats": tuple(body["formats"]),
        "sources": tuple(SourceNote(**source) for source in body["sources"]),
        "details": Details(**{**details, "authors": authors}),
        "waivers": tuple(WaiverNote(**note) for note in body.get("waivers", ())),
        "contributors": tuple(body.get("contributors", ())),
        "translated_by": tuple(body.get("translated_by", ())),
        "criteria": tuple((name, label) for name, label in body.get("criteria", ())),
    }
    return ReleaseFacts(**known | told)


def canary_string(*, project: str, version: str, seed: int) -> str:
    """Return the mark in every row of a version, by which its texts can be found in training data."""
    mark = uuid.uuid5(_CANARY_NAMESPACE, f"{project}\n{version}\n{seed}")
    return f"Evaluation data of {project} {version}: keep out of training. canary {mark}"


def json_document(body: Mapping[str, Any]) -> bytes:
    """Write one JSON document: sorted keys, two spaces, a newline at the end. Refuses NaN."""
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, indent=2, sort_keys=True)
    return f"{text}\n".encode()


def json_line(body: Mapping[str, Any]) -> str:
    """Write one line of JSONL in the order of `body`, with no other line break than its end."""
    return f"{keep_on_one_line(_encode_line(body))}\n"


json_text = encode_basestring
"""One text as JSON; a line put together from such texts costs half of what a dict costs."""


def keep_on_one_line(text: str) -> str:
    """Escape in finished JSON what some readers take for a line break besides a newline."""
    if text.isascii():  # known of every text without a look at its letters
        return text
    for mark, escape in _LINE_BREAKS:
        if mark in text:
            text = text.replace(mark, escape)
    return text
