"""What a check is given, what it says, and what every check promises."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as attribute
from typing import ClassVar, Final, Literal, Protocol

from annotation.importers.base import Mark
from annotation.importers.options import LETTERS

Severity = Literal["error", "warning", "info"]
MAX_SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class CheckInput:
    """One revision beside its source; keys are letters, `key` None where none was published.

    `raw` and `marks` come from the importer and are '' and () for a text that a person wrote.
    `pairs` are field name, source text and target text; empty where the options can't be paired.
    """

    source_question: str
    source_options: Sequence[str]
    source_key: str
    question: str
    options: Sequence[str]
    key: str | None
    source_language: str
    target_language: str
    raw: str = ""
    marks: Sequence[Mark] = ()
    pairs: tuple[tuple[str, str, str], ...] = attribute(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", tuple(self._paired()))

    @property
    def is_readable(self) -> bool:
        """Whether the options were told apart, so that fields can be compared one by one."""
        return bool(self.options) and len(self.options) == len(self.source_options)

    def _paired(self) -> Iterator[tuple[str, str, str]]:
        if self.is_readable:
            yield "question", self.source_question, self.question
            pairs = zip(self.source_options, self.options, strict=True)
            for position, (source, target) in enumerate(pairs):
                yield option_field(position), source, target


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing a check found; `start` and `end` are code points of the target field.

    `field` is question, item or `options.N` counted from 0; `data` fills the message.
    """

    code: str
    severity: Severity
    field: str
    start: int = 0
    end: int = 0
    data: Mapping[str, str | int] = attribute(default_factory=dict)


class Check(Protocol):
    """One rule: stable code, its usual severity and family; `run` is linear in the text."""

    code: ClassVar[str]
    severity: ClassVar[Severity]
    family: ClassVar[str]

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Yield what is wrong; nothing is raised for any text."""
        ...


def option_field(position: int) -> str:
    """Return the name of an option's field, counted from 0."""
    return f"options.{position}"


def letter_of(position: int) -> str:
    """Return an option's letter; past F a number, so that no list is too long to speak of."""
    return LETTERS[position] if position < len(LETTERS) else str(position + 1)


def shorten(text: str) -> str:
    """Return a text short enough for a message."""
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def listed(values: Sequence[str]) -> str:
    """Return a few values as one short text."""
    return shorten(", ".join(values[:8]))
