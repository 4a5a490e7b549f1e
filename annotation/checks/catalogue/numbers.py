"""The numbers of a text, in one spelling and in the other ways in which they can be read."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from languages import Language

APART: Final = "\x00"
"""Stands between the fields of a text; in no text itself, since no database takes it."""
_DIGIT: Final = r"[\d\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]"
_SPACE: Final = r"[ \u00a0\u2007\u2009\u202f'’]"
_AFTER_FIRST_DIGIT: Final = (
    rf"(?:{_DIGIT}{{0,2}}(?:[,٬]{_DIGIT}{{3}})+(?!{_DIGIT})|{_DIGIT}*)(?:[.٫]{_DIGIT}+)*"
)
# A plain class comes first, so that the engine leaps from digit to digit.
_NUMBER: Final = re.compile(rf"{_DIGIT}{_AFTER_FIRST_DIGIT}")
_NUMBER_OR_END: Final = re.compile(
    rf"[{APART}{_DIGIT[1:]}(?:(?<={APART})|(?<!{APART}){_AFTER_FIRST_DIGIT})"
)
_ANY_DIGIT: Final = re.compile(_DIGIT)
_SPACED: Final = re.compile(
    rf"(?<!{_DIGIT})(?<!{_DIGIT}[.,]){_DIGIT}{{1,3}}(?:{_SPACE}{_DIGIT}{{3}})+(?![.,]?{_DIGIT})"
)
_SPACED_SIGN: Final = re.compile(rf"{_DIGIT}{_SPACE}{_DIGIT}{{3}}")
_FORMULA: Final = re.compile(r"\$([^$\n]{1,2000})\$")
_TERM_WITH_DIGIT: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*[0-9][A-Za-z0-9]*")
_ROMAN: Final = re.compile(r"(?<![A-Za-z])(?=[IVX])(X{0,3})(IX|IV|V?I{0,3})(?![A-Za-z])")
_ROMAN_SIGN: Final = re.compile(r"[IVX]")
_ROMAN_ENDS: Final = {
    "": 0, "I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9,
}  # fmt: skip
# Letters that scanned sources have for digits: l972 for 1972, O≤P for 0≤P.
_SCANNED_ONE: Final = re.compile(r"(?<![A-Za-z])[lI](?=\d)")
_SCANNED_ZERO: Final = re.compile(r"(?<![A-Za-z])O(?![A-Za-z])")
_MOST_LOOKED_AT: Final = 50
_LAST_WORD: Final = 10


@dataclass(frozen=True, slots=True)
class _Token:
    """A number as it is shown, and the sets of numbers any of which it can be read as."""

    shown: str
    readings: tuple[frozenset[str], ...]


def has_digit(text: str) -> bool:
    """Return whether a digit of any script is there."""
    return _ANY_DIGIT.search(text) is not None


def numbers(text: str) -> list[str]:
    """Return the numbers outside formulas in one spelling: ASCII digits, no idle zeros."""
    return list(map(_plain, _written(text)))


def _written(text: str) -> list[str]:
    """Return the numbers outside formulas as they are written."""
    return _NUMBER.findall(without_formulas(text))


def places_of(text: str, wanted: Collection[str]) -> list[tuple[int, int]]:
    """Return where the wanted numbers stand outside formulas; those are in one spelling."""
    plain = _FORMULA.sub(lambda match: " " * len(match[0]), text) if "$" in text else text
    return [m.span() for m in _NUMBER.finditer(plain) if _plain(m[0]) in wanted]


def has_same_numbers(source: str, target: str) -> bool:
    """Return whether two texts of fields parted by APART have the same numbers in each field.

    That is so for most texts and quick to see; False says nothing where there are formulas.
    """
    if "$" in source or "$" in target:
        return False
    return _NUMBER_OR_END.findall(source) == _NUMBER_OR_END.findall(target)


def without_formulas(text: str) -> str:
    """Return the text with every LaTeX formula replaced by a space."""
    return _FORMULA.sub(" ", text) if "$" in text else text


def unmatched(
    source: str, target: str, source_language: Language, target_language: Language
) -> tuple[list[str], list[str]]:
    """Return the numbers that the target lacks, and those that it has and the source has not.

    A number is matched if any way to read it is found on the other side: as digits of any script,
    in a formula, with any mark between thousands, multiplied by a unit as in 20万, as a Roman
    numeral, or in words. Digits in a Latin term such as NH3 belong to the term.
    """
    wanted, found = _written(source), _written(target)
    if wanted == found:
        return [], []
    wanted, found = list(map(_plain, wanted)), list(map(_plain, found))
    if wanted == found:
        return [], []
    lost, new = set(wanted).difference(found), set(found).difference(wanted)
    return (
        _missing(lost, source, target, source_language, target_language),
        _missing(new, target, source, target_language, source_language),
    )


def _missing(
    lost: set[str], text: str, other: str, language: Language, other_language: Language
) -> list[str]:
    """Return those of the lost numbers of a text that the other side holds in no other way."""
    few = sorted(lost)[:_MOST_LOOKED_AT]
    if len(few) == len(lost) and all(_in_words(each, other, other_language) for each in few):
        return []
    tokens = _tokens(_without_terms(without_formulas(text)), language)
    known = _all_readings(other, other_language)
    missing = {token.shown: token for token in tokens if not _is_known(token, known)}
    return [
        shown
        for shown in sorted(missing)[:_MOST_LOOKED_AT]
        if not any(_in_words(each, other, other_language) for each in _single(missing[shown]))
    ]


def held_otherwise(text: str, other: str, language: Language, other_language: Language) -> set[str]:
    """Return the numbers of a text that the other side has in some form.

    That is with other digits, in a formula or term, multiplied by a unit, as a Roman numeral or, up
    to ten, in words. Words for bigger numbers are not read, so they hold none of these.
    """
    known = _all_readings(other, other_language)
    tokens = _tokens(without_formulas(text), language)
    held = {n for each in tokens if _is_known(each, known) for r in each.readings for n in r}
    small = {n for n in numbers(text) if len(n) <= len(str(_LAST_WORD)) and n.isdecimal()}
    return held | {n for n in small if int(n) <= _LAST_WORD and _in_words(n, other, other_language)}


def _is_known(token: _Token, known: set[str]) -> bool:
    return any(reading <= known for reading in token.readings)


def _single(token: _Token) -> list[str]:
    return [next(iter(reading)) for reading in token.readings if len(reading) == 1]


def _all_readings(text: str, language: Language) -> set[str]:
    """Return every number that a text can be read to hold, those in formulas and terms too."""
    plain = text.replace("$", " ")
    found = {number for token in _tokens(plain, language) for r in token.readings for number in r}
    return found | set(numbers(plain)) | set(_roman(plain)) | _scanned(plain)


def _scanned(text: str) -> set[str]:
    if "O" not in text and "l" not in text and "I" not in text:
        return set()
    return set(numbers(_SCANNED_ZERO.sub("0", _SCANNED_ONE.sub("1", text))))


def _tokens(text: str, language: Language) -> list[_Token]:
    """Return the numbers of a text with all their readings, thousands parted by spaces as one."""
    if not has_digit(text):
        return []
    is_spaced = _SPACED_SIGN.search(text)
    spaced = [match.span() for match in _SPACED.finditer(text)] if is_spaced else []
    rest = text
    for start, end in spaced:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    return [
        *(_spaced_token(text[start:end]) for start, end in spaced),
        *_plain_tokens(rest, language),
    ]


def _spaced_token(text: str) -> _Token:
    parts = _NUMBER.findall(text)
    whole = _plain("".join(parts))
    return _Token(whole, (frozenset({whole}), frozenset(map(_plain, parts))))


def _plain_tokens(text: str, language: Language) -> Iterator[_Token]:
    for match in _NUMBER.finditer(text):
        number = _plain(match[0])
        readings = [frozenset({number})]
        if "." not in number and match.start() and text[match.start() - 1] in "lI":
            readings.append(frozenset({_plain(f"1{match[0]}")}))
        factor = _factor(text, match.start(), match.end(), language)
        if factor:
            readings.append(frozenset({_multiplied(number, factor)}))
        yield _Token(number, tuple(readings))


def _factor(text: str, start: int, end: int, language: Language) -> int:
    """Return what the unit beside a number multiplies it by, 0 without one."""
    before, after = text[max(0, start - 8) : start].rstrip(" ་"), text[end : end + 8].lstrip(" ་")
    for unit, factor in language.number_units:
        if after.startswith(unit) or (language.segmentation == "tsheg" and before.endswith(unit)):
            return factor
    return 0


def _multiplied(number: str, factor: int) -> str:
    try:
        return _plain(f"{Decimal(number) * factor:f}")
    except ArithmeticError:  # 1.2.3 is a section, not a number
        return number


def _roman(text: str) -> Iterator[str]:
    """Yield the Roman numerals, but for V and X alone, which are rather symbols."""
    if not _ROMAN_SIGN.search(text):
        return
    for match in _ROMAN.finditer(text):
        if match[0] not in "VX":
            yield str(10 * len(match[1]) + _ROMAN_ENDS[match[2]])


def _without_terms(text: str) -> str:
    """Take out Latin terms with two capitals and a digit, which are compared whole."""
    return _TERM_WITH_DIGIT.sub(_unless_term, text)


def _unless_term(match: re.Match[str]) -> str:
    return " " if sum(map(str.isupper, match[0])) > 1 else match[0]


def _in_words(number: str, text: str, language: Language) -> bool:
    """Return whether a text may hold a number in words (of big ones only the words are known)."""
    words = language.number_words
    if number.isdecimal() and len(number) < len("100") and int(number) <= _LAST_WORD:
        return bool(words) and any(word in text for word in words[int(number)].split())
    return any(word in text for word in language.big_numbers) or (
        language.script == "Han" and any(character in text for character in "一二三四五六七八九十")
    )


def _plain(number: str) -> str:
    if number.isascii() and number.isdigit() and number[0] != "0":
        return number
    if not number.isascii():
        number = "".join(map(_ascii, number))
    if "," in number:
        number = number.replace(",", "")
    whole, point, rest = number.partition(".")
    if point and "." not in rest:
        rest = rest.rstrip("0")
    whole = whole.lstrip("0") or "0"
    return f"{whole}.{rest}" if rest else whole


@lru_cache(maxsize=512)
def _ascii(character: str) -> str:
    if character in ".,":
        return character
    if character in "٫٬":
        return "." if character == "٫" else ","
    return str(unicodedata.digit(character))
