"""The digits of every script, and those below the line, as ASCII digits."""

import unicodedata
from typing import Final

_PLANES_WITH_DIGITS: Final = range(0x20000)
ASCII_DIGITS: Final = {
    code: str(unicodedata.digit(chr(code)))
    for code in _PLANES_WITH_DIGITS
    if chr(code).isdecimal() or 0x2080 <= code <= 0x2089
}
