"""Uyghur in the Arabic script, written from right to left."""

from typing import Final

from languages.ar import LANGUAGE as ARABIC
from languages.base import Language

LANGUAGE: Final = Language(
    code="ug",
    aliases=("ug-Arab",),
    script="Arabic",
    name="ئۇيغۇرچە",
    direction="rtl",
    typography=ARABIC.typography,
    sentence_marks="؟،؛",
    special_characters=ARABIC.special_characters,
    # Verbs deny by an ending, so the forms that questions use are listed whole.
    negations=(
        "ئەمەس",
        "ئەمەسكى",
        "ئەمەسلىكى",
        "يوق",
        "خاتا",
        "باشقا",
        "سىرت",
        "بولمايدۇ",
        "بولمايدىغان",
        "بولمايدىغىنى",
        "بولمىغان",
        "بولمىغىنى",
        "كىرمەيدۇ",
        "كىرمەيدىغان",
        "كىرمەيدىغىنى",
    ),
    question_words=(
        "قايسى",
        "قايسىسى",
        "نېمە",
        "كىم",
        "قانچە",
        "نەچچە",
        "قانداق",
        "قاچان",
        "نەدە",
    ),
    number_words=(
        "نۆل",
        "بىر",
        "ئىككى",
        "ئۈچ",
        "تۆت",
        "بەش",
        "ئالتە",
        "يەتتە",
        "سەككىز",
        "توققۇز",
        "ئون",
    ),
    big_numbers=("ئون", "يىگىرمە", "ئوتتۇز", "قىرىق", "ئەللىك", "يۈز", "مىڭ", "مىليون", "مىليارد"),
    number_units=(("مىڭ", 1000), ("مىليون", 1_000_000), ("مىليارد", 1_000_000_000)),
    word_endings=(
        *("لار", "لەر", "نىڭ", "نى", "غا", "قا", "گە", "كە", "دا", "دە", "تا", "تە"),
        *("دىن", "تىن", "ى", "سى", "لىرى", "ىنىڭ", "ىنى", "ىدا", "ىدە"),
    ),
)
