"""Arabic, written from right to left."""

from typing import Final

from languages.base import Language, Typography, WebFont

LANGUAGE: Final = Language(
    code="ar",
    script="Arabic",
    name="العربية",
    direction="rtl",
    typography=Typography(
        "var(--arab)",
        size=1.12,
        line_height=1.85,
        web_font=WebFont(
            files=("NotoNaskhArabic-Regular.ttf", "NotoSansArabic-Regular.ttf"),
            ranges=(
                (0x0600, 0x06FF),
                (0x0750, 0x077F),
                (0x08A0, 0x08FF),
                (0x200C, 0x200D),
                (0xFB50, 0xFDFF),
                (0xFE70, 0xFEFF),
            ),
        ),
    ),
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
