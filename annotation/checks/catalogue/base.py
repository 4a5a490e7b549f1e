"""The input of a check, the problems that it finds, and the promises of every check."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as attribute
from functools import lru_cache
from types import MappingProxyType
from typing import ClassVar, Final, Literal

from annotation.checks.catalogue.numbers import APART
from annotation.glossary.matching import TermHit
from annotation.importers.base import Mark
from annotation.text_fields import FURTHER_FIELDS, option_field

Severity = Literal["error", "warning", "info"]
MAX_SHOWN: Final = 80


CheckedText = tuple[
    str,
    Sequence[str],
    str,
    str,
    Sequence[str],
    str | None,
    str,
    str,
    Sequence[Mark],
    Sequence[TermHit],
    str,
    tuple[str, str],
    tuple[str, str],
]
"""The parts of a CheckInput in its order, as they are sent to another process."""


@dataclass(slots=True, eq=False)
class CheckInput:
    """One revision beside its source; keys are letters, `key` None where none was published.

    `marks` come from the importer, none for a text that a person wrote. `terms` are those of the
    glossary that stand in the source. `kind` says how the item is answered; `source_further` and
    `further` are its reference answer and explanation, '' where it has none.
    What most checks ask for is worked out at once, since an import makes one of these for every
    row:

    - `is_readable`: whether the options were told apart, so that fields can be compared one by one
    - `pairs`: field name, source text and target text; empty where the options can't be paired
    - `source_text` and `target_text`: all of one side in one string, to see quickly whether
      something can be there at all
    """

    source_question: str
    source_options: Sequence[str]
    source_key: str
    question: str
    options: Sequence[str]
    key: str | None
    source_language: str
    target_language: str
    marks: Sequence[Mark] = ()
    terms: Sequence[TermHit] = ()
    kind: str = "choice"
    source_further: tuple[str, str] = ("", "")
    further: tuple[str, str] = ("", "")
    is_readable: bool = attribute(init=False)
    pairs: Sequence[tuple[str, str, str]] = attribute(init=False)
    source_text: str = attribute(init=False)
    target_text: str = attribute(init=False)

    def __post_init__(self) -> None:
        source = (self.source_question, *self.source_options)
        target = (self.question, *self.options)
        needs_none = self.kind != "choice"
        self.is_readable = (needs_none or bool(self.options)) and len(source) == len(target)
        names = _fields(len(target)) if self.is_readable else ()
        self.pairs = tuple(zip(names, source, target, strict=False))
        self.source_text = APART.join(source)
        self.target_text = APART.join(target)
        if any(self.further):
            self._add_further()

    def _add_further(self) -> None:
        """Pair the answer and the explanation with those of the source, where both are there."""
        places = zip(FURTHER_FIELDS, self.source_further, self.further, strict=True)
        pairs = [(name, source, target) for name, source, target in places if source and target]
        self.pairs = (*self.pairs, *pairs)
        self.source_text = APART.join([self.source_text, *(source for _name, source, _ in pairs)])
        self.target_text = APART.join([self.target_text, *(target for _, _source, target in pairs)])


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing a check found; `start` and `end` are code points of the target field.

    `field` is question, item, answer, explanation or `options.N` counted from 0; `data` fills the message.
    """

    code: str
    severity: Severity
    field: str
    start: int = 0
    end: int = 0
    data: Mapping[str, str | int] = attribute(default_factory=dict)


class FindingKind:
    """A kind of finding: how pages and the API name it, and what its page says.

    `code` never changes. `severity` is the usual one. `sentence` is completed by the data of a
    problem; `without` has another sentence for a value that is empty, and `reasons` has words for
    the values of `reason`. `why`, `faulty`, `sound`, `fix` and `when_wrong` are Markdown.
    """

    code: ClassVar[str]
    severity: ClassVar[Severity]
    family: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    without: ClassVar[Mapping[str, str]] = MappingProxyType({})
    reasons: ClassVar[Mapping[str, str]] = MappingProxyType({})
    why: ClassVar[str]
    faulty: ClassVar[str]
    sound: ClassVar[str]
    fix: ClassVar[str]
    when_wrong: ClassVar[str]
    explains: ClassVar[frozenset[str]] = frozenset()
    """Codes whose open findings, in whatever field, are shown as part of this one."""
    joined_value: ClassVar[str] = ""
    """All findings of a text are the work of one rule: this value of their data is listed."""


class Check(FindingKind, ABC):
    """One rule about a text."""

    needs_source: ClassVar[bool] = True
    has_odd_sign: ClassVar[bool] = False
    """It finds nothing in a text in which `oddities.has_oddity` sees nothing."""
    moves_options: ClassVar[bool] = False
    """An error of this check says that options stand in other places …"""
    compares_fields: ClassVar[bool] = False
    """… so that a check which compares each field with its source would repeat it."""

    @abstractmethod
    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Yield what is wrong, in time linear in the text; raise nothing for any text."""


@lru_cache(maxsize=64)
def _fields(count: int) -> tuple[str, ...]:
    """Return the names of the question and of its options, `count` in all."""
    return ("question", *map(option_field, range(count - 1)))


def shorten(text: str) -> str:
    """Return a text short enough for a message."""
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def listed(values: Sequence[str]) -> str:
    """Return a few values as one short text."""
    return shorten(", ".join(values[:8]))
