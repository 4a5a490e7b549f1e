"""Whether two texts that look alike are about the same, or share an instruction and no more.

Benchmarks repeat frames: "Which of the following is true?", "Is this text offensive: …". Vectors
find such items alike. Edits of one text differ in a few short places; two items in one frame
differ in a long run, or in their options.
"""

from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher

import regex

from annotation.dedupe.limits import Limits
from annotation.dedupe.normalise import letter_count, normalise
from annotation.dedupe.texts import ItemText, join_parts

# Below this overlap the words differ throughout: then no shared frame explains the likeness.
FRAME_OVERLAP = 0.3
RUN_SHARE = 0.1
OPTION_SHARE = 0.5

# Scripts written without spaces count by character, others by what stands between spaces.
_UNIT = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{Lao}\p{Thai}\p{Khmer}\p{Myanmar}]"
    r"|[^\s\p{Han}\p{Hiragana}\p{Katakana}\p{Lao}\p{Thai}\p{Khmer}\p{Myanmar}]+"
)


@dataclass(frozen=True, slots=True)
class ComparedText:
    """An item made ready: normalised question and options (sorted), all in one, letters in that."""

    item: ItemText
    question: str
    options: tuple[str, ...]
    whole: str
    letters: int


def compared_text(item: ItemText) -> ComparedText:
    question = normalise(item.question)
    options = tuple(sorted(map(normalise, item.options)))
    whole = join_parts(question, options)
    return ComparedText(item, question, options, whole, letter_count(whole))


def overlap(a: str, b: str, *, gram: int) -> float:
    """Jaccard of the multisets of n-grams: shared / all, 1 for equal texts, 0 for an empty one."""
    grams_a, grams_b = _grams(a, gram), _grams(b, gram)
    shared = sum((grams_a & grams_b).values())
    union = grams_a.total() + grams_b.total() - shared
    return shared / union if union else 0.0


def differ_in_substance(a: ComparedText, b: ComparedText, limits: Limits) -> bool:
    """Whether the letters the two share are a frame: the rest was replaced, or the options were.

    Where either item's options could not be split, options are compared as part of the question.
    """
    if a.options and b.options:
        if not _options_agree(a, b, limits):
            return True
        return _is_replaced(a.question, b.question, limits)
    return _is_replaced(_in_given_order(a), _in_given_order(b), limits)


def shared_options(a: ComparedText, b: ComparedText) -> float:
    """Share of the longer option list that is, word for word, in the other; 0 without options."""
    longest = max(len(a.options), len(b.options))
    shared = (Counter(a.options) & Counter(b.options)).total()
    return shared / longest if longest else 0.0


def _options_agree(a: ComparedText, b: ComparedText, limits: Limits) -> bool:
    if shared_options(a, b) >= OPTION_SHARE:
        return True
    return overlap(" | ".join(a.options), " | ".join(b.options), gram=limits.gram) >= limits.near


def _is_replaced(a: str, b: str, limits: Limits) -> bool:
    """Whether one stretch of both texts differs by more letters than an edit would touch."""
    allowed = max(limits.run, RUN_SHARE * min(letter_count(a), letter_count(b)))
    return _longest_replaced(_UNIT.findall(a), _UNIT.findall(b)) > allowed


def _longest_replaced(a: list[str], b: list[str]) -> int:
    opcodes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    lengths = (
        min(letter_count("".join(a[a1:a2])), letter_count("".join(b[b1:b2])))
        for tag, a1, a2, b1, b2 in opcodes
        if tag == "replace"
    )
    return max(lengths, default=0)


def _in_given_order(text: ComparedText) -> str:
    return " ".join([text.question, *(normalise(option) for option in text.item.options)])


def _grams(text: str, size: int) -> Counter[str]:
    return Counter(text[at : at + size] for at in range(len(text) - size + 1))
