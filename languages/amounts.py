"""Writes the amounts that a text holds in words with digits: 三成 is 30%, 八折 80%, 一百二十 120, 第三 第3."""

import re
from functools import lru_cache, partial
from typing import Final

from languages.base import Language
from languages.fractions import with_fractions_in_digits
from languages.spoken_numbers import number_at_start, numbers_in_words, spoken_numbers, words_of

_DIGITS: Final = r"\d{1,15}(?:\.\d{1,15})?"
_TENTHS: Final = 10
_YEAR: Final = 4
_BASES: Final = frozenset({100, 1000, 10_000, 1_000_000, 100_000_000, 1_000_000_000})
_SOME: Final = ("几", "幾", "数", "數")
_AFTER_KILO: Final = frozenset("米克瓦帕伏赫焦卡字")
_COUNTED: Final = frozenset({"Han", "Latin"})
"""Scripts of the languages whose words for numbers are no other words as well."""


def says_amounts(text: str, language: Language) -> bool:
    """Return whether an amount in words may be there that is more than one word: quick to see."""
    pattern = _quick(language)
    return pattern is not None and pattern.search(text) is not None


def with_amounts_in_digits(
    text: str, language: Language, other: str, other_language: Language
) -> str:
    """Return a text with digits for its amounts in words, as a translation has to keep them.

    Those are fractions, tenths, prices of so many tenths, decimals, numbers of several words, and
    ordinal numbers. 八折 is 20% where the other text speaks of a discount and has 20 instead of 80.
    """
    if not says_amounts(text, language):
        return with_fractions_in_digits(text, language)
    text = with_fractions_in_digits(_with_decimals(text, language), language)
    for pattern, sign in _shares(language) if _quick_share(language).search(text) else ():
        told = partial(_share, sign, language, other, other_language)
        text = pattern.sub(told, text)
    return _with_ordinals(_with_long_numbers(text, language), language)


def said_amounts(text: str, language: Language) -> set[str]:
    """Return numbers that a text may mean: 15 for 一刻钟, 12 for 一打, 3.5 for 三点五."""
    found = {
        str(int(number_at_start(match[1], language) or 0) * factor)
        for sign, pattern, factor in _multiples(language)
        if sign in text
        for match in pattern.finditer(text)
        if "." not in match[1]
    }
    pattern = _decimal(language, "")
    decimals = pattern.finditer(text) if pattern and language.point_word in text else ()
    return found | {_number(match, language) for match in decimals}


def _share(
    sign: str, language: Language, other: str, other_language: Language, match: re.Match[str]
) -> str:
    number = float(number_at_start(match[1], language) or 0)
    more = number_at_start(match[2] or "", language) if match.re.groups > 1 else None
    share = round(number * _TENTHS if number <= _TENTHS else number, 2) + float(more or 0)
    shown, rest = f"{share:g}", f"{100 - share:g}"
    is_off = sign == "off" and _has_discount(rest, shown, other, other_language)
    return f" {rest if is_off else shown}% "


def _has_discount(rest: str, share: str, text: str, language: Language) -> bool:
    if not any(word in text.lower() for word in language.discount_words):
        return False
    found = {str(int(each)) for each in re.findall(r"\d+", text)}
    found |= set(map(str, spoken_numbers(text, language)))
    return rest in found and share not in found


def _with_decimals(text: str, language: Language) -> str:
    """Write 零点五 as 0.5, and 三点五 where no time can be meant: 三点五倍."""
    pattern = _decimal(language, r"(?=[倍万亿萬億成米元克升吨噸度%％])")
    if pattern is None or language.point_word not in text:
        return text
    text = pattern.sub(lambda match: _number(match, language), text)
    zero = _decimal(language, "", "[零〇]")
    return zero.sub(lambda match: _number(match, language), text) if zero else text


def _number(match: re.Match[str], language: Language) -> str:
    whole = number_at_start(match[1], language) or "0"
    digits = (number_at_start(sign, language) for sign in match[2])
    return f"{whole}.{''.join(each or '0' for each in digits)}"


def _with_long_numbers(text: str, language: Language) -> str:
    """Write numbers of two words or more with digits, but no 三五个, 千万 or 二十几."""
    if language.script not in _COUNTED:
        return text
    pieces, last = [], 0
    for start, end, words, number in numbers_in_words(text, language):
        is_row = all(word < _TENTHS for word in words)
        if len(words) > 1 and (
            len(words) == _YEAR if is_row else not _is_vague(text, start, end, words)
        ):
            pieces += [text[last:start], number]
            last = end
    return "".join([*pieces, text[last:]])


def _is_vague(text: str, start: int, end: int, words: list[int]) -> bool:
    """Return whether words for numbers count nothing: 千万, 几十万, 二十几, 三千米, which is 3 km."""
    is_unit = words[-1] == 1000 and text[end : end + 1] in _AFTER_KILO
    return (
        words[0] in _BASES or text[:start].endswith(_SOME) or text.startswith(_SOME, end) or is_unit
    )


def _with_ordinals(text: str, language: Language) -> str:
    """Write 第三 as 第3 and 七月 as 7月; 第一 is also "most of all", 第二天 the next day."""
    pattern = _ordinal(language)
    if pattern is None or ("第" not in text and "月" not in text):
        return text
    return pattern.sub(lambda match: number_at_start(match[0], language) or match[0], text)


@lru_cache(maxsize=64)
def _ordinal(language: Language) -> re.Pattern[str] | None:
    if language.script != "Han" or not language.number_words:
        return None
    words = "".join(word for each in language.number_words[2:] for word in each.split())
    signs = _signs(language)
    third = rf"(?<=第)[{words}](?![天年日次手幕人{signs}])"
    return re.compile(rf"{third}|(?<![{signs}])[{words}](?=月(?!花))")


@lru_cache(maxsize=64)
def _quick(language: Language) -> re.Pattern[str] | None:
    if language.script not in _COUNTED or not language.number_words:
        return None
    if language.is_spaced:
        words = "|".join(words_of(language))
        return re.compile(rf"\b(?:{words})[ -](?:{words}|and)\b", re.IGNORECASE)
    marks = "".join(word[0] for word, _sign in language.share_words)
    signs = _signs(language)
    return re.compile(
        rf"[{signs}][{signs}分月{marks}{language.point_word}]|\d[{marks}]|第[{signs}]"
    )


@lru_cache(maxsize=64)
def _shares(language: Language) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((_counted(word, language), sign) for word, sign in language.share_words)


@lru_cache(maxsize=64)
def _quick_share(language: Language) -> re.Pattern[str]:
    return re.compile("|".join(word[0] for word, _sign in language.share_words) or r"(?!)")


@lru_cache(maxsize=64)
def _multiples(language: Language) -> tuple[tuple[str, re.Pattern[str], int], ...]:
    """Return the first sign of each word that multiplies, what finds it with its number, and its factor."""
    words = language.multiple_words
    return tuple((word[0], _counted(word, language), factor) for word, factor in words)


def _counted(word: str, language: Language) -> re.Pattern[str]:
    signs = _signs(language)
    return re.compile(rf"(?<![\d.第波{signs}])({_DIGITS}|[{signs}]{{1,2}}){word}")


@lru_cache(maxsize=64)
def _decimal(language: Language, end: str, whole: str = "") -> re.Pattern[str] | None:
    if not language.point_word:
        return None
    digits = "".join(word for each in language.number_words[:_TENTHS] for word in each.split())
    whole = whole or f"[{_signs(language)}]{{1,6}}"
    return re.compile(rf"({whole}){language.point_word}([{digits}]{{1,6}})(?![十刻分]){end}")


@lru_cache(maxsize=64)
def _signs(language: Language) -> str:
    """Return the number words of one character as the inside of a class."""
    return "".join(word for word in words_of(language) if len(word) == 1)
