"""Cuts a text into the units of its language, to see what two texts share."""

import re
from typing import Final

import regex

from languages.base import Language

_SYLLABLE: Final = re.compile(r"[\u0f40-\u0fbc]+|[^\W\u0f40-\u0fbc]+")
_WORD: Final = regex.compile(r"[\w\p{N}\p{M}]+")
_LETTER: Final = regex.compile(r"[\p{L}\p{N}]\p{M}*")


def units_of(text: str, language: Language) -> list[str]:
    """Return the words of a text, its syllables between tshegs, or its letters and digits.

    Which of them it is `language.segmentation` says; punctuation and spaces are left out, and a
    vowel or tone sign stays with its letter.
    """
    if language.segmentation == "tsheg":
        return _SYLLABLE.findall(text)
    return (_WORD if language.is_spaced else _LETTER).findall(text)
