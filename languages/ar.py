"""Arabic, written from right to left."""

from typing import Final

from languages.base import Language, Typography

LANGUAGE: Final = Language(
    code="ar",
    script="Arabic",
    name="العربية",
    direction="rtl",
    typography=Typography("var(--arab)", size=1.12, line_height=1.85),
    digits="٠١٢٣٤٥٦٧٨٩",
    sentence_marks="؟،؛",
    option_letters="أبجدهو",
    negations=(
        "لا",
        "ليس",
        "ليست",
        "لم",
        "لن",
        "غير",
        "عدا",
        "باستثناء",
        "سوى",
        "عدم",
        "بدون",
        "دون",
        "خطأ",
        "خاطئ",
        "خاطئة",
        "الخاطئ",
        "الخاطئة",
    ),
    question_words=("أي", "ماذا", "كم", "كيف", "متى", "أين", "لماذا"),
    number_words=(
        "صفر",
        "واحد واحدة",
        "اثنان اثنين اثنتان اثنتين",
        "ثلاثة ثلاث",
        "أربعة أربع",
        "خمسة خمس",
        "ستة ست",
        "سبعة سبع",
        "ثمانية ثماني ثمان",
        "تسعة تسع",
        "عشرة عشر",
    ),
    big_numbers=("عشر", "عشرون", "عشرين", "مائة", "مئة", "ألف", "مليون", "مليار"),
    number_units=(("ألف", 1000), ("مليون", 1_000_000), ("مليار", 1_000_000_000)),
)
