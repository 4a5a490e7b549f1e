"""The bounds of numbers, in signs or in words: ≤5, 不超过5, 5 ལས་མི་ཉུང, at least 5; turned round or lost."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final

from annotation.checks.catalogue.signs import NUMBER, N, Sides
from languages.base import Language
from languages.folding import fold_signs
from languages.spoken_numbers import numbers_in_words

_UP: Final = frozenset(">≥↑")
_STRICT: Final = frozenset("<>")
_CLOSED: Final = frozenset("≤≥")
_KINDS: Final = {
    "at_least": "≥", "at_most": "≤", "more": ">", "less": "<", "upwards": "↑", "downwards": "↓",
}  # fmt: skip
_SHOWN: Final = {"↑": "≥", "↓": "≤"}
_MIRRORED: Final = {"<": ">", ">": "<", "≤": "≥", "≥": "≤"}
_SIGN: Final = re.compile("[<>≤≥]")
_BEFORE: Final = re.compile(rf"([<>≤≥])(=?)\s?-?({N})")
_BEHIND: Final = re.compile(rf"({N})\s?([<>≤≥])(=?)")
_GAP: Final = 20
_GAP_OF_HAN: Final = 6
_NEAR: Final = 40
_FEWEST: Final = 2


def changed_bounds(sides: Sides) -> tuple[list[str], list[str]]:
    """Return the bounds of a source that its translation lacks, and those that it has instead.

    A bound is lost where the number is there with none, and with no word near that may be one. Two
    bounds in signs are compared with their operands, see `quantities`.
    """
    if sides.text == sides.other or sides.other_language.bounds is None:
        return [], []
    if not _may_say(sides.text, sides.language):
        return [], []
    text, other = (
        _in_digits(sides.text, sides.language),
        _in_digits(sides.other, sides.other_language),
    )
    in_signs = dict(_in_signs(text)).keys() & dict(_in_signs(other)).keys()
    known = _bounds_of(other, sides.other_language)
    missing, instead = [], []
    for number, found in _bounds_of(text, sides.language).items():
        if number in in_signs:
            continue
        there = known.get(number, {})
        is_lost = not there and _is_bare(number, other, sides.other_language)
        if is_lost or (there and not any(_agree(one, two) for one in found for two in there)):
            missing.append(_shown(found, number))
            instead += [_shown(there, number)] if there else []
    return missing, instead


def _shown(signs: Iterable[str], number: str) -> str:
    sign = next(iter(signs))
    return f"{_SHOWN.get(sign, sign)}{number}"


def says_bounds(text: str, language: Language) -> bool:
    """Return whether words bound a number; quick to see where none of them is there."""
    if not _has_stem(text, language):
        return False
    text = _in_digits(text, language)
    return any(pattern.search(text) for pattern in _patterns(language))


def _has_stem(text: str, language: Language) -> bool:
    if language.bounds is None:
        return False
    lowered = text.lower() if language.is_spaced else text
    return any(stem in lowered for stem in language.bounds.stems)


def _may_say(text: str, language: Language) -> bool:
    return _SIGN.search(text) is not None or _has_stem(text, language)


def _agree(one: str, two: str) -> bool:
    """Return whether two bounds may mean the same: ≥ and 以上 do, ≥ and > do not."""
    if (one in _UP) != (two in _UP):
        return False
    return not ({one, two} & _STRICT and {one, two} & _CLOSED)


def _bounds_of(text: str, language: Language) -> dict[str, dict[str, None]]:
    """Return the bounds of each number of a text with digits, in the order of the text."""
    found: dict[str, dict[str, None]] = {}
    for number, sign in (*_in_signs(text), *_in_words(text, language)):
        found.setdefault(number, {})[sign] = None
    return found


def _in_signs(text: str) -> Iterator[tuple[str, str]]:
    if not _SIGN.search(text):
        return
    for sign, equal, number in _BEFORE.findall(text):
        yield number.replace(",", ""), _closed(sign, equal)
    for number, sign, equal in _BEHIND.findall(text):
        yield number.replace(",", ""), _MIRRORED[_closed(sign, equal)]


def _closed(sign: str, equal: str) -> str:
    return {"<": "≤", ">": "≥"}.get(sign, sign) if equal else sign


def _in_words(text: str, language: Language) -> Iterator[tuple[str, str]]:
    if not _has_stem(text, language):
        return
    for pattern in _patterns(language):
        for match in pattern.finditer(text):
            groups = match.groupdict()
            yield (
                match["number"].replace(",", ""),
                next(_KINDS[kind] for kind in _KINDS if groups.get(kind)),
            )


def _is_bare(number: str, text: str, language: Language) -> bool:
    """Return whether a number stands in a text, and nowhere near a word that may bound it."""
    places = [m.span() for m in NUMBER.finditer(text) if m[0].replace(",", "") == number]
    hints = _hints(language)
    near = (text[max(0, start - _NEAR) : end + _NEAR] for start, end in places)
    return bool(places) and not any(hints.search(each) for each in near)


def _in_digits(text: str, language: Language) -> str:
    """Return a text as it looks, with digits for its numbers from two on."""
    text, pieces, last = fold_signs(text), [], 0
    for start, end, _words, number in numbers_in_words(text, language):
        if int(number) >= _FEWEST:
            pieces += [text[last:start], number]
            last = end
    return "".join([*pieces, text[last:]])


@lru_cache(maxsize=64)
def _hints(language: Language) -> re.Pattern[str]:
    words = (*language.bounds.stems, *language.bounds.hints) if language.bounds else ()
    return re.compile("|".join(("[<>≤≥]", *map(fold_signs, words))), re.IGNORECASE)


@lru_cache(maxsize=64)
def _patterns(language: Language) -> tuple[re.Pattern[str], ...]:
    """Return what finds words before a number and behind one, each kind of bound as a group.

    Bounds that include their number come first: "no more than" before "more than".
    """
    marks = re.escape(language.sentence_marks.replace("་", ""))
    width = _GAP_OF_HAN if language.script == "Han" else _GAP
    gap = rf"[^\d\0\n,;.?!:，：的{marks}]{{0,{width}}}?"
    number = f"(?P<number>{N})"
    before = _either(language, lambda word: word[:-1] if word[-1] == "#" else "")
    behind = _either(language, lambda word: word[1:] if word[0] == "#" else "")
    return tuple(
        re.compile(pattern, re.IGNORECASE)
        for pattern in (f"(?:{before}){gap}{number}", f"{number}(?={gap}(?:{behind}))")
    )


def _either(language: Language, part: Callable[[str], str]) -> str:
    """Return a pattern of those words of which a part is left, each kind of bound as a group."""
    groups = ((kind, "|".join(filter(None, map(part, _words(kind, language))))) for kind in _KINDS)
    return "|".join(f"(?P<{kind}>{words})" for kind, words in groups if words) or "(?!)"


def _words(kind: str, language: Language) -> tuple[str, ...]:
    words: tuple[str, ...] = getattr(language.bounds, kind)
    return tuple(map(fold_signs, words))
