"""Lao."""

from typing import Final

from annotation.languages.base import Language

LANGUAGE: Final = Language(
    code="lo",
    script="Lao",
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
    option_letters="ກຂຄງຈສ",
)
