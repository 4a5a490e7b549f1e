"""What every way of making items returns: an item with its recipe, or the reason why there is none."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from typing import Final

from annotation.importers.labels import gettext_noop as _
from languages.folding import fold
from languages.letters import letter_of

OPTION_COUNT: Final = 4
UID_DIGITS: Final = 16
LONGEST_SENTENCE: Final = 1_000

FAULTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "words_not_parted": _("This language writes no spaces. Part the words of the sentence with “|”."),
        "sentence_too_long": _("The sentence has more than %(most)s characters."),
        "too_few_words": _("The sentence has fewer than 3 words."),
        "too_few_orders": _("The words have fewer than 3 other orders that are not right as well."),
        "option_count": _("The item does not have 4 options."),
        "same_option": _("Options %(first)s and %(second)s have the same order of words."),
        "other_words": _("Option %(option)s does not have the words of the right sentence."),
        "legal_order": _("Option %(option)s is a right order too."),
        "no_word_known": _("No word of the sentence is in the vocabulary."),
        "too_few_distractors": _("The vocabulary has fewer than 3 other words of the same kind."),
        "no_pair": _("The line has no question and answer. Write a JSON object, or a CSV table with these columns."),
        "pair_too_long": _("The pair has more than %(most)s characters."),
        "bad_id": _("The id is longer than %(most)s characters, or not on one line."),
        "subject_too_long": _("The subject has more than %(most)s characters."),
        "no_proposals": _("The pair has no list “distractors”. Add one, or have a model propose it."),
        "too_few_proposals": _(
            "Fewer than 3 wrong answers are distinct, of like length, and not the answer. Propose more."
        ),
        "same_sentence": _("The sentence stands in line %(line)s already."),
        "same_pair": _("The pair, or one with its id, stands in line %(line)s already."),
        "item_exists": _("The project has an item of this line already: %(uid)s."),
        "no_prompt": _(
            "The line has no prompt. Write text, a JSON object, or a CSV table with the column “prompt”."
        ),
        "prompt_too_long": _("The prompt has more than %(most)s characters."),
        "same_prompt": _("The prompt, or one with its id, stands in line %(line)s already."),
        "pool_too_large": _("A pool has at most %(most)s prompts. This line and those after it are left out."),
    }
)  # fmt: skip
"""Why no item could be made, or what is wrong with one, in words."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One reason; `line` counts from 1, and is 0 for an item that did not come from a file."""

    code: str
    line: int = 0
    data: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MadeItem:
    """An item as it was made. `recipe` says how, so that the same input and seed make it again.

    Without a `subject`, the way of making it is one. Without options it is open-ended.
    """

    uid: str
    question: str
    options: tuple[str, ...]
    key: str
    recipe: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Made:
    """The items made of a file, and the lines that none could be made of."""

    items: Sequence[MadeItem]
    faults: Sequence[Fault]


def make_each(sentences: Sequence[str], make: Callable[[str], MadeItem | str]) -> Made:
    """Return what `make` makes of each sentence: an item, or the code of the reason why there is none.

    Empty lines are skipped, too long ones are left out, and a sentence counts once.
    """
    items: list[MadeItem] = []
    faults: list[Fault] = []
    lines: dict[str, int] = {}
    for line, sentence in enumerate(map(str.strip, sentences), start=1):
        if len(sentence) > LONGEST_SENTENCE:
            faults.append(Fault("sentence_too_long", line, {"most": LONGEST_SENTENCE}))
            continue
        found = make(sentence) if sentence else None
        if isinstance(found, str):
            faults.append(Fault(found, line))
        elif found and found.uid in lines:
            faults.append(Fault("same_sentence", line, {"line": lines[found.uid]}))
        elif found:
            lines[found.uid] = line
            items.append(found)
    return Made(items, faults)


def fault_text(fault: Fault, translate: Callable[[str], str] = str) -> str:
    """Return a fault in words; `translate` is gettext."""
    return translate(FAULTS[fault.code]) % fault.data


def uid_of(way: str, sentence: str) -> str:
    """Return the uid of an item: the same sentence makes the same item again."""
    digest = hashlib.sha256(fold(sentence).encode()).hexdigest()
    return f"{way}/{digest[:UID_DIGITS]}"


def dice_of(way: str, sentence: str, seed: int) -> Random:
    """Return the dice of one sentence, so that other lines of its file do not change its item."""
    return Random(f"{seed}:{uid_of(way, sentence)}")


def with_key(right: str, wrong: Sequence[str], dice: Random) -> tuple[tuple[str, ...], str]:
    """Return the options in a random order, and the letter of the right one."""
    place = dice.randrange(len(wrong) + 1)
    return (*wrong[:place], right, *wrong[place:]), letter_of(place)
