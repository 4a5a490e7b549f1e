"""Cuts Lao, which has no spaces between words, into words by LaoNLP, in a bounded time.

`word_tokenize` of LaoNLP writes out every way to cut a stretch of letters in which no place ends a
word in all of them. Models repeat words, and 18 times ບອ takes it 20 s, 2,500 times ດີ ends in a
RecursionError. So a stretch with too many ways, or that is too long, is handed over in pieces. How a
text is cut depends on nothing but the text, unlike under a limit in seconds.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

import regex

_MOST_WAYS, _LONGEST = 1_000, 200
"""To reach one letter of a stretch, and its letters. 1,000 ways take some milliseconds."""
CUTTING: Final = 1
"""The version of what is done here around LaoNLP."""
_PARTS: Final = regex.compile(r"(\p{Lao}+)|\w[\w\p{M}]*|[^\s\w\u200b]", regex.VERSION1)


@cache
def lao_segmenter() -> str | None:
    """Return what signatures say of LaoNLP; None where it is not installed."""
    try:
        return f"lotsawa-lao-{CUTTING}-laonlp-{version('laonlp')}"
    except PackageNotFoundError:
        return None


def lao_words(text: str) -> list[str]:
    """Return the words of a text, with marks as words of their own.

    What is in Lao letters is what `word_tokenize` returns, unless a stretch of it can be cut in more
    than 1,000 ways or has more than 200 letters. Only to be called where LaoNLP is installed.
    """
    return [word for part in _PARTS.finditer(text) for word in _words_of(part)]


def _words_of(part: "regex.Match[str]") -> Iterator[str]:
    if part[1] is None:
        yield part[0]
        return
    for piece in _pieces(part[1]):
        yield from _cut(piece)


def _pieces(run: str) -> Iterator[str]:
    """Yield the stretches of a run of letters, in pieces where one is beyond the limits.

    `ways` are the letters ahead at which a word may begin, each with the number of ways that lead
    there. Where no other is ahead all ways meet: LaoNLP begins anew there too.
    """
    known, start = _dictionary(), 0
    ways: dict[int, int] = {}
    for at in range(len(run)):
        count = ways.pop(at, 0)
        if count and (not ways or count > _MOST_WAYS or at - start >= _LONGEST):
            yield run[start:at]
            start, ways = at, {}
        if not ways:
            count = 1
        for word in known.prefixes(run[at : at + _LONGEST]) if count else ():
            ways[at + len(word)] = ways.get(at + len(word), 0) + count
    yield run[start:]


@lru_cache(maxsize=4_096)
def _cut(piece: str) -> tuple[str, ...]:
    from laonlp.tokenize import word_tokenize

    return tuple(word_tokenize(piece, safe_mode=False))


@cache
def _dictionary() -> Any:
    """Return the words that LaoNLP knows, as a tree: with LaoNLP it takes 0.4 s and 50 MB."""
    from laonlp.corpus import lao_words as known
    from pythainlp.util import Trie

    return Trie(known())
