"""How each language states an answer: data for the `anchored` scorer, no code."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Statement:
    """Words for "answer" and for "is"; noun + link + option code is an explicit answer statement.

    A colon or equals sign links in every language. Letter case does not matter.
    """

    nouns: tuple[str, ...]
    links: tuple[str, ...]


STATEMENTS: Mapping[str, Statement] = MappingProxyType(
    {
        "en": Statement(
            nouns=("answer", "answer option", "answer choice", "correct option", "correct choice"),
            links=("is", "is option", "would be", "should be", "must be"),
        ),
        "zh": Statement(
            nouns=("答案", "答", "正确选项", "正確選項", "选项", "選項"),
            links=("是", "为", "為", "应为", "應為", "应该是", "應該是", "选", "選"),
        ),
        "bo": Statement(
            nouns=("ལན", "དྲིས་ལན", "ལན་གདབ", "ཡང་དག་པའི་ལན", "འདེམས་ཀ", "གདམ་ག"),
            links=("་ནི", "་ནི་", "ནི", "ནི་", "།"),
        ),
        "mn": Statement(
            nouns=("хариулт", "хариу", "зөв хариулт", "зөв сонголт"),
            links=("нь", "бол"),
        ),
        "lo": Statement(
            nouns=("ຄຳຕອບ", "ຄໍາຕອບ", "ຄຳຕອບທີ່ຖືກຕ້ອງ", "ຄໍາຕອບທີ່ຖືກຕ້ອງ", "ຂໍ້ທີ່ຖືກຕ້ອງ"),
            links=("ແມ່ນ", "ຄື", "ແມ່ນຂໍ້", "ຄືຂໍ້"),
        ),
    }
)
