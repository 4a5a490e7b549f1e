"""The attributes of an element whose text is in a language."""

import unicodedata
from html import escape

from languages import get_language
from languages.base import Direction

_FROM_RIGHT = frozenset({"R", "AL"})


def language_attributes(code: str, text: str | None = None) -> str:
    """Return `lang`, and `dir` where texts run from right to left; safe to put into a tag.

    With the `text` itself, one without any letter of such a script runs from left to right: read
    from the right, `-2` would be shown as `2-` and `10 - 4 = 6` as `6 = 4 - 10`.
    """
    if get_language(code).direction != "rtl":
        return f'lang="{escape(code)}"'
    return f'lang="{escape(code)}" dir="{_direction_of(text) if text else "rtl"}"'


def _direction_of(text: str) -> Direction:
    is_from_right = any(unicodedata.bidirectional(letter) in _FROM_RIGHT for letter in text)
    return "rtl" if is_from_right or not text.strip() else "ltr"
