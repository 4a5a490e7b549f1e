"""Mongolian in the traditional script, written from top to bottom."""

from dataclasses import replace
from typing import Final

from languages.base import Typography
from languages.mn import LANGUAGE as CYRILLIC

LANGUAGE: Final = replace(
    CYRILLIC,
    code="mn-Mong",
    script="Mongolian",
    name="Монгол бичиг",
    name_tag="mn",
    typography=Typography("var(--mong)", line_height=1.7, is_vertical=True),
    digits="᠐᠑᠒᠓᠔᠕᠖᠗᠘᠙",
    sentence_marks="᠂᠃᠄᠅",
)
