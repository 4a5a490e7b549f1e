"""Mongolian, in Cyrillic and in the traditional script."""

from typing import Final

from annotation.languages.base import Language

LANGUAGE: Final = Language(
    code="mn",
    script="Cyrillic",
    negations=(
        "биш",
        "бус",
        "үгүй",
        "гүй",
        "бүү",
        "эс",
        "үл",
        "буруу",
        "бусад",
        "ᠪᠢᠰᠢ",
        "ᠪᠤᠰᠤ",
        "ᠦᠭᠡᠢ",
        "ᠡᠰᠡ",
        "ᠦᠯᠦ",
        "ᠪᠤᠷᠤᠭᠤ",
    ),
    sentence_marks=".?!᠃᠂",
    number_words=(
        "тэг",
        "нэг",
        "хоёр",
        "гурван гурав",
        "дөрөв дөрвөн",
        "тав таван",
        "зургаа зургаан",
        "долоо долоон",
        "найм найман",
        "ес есөн",
        "арав арван",
    ),
    big_numbers=(
        "арван",
        "хорь",
        "гуч",
        "зуу",
        "мянга",
        "түм",
        "сая",
    ),
    option_letters="АБВГДЕ",
    digits="᠐᠑᠒᠓᠔᠕᠖᠗᠘᠙",
    is_spaced=True,
)
