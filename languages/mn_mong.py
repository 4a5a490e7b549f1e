"""Mongolian in the traditional script, written from top to bottom."""

from dataclasses import replace
from typing import Final

from languages.base import Typography, WebFont
from languages.mn import LANGUAGE as CYRILLIC

LANGUAGE: Final = replace(
    CYRILLIC,
    code="mn-Mong",
    script="Mongolian",
    name="Монгол бичиг",
    name_tag="mn",
    typography=Typography(
        "var(--mong)",
        line_height=1.7,
        is_vertical=True,
        web_font=WebFont(
            files=("NotoSansMongolian-Regular.ttf",),
            # The joiners and the narrow no-break space shape the letters beside them.
            ranges=((0x1800, 0x18AF), (0x200C, 0x200D), (0x202F, 0x202F), (0x11660, 0x1166C)),
        ),
    ),
    bounds=None,
    digits="᠐᠑᠒᠓᠔᠕᠖᠗᠘᠙",
    sentence_marks="᠂᠃᠄᠅",
    special_characters=(
        ("\u202f", "NNBSP"),
        ("\u180e", "MVS"),
        ("\u180b", "FVS1"),
        ("\u180c", "FVS2"),
        ("\u180d", "FVS3"),
        ("\u200d", "ZWJ"),
        ("\u200c", "ZWNJ"),
        ("᠂", "Comma"),
        ("᠃", "Full stop"),
        ("᠄", "Colon"),
        ("᠁", "Ellipsis"),
        ("᠀", "Birga"),
    ),
)
