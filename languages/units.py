"""Cuts a text into the units of its language, to see what two texts share."""

import re
from typing import Final

from languages.base import Language

_SYLLABLE: Final = re.compile(r"[\u0f40-\u0fbc]+|[^\W\u0f40-\u0fbc]+")
_WORD: Final = re.compile(r"\w+")


def units_of(text: str, language: Language) -> list[str]:
    """Return the words of a text, its syllables between tshegs, or its letters and digits.

    Which of them it is `language.segmentation` says; marks and spaces are left out.
    """
    if language.segmentation == "tsheg":
        return _SYLLABLE.findall(text)
    if language.is_spaced:
        return _WORD.findall(text)
    return list(filter(str.isalnum, text))
