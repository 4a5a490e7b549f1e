"""Amounts with a unit or a currency, in symbols or words, and what differs in two texts with one number."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from annotation.checks.catalogue.digits import RAISED, SIGNS_ON_THE_LINE
from annotation.checks.catalogue.signs import NUMBER, N, Sides
from languages.base import Language

_RAISED_SIGN: Final = re.compile(f"[{RAISED}]")
_PREFIXED: Final = "m|g|s|L|l|Pa|Hz|W|V|A|J|N|mol|cal|eV|Wh|bar|Ω|B|b|t"
_UNIT: Final = (
    rf"(?:[kKMGTmcdnμuh]?(?:{_PREFIXED})|℃|℉|°[C\u0421]|°F|°|K|min|h|ha|rpm|dB|ppm|cc)"
    rf"(?:[2-3]|\^[2-3])?(?:/(?:[kmcdμ]?(?:m|g|s|L|l|mol)|h|min|d)(?:[2-3]|\^[2-3])?)?"
)
_WITH_UNIT: Final = re.compile(rf"({N})\s?({_UNIT})(?![A-Za-zА-Яа-я0-9/])")
_BESIDE_UNIT: Final = re.compile(
    r"\d(?:[\s་]?[^\W\d_]|\s?[℃℉°]|(?<=[\u0f40-\u0fbc].)|(?<=[\u0f40-\u0fbc]་.))"
)
_SIGNS_OF_MONEY: Final = "[＄¥￥€£￡₭₮₩₽₹]"
_CODES_OF_MONEY: Final = "USD|CNY|RMB|EUR|GBP|JPY|LAK|MNT"
_MONEY_FIRST: Final = re.compile(rf"({'|'.join(_SIGNS_OF_MONEY[1:-1])}|{_CODES_OF_MONEY})\s?({N})")
_MONEY_LAST: Final = re.compile(rf"({N})(\s?{_SIGNS_OF_MONEY}(?!\s?\d)|\s?(?:{_CODES_OF_MONEY}))")
_CURRENCIES: Final = {
    **dict.fromkeys(("￥", "CNY", "RMB", "JPY"), "¥"),
    "USD": "＄",
    "￡": "£",
    "GBP": "£",
    "EUR": "€",
    "LAK": "₭",
    "MNT": "₮",
}
_SHOWN_CURRENCY: Final = {"＄": "$"}
# Mongolian is often typed with the Cyrillic letter.
_SAME_UNIT: Final = {"°C": "℃", "°\u0421": "℃", "°F": "℉", "cc": "mL"}
_LONGEST_UNIT: Final = 24
_SCALE: Final = "[千万亿萬億]{0,2}"
# Endings of cases follow a long word of Mongolian; a short one may begin any word.
_UNIT_ENDS: Final = {"space": r"(?:(?<=\w{4})\w{0,5})?(?!\w)", "tsheg": r"(?![\u0f40-\u0fbc]|་?རེ)"}


_Amount = tuple[str, str, str]
"""A number, its unit or currency, and both as they are shown."""


def units(sides: Sides) -> Iterator[str]:
    """Yield 5 m where the other side has 5 with another unit, and 5 m nowhere."""
    own = _measured(sides.text, sides.language)
    if not own:
        return
    known = _measured(sides.other, sides.other_language)
    for number, unit, shown in own:
        others = {other for value, other, _shown in known if value == number}
        if others and unit not in others and not _is_rate(unit, others, sides):
            yield shown


def _is_rate(unit: str, others: set[str], sides: Sides) -> bool:
    """Return whether one side says 5 m/s and the other 5 m and elsewhere "each second"."""
    top, _stroke, below = unit.partition("/")
    if below:
        return top in others and _names(below, sides.other, sides.other_language)
    rates = (other.partition("/") for other in others)
    return any(
        first == unit and _names(last, sides.text, sides.language) for first, _stroke, last in rates
    )


def _names(symbol: str, text: str, language: Language) -> bool:
    return any(known == symbol and word in text for word, known in language.unit_words)


def _otherwise(own: list[_Amount], known: list[_Amount]) -> Iterator[str]:
    """Yield the amounts whose number stands with another unit on the other side only."""
    for number, unit, shown in own:
        units = {other for value, other, _shown in known if value == number}
        if units and unit not in units:
            yield shown


def names_units(text: str, language: Language) -> bool:
    """Return whether a number with a unit or currency in words is there, by a quick look."""
    pattern = _before_name(language)
    return bool(pattern and pattern.search(text))


def currencies(sides: Sides) -> Iterator[str]:
    """Yield $5 where the other side has 5 in another currency."""
    own = _paid(sides.text, sides.language)
    if own:
        yield from _otherwise(own, _paid(sides.other, sides.other_language))


@lru_cache(maxsize=8)
def _paid(text: str, language: Language) -> list[_Amount]:
    found = [(n, sign) for sign, n in _MONEY_FIRST.findall(text)]
    found += _MONEY_LAST.findall(text)
    pattern = _before_currency(language)
    if pattern:
        signs = dict(language.currency_words)
        found += [(number, signs[word]) for number, word in pattern.findall(text)]
    plain = [(number, _CURRENCIES.get(sign.strip(), sign)) for number, sign in found]
    return [(number, sign, f"{_SHOWN_CURRENCY.get(sign, sign)}{number}") for number, sign in plain]


@lru_cache(maxsize=8)
def _measured(text: str, language: Language) -> list[_Amount]:
    if not _BESIDE_UNIT.search(text):
        return []
    plain = text.translate(SIGNS_ON_THE_LINE) if _RAISED_SIGN.search(text) else text
    found = [
        (number, _unit(unit), f"{number} {unit}") for number, unit in _WITH_UNIT.findall(plain)
    ]
    found += _measured_in_words(plain, language)
    if any(unit == "℃" for _n, unit, _shown in found):  # 20°–30℃: the degrees are of one kind
        return [each for each in found if each[1] != "°"]
    return found


def _measured_in_words(text: str, language: Language) -> Iterator[_Amount]:
    symbols = _symbols(language)
    pattern = _before_unit(language)
    for number, word in pattern.findall(text) if pattern else ():
        yield number, _unit(symbols[word]), f"{number} {word}"
    for word, number in _units_first(text, language):
        yield number, _unit(symbols[word]), f"{word} {number}"


def _units_first(text: str, language: Language) -> Iterator[tuple[str, str]]:
    """Yield each unit that stands before its number, as Tibetan has it, and the number."""
    pattern = _last_unit(language)
    if pattern is None:
        return
    for match in NUMBER.finditer(text):
        unit = pattern.search(text, max(0, match.start() - _LONGEST_UNIT), match.start())
        if unit:
            yield unit[1], match[0]


@lru_cache(maxsize=64)
def _last_unit(language: Language) -> re.Pattern[str] | None:
    if language.segmentation != "tsheg" or not language.unit_words:
        return None
    return re.compile(rf"(?<![\u0f40-\u0fbc])({_either(language.unit_words)})[་ ]{{0,2}}\Z")


def _unit(symbol: str) -> str:
    plain = symbol.replace("^", "").replace("l", "L") if symbol != "mol" else symbol
    return _SAME_UNIT.get(plain, plain)


@lru_cache(maxsize=64)
def _symbols(language: Language) -> dict[str, str]:
    return dict(language.unit_words)


@lru_cache(maxsize=64)
def _before_unit(language: Language) -> re.Pattern[str] | None:
    end = _UNIT_ENDS.get(language.segmentation, "")
    return _before(language.unit_words, "་?" if end else "", end)


@lru_cache(maxsize=64)
def _before_currency(language: Language) -> re.Pattern[str] | None:
    return _before(language.currency_words, _SCALE)


@lru_cache(maxsize=64)
def _before_name(language: Language) -> re.Pattern[str] | None:
    return _before((*language.unit_words, *language.currency_words), _SCALE)


def _before(
    known: tuple[tuple[str, str], ...], between: str, end: str = ""
) -> re.Pattern[str] | None:
    """Return what finds a number with one of the words behind it; None without words."""
    return re.compile(rf"({N})\s?{between}({_either(known)}){end}") if known else None


def _either(known: tuple[tuple[str, str], ...]) -> str:
    return "|".join(map(re.escape, sorted(dict(known), key=len, reverse=True)))
