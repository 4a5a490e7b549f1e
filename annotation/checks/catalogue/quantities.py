"""What stands beside the numbers of a text: signs, percent, units, and the order of two with a mark.

Each of these is told only where both sides have the number itself and differ in what is beside it.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from languages.base import Language

_SIGNS: Final = {
    **{
        code: str(unicodedata.digit(chr(code)))
        for code in range(0x30000)
        if chr(code).isdecimal() or 0x2080 <= code <= 0x2089
    },
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
_SIGN: Final = re.compile(
    f"[{re.escape(''.join(chr(code) for code in _SIGNS if code > ord('9')))}]"
)
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
    (re.compile(r"\\(?:mathrm|text|rm|left|right|,|;|!)|[${}\\]"), ""),
)
# A digit comes first, so that the engine leaps from one to the next.
_N: Final = r"\d(?<!\d\d)\d{0,14}(?:[.,]\d{1,15}){0,3}"
_NUMBER: Final = re.compile(_N)
_MINUS: Final = re.compile(rf"-(?={_N})")
_LATIN_OR_CLOSING: Final = re.compile(r"[A-Za-z0-9)\]}%°]")
_RANGE_BEFORE: Final = re.compile(r"\d[^\s,，。;；:=<>≤≥(（\[、།]{0,6}\s?$")
_BOTH_MINUS: Final = re.compile(rf"-\s?({_N})")
_PERCENT: Final = re.compile(rf"({_N})\s?([%‰])")
_PAIR: Final = re.compile(rf"({_N})(?=\s?([/:~-]|比|至|到|分之)\s?({_N}))")
_KINDS: Final = {
    "/": "/",
    "分之": "/",
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
    rf"(?:[kKMGTmcdnμuh]?(?:{_PREFIXED})|℃|℉|°C|°F|K|min|h|ha|rpm|dB|ppm|cc)"
    rf"(?:[2-3]|\^[2-3])?(?:/(?:[kmcdμ]?(?:m|g|s|L|l|mol)|h|min|d)(?:[2-3]|\^[2-3])?)?"
)
_WITH_UNIT: Final = re.compile(rf"({_N})\s?({_UNIT})(?![A-Za-z0-9/])")
_BEFORE_UNIT: Final = re.compile(r"\d\s?[^\W\d_]|\d\s?[℃℉°]")
_SAME_UNIT: Final = {"°C": "℃", "°F": "℉", "cc": "mL"}
_CLOSE: Final = 4
_MOST: Final = 50


@dataclass(frozen=True, slots=True)
class _Sides:
    """A text, the text that it is compared with, and the language of the latter."""

    text: str
    other: str
    language: Language
    other_language: Language


def changed(
    source: str, target: str, source_language: Language, target_language: Language
) -> tuple[list[str], list[str]]:
    """Return what the source has beside its numbers and the target has not, and the reverse.

    Formulas of one side count as known, but are compared elsewhere.
    """
    there = _Sides(_bare(source), _whole(target), source_language, target_language)
    back = _Sides(_bare(target), _whole(source), target_language, source_language)
    missing, added = _beyond(there), _beyond(back)
    return missing, added


def _beyond(sides: _Sides) -> list[str]:
    found = [shown for rule in _RULES for shown in rule(sides)]
    return list(dict.fromkeys(found))[:_MOST]


def _bare(text: str) -> str:
    return _readable(re.sub(r"\$[^$\n]{1,2000}\$", " ", text) if "$" in text else text)


def _whole(text: str) -> str:
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


def _signs(sides: _Sides) -> Iterator[str]:
    """Yield -2 where the other side has 2 and no minus before it, in signs or words."""
    text, other = sides.text, sides.other
    if "-" not in text:
        return
    known = None
    for match in _MINUS.finditer(text):
        number = _number_at(text, match.end())
        if not _is_unary(text, match.start()):
            continue
        if known is None:
            known = set(_BOTH_MINUS.findall(other))
        if number in known or not _has_number(number, other):
            continue
        if not _is_after(sides.other_language.minus_words, number, other):
            yield f"-{number}"


def _is_after(words: tuple[str, ...], number: str, text: str) -> bool:
    """Return whether a word stands closely before a number, as in 零下5度: not in 负荷为5."""
    lowered = text.lower()
    for word in words:
        at = lowered.find(word)
        while at >= 0:
            if number in lowered[at : at + len(word) + len(number) + _CLOSE]:
                return True
            at = lowered.find(word, at + 1)
    return False


def _number_at(text: str, start: int) -> str:
    match = _NUMBER.match(text, start)
    return match[0] if match else ""


def _is_unary(text: str, at: int) -> bool:
    """Return whether a minus belongs to the number after it: not in 5-3, COVID-19 or 20℃-30℃."""
    before = text[:at].rstrip(" ")
    if before and _LATIN_OR_CLOSING.match(before[-1]):
        return False
    return not _RANGE_BEFORE.search(text[max(0, at - 8) : at])


def _has_number(number: str, text: str) -> bool:
    return number in _NUMBER.findall(text)


def _percent(sides: _Sides) -> Iterator[str]:
    """Yield 35% where the other side has 35 without any percent, and ‰ where it has %."""
    if "%" not in sides.text and "‰" not in sides.text:
        return
    known = {(number, sign) for number, sign in _PERCENT.findall(sides.other)}
    for number, sign in _PERCENT.findall(sides.text):
        language = sides.other_language
        words = language.percent_words if sign == "%" else language.per_mille_words
        other_sign = "‰" if sign == "%" else "%"
        if (number, sign) in known or not _has_number(number, sides.other):
            continue
        if (number, other_sign) in known or not (sign in sides.other or _holds(words, sides.other)):
            yield f"{number}{sign}"


def _order(sides: _Sides) -> Iterator[str]:
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
            yield (last, "/", first) if sign == "分之" else (first, _KINDS[sign], last)


def _relations(sides: _Sides) -> Iterator[str]:
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


def _units(sides: _Sides) -> Iterator[str]:
    """Yield 5 m where the other side has 5 with another unit, and 5 m nowhere."""
    own = _measured(sides.text, sides.language)
    if not own:
        return
    known = _measured(sides.other, sides.other_language)
    for number, unit, shown in own:
        units = {other for value, other, _shown in known if value == number}
        if units and unit not in units:
            yield shown


def _measured(text: str, language: Language) -> list[tuple[str, str, str]]:
    if not _BEFORE_UNIT.search(text):
        return []
    plain = text.translate(_RAISED) if _RAISED_SIGN.search(text) else text
    found = [
        (number, _unit(unit), f"{number} {unit}") for number, unit in _WITH_UNIT.findall(plain)
    ]
    pattern = _unit_pattern(language)
    if pattern:
        symbols = dict(language.unit_words)
        found += [(n, _unit(symbols[w]), f"{n} {w}") for n, w in pattern.findall(plain)]
    return found


def _unit(symbol: str) -> str:
    plain = symbol.replace("^", "").replace("l", "L") if symbol != "mol" else symbol
    return _SAME_UNIT.get(plain, plain)


@lru_cache(maxsize=64)
def _unit_pattern(language: Language) -> re.Pattern[str] | None:
    if not language.unit_words:
        return None
    words = "|".join(map(re.escape, sorted(dict(language.unit_words), key=len, reverse=True)))
    end = r"(?!\w)" if language.is_spaced else ""
    return re.compile(rf"({_N})\s?({words}){end}")


_RULES: Final[tuple[Callable[[_Sides], Iterator[str]], ...]] = (
    _signs,
    _percent,
    _order,
    _relations,
    _units,
)
