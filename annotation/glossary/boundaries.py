"""Decides where a term may begin and end, by script: words, syllables, clusters, characters.

- Scripts with spaces (Latin, Cyrillic, Mongolian, Arabic …): a word, with the endings of its language.
- Tibetan: whole syllables. Particles that stand in a term's last syllable (འི, ས, ར …) are its endings.
- Lao and Thai: no vowel or tone mark is cut off its consonant, and no final consonant off its vowel.
- Chinese and Japanese: anywhere.

All functions take folded text (`folding.fold`).
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

_WORD, _SYLLABLE, _CLUSTER = "word", "syllable", "cluster"
_PREPOSED: Final = frozenset("ເແໂໃໄเแโใไ")
_FOLLOWING: Final = frozenset("\u0eb0\u0eb2\u0eb3\u0ebd\u0e30\u0e32\u0e33\u0e45")
_CLOSED_VOWELS: Final = frozenset("\u0eb0\u0eb3")
_LAO_FINALS: Final = frozenset("ກງດນບມຍວ")
_TIBETAN_A: Final = "འ"
_MOST_ENDINGS: Final = 2


def begins(text: str, start: int) -> bool:
    """Return whether a term may begin at `start`."""
    return start == 0 or not _joined(text[start - 1], text[start])


def ends(text: str, end: int, endings: Sequence[str]) -> bool:
    """Return whether a term may end at `end`, or goes on with endings of its language only."""
    if end == len(text):
        return True
    last, following = text[end - 1], text[end]
    if _joined(last, following):
        return bool(endings) and _has_endings(text, end, endings)
    return not _is_final_of(last, text, end)


def _joined(before: str, after: str) -> bool:
    """Return whether no term may be cut between two characters."""
    kind = _kind(after)
    if kind is None or kind != _kind(before):
        return False
    return kind != _CLUSTER or before in _PREPOSED or _is_mark(after)


@lru_cache(maxsize=8192)
def _kind(char: str) -> str | None:
    if "\u0f40" <= char <= "\u0fbc" or "\u0f20" <= char <= "\u0f39":
        return _SYLLABLE
    if "\u0e00" <= char <= "\u0eff" or "\u1780" <= char <= "\u17ff" or "\u1000" <= char <= "\u109f":
        return _CLUSTER
    if "\u3040" <= char <= "\u30ff" or unicodedata.name(char, "").startswith("CJK"):
        return None
    is_word = char.isalnum() or unicodedata.category(char).startswith("M")
    return _WORD if is_word else None


def _is_mark(char: str) -> bool:
    return char in _FOLLOWING or unicodedata.category(char).startswith("M")


def _has_endings(text: str, end: int, endings: Sequence[str]) -> bool:
    """Return whether the rest of the word or syllable behind `end` is made of endings."""
    stop = end
    while stop < len(text) and _joined(text[stop - 1], text[stop]):
        stop += 1
    rest = text[end:stop]
    if _kind(text[end]) == _SYLLABLE:
        return _is_particle(text, end, rest, endings)
    return _is_made_of(rest, endings, _MOST_ENDINGS)


def _is_made_of(rest: str, endings: Sequence[str], most: int) -> bool:
    if not rest:
        return True
    return most > 0 and any(
        _is_made_of(rest[len(ending) :], endings, most - 1)
        for ending in endings
        if rest.startswith(ending)
    )


def _is_particle(text: str, end: int, rest: str, endings: Sequence[str]) -> bool:
    """Return whether a Tibetan syllable that ends in a vowel goes on with a particle: པོ → པོའི, པོས."""
    last = text[end - 1]
    if last == _TIBETAN_A:  # མཁའ → མཁའི, མཁས
        return rest in endings or _TIBETAN_A + rest in endings
    is_alone = end < len("xx") or _kind(text[end - 2]) != _SYLLABLE
    return rest in endings and (is_alone or _is_mark(last))


def _is_final_of(last: str, text: str, end: int) -> bool:
    """Return whether the Lao consonant at `end` closes the syllable before it: ກາ is no part of ການ."""
    if text[end] not in _LAO_FINALS or last in _CLOSED_VOWELS or not _is_mark(last):
        return False
    after = text[end + 1 : end + 2]
    return not after or not (_is_mark(after) or after in "ອຍວຣຼ")
