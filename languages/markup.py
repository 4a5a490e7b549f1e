"""The attributes of an element whose text is in a language."""

from html import escape

from languages import get_language


def language_attributes(code: str) -> str:
    """Return `lang`, and `dir` where a text runs from right to left; safe to put into a tag."""
    direction = get_language(code).direction
    return f'lang="{escape(code)}"' + (' dir="rtl"' if direction == "rtl" else "")
