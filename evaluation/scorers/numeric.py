"""Numeric answers (MM-Eval reasoning): the last number of the answer, whatever digits it is in."""

import re
import unicodedata
from decimal import Decimal

import regex

from evaluation.scorers.base import Extraction, Reading, Scorer

_GROUP_MARKS = "'’ \u00a0\u2009\u202f"
_GROUPED = rf"\d{{1,3}}(?:[{_GROUP_MARKS}]\d{{3}}(?!\d))+(?:[.,]\d+)?"
_PLAIN = r"\d+(?:[.,]\d+)*"
# The digits of `re` are those that `unicodedata` knows the value of; `regex` may know newer ones.
_NUMBER = re.compile(rf"(?<![^\W_])[-−]?(?:{_GROUPED}|{_PLAIN})|{_GROUPED}|{_PLAIN}")
_CURRENCY = regex.compile(r"\p{Sc}")
_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}")


def extract(reading: Reading) -> Extraction:
    """The last number in the text, as a decimal; equal to the key as a decimal, not as a string.

    Source: MM-Eval, reasoning subset. Currency signs are dropped first; see `decimal_of` for
    separators. A minus counts unless it stands right behind a letter or digit (`10-5` ends in 5).
    """
    numbers = _NUMBER.findall(_CURRENCY.sub("", reading.text))
    if not numbers:
        return Extraction(None, failure="no_answer")
    return Extraction(None, number=decimal_of(numbers[-1]))


def parse_key(text: str) -> Decimal | None:
    """The key as a decimal, None unless the whole text is one number (with or without currency)."""
    bare = _CURRENCY.sub("", text).strip()
    return decimal_of(bare) if _NUMBER.fullmatch(bare) else None


def decimal_of(number: str) -> Decimal:
    """The value of a number in any Unicode digits, with whatever separators it has.

    Of two kinds of separator the later is the decimal one; one that repeats parts thousands; a
    single comma parts thousands before exactly three digits (`1,234`, not `0,125`), else it
    is a decimal comma; a single point is a decimal point. Apostrophes and spaces part
    thousands when each is followed by exactly three digits.
    """
    digits = "".join(_ascii_of(character) for character in number)
    return Decimal(_with_decimal_point(digits))


def _ascii_of(character: str) -> str:
    if character in _GROUP_MARKS:
        return ""
    if character == "−":
        return "-"
    value = unicodedata.digit(character, None)
    return character if value is None else str(value)


def _with_decimal_point(number: str) -> str:
    commas, points = number.count(","), number.count(".")
    if commas and points:
        thousands = "," if number.rfind(".") > number.rfind(",") else "."
    elif commas > 1 or _THOUSANDS.fullmatch(number.lstrip("-")):
        thousands = ","
    else:
        thousands = "." if points > 1 else ""
    return (
        number.replace(thousands, "").replace(",", ".") if thousands else number.replace(",", ".")
    )


SCORER = Scorer("numeric", "1", extract, published_name="numeric", key_kind="number")
