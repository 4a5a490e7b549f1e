"""Numbers that a person or a model wrote as an answer, by their value: "1,200", "−3/4", "༡༢.༥"."""

import re
import unicodedata
from decimal import Decimal
from fractions import Fraction
from typing import Final

LONGEST_NUMBER: Final = 40
_MINUS: Final = str.maketrans(
    {"−": "-", "–": "-", "﹣": "-", "－": "-", "＋": "+", "٫": ".", "，": ","}
)
_WHOLE: Final = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
_NUMBER: Final = re.compile(rf"([+-]?){_WHOLE}(?:\.[0-9]+)?(?:/[1-9][0-9]*)?", re.ASCII)


def read_number(text: str) -> Fraction | None:
    """Return the value of a text that is one number and nothing else, None of any other.

    Digits of every script count, with a sign, commas between thousands, a decimal point, and a
    fraction of whole numbers.
    """
    plain = _plain(text.strip())
    if len(plain) > LONGEST_NUMBER or not _NUMBER.fullmatch(plain):
        return None
    above, _stroke, below = plain.replace(",", "").partition("/")
    if below and "." in above:
        return None
    return Fraction(above) / Fraction(below or 1)


def write_number(value: Fraction) -> str:
    """Return one spelling for each value, that `read_number` reads: "1200", "0.125", "-1/3".

    A decimal number if it ends within LONGEST_NUMBER characters, else a fraction.
    """
    places = next((n for n in range(LONGEST_NUMBER) if (value * 10**n).denominator == 1), None)
    if places is not None:
        written = f"{Decimal(f'{int(value * 10**places)}e-{places}'):f}"
        if len(written) <= LONGEST_NUMBER:
            return written
    return str(value)


def _plain(text: str) -> str:
    digits = (
        str(unicodedata.decimal(sign)) if sign.isdecimal() else sign
        for sign in text[: LONGEST_NUMBER + 1]
    )
    return "".join(digits).translate(_MINUS)
