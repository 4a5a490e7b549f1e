"""Lao."""

from typing import Final

from languages.base import DuplicateLimits, Language, PromptFrames, Statement, Typography, WebFont

LANGUAGE: Final = Language(
    code="lo",
    script="Lao",
    name="ລາວ",
    segmentation="character",
    typography=Typography(
        "var(--lo)",
        size=1.08,
        line_height=1.8,
        web_font=WebFont(
            files=(
                "NotoSansLaoLooped-Regular.ttf",
                "NotoLoopedLao-Regular.ttf",
                "NotoSansLao-Regular.ttf",
            ),
            ranges=((0x0E80, 0x0EFF),),
        ),
    ),
    digits="໐໑໒໓໔໕໖໗໘໙",
    sentence_marks="ຯ",
    special_characters=(
        ("\u200b", "ZWSP"),
        ("ໆ", "Ko La"),
        ("ຯ", "Ellipsis"),
        ("໌", "Cancellation mark"),
        ("₭", "Kip"),
    ),
    negations=("ບໍ່", "ບໍ", "ບ່ໍ", "ຍົກເວັ້ນ", "ນອກຈາກ", "ປາສະຈາກ", "ຜິດ", "ຢ່າ", "ບັງ"),
    negation_exceptions=("ບໍລິ", "ບໍດີ", "ບັງຄັບ", "ນອກຈາກນີ້"),
    question_words=("ໃດ", "ຫຍັງ", "ໃຜ", "ຈັກ", "ແນວໃດ", "ເມື່ອໃດ", "ຢູ່ໃສ"),
    number_words=(
        "ສູນ",
        "ໜຶ່ງ ນຶ່ງ",
        "ສອງ",
        "ສາມ",
        "ສີ່",
        "ຫ້າ",
        "ຫົກ",
        "ເຈັດ",
        "ແປດ",
        "ເກົ້າ",
        "ສິບ",
    ),
    big_numbers=(
        "ຊາວ",
        "ສິບ",
        "ຮ້ອຍ",
        "ພັນ",
        "ໝື່ນ",
        "ແສນ",
        "ລ້ານ",
    ),
    number_units=(
        ("ພັນ", 1000),
        ("ໝື່ນ", 10_000),
        ("ແສນ", 100_000),
        ("ລ້ານ", 1_000_000),
    ),
    option_letters="ກຂຄງຈສຊຍດຕ",
    duplicate_limits=DuplicateLimits(candidate=0.75, near=0.65, semantic=0.88, run=8),
    statement=Statement(
        nouns=("ຄຳຕອບ", "ຄໍາຕອບ", "ຄຳຕອບທີ່ຖືກຕ້ອງ", "ຄໍາຕອບທີ່ຖືກຕ້ອງ", "ຂໍ້ທີ່ຖືກຕ້ອງ"),
        links=("ແມ່ນ", "ຄື", "ແມ່ນຂໍ້", "ຄືຂໍ້"),
    ),
    frames=PromptFrames(
        system="ເຈົ້າຕອບຄຳຖາມແບບເລືອກຕອບ. ແຕ່ລະຄຳຖາມມີຄຳຕອບທີ່ຖືກຕ້ອງພຽງຂໍ້ດຽວ.",
        direct="{question}\n\n{options}\n\nຂຽນພຽງແຕ່ຕົວອັກສອນຂອງຂໍ້ທີ່ຖືກຕ້ອງ: {letters}.",
        reasoned=(
            "{question}\n\n{options}\n\nຄິດເປັນຂັ້ນຕອນກ່ອນ. "
            "ແລ້ວຂຽນແຖວສຸດທ້າຍວ່າ “ຄຳຕອບ: X”, X ແມ່ນໜຶ່ງໃນ {letters}."
        ),
        answer="ຄຳຕອບ: {letter}",
    ),
    number_frames=PromptFrames(
        system="ເຈົ້າຕອບຄຳຖາມທີ່ມີຄຳຕອບເປັນຕົວເລກ.",
        direct="{question}\n\nຂຽນພຽງແຕ່ຕົວເລກຂອງຄຳຕອບ.",
        reasoned=("{question}\n\nຄິດເປັນຂັ້ນຕອນກ່ອນ. ແລ້ວຂຽນແຖວສຸດທ້າຍວ່າ “ຄຳຕອບ: X”, X ແມ່ນຕົວເລກ."),
        answer="ຄຳຕອບ: {letter}",
    ),
)
