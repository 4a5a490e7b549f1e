"""Three practice items for people who begin: sound texts with one planted fault, and what to say of it.

Nothing of a practice is stored, so no figure can count it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from languages.letters import letter_of

COUNT = 3


class Fault(StrEnum):
    """What is wrong with a practice item."""

    NONE = "none"
    SWAPPED = "swapped"
    WRONG_KEY = "wrong_key"


@dataclass(frozen=True, slots=True)
class PracticeText:
    """A question with its options in both languages, and the index of the key."""

    source: str
    source_options: tuple[str, ...]
    target: str
    target_options: tuple[str, ...]
    key: int

    @property
    def is_usable(self) -> bool:
        """Whether each fault would show: all options there and different."""
        count = len(self.source_options)
        is_whole = count > 1 and count == len(self.target_options) and 0 <= self.key < count
        distinct = len(set(self.target_options)) == len(set(self.source_options)) == count
        return is_whole and distinct and bool(self.target.strip())

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Label, texts and whether it is the key, for the question and each option."""
        options = zip(self.source_options, self.target_options, strict=True)
        question = {"label": "Q", "source": self.source, "target": self.target, "is_key": False}
        return [question] + [
            {
                "label": letter_of(index),
                "source": source,
                "target": target,
                "is_key": index == self.key,
            }
            for index, (source, target) in enumerate(options)
        ]


@dataclass(frozen=True, slots=True)
class PracticeItem:
    """A text with its fault; `verdict` and one of `tags` is what somebody says who finds it."""

    number: int
    text: PracticeText
    fault: Fault
    verdict: str
    tags: frozenset[str]

    def is_found(self, verdict: str, tags: Collection[str]) -> bool:
        """Whether a judgement says what is wrong; further tags do no harm."""
        return verdict == self.verdict and (not self.tags or bool(self.tags & set(tags)))


def practice_items(texts: Sequence[PracticeText]) -> list[PracticeItem]:
    """One item without a fault, one with two options exchanged, one with a wrong key."""
    sound, swapped, wrong = texts[:COUNT]
    return [
        PracticeItem(1, sound, Fault.NONE, "approve", frozenset()),
        PracticeItem(
            2, _exchanged(swapped), Fault.SWAPPED, "revise", frozenset({"structure", "accuracy"})
        ),
        PracticeItem(
            3, _with_wrong_key(wrong), Fault.WRONG_KEY, "reject", frozenset({"wrong_key"})
        ),
    ]


def _exchanged(text: PracticeText) -> PracticeText:
    """The text of the key in the place of another option, so that the key points to the wrong one."""
    options, other = list(text.target_options), (text.key + 1) % len(text.target_options)
    options[text.key], options[other] = options[other], options[text.key]
    return replace(text, target_options=tuple(options))


def _with_wrong_key(text: PracticeText) -> PracticeText:
    return replace(text, key=(text.key + 1) % len(text.source_options))
