"""Tells whether one text replaces a long part of another, by the alignment of Ratcliff and Obershelp.

The two texts are aligned at their longest common block of words (the first of several), then the
parts before it and after it in the same way. Parts without a common block were replaced. A word
stands between spaces; in scripts without spaces each character is one. Length is counted in letters.
"""

from itertools import accumulate
from typing import NamedTuple

import regex

from annotation.duplicates.dedupe.normalise import letter_count

# Below the number of code points; a text that goes on from here must still have room.
MOST_WORDS = 1_000_000

_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{Lao}\p{Thai}\p{Khmer}\p{Myanmar}]"
    r"|[^\s\p{Han}\p{Hiragana}\p{Katakana}\p{Lao}\p{Thai}\p{Khmer}\p{Myanmar}]+"
)


class Words(NamedTuple):
    """A text as one character for each word, and the letters before each word, and in all."""

    text: str
    letters: list[int]


class WordBook:
    """Words by number, so that a text becomes a string in which a word is one character."""

    def __init__(self) -> None:
        self._characters: dict[str, str] = {}
        self._letters: dict[str, int] = {}

    @property
    def is_full(self) -> bool:
        return len(self._characters) > MOST_WORDS

    def words(self, text: str) -> Words:
        found = _WORD.findall(text)
        for word in found:
            if word not in self._characters:
                self._characters[word] = chr(len(self._characters))
                self._letters[word] = letter_count(word)
        letters = accumulate((self._letters[word] for word in found), initial=0)
        return Words("".join(map(self._characters.__getitem__, found)), list(letters))


def has_long_replacement(a: Words, b: Words, *, longer_than: float) -> bool:
    """Return whether `b` has other words in a place where both have more letters than `longer_than`."""
    parts = [(0, len(a.text), 0, len(b.text))]
    while parts:
        a1, a2, b1, b2 = parts.pop()
        if min(a.letters[a2] - a.letters[a1], b.letters[b2] - b.letters[b1]) <= longer_than:
            continue
        at, there, length = _longest_block(a.text[a1:a2], b.text[b1:b2])
        if not length:
            return True
        parts.append((a1, a1 + at, b1, b1 + there))
        parts.append((a1 + at + length, a2, b1 + there + length, b2))
    return False


def _longest_block(a: str, b: str) -> tuple[int, int, int]:
    """Find the longest common block: its place in `a`, then in `b`, and its length."""
    start = length = 0
    for at in range(len(a)):
        while at + length < len(a) and a[at : at + length + 1] in b:
            start, length = at, length + 1
        if at + length >= len(a):
            break
    return start, b.find(a[start : start + length]), length
