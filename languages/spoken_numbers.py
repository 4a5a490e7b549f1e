"""Reads the numbers that a text holds in words: 一百二十, ཉི་ཤུ་རྩ་ལྔ, ຊາວຫ້າ, хорин тав, twenty-five."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Final

from languages.base import Language

_GAPS: Final = {
    "space": r"[ \u00a0-]{0,2}",
    "tsheg": r"[་ ]{0,2}(?:(?:རྩ|ཕྲག)[་ ])?",
    "character": r"\u200b?",
}
_AND: Final = r"[་ \u00a0-]{0,2}(?:and|و|ба|ۋە|དང|རྩ|ཕྲག)?[་ \u00a0]?"
_HIGHEST_DIGIT: Final = 9
_BIG: Final = 10_000
_DIGITS_FIRST: Final = re.compile(r"\d{1,15}(?:\.\d{1,15})?")
_DIGITS_LAST: Final = re.compile(r"\d{1,15}\Z")
_MOST: Final = 10**15
_BASES: Final = frozenset({10, 100, 1000})


@lru_cache(maxsize=1024)
def spoken_numbers(text: str, language: Language) -> frozenset[int]:
    """Return the values of the numbers in words, each whole: 二十五 is 25 and neither 20 nor 5.

    Digits in a row are also read one by one, since 二三 may be "two or three" as well as 23.
    """
    groups = _groups(text, language)
    return frozenset(number for group in groups for number in _readings(group, language))


def number_at_start(text: str, language: Language) -> str | None:
    """Return the number with which a text begins, in digits or words, in digits; None without one."""
    found = read_at_start(text, language)
    return found[0] if found else None


def read_at_start(text: str, language: Language) -> tuple[str, int] | None:
    """Return the number with which a text begins, and where it ends; None without one."""
    match = _DIGITS_FIRST.match(text)
    if match:
        return _ascii(match[0]), match.end()
    if not text.lower().startswith(_any_word(language)):
        return None
    found = _words_in_a_row(text, language)
    if not found or found[0][0] or _is_half_a_word(text[: found[0][1]], found[0][2], language):
        return None
    return _said(found[0][2]), found[0][1]


def _is_half_a_word(text: str, words: list[int], language: Language) -> bool:
    """Return whether a Tibetan syllable counts tens only beside another: རེ is 60 in རེ་ལྔ, else "each"."""
    is_ten = len(set(words)) == 1 and words[0] in range(20, 100, 10)
    return is_ten and language.segmentation == "tsheg" and len(words) > text.count("་")


def number_at_end(text: str, language: Language) -> str | None:
    """Return the number with which a text ends, tshegs and spaces aside; None without one."""
    found = read_at_end(text, language)
    return found[0] if found else None


def read_at_end(text: str, language: Language) -> tuple[str, int] | None:
    """Return the number with which a text ends, and where it begins; None without one."""
    text = text.rstrip(" ་")
    match = _DIGITS_LAST.search(text)
    if match:
        return _ascii(match[0]), match.start()
    if not language.number_endings and not text.lower().endswith(_any_word(language)):
        return None
    found = _words_in_a_row(text, language)
    is_last = bool(found) and found[-1][1] == len(text)
    return (_said(found[-1][2]), found[-1][0]) if is_last else None


def with_numbers_in_digits(text: str, language: Language) -> str:
    """Return a text with digits for its numbers in words: 3点 for 三点."""
    pieces, last = [], 0
    for start, end, words in _words_in_a_row(text, language):
        pieces += [text[last:start], _said(words)]
        last = end
    return "".join([*pieces, text[last:]])


def numbers_in_words(text: str, language: Language) -> Iterator[tuple[int, int, list[int], str]]:
    """Yield the start and end of each number in words, the values of its words, and it in digits."""
    for start, end, words in _words_in_a_row(text, language):
        yield start, end, words, _said(words)


def words_of(language: Language) -> Collection[str]:
    """Return the words of which a language makes its numbers."""
    return _values(language).keys()


def _ascii(number: str) -> str:
    return "".join(str(int(each)) if each.isdecimal() else each for each in number)


def _said(words: Sequence[int]) -> str:
    if len(words) > 1 and all(word <= _HIGHEST_DIGIT for word in words):
        return "".join(map(str, words))
    return str(_value(words))


def _words_in_a_row(text: str, language: Language) -> list[tuple[int, int, list[int]]]:
    """Return the numbers in words with their places; only those with nothing but a gap are one."""
    near = _gaps(language)[0]
    rows: list[tuple[int, int, list[int]]] = []
    was_last = False
    for start, end, value, is_last in _words_in(text, language):
        if rows and not was_last and near.fullmatch(text, rows[-1][1], start):
            rows[-1] = (rows[-1][0], end, [*rows[-1][2], value])
        else:
            rows.append((start, end, [value]))
        was_last = is_last
    return rows


@lru_cache(maxsize=64)
def _words_in(text: str, language: Language) -> list[tuple[int, int, int, bool]]:
    """Return the place and value of each word for a number, and whether an ending makes it the last of one."""
    pattern, values = _pattern(language), _values(language)
    return [
        (match.start(), match.end(), values[match[1].lower()], match.end() > match.end(1))
        for match in (pattern.finditer(text) if pattern else ())
    ]


def _readings(words: Sequence[int], language: Language) -> Iterator[int]:
    if len(words) > 1 and all(word <= _HIGHEST_DIGIT for word in words):
        yield from words
        yield int("".join(map(str, words[:15])))
        return
    yield _value(words)
    if language.segmentation == "tsheg":
        yield _value(_digits_first(words))
        if words[0] >= 1000 and len(words) > 1:  # ཁྲི་ལྔ་བཅུ is fifty times ten thousand
            yield words[0] * _value(words[1:])


def _digits_first(words: Sequence[int]) -> list[int]:
    """Return the words with a digit before the thousands that it follows: སྟོང་གཉིས is 2000."""
    turned = list(words)
    for at in range(1, len(turned)):
        if turned[at] <= _HIGHEST_DIGIT and turned[at - 1] >= 1000:
            turned[at - 1], turned[at] = turned[at], turned[at - 1]
    return turned


def _value(words: Sequence[int]) -> int:
    """Add up words such as 3, 100, 20, 5; a tens marker that repeats the tens counts once."""
    total = section = current = 0
    for word in words:
        if word >= _BIG:
            total += max(section + current, 1) * word
            section = current = 0
        elif word == 1000 and 0 < section + current < 1000:
            section, current = (section + current) * word, 0
        elif word in _BASES and 0 < current < word:
            section += current * word
            current = 0
        elif word == current + section % 100 and word >= 10 and word not in _BASES:
            continue
        elif word > _HIGHEST_DIGIT:
            section += current + word
            current = 0
        else:
            section += current
            current = word
        if total > _MOST:
            break
    return total + section + current


def _groups(text: str, language: Language) -> Iterator[list[int]]:
    """Yield the values of words that follow each other, with "and" between them and without it."""
    found = _words_in(text, language)
    for gap in _gaps(language) if found else ():
        group: list[int] = []
        last = 0
        for start, end, value, is_last in found:
            if group and not gap.fullmatch(text, last, start):
                yield group
                group = []
            group.append(value)
            last = end
            if is_last:  # an ordinal number ends here: the 21st hundred
                yield group
                group = []
        if group:
            yield group


@lru_cache(maxsize=64)
def _values(language: Language) -> dict[str, int]:
    small = {
        word: value for value, words in enumerate(language.number_words) for word in words.split()
    }
    return {word.lower(): value for word, value in (*small.items(), *language.larger_numbers)}


@lru_cache(maxsize=64)
def _any_word(language: Language) -> tuple[str, ...]:
    return tuple(_values(language))


@lru_cache(maxsize=64)
def _pattern(language: Language) -> re.Pattern[str] | None:
    if not _values(language):
        return None
    either = _either(_values(language))
    if language.segmentation == "tsheg":
        return re.compile(rf"(?<![\u0f40-\u0fbc])({either})(?=(?:འི|ས|ར)?(?![\u0f40-\u0fbc]))")
    if language.is_spaced:
        endings = "|".join(map(re.escape, language.number_endings))
        ending = rf"(?:[ -]?(?:{endings})\w{{0,3}})?" if endings else ""
        start = r"(?:(?<!\w)|(?<=\bو))" if language.script == "Arabic" else r"(?<!\w)"
        return re.compile(rf"{start}({either}){ending}(?!\w)", re.IGNORECASE)
    return re.compile(f"({either})")


def _either(words: Collection[str]) -> str:
    """Return a pattern of words, the longest first, with those together that begin with one letter."""
    rests: dict[str, list[str]] = {}
    for word in sorted(words, key=len, reverse=True):
        rests.setdefault(word[0], []).append(re.escape(word[1:]))
    return "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in rests.items())


@lru_cache(maxsize=64)
def _gaps(language: Language) -> tuple[re.Pattern[str], ...]:
    near = re.compile(_GAPS[language.segmentation])
    return (near,) if language.segmentation == "character" else (near, re.compile(_AND))
