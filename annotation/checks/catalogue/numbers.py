"""The numbers of a text, in one spelling and in the other ways in which they can be read."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from annotation.checks.catalogue.digits import (
    ASCII_DIGITS,
    RAISED,
    RAISED_DIGITS,
    SIGNS_ON_THE_LINE,
)
from languages.base import Language
from languages.spoken_numbers import spoken_numbers

APART: Final = "\x00"
"""Stands between the fields of a text; in no text itself, since no database takes it."""
_DIGIT: Final = r"[\d\u2080-\u2089]"
_BESIDE: Final = r"(?:[%‰/~^–-]|:(?=\s?\d)| ?[A-Za-z°℃μ]{1,20})?"
_VULGAR: Final = r"[¼-¾⅐-⅞༪-༳]"
# ① and its kin: numbers in a circle or in brackets, or with a full stop.
_ENCLOSED_SIGNS: Final = {
    chr(code): str(int(unicodedata.numeric(chr(code))))
    for first, last in ((0x2460, 0x249B), (0x24EA, 0x24FF), (0x2776, 0x2793), (0x3220, 0x3229),
                        (0x3251, 0x325F), (0x3280, 0x3289), (0x32B1, 0x32BF))
    for code in range(first, last + 1)
}  # fmt: skip
_ENCLOSED: Final = f"[{''.join(_ENCLOSED_SIGNS)}]"
_SPACE: Final = r"[ \u00a0\u2007\u2009\u202f'’]"
_AFTER_FIRST_DIGIT: Final = (
    rf"(?:{_DIGIT}{{0,2}}(?:[,٬]{_DIGIT}{{3}})+(?!{_DIGIT})|{_DIGIT}*)(?:[.٫]{_DIGIT}+)*"
)
# Each pattern begins with one class, so that the engine leaps to where it can match at all.
_NUMBER: Final = re.compile(
    rf"[{_DIGIT[1:-1]}{RAISED}^*{_ENCLOSED[1:-1]}]"
    rf"(?:(?<={_DIGIT}){_AFTER_FIRST_DIGIT}|(?<=[{RAISED}])(?<![ⁿˣ{RAISED}][{RAISED}])[{RAISED}]*"
    rf"|(?:(?<=\^)|(?<=\*)\*)\{{?[-−]?\d+\}}?|(?<={_ENCLOSED}))"
)
# Numbers with the signs and Latin letters beside them, in which most translations follow the source.
_SIGNATURE: Final = re.compile(
    rf"[{APART}€£￡¥￥₭₮<>≤≥＜＞≠≈±∓×÷√πⁿ^*¼-¾⅐-⅞༪-༳−–－{RAISED}{_DIGIT[1:-1]}{_ENCLOSED[1:-1]}-]"
    rf"(?:(?<={_DIGIT}){_AFTER_FIRST_DIGIT}{_BESIDE}"
    rf"|(?<=[-−–－])(?:{_DIGIT}{_AFTER_FIRST_DIGIT}{_BESIDE}|(?![\u0400-\u04ff]))"
    rf"|(?<=[{RAISED}^*])[{RAISED}]*|(?<=[{APART}€£￡¥￥₭₮<>≤≥＜＞≠≈±∓×÷√πⁿ¼-¾⅐-⅞༪-༳{_ENCLOSED[1:-1]}]))"
)
_ANY_DIGIT: Final = re.compile(rf"{_DIGIT}|[{RAISED}]|{_ENCLOSED}")
_SPACED: Final = re.compile(
    rf"(?<!{_DIGIT})(?<!{_DIGIT}[.,]){_DIGIT}{{1,3}}(?:{_SPACE}{_DIGIT}{{3}})+(?![.,]?{_DIGIT})"
)
_POINTED: Final = re.compile(rf"{_DIGIT}{{1,3}}(?:\.{_DIGIT}{{3}})+")
_SPACED_SIGN: Final = re.compile(rf"{_DIGIT}{_SPACE}{_DIGIT}{{3}}")
_FORMULA: Final = re.compile(r"\$([^$\n]{1,2000})\$")
_TERM_WITH_DIGIT: Final = re.compile(
    r"[A-Za-z](?<![A-Za-z][A-Za-z])[A-Za-z]*[0-9₀-₉][A-Za-z0-9₀-₉]*"
)
_ROMAN: Final = re.compile(r"(?<![A-Za-z])(?=[IVX])(X{0,3})(IX|IV|V?I{0,3})(?![A-Za-z])")
_ROMAN_SIGN: Final = re.compile(r"[IVX]")
_ROMAN_ENDS: Final = {
    "": 0, "I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9,
}  # fmt: skip
# Letters that scanned sources have for digits: l972 for 1972, O≤P for 0≤P.
_SCANNED_ONE: Final = re.compile(r"(?<![A-Za-z])[lI](?=\d)")
_SCANNED_ZERO: Final = re.compile(r"(?<![A-Za-z])O(?![A-Za-z])")
# A term with capitals or a unit of area or volume, whose exponent is often written on the line.
_RAISED_TERM: Final = re.compile(
    rf"(?<![A-Za-z])([A-Z][A-Za-z0-9₀-₉]{{0,12}}|[kcdm]?m)([{RAISED}]+)"
)
_RAISED_SIGN: Final = re.compile(f"[{RAISED}]")
# A unit of area or volume in Cyrillic letters: m2 and m3 are told among the units.
_RAISED_UNIT: Final = re.compile(r"[ксдм](?<=[\d ][ксдм])(?:(?<=м)|(?<!м)м)[23](?![\d\w])")
_ON_THE_LINE: Final = SIGNS_ON_THE_LINE | {ord("−"): "-"}
_UP: Final = str.maketrans("0123456789-−", f"{RAISED_DIGITS}⁻⁻")
_VULGAR_SIGN: Final = re.compile(_VULGAR)
_DECIMAL_COMMA: Final = re.compile(
    rf"{_DIGIT}(?<![\d.,]{_DIGIT}){_DIGIT}*,{_DIGIT}+(?![\d.,]*,?{_DIGIT})"
)
_ASCII_DIGITS: Final = ASCII_DIGITS | {ord("٫"): ".", ord("٬"): ","}
_KILO: Final = re.compile("千[米克瓦帕伏赫焦卡字]")
_HALF_DIGITS: Final = "༳༪༫༬༭༮༯༰༱༲"
_MOST_LOOKED_AT: Final = 50
_LAST_WORD: Final = 10
_UNIT: Final = 14
_LONGEST_WORD: Final = 15


class _Token(NamedTuple):
    """A number as it is shown, and the sets of numbers any of which it can be read as."""

    shown: str
    readings: tuple[frozenset[str], ...]


@dataclass(frozen=True)
class _Side:
    """A text in its language; its numbers are read once, for both directions of a comparison."""

    text: str
    language: Language

    @cached_property
    def plain(self) -> str:
        """The text with its formulas as words."""
        return self.text.replace("$", " ")

    @cached_property
    def tokens(self) -> list[_Token]:
        return _tokens(self.plain, self.language)


def has_digit(text: str) -> bool:
    """Return whether a digit of any script is there."""
    return _ANY_DIGIT.search(text) is not None


def numbers(text: str) -> list[str]:
    """Return the numbers outside formulas in one spelling: ASCII digits, no idle zeros."""
    return list(map(_plain, _NUMBER.findall(_joined(without_formulas(text)))))


def places_of(text: str, wanted: Collection[str]) -> list[tuple[int, int]]:
    """Return where the wanted numbers stand outside formulas; those are in one spelling."""
    plain = _FORMULA.sub(lambda match: " " * len(match[0]), text) if "$" in text else text
    return [m.span() for m in _NUMBER.finditer(plain) if _plain(m[0]) in wanted]


def _joined(text: str) -> str:
    """Close the spaces of 1 000 000, which can be no list: a group begins with 0."""
    return _SPACED.sub(_unless_list, text) if _SPACED_SIGN.search(text) else text


def _unless_list(match: re.Match[str]) -> str:
    groups = _NUMBER.findall(match[0])
    is_one = any(unicodedata.digit(group[0]) == 0 for group in groups[1:])
    return "".join(groups) if is_one else match[0]


def has_same_numbers(source: str, target: str) -> bool:
    """Return whether two texts of fields parted by APART have the same numbers in each field.

    That is so for most texts and quick to see; False says nothing where there are formulas.
    """
    if "$" in source or "$" in target:
        return False
    return source == target or _SIGNATURE.findall(source) == _SIGNATURE.findall(target)


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
    wanted, found = numbers(source), numbers(target)
    if wanted == found:
        return [], []
    own, other = _Side(source, source_language), _Side(target, target_language)
    lost, new = _beyond(wanted, found), _beyond(found, wanted)
    return _missing(lost, own, other), _missing(new, other, own)


def _beyond(numbers: Sequence[str], others: Sequence[str]) -> set[str]:
    return set(numbers).difference(others)


def recounted(
    source: str, target: str, source_language: Language, target_language: Language
) -> tuple[list[str], list[str]]:
    """Return the numbers that one side tells less often than the other, where both hold the same.

    3, 3, 5 and 3, 5, 5: one has become the other. Where that is not so, a number up to ten may be
    told in words the second time.
    """
    wanted, found = Counter(numbers(source)), Counter(numbers(target))
    if wanted.keys() != found.keys():
        return [], []
    lost, new = sorted(wanted - found), sorted(found - wanted)
    if wanted.total() != found.total():
        lost = [number for number in lost if not _may_be_told(number, target, target_language)]
        new = [number for number in new if not _may_be_told(number, source, source_language)]
    return lost, new


def _may_be_told(number: str, text: str, language: Language) -> bool:
    return "±" in text or (len(number) < len("10") and _in_words(number, text, language))


def _missing(lost: set[str], side: _Side, other: _Side) -> list[str]:
    """Return those of the lost numbers of a text that the other side holds in no other way."""
    few = sorted(lost)[:_MOST_LOOKED_AT]
    if len(few) == len(lost) and all(_in_words(each, other.text, other.language) for each in few):
        return []
    without_units = _RAISED_UNIT.sub(" ", without_formulas(side.text))
    own = _without_terms(_without_lowered(without_units, other.text))
    tokens = side.tokens if own == side.plain else _tokens(own, side.language)
    known = _all_readings(other) | _lowered(side.text, other.text)
    missing = {token.shown: token for token in tokens if not _is_known(token, known)}
    return [
        shown
        for shown in sorted(missing)[:_MOST_LOOKED_AT]
        if not any(_in_words(each, other.text, other.language) for each in _single(missing[shown]))
    ]


def _lowered(text: str, other: str) -> set[str]:
    """Return the exponents of terms and units that the other side has in plain digits: m2, SO42-."""
    terms = list(_RAISED_TERM.finditer(text)) if _RAISED_SIGN.search(text) else []
    plain = other.translate(_ON_THE_LINE) if terms else ""
    return {_plain(match[2]) for match in terms if match[0].translate(_ON_THE_LINE) in plain}


def _without_lowered(text: str, other: str) -> str:
    """Take out terms and units that the other side has with raised digits."""
    for match in _RAISED_TERM.finditer(other) if _RAISED_SIGN.search(other) else ():
        text = text.replace(match[0].translate(_ON_THE_LINE), " ")
    return text


def held_otherwise(text: str, other: str, language: Language, other_language: Language) -> set[str]:
    """Return the numbers of a text that the other side has in some form.

    That is with other digits, in a formula or term, multiplied by a unit, as a Roman numeral or in
    words, as `spoken_numbers` reads them.
    """
    known = _all_readings(_Side(other, other_language))
    tokens = _tokens(without_formulas(text), language)
    held = {n for each in tokens if _is_known(each, known) for r in each.readings for n in r}
    whole = {n for n in numbers(text) if n.isdecimal()}
    return held | {n for n in whole if _in_words(n, other, other_language)}


def _is_known(token: _Token, known: set[str]) -> bool:
    return any(reading <= known for reading in token.readings)


def _single(token: _Token) -> list[str]:
    return [next(iter(reading)) for reading in token.readings if len(reading) == 1]


def _all_readings(side: _Side) -> set[str]:
    """Return every number that a text can be read to hold, those in formulas and terms too."""
    plain = side.plain
    found = {number for token in side.tokens for r in token.readings for number in r}
    found |= set(_roman(plain)) | _scanned(plain)
    if "," in plain or _SPACED_SIGN.search(plain):  # else the tokens are all numbers
        found |= set(numbers(plain))
    commas = _DECIMAL_COMMA.findall(plain) if "," in plain else []
    decimal = (each for each in commas if _can_be_decimal(each, side.language))
    return found | {_plain(each.replace(",", ".")) for each in decimal}


def _scanned(text: str) -> set[str]:
    if "O" not in text and "l" not in text and "I" not in text:
        return set()
    return set(numbers(_SCANNED_ZERO.sub("0", _SCANNED_ONE.sub("1", text))))


def _tokens(text: str, language: Language) -> list[_Token]:
    vulgar = [_vulgar_token(sign) for sign in _VULGAR_SIGN.findall(text)]
    if not has_digit(text):
        return vulgar
    rest, spaced = _apart(_SPACED, text) if _SPACED_SIGN.search(text) else (text, [])
    rest, decimals = _apart(_DECIMAL_COMMA, rest) if "," in rest else (rest, [])
    return [
        *vulgar,
        *map(_spaced_token, spaced),
        *(_comma_token(each, language) for each in decimals),
        *_plain_tokens(rest, language),
    ]


def _apart(pattern: re.Pattern[str], text: str) -> tuple[str, list[str]]:
    """Return a text with spaces in the place of what matches, and the matches."""
    return pattern.sub(lambda match: " " * len(match[0]), text), pattern.findall(text)


def _can_be_decimal(text: str, language: Language) -> bool:
    """Return whether the comma may be a decimal one: 1,000 is a thousand, but for some languages."""
    first, last = text.split(",")
    is_thousand = len(last) == len("000") and len(first) <= len("000")
    return not is_thousand or language.has_decimal_comma or unicodedata.digit(first[0]) == 0


def _comma_token(text: str, language: Language) -> _Token:
    """Read 3,14 as a decimal, and as two numbers in a list; 1,000 as a thousand."""
    parts = text.split(",")
    decimal = _plain(".".join(parts))
    if len(parts[1]) == len("000") and len(parts[0]) <= len("000"):
        whole = _plain(text)
        readings = [frozenset({whole})]
        if _can_be_decimal(text, language):
            readings.append(frozenset({decimal}))
        return _Token(whole, tuple(readings))
    return _Token(decimal, (frozenset({decimal}), frozenset(map(_plain, parts))))


def _vulgar_token(sign: str) -> _Token:
    """Read ½ as 1 and 2 or as 0.5, and ༪ as half less or half more, since both are in use."""
    if sign in _HALF_DIGITS:
        whole = _HALF_DIGITS.index(sign)
        readings = [frozenset({_plain(str(whole + half))}) for half in (0.5, -0.5) if whole]
        return _Token(sign, tuple(readings) or (frozenset({"0.5"}),))
    above, _bar, below = unicodedata.normalize("NFKC", sign).partition("⁄")
    decimal = f"{unicodedata.numeric(sign):.6g}"
    return _Token(f"{above}/{below}", (frozenset({above, below}), frozenset({decimal})))


def _spaced_token(text: str) -> _Token:
    parts = _NUMBER.findall(text)
    whole = _plain("".join(parts))
    if len(_NUMBER.findall(_joined(text))) == 1:
        return _Token(whole, (frozenset({whole}),))
    return _Token(whole, (frozenset({whole}), frozenset(map(_plain, parts))))


def _plain_tokens(text: str, language: Language) -> Iterator[_Token]:
    for match in _NUMBER.finditer(text):
        number = _plain(match[0])
        readings = [frozenset({number})]
        if "." not in number and match.start() and text[match.start() - 1] in "lI":
            readings.append(frozenset({_plain(f"1{match[0]}")}))
        if language.has_decimal_comma and _POINTED.fullmatch(match[0]):
            readings.append(frozenset({_plain(match[0].replace(".", ""))}))
        factor = factor_beside(text, match.start(), match.end(), language)
        if factor:
            readings.append(frozenset({multiplied(number, factor)}))
        yield _Token(number, tuple(readings))


def factor_beside(text: str, start: int, end: int, language: Language) -> int:
    """Return what the unit beside a number multiplies it by, 0 without one; 3千米 is 3 km."""
    before, after = (
        text[max(0, start - _UNIT) : start].rstrip(" ་"),
        text[end : end + _UNIT].lstrip(" ་"),
    )
    units = _number_units(language)
    if not (after.startswith(units) or before.endswith(units)) or _KILO.match(after):
        return 0
    for unit, factor in language.number_units:
        if after.startswith(unit) or (language.segmentation == "tsheg" and before.endswith(unit)):
            return factor
    return 0


@lru_cache(maxsize=64)
def _number_units(language: Language) -> tuple[str, ...]:
    return tuple(unit for unit, _factor in language.number_units)


def multiplied(number: str, factor: int) -> str:
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
    """Return whether a text holds a number in words; of one up to ten, a part of a word is enough."""
    if number[0] in RAISED:
        return any(word in text.lower() for word in language.power_words)
    if number.isdecimal():
        value = int(number) if len(number) <= _LONGEST_WORD else -1
        is_small = 0 <= value <= _LAST_WORD and bool(language.number_words)
        words = language.number_words[value].split() if is_small else []
        lowered = text.lower() if words else ""
        return any(word in lowered for word in words) or value in spoken_numbers(text, language)
    return number.endswith(".5") and any(word in text for word in language.half_words)


def _plain(number: str) -> str:
    if number[0] in RAISED or number[0] in "^*":
        return number.strip("^*{}").translate(_ASCII_DIGITS).translate(_UP)
    if number in _ENCLOSED_SIGNS:
        return _ENCLOSED_SIGNS[number]
    if number.isascii() and number.isdigit() and number[0] != "0":
        return number
    if not number.isascii():
        number = number.translate(_ASCII_DIGITS)
    if "," in number:
        number = number.replace(",", "")
    whole, point, rest = number.partition(".")
    if point and "." not in rest:
        rest = rest.rstrip("0")
    whole = whole.lstrip("0") or "0"
    return f"{whole}.{rest}" if rest else whole
