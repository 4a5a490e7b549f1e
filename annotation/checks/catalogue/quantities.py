"""What stands beside the numbers of a text: signs, percent, units, and the order of two with a mark.

Each of these is told only where both sides have the number itself and differ in what is beside it.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from annotation.checks.catalogue import measures, operations, signs
from annotation.checks.catalogue.bounds import changed_bounds
from annotation.checks.catalogue.digits import ASCII_DIGITS
from annotation.checks.catalogue.numbers import factor_beside, multiplied
from annotation.checks.catalogue.signs import Sides
from languages.base import Language

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
_COMMAND_SIGNS: Final = {
    "ne": "≠", "neq": "≠", "pm": "±", "mp": "∓", "times": "×", "cdot": "×", "div": "÷", "approx": "≈",
    "sqrt": "√", "pi": "π", "infty": "∞",
}  # fmt: skip
_COMMAND: Final = re.compile(rf"\\({'|'.join(_COMMAND_SIGNS)})(?![a-z\[])")
_N: Final = signs.N
_PERCENT: Final = re.compile(rf"({_N})\s?([%‰])")
_PAIR: Final = re.compile(rf"({_N})(?=\s?(?:[^\W\d_](?=[至到~]))?([/:~-]|比|至|到)\s?({_N}))")
_RATIO: Final = re.compile(rf"({_N})\s?:\s?({_N})")
_MINUTE: Final = re.compile(r"[0-5]\d")
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
_DOLLAR: Final = re.compile(r"\$(?=\d[\d.,]{0,20}(?![\d.,]*\$))")
_MOST: Final = 50


def changed(
    source: str, target: str, source_language: Language, target_language: Language
) -> tuple[list[str], list[str]]:
    """Return what the source has beside its numbers and the target has not, and the reverse.

    Formulas of one side count as known, but are compared elsewhere. The texts have their dollars
    marked and their amounts in digits.
    """
    source, target = _written(source, source_language), _written(target, target_language)
    there = Sides(_bare(source), whole(target), source_language, target_language)
    back = Sides(_bare(target), whole(source), target_language, source_language)
    lost, instead = changed_bounds(there)
    return [*_beyond(there), *lost], [*_beyond(back), *instead]


def _written(text: str, language: Language) -> str:
    """Return a text with one sign for ±."""
    for words in ("+/-", *language.plus_minus_words):
        text = text.replace(words, "±")
    return text


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
        text = _COMMAND.sub(lambda command: _COMMAND_SIGNS[command[1]], text)
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
        if (first, last) not in there and (
            turned
            or (kind == "~" and _is_told_backwards(first, last, sides.other))
            or (kind == ":" and _is_half_lost(first, last, sides.other))
        ):
            yield f"{first}{_SHOWN[kind]}{last}"


def _is_told_backwards(first: str, last: str, text: str) -> bool:
    """Return whether a text has the ends of a range next to each other, the last one first."""
    found = signs.NUMBER.findall(text)
    if found.count(first) != 1 or found.count(last) != 1 or _value(first) >= _value(last):
        return False
    return found.index(first) == found.index(last) + 1


def _value(number: str) -> float:
    plain = number.replace(",", "")
    return float(plain) if plain.count(".") < len("..") else 0


def _is_half_lost(first: str, last: str, text: str) -> bool:
    """Return whether a text has one number of a ratio with the mark, and another or none beside it.

    12:25 may be a time, which is told in several ways.
    """
    if _MINUTE.fullmatch(last):
        return False
    is_changed = any((a == first) != (b == last) for a, b in _RATIO.findall(text))
    halves = rf"(?<!\d)\s?:\s?{last}(?![\d:])|(?<![\d:.]){first}\s?:(?!\s?\d)"
    return is_changed or re.search(halves, text) is not None


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


def _scaled(sides: Sides) -> Iterator[str]:
    """Yield 1.2亿 where the other side has 1.2 with another unit of number or with none."""
    if not sides.other_language.number_units or not has_scale(sides.text, sides.language):
        return
    own = _with_factors(sides.text, sides.language)
    known = _with_factors(sides.other, sides.other_language)
    values = {multiplied(n, f or 1) for n, factors in known.items() for f in factors}
    for number, factors in own.items():
        others = known.get(number, set())
        for factor in factors - others - {0}:
            if others and multiplied(number, factor) not in values:
                yield f"{number} × {factor}"


def _with_factors(text: str, language: Language) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for match in signs.NUMBER.finditer(text):
        factor = factor_beside(text, *match.span(), language)
        found.setdefault(match[0].replace(",", ""), set()).add(factor)
    return found


def has_scale(text: str, language: Language) -> bool:
    """Return whether a number with a unit of number is there, as 20万, by a quick look."""
    pattern = _scale_pattern(language)
    return pattern is not None and pattern.search(text) is not None


@lru_cache(maxsize=64)
def _scale_pattern(language: Language) -> re.Pattern[str] | None:
    if not language.number_units:
        return None
    units = [re.escape(unit) for unit, _factor in language.number_units]
    after = rf"[ ་]{{0,2}}(?:{'|'.join(units)})"
    if language.segmentation != "tsheg":
        return re.compile(rf"\d{after}")
    before = (rf"(?<={unit}{gap}\d)" for unit in units for gap in ("", "་"))
    return re.compile(rf"\d(?:{after}|{'|'.join(before)})")


_RULES: Final[tuple[Callable[[Sides], Iterator[str]], ...]] = (
    signs.signs,
    operations.both_signs,
    operations.operations,
    _percent,
    _order,
    _relations,
    _scaled,
    measures.units,
    measures.currencies,
    signs.signs_in_words,
    signs.signs_of_letters,
    operations.letters_above,
    operations.symbols,
)
