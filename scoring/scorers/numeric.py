"""Numeric answers (MM-Eval reasoning): the last number of the answer, in digits of any script."""

import re
import unicodedata
from decimal import Decimal
from fractions import Fraction

import regex

from languages.numerals import read_number
from scoring.scorers.base import Extraction, Reading, Scorer

_GROUP_MARKS = "'’ \u00a0\u2009\u202f"
_GROUPED = rf"\d{{1,3}}(?:[{_GROUP_MARKS}]\d{{3}}(?!\d))+(?:[.,]\d+)?"
_PLAIN = r"\d+(?:[.,]\d+)*"
# `re` matches the digits whose value `unicodedata` knows; `regex` may match newer ones.
_NUMBER = re.compile(rf"(?<![^\W_])[-−]?(?:{_GROUPED}|{_PLAIN})|{_GROUPED}|{_PLAIN}")
_FRACTION = re.compile(r"(?:(?<![^\W_])[-−])?(?<![\d/.,])\d+/\d+(?![\d/]|[.,]\d)")
_CURRENCY = regex.compile(r"\p{Sc}")
_LATEX_FRACTION = re.compile(
    r"(?:(?<!\d)(\d{1,15})\s?)?\\[dtc]?frac\s?\{\s{0,4}(\d{1,15})\s{0,4}\}\s?\{\s{0,4}(\d{1,15})\s{0,4}\}"
)
_LATEX_SPACE = re.compile(r"(?<=\d)(?:\\[,;:! ]|~)(?=\d)")
_POWER_OF_TEN = re.compile(
    r"(?<![\d.])(\d{1,15}(?:\.\d{1,15})?)\s?(?:×|·|\*|\\times|\\cdot)\s?10\s?\^\s?\{?([-−]?\d{1,2})(?!\d)\}?"
)
# The exponent of a unit (m^2, s^{-2}, km2), and the number in a formula (CO2).
_EXPONENT = regex.compile(r"(?<=[\p{L}}])\^\s?\{?[-−]?\d{1,2}\}?|(?<=\p{Latin})[23](?![\d.,]?\d)")
_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}")


def extract(reading: Reading) -> Extraction:
    r"""Return the last number in the text by its value, which is how it is compared with the key.

    Source: MM-Eval, reasoning subset. There the last number of `3/4` is 4; here a fraction of whole
    numbers that ends where the last number does is one number, because keys may be fractions.
    Currency signs are removed first; `decimal_of` explains how separators are read. A minus sign
    counts unless it directly follows a letter or digit, so that `10-5` ends in 5.

    Numbers in LaTeX are read as they look: `\frac{3}{4}`, `1\frac{3}{4}`, `12{,}345`, `12\,345`.
    `3×10^4` is 30000. What belongs to a unit or a formula is no number: `m^2`, `km2`, `CO2`.
    """
    text = _plain(_CURRENCY.sub("", reading.text))
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return Extraction(None, failure="no_answer")
    last = numbers[-1]
    fractions = [each for each in _FRACTION.finditer(text) if each.end() == last.end()]
    value = read_number(fractions[-1].group()) if fractions else None
    if value is not None:
        return Extraction(None, number=value)
    return Extraction(None, number=decimal_of(_listed(last.group())[-1]))


def _plain(text: str) -> str:
    """Return the text with numbers in LaTeX, and powers of ten, written in digits."""
    if "\\" in text or "{" in text or "~" in text:
        text = _LATEX_FRACTION.sub(_fraction, text.replace("{,}", ","))
        text = _LATEX_SPACE.sub("\u202f", text)
    if "^" in text:
        text = _POWER_OF_TEN.sub(_written_out, text)
    return _EXPONENT.sub("", text)


def _fraction(match: re.Match[str]) -> str:
    whole, above, below = (int(number or 0) for number in match.groups())
    return f"{whole * below + above}/{below}" if match[1] else f"{above}/{below}"


def _written_out(match: re.Match[str]) -> str:
    power = int(match[2].replace("−", "-"))
    return f"{Decimal(match[1]).scaleb(power):f}"


def is_key(number: Decimal | Fraction | None, key: str) -> bool:
    """Whether a number has exactly the value of a key, which may be written as a fraction."""
    wanted = parse_key(key)
    value = read_number(key) if wanted is None else Fraction(wanted)
    return number is not None and value is not None and Fraction(number) == value


def parse_key(text: str) -> Decimal | None:
    """Return the key as a decimal; None if the text is not one number, with or without currency."""
    bare = _CURRENCY.sub("", text).strip()
    is_number = _NUMBER.fullmatch(bare) and _listed(bare) == [bare]
    return decimal_of(bare) if is_number else None


def _listed(number: str) -> list[str]:
    """Split what looks like one number: `1.5,2.5` is a list, as a decimal point can't repeat."""
    separator, decimal = (",", ".") if number.rfind(".") > number.rfind(",") else (".", ",")
    is_list = separator in number and number.count(decimal) > 1
    return number.split(separator) if is_list else [number]


def decimal_of(number: str) -> Decimal:
    """Return the value of a number in any Unicode digits, with or without separators.

    If there are both commas and points, the last one is the decimal separator. A separator that
    repeats separates thousands. A single comma separates thousands if exactly three digits follow
    (`1,234`, but not `0,125`), else it is a decimal comma. A single point is a decimal point.
    Apostrophes and spaces separate thousands if exactly three digits follow each of them.
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


SCORER = Scorer("numeric", "3", extract, published_name="numeric", key_kind="number")
