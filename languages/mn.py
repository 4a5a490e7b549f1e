"""Mongolian in Cyrillic; its words are also listed in the traditional script."""

from typing import Final

from languages.base import DuplicateLimits, Language, PromptFrames, Statement

LANGUAGE: Final = Language(
    code="mn",
    script="Cyrillic",
    name="Монгол",
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
    special_characters=(
        ("«", "Left quotation mark"),
        ("»", "Right quotation mark"),
        ("₮", "Tugrik"),
    ),
    question_words=(
        "аль",
        "алин",
        "юу",
        "ямар",
        "хэн",
        "хэзээ",
        "хаана",
        "хэд",
        "яаж",
        "ᠠᠯᠢ",
        "ᠶᠠᠭᠤ",
        "ᠬᠡᠨ",
    ),
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
    number_units=(("мянга", 1000), ("мянган", 1000), ("сая", 1_000_000), ("тэрбум", 1_000_000_000)),
    option_letters="АБВГДЕЁЖЗИ",
    duplicate_limits=DuplicateLimits(candidate=0.72, semantic=0.85, run=14),
    statement=Statement(
        nouns=("хариулт", "хариу", "зөв хариулт", "зөв сонголт"), links=("нь", "бол")
    ),
    frames=PromptFrames(
        system="Та сонгох хариулттай асуултад хариулна. Асуулт бүрд зөв хариулт ганц байна.",
        direct="{question}\n\n{options}\n\nЗөвхөн зөв хариултын үсгийг бич: {letters}.",
        reasoned=(
            "{question}\n\n{options}\n\nЭхлээд алхам алхмаар бод. "
            "Дараа нь сүүлийн мөрөнд “Хариулт: X” гэж бич, X нь {letters}-ийн нэг."
        ),
        answer="Хариулт: {letter}",
    ),
    number_frames=PromptFrames(
        system="Та тоон хариулттай асуултад хариулна.",
        direct="{question}\n\nЗөвхөн хариултын тоог бич.",
        reasoned=(
            "{question}\n\nЭхлээд алхам алхмаар бод. Дараа нь сүүлийн мөрөнд “Хариулт: X” гэж бич, X нь тоо."
        ),
        answer="Хариулт: {letter}",
    ),
    word_endings=(
        *(
            "ын",
            "ийн",
            "ны",
            "ний",
            "н",
            "д",
            "т",
            "ад",
            "эд",
            "од",
            "өд",
            "г",
            "ыг",
            "ийг",
            "ий",
            "ы",
        ),
        *("аас", "ээс", "оос", "өөс", "наас", "нээс", "ноос", "нөөс"),
        *("аар", "ээр", "оор", "өөр", "тай", "тэй", "той", "руу", "рүү", "луу", "лүү"),
        *("ууд", "үүд", "нууд", "нүүд", "чууд", "чүүд", "аа", "ээ", "оо", "өө"),
    ),
)
