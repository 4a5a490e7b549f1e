"""What a text of mathematics says beyond its numbers: operators, ±, letters above the line, π and √."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Final

from annotation.checks.catalogue.digits import RAISED, SIGNS_ON_THE_LINE
from annotation.checks.catalogue.signs import N, Sides, has_number

_RAISED: Final = f"{RAISED}ⁿˣ"
_ATOM: Final = rf"[0-9A-Za-zΑ-Ωα-ω√.%°₀-₉{_RAISED}]"
_OPERATION: Final = re.compile(
    rf"(?<!{_ATOM})({_ATOM}{{1,20}}|(?<=[)\]]))\s?([-+±∓×÷*·/=≠≈]|(?<=\d)[xX](?=\s?\d))(?=\s?({_ATOM}{{1,20}}|[(\[]))"
)
_OPERATOR: Final = re.compile("[-+±∓×÷*·/=≠≈]")
_SAME: Final = {"*": "×", "·": "×", "x": "×", "X": "×", "÷": "/"}
# 2020-5 and 2020/5 are one date.
_DATES: Final = frozenset("-/")
_WORD: Final = re.compile(r"[A-Za-z]{3}")
_BOTH_SIGNS: Final = re.compile(rf"([±∓])\s?({N}|[a-z](?![A-Za-z]))")
_SYMBOL: Final = re.compile("[Α-Ωα-ω√∞∈∪∩≠≈\u2126]")
_NAMES: Final = {"π": "pi", "μ": "u", "∈": "in", "≠": "!=", "∞": "inf"}
_LETTERS: Final = re.compile(r"[^\W\d_A-Za-zΑ-Ωα-ωⁿˣ\u2126]|[A-Za-z]{4}")
_LETTER_ABOVE: Final = re.compile(rf"([A-Za-z0-9)])([{_RAISED}]*[ⁿˣ][{_RAISED}]*)")
_ON_THE_LINE: Final = SIGNS_ON_THE_LINE | str.maketrans("ⁿˣ", "nx")
_MINUS_FUNCTION: Final = re.compile(r"-[A-Za-z]{2}")
_SPACES: Final = re.compile(r"\s+")


def operations(sides: Sides) -> Iterator[str]:
    """Yield 2x+1 where the other side has 2x-1 or 2x×1, and π/2 where it has 2/π."""
    if not _OPERATOR.search(sides.text) or not _OPERATOR.search(sides.other):
        return
    own, known = set(_triples(sides.text)), set(_triples(sides.other))
    beyond = known - own
    for left, sign, right in _triples(sides.text):
        if (left, sign, right) in known:
            continue
        signs = {s for a, s, b in beyond if (a, b) == (left, right) and {s, sign} != _DATES}
        if signs or (sign == "/" and any(_is_turned(left, right, each) for each in beyond)):
            yield f"{left or ')'}{sign}{right}"


def _triples(text: str) -> Iterator[tuple[str, str, str]]:
    for left, sign, right in _OPERATION.findall(text):
        yield left.rstrip("."), _SAME.get(sign, sign), right.rstrip(".")


def _is_turned(left: str, right: str, other: tuple[str, str, str]) -> bool:
    """Return whether another fraction has the same signs in other places; words may change places."""
    if other[1] != "/" or (left + right).isdigit() or _WORD.search(left) or _WORD.search(right):
        return False
    return sorted(left + right) == sorted(other[0] + other[2])


def both_signs(sides: Sides) -> Iterator[str]:
    """Yield ±3 where the other side has 3, -3 or ∓3, and not both 3 and -3."""
    if "±" not in sides.text and "∓" not in sides.text:
        return
    known = set(_BOTH_SIGNS.findall(sides.other))
    for sign, number in dict.fromkeys(_BOTH_SIGNS.findall(sides.text)):
        if (sign, number) in known:
            continue
        if number[0].isdigit() and not has_number(number, sides.other):
            continue
        is_spelled_out = re.search(rf"-\s?{re.escape(number)}(?!\d)", sides.other) and re.search(
            rf"(?<![-.\d])(?<!-\s){re.escape(number)}(?!\d)", sides.other
        )
        if not is_spelled_out:
            yield f"{sign}{number}"


def symbols(sides: Sides) -> Iterator[str]:
    """Yield what one of two texts without words has more often than the other: π, √ or the first minus."""
    if _LETTERS.search(sides.text) or _LETTERS.search(sides.other):
        return
    own, known = (Counter(map(_plain, _SYMBOL.findall(each))) for each in (sides.text, sides.other))
    for symbol in own - known:
        if _NAMES.get(symbol, symbol) not in sides.other:
            yield symbol
    text, other = (_SPACES.sub("", each) for each in (sides.text, sides.other))
    if _MINUS_FUNCTION.match(text) and text[1:] == other:
        yield text


def _plain(symbol: str) -> str:
    return unicodedata.normalize("NFKC", symbol)


def letters_above(sides: Sides) -> Iterator[str]:
    """Yield aⁿ where the other side has a with nothing or something else above the line."""
    if "ⁿ" not in sides.text and "ˣ" not in sides.text:
        return
    plain = sides.other.replace("(", "").replace(")", "")
    for base, raised in dict.fromkeys(_LETTER_ABOVE.findall(sides.text)):
        on_the_line = raised.translate(_ON_THE_LINE)
        if f"{base}{raised}" in sides.other or f"{base.strip(')')}^{on_the_line}" in plain:
            continue
        if base in sides.other:
            yield f"{base}{raised}"
