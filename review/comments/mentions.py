"""Whom a comment names: `@` and a name, or `@seniors` and `@managers` for all of them."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

GROUPS = ("seniors", "managers")

# A word after an @: it ends where no name of one word would go on.
_WORD = re.compile(r"(?<!\w)@(?P<word>[^\W_][^\s@,;:!?()\[\]{}<>«»“”„\"，。、；：！？（）《》།༎]*)")
_CLOSING_MARKS = ".'’…*_~`་-"


class Named(NamedTuple):
    """A person or a group that can be named; `people` are ids."""

    words: str
    people: tuple[int, ...]


class Part(NamedTuple):
    """A piece of a comment; `is_mention` where it names somebody."""

    text: str
    is_mention: bool = False


def find_mentions(text: str, known: Sequence[Named]) -> list[Named]:
    """Who of `known` is named in `text`, each once, in the order of `known`.

    The longest name counts where one begins like another; capitals do not matter.
    """
    by_words: dict[str, list[Named]] = {}
    for named in known:
        by_words.setdefault(named.words.casefold(), []).append(named)
    pattern = _pattern(by_words)
    found = {match[1].casefold() for match in pattern.finditer(text)} if pattern else set()
    return [named for named in known if named.words.casefold() in found]


def find_strays(text: str, known: Sequence[Named]) -> list[str]:
    """Each `@` and a word in `text` that names nobody of `known`, once, as it was written first."""
    pattern = _pattern(named.words for named in known)
    named_at = {match.start() for match in pattern.finditer(text)} if pattern else set()
    words = (match for match in _WORD.finditer(text) if match.start() not in named_at)
    first: dict[str, str] = {}
    for match in words:
        word = match["word"].rstrip(_CLOSING_MARKS)
        first.setdefault(word.casefold(), f"@{word}")
    return list(first.values())


def split_mentions(text: str, words: Iterable[str]) -> list[Part]:
    """The pieces of `text`, with every `@` and one of `words` as a piece of its own."""
    pattern = _pattern(words)
    if pattern is None:
        return [Part(text)]
    parts, start = [], 0
    for match in pattern.finditer(text):
        parts += [Part(text[start : match.start()]), Part(match[0], is_mention=True)]
        start = match.end()
    return [part for part in (*parts, Part(text[start:])) if part.text]


def _pattern(words: Iterable[str]) -> re.Pattern[str] | None:
    """An address such as pema@example.org names nobody, so a letter before the @ does not count."""
    longest_first = sorted({each for each in words if each}, key=len, reverse=True)
    if not longest_first:
        return None
    choices = "|".join(map(re.escape, longest_first))
    return re.compile(rf"(?<!\w)@({choices})(?!\w)", re.IGNORECASE)
