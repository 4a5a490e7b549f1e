"""Puts the one right character in the place of each that damage or a look-alike left in a text."""

import html
import re
from typing import Final

import ftfy
from ftfy.badness import is_bad

from annotation.checks.catalogue.damage import EATEN, ENTITY, HIDDEN
from annotation.checks.catalogue.script import in_right_form, is_traditional
from languages import get_language
from languages.taiwan import certain_traditional

_ESCAPED_QUOTE: Final = re.compile(r"\\([\"'])")
_DOUBLED: Final = re.compile(r"\\\\(?=[A-Za-z]{2})")
_NUMBERED: Final = re.compile(r"\\u([0-9A-Fa-f]{4})")
_EATEN_LETTERS: Final = str.maketrans(
    {
        "\x07": "\\a",
        "\x08": "\\b",
        "\t": "\\t",
        "\n": "\\n",
        "\x0b": "\\v",
        "\x0c": "\\f",
        "\r": "\\r",
    }
)


def in_plain_characters(language: str, text: str, source: str) -> str:
    """Return the text with every certain repair; what its source has as well stays as it is."""
    if is_bad(text):
        text = ftfy.fix_encoding(text)
    text = EATEN.sub(lambda match: match[0].translate(_EATEN_LETTERS), text)
    if not HIDDEN.search(source):
        text = HIDDEN.sub("", text)
    if "&" in text and not ENTITY.search(source):
        text = ENTITY.sub(lambda match: html.unescape(match[0]), text)
    if "\\" in text:
        text = _without_escapes(text, source)
    text = in_right_form(text)
    if is_traditional(get_language(language)):
        text = text.translate(certain_traditional())
    return text


def _without_escapes(text: str, source: str) -> str:
    if not _ESCAPED_QUOTE.search(source):
        text = _ESCAPED_QUOTE.sub(r"\1", text)
    if not _DOUBLED.search(source):
        text = _DOUBLED.sub(lambda _match: "\\", text)
    if not _NUMBERED.search(source):
        text = _NUMBERED.sub(lambda match: _character(int(match[1], 16), match[0]), text)
    return text


def _character(code: int, written: str) -> str:
    """Return a character by its number, but as it is written where it is half of one or a control."""
    return chr(code) if chr(code).isprintable() else written
