"""What stands beside the numbers of a text: signs, percent, units, and the order of two with a mark.

Each of these is told only where both sides have the number itself and differ in what is beside it.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from annotation.checks.catalogue import signs
from annotation.checks.catalogue.digits import ASCII_DIGITS
from annotation.checks.catalogue.signs import Sides
from languages.base import Language
from languages.fractions import with_fractions_in_digits

_MARKS: Final = {
    **dict.fromkeys(map(ord, "−–﹣－‒‐‑"), "-"),
    **dict(zip(map(ord, "％／⁄＜＞＝～∼〜：∶（）．٪؉＋µ"), "%//<>=~~~::().%‰+μ", strict=True)),
    ord("㎎"): "mg",
    ord("㎏"): "kg",
    ord("㎜"): "mm",
    ord("㎝"): "cm",
    ord("㎞"): "km",
    ord("㎡"): "m2",
    ord("㎥"): "m3",
    ord("㏄"): "cc",
}
_SIGNS: Final = ASCII_DIGITS | _MARKS
_SIGN: Final = re.compile(rf"[\d\u2080-\u2089{re.escape(''.join(map(chr, _MARKS)))}](?<![0-9])")
"""To replace what is there is quicker than `str.translate`, which looks up every character."""
_RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_RAISED_SIGN: Final = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]")
_VULGAR: Final = re.compile(r"[¼-¾⅐-⅞]")
_LATEX: Final = (
    (re.compile(r"\\[dt]?frac\{([^{}$]{1,40})\}\{([^{}$]{1,40})\}"), r"\1/\2"),
    (re.compile(r"\\(?:le|leq|leqslant)(?![a-z])"), "≤"),
    (re.compile(r"\\(?:ge|geq|geqslant)(?![a-z])"), "≥"),
    (re.compile(r"\\lt(?![a-z])"), "<"),
    (re.compile(r"\\gt(?![a-z])"), ">"),
    (re.compile(r"\\(?:circ|degree)(?![a-z])"), "°"),
    (re.compile(r"\^\{?°\}?"), "°"),
    (re.compile(r"\\(?:mathrm|text|rm|left|right|,|;|!)|[${}\\]"), ""),
)
_N: Final = signs.N
_PERCENT: Final = re.compile(rf"({_N})\s?([%‰])")
_PAIR: Final = re.compile(rf"({_N})(?=\s?([/:~-]|比|至|到)\s?({_N}))")
_KINDS: Final = {
    "/": "/",
    ":": ":",
    "比": ":",
    "~": "~",
    "-": "~",
    "至": "~",
    "到": "~",
}
_SHOWN: Final = {"/": "/", ":": ":", "~": "–"}
_OPERAND: Final = r"(?<![A-Za-z0-9.])-?[A-Za-z0-9.]{1,20}"
_RELATION_SIGN: Final = re.compile("[<>≤≥]")
_RELATION: Final = re.compile(rf"({_OPERAND})?\s?([<>≤≥]=?)(?=\s?({_OPERAND})?)")
_PREFIXED: Final = "m|g|s|L|l|Pa|Hz|W|V|A|J|N|mol|cal|eV|Wh|bar|Ω|B|b|t"
_UNIT: Final = (
    rf"(?:[kKMGTmcdnμuh]?(?:{_PREFIXED})|℃|℉|°[C\u0421]|°F|°|K|min|h|ha|rpm|dB|ppm|cc)"
    rf"(?:[2-3]|\^[2-3])?(?:/(?:[kmcdμ]?(?:m|g|s|L|l|mol)|h|min|d)(?:[2-3]|\^[2-3])?)?"
)
_WITH_UNIT: Final = re.compile(rf"({_N})\s?({_UNIT})(?![A-Za-zА-Яа-я0-9/])")
_BEFORE_UNIT: Final = re.compile(r"\d\s?[^\W\d_]|\d\s?[℃℉°]")
_SIGNS_OF_MONEY: Final = "[＄¥￥€£￡₭₮₩₽₹]"
_CODES_OF_MONEY: Final = "USD|CNY|RMB|EUR|GBP|JPY|LAK|MNT"
_MONEY_FIRST: Final = re.compile(rf"({_SIGNS_OF_MONEY}|(?:{_CODES_OF_MONEY}))\s?({_N})")
_MONEY_LAST: Final = re.compile(rf"({_N})(\s?{_SIGNS_OF_MONEY}(?!\s?\d)|\s?(?:{_CODES_OF_MONEY}))")
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
_DOLLAR: Final = re.compile(r"\$(?=\d[\d.,]{0,20}(?![\d.,]*\$))")
# Mongolian is often typed with the Cyrillic letter.
_SAME_UNIT: Final = {"°C": "℃", "°\u0421": "℃", "°F": "℉", "cc": "mL"}
_MOST: Final = 50


_Amount = tuple[str, str, str]
"""A number, its unit or currency, and both as they are shown."""


def changed(
    source: str, target: str, source_language: Language, target_language: Language
) -> tuple[list[str], list[str]]:
    """Return what the source has beside its numbers and the target has not, and the reverse.

    Formulas of one side count as known, but are compared elsewhere.
    """
    source = with_fractions_in_digits(with_dollars_marked(source), source_language)
    target = with_fractions_in_digits(with_dollars_marked(target), target_language)
    there = Sides(_bare(source), whole(target), source_language, target_language)
    back = Sides(_bare(target), whole(source), target_language, source_language)
    missing, added = _beyond(there), _beyond(back)
    return missing, added


def _beyond(sides: Sides) -> list[str]:
    found = [shown for rule in _RULES for shown in rule(sides)]
    return list(dict.fromkeys(found))[:_MOST]


def _bare(text: str) -> str:
    return _readable(re.sub(r"\$[^$\n]{1,2000}\$", " ", text) if "$" in text else text)


def with_dollars_marked(text: str) -> str:
    r"""Return a text with ＄ for each dollar, so that $ encloses formulas only.

    A $ is a dollar where it is written \$, or where each one in the text stands before a number and
    none behind it, as in "$5 to $10": not so in "$5$".
    """
    if "$" not in text:
        return text
    text = text.replace(r"\$", "＄")
    return text.replace("$", "＄") if text.count("$") == len(_DOLLAR.findall(text)) else text


def whole(text: str) -> str:
    """Return a text with its formulas in plain signs, and with ASCII digits and marks."""
    if "\\" in text or "$" in text:
        for pattern, plain in _LATEX:
            text = pattern.sub(plain, text)
    return _readable(text)


@lru_cache(maxsize=256)
def _readable(text: str) -> str:
    """Return a text with ASCII digits and signs, and fractions of one character in two numbers."""
    spread = _VULGAR.sub(lambda sign: f" {unicodedata.normalize('NFKC', sign[0])}", text)
    return _SIGN.sub(lambda sign: _SIGNS[ord(sign[0])], spread)


def _holds(words: tuple[str, ...], text: str) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in words)


def _percent(sides: Sides) -> Iterator[str]:
    """Yield 35% where the other side has 35 without any percent, and ‰ where it has %."""
    if "%" not in sides.text and "‰" not in sides.text:
        return
    known = {(number, sign) for number, sign in _PERCENT.findall(sides.other)}
    for number, sign in _PERCENT.findall(sides.text):
        language = sides.other_language
        words = language.percent_words if sign == "%" else language.per_mille_words
        other_sign = "‰" if sign == "%" else "%"
        if (number, sign) in known or not signs.has_number(number, sides.other):
            continue
        if (number, other_sign) in known or not (sign in sides.other or _holds(words, sides.other)):
            yield f"{number}{sign}"


def _order(sides: Sides) -> Iterator[str]:
    """Yield 3/4, 3:2 or 10–20 where the other side has the same numbers the other way round."""
    pairs = set(_pairs(sides.text))
    if not pairs:
        return
    known = set(_pairs(sides.other))
    there = {(first, last) for first, _kind, last in known}
    for first, kind, last in _pairs(sides.text):
        turned = (last, kind, first) in known and (last, kind, first) not in pairs
        if turned and (first, last) not in there:
            yield f"{first}{_SHOWN[kind]}{last}"


def _pairs(text: str) -> Iterator[tuple[str, str, str]]:
    for match in _PAIR.finditer(text):
        first, sign, last = match.groups()
        if first != last:
            yield first, _KINDS[sign], last


def _relations(sides: Sides) -> Iterator[str]:
    """Yield x<5 where the other side has 5<x, or x≤5 instead."""
    if not _RELATION_SIGN.search(sides.text) or not _RELATION_SIGN.search(sides.other):
        return
    own, known = set(_compared(sides.text)), set(_compared(sides.other))
    for small, sign, large in _compared(sides.text):
        if (small, sign, large) in known:
            continue
        strict = "≤" if sign == "<" else "<"
        others = {(large, "<", small), (large, "≤", small), (small, strict, large)}
        if others & known - own:
            yield f"{small or '…'}{sign}{large or '…'}"


def _compared(text: str) -> Iterator[tuple[str, str, str]]:
    for match in _RELATION.finditer(text):
        left, sign, right = match[1] or "", match[2], match[3] or ""
        is_strict = sign in "<>"
        if left or right:
            ends = (left, right) if sign[0] in "<≤" else (right, left)
            yield ends[0], "<" if is_strict else "≤", ends[1]


def _units(sides: Sides) -> Iterator[str]:
    """Yield 5 m where the other side has 5 with another unit, and 5 m nowhere."""
    own = _measured(sides.text, sides.language)
    if not own:
        return
    yield from _otherwise(own, _measured(sides.other, sides.other_language))


def _otherwise(own: list[_Amount], known: list[_Amount]) -> Iterator[str]:
    """Yield the amounts whose number stands with another unit on the other side only."""
    for number, unit, shown in own:
        units = {other for value, other, _shown in known if value == number}
        if units and unit not in units:
            yield shown


def names_units(text: str, language: Language) -> bool:
    """Return whether a number with a unit or currency in words is there, by a quick look."""
    known = (*language.unit_words, *language.currency_words)
    pattern = _word_pattern(known, "[千万亿萬億]{0,2}", "")
    return bool(pattern and pattern.search(text))


def _currencies(sides: Sides) -> Iterator[str]:
    """Yield $5 where the other side has 5 in another currency."""
    own = _paid(sides.text, sides.language)
    if own:
        yield from _otherwise(own, _paid(sides.other, sides.other_language))


def _paid(text: str, language: Language) -> list[_Amount]:
    found = [(n, sign) for sign, n in _MONEY_FIRST.findall(text)]
    found += _MONEY_LAST.findall(text)
    pattern = _word_pattern(language.currency_words, "[千万亿萬億]{0,2}", "")
    if pattern:
        signs = dict(language.currency_words)
        found += [(number, signs[word]) for number, word in pattern.findall(text)]
    plain = [(number, _CURRENCIES.get(sign.strip(), sign)) for number, sign in found]
    return [(number, sign, f"{_SHOWN_CURRENCY.get(sign, sign)}{number}") for number, sign in plain]


def _measured(text: str, language: Language) -> list[_Amount]:
    if not _BEFORE_UNIT.search(text):
        return []
    plain = text.translate(_RAISED) if _RAISED_SIGN.search(text) else text
    found = [
        (number, _unit(unit), f"{number} {unit}") for number, unit in _WITH_UNIT.findall(plain)
    ]
    pattern = _word_pattern(language.unit_words, "", r"(?!\w)" if language.is_spaced else "")
    if pattern:
        symbols = dict(language.unit_words)
        found += [(n, _unit(symbols[w]), f"{n} {w}") for n, w in pattern.findall(plain)]
    if any(unit == "℃" for _n, unit, _shown in found):  # 20°–30℃: the degrees are of one kind
        return [each for each in found if each[1] != "°"]
    return found


def _unit(symbol: str) -> str:
    plain = symbol.replace("^", "").replace("l", "L") if symbol != "mol" else symbol
    return _SAME_UNIT.get(plain, plain)


@lru_cache(maxsize=64)
def _word_pattern(
    known: tuple[tuple[str, str], ...], between: str, end: str
) -> re.Pattern[str] | None:
    """Return what finds a number with one of the words behind it; None without words."""
    if not known:
        return None
    words = "|".join(map(re.escape, sorted(dict(known), key=len, reverse=True)))
    return re.compile(rf"({_N})\s?{between}({words}){end}")


_RULES: Final[tuple[Callable[[Sides], Iterator[str]], ...]] = (
    signs.signs,
    _percent,
    _order,
    _relations,
    _units,
    _currencies,
    signs.signs_in_words,
    signs.signs_of_letters,
)
