"""The digits of every script, and those above and below the line, as ASCII digits."""

import unicodedata
from typing import Final

_PLANES_WITH_DIGITS: Final = range(0x20000)
ASCII_DIGITS: Final = {
    code: str(unicodedata.digit(chr(code)))
    for code in _PLANES_WITH_DIGITS
    if chr(code).isdecimal() or 0x2080 <= code <= 0x2089
}

RAISED_DIGITS: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹"
RAISED: Final = f"{RAISED_DIGITS}⁺⁻"
LOWERED_DIGITS: Final = "₀₁₂₃₄₅₆₇₈₉"
DIGITS_ON_THE_LINE: Final = str.maketrans(RAISED_DIGITS + LOWERED_DIGITS, "0123456789" * 2)
SIGNS_ON_THE_LINE: Final = DIGITS_ON_THE_LINE | str.maketrans("⁺⁻", "+-")
