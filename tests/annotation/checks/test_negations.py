"""Negations that were lost or came in: in the question, in an option, and in what is said of all options."""

import pytest

from annotation.checks.catalogue.base import CheckInput
from annotation.checks.catalogue.parity import Negation

NOT_A_PLANT = {
    "bo": "གཤམ་གྱི་གང་ཞིག་རྩི་ཤིང་མིན་ནམ།",
    "lo": "ຂໍ້ໃດຕໍ່ໄປນີ້ບໍ່ແມ່ນພືດ?",
    "mn": "Дараахын аль нь ургамал биш вэ?",
    "zh-Hant": "下列哪一項不是植物？",
    "en": "Which of the following is not a plant?",
}
A_PLANT = {
    "bo": "གཤམ་གྱི་གང་ཞིག་རྩི་ཤིང་ཡིན་ནམ།",
    "lo": "ຂໍ້ໃດຕໍ່ໄປນີ້ແມ່ນພືດ?",
    "mn": "Дараахын аль нь ургамал вэ?",
    "zh-Hant": "下列哪一項是植物？",
    "en": "Which of the following is a plant?",
}
CHANGES = {
    "bo": "འགྱུར་བ་ཡོད།",
    "lo": "ປ່ຽນແປງ",
    "mn": "өөрчлөгдөнө",
    "zh-Hant": "改變",
    "en": "it changes",
}
CHANGES_NOT = {
    "bo": "འགྱུར་བ་མེད།",
    "lo": "ບໍ່ປ່ຽນແປງ",
    "mn": "өөрчлөгдөхгүй",
    "zh-Hant": "不改變",
    "en": "it does not change",
}
ALL = {
    "bo": "གོང་གི་ཚང་མ་ཡིན།",
    "lo": "ຖືກທຸກຂໍ້",
    "mn": "Дээрх бүгд",
    "zh-Hant": "以上皆是",
    "en": "all of the above",
}
NONE = {
    "bo": "གོང་གི་གང་ཡང་མིན།",
    "lo": "ບໍ່ມີຂໍ້ໃດຖືກ",
    "mn": "Дээрхийн аль нь ч биш",
    "zh-Hant": "以上皆非",
    "en": "none of the above",
}


def fields(question: str, option: str, target: str, target_option: str, language: str) -> list[str]:
    given = CheckInput(
        question, ("甲", option), "A", target, ("x", target_option), None, "zh", language
    )
    return [problem.field for problem in Negation().run(given)]


@pytest.mark.parametrize("language", A_PLANT)
@pytest.mark.parametrize(
    ("question", "option", "asked", "said", "expected"),
    [
        ("下列哪一项不是植物？", "变化", A_PLANT, CHANGES, ["question"]),
        ("下列哪一项是植物？", "变化", NOT_A_PLANT, CHANGES, ["question"]),
        ("下列哪一项是植物？", "不变化", A_PLANT, CHANGES, ["options.1"]),
        ("下列哪一项是植物？", "变化", A_PLANT, CHANGES_NOT, ["options.1"]),
        ("下列哪一项是植物？", "以上都是", A_PLANT, NONE, ["options.1"]),
        ("下列哪一项是植物？", "以上都不是", A_PLANT, ALL, ["options.1"]),
        ("下列哪一项是植物？", "变化", A_PLANT, CHANGES, []),
        ("下列哪一项不是植物？", "不变化", NOT_A_PLANT, CHANGES_NOT, []),
        ("下列哪一项缺水？", "失去变化", NOT_A_PLANT, CHANGES_NOT, []),
        ("下列哪一项是植物？", "以上都是", A_PLANT, ALL, []),
        ("下列哪一项是植物？", "以上都不是", A_PLANT, NONE, []),
    ],
)
def test_negation_on_one_side_only_is_found(
    question: str,
    option: str,
    asked: dict[str, str],
    said: dict[str, str],
    expected: list[str],
    language: str,
) -> None:
    assert fields(question, option, asked[language], said[language], language) == expected


@pytest.mark.parametrize(
    ("source", "target", "language"),
    [
        ("固定资产", "བརྟན་འཇགས་རྒྱུ་ནོར།", "bo"),
        ("水的有无", "ཆུ་ཡོད་མེད།", "bo"),
        ("谷氨酰胺", "གླུ་དཱ་མིན་སྐྱུར་རྫས།", "bo"),
        ("矿井", "ບໍ່ແຮ່", "lo"),
        ("是吗", "ແມ່ນຫຼືບໍ່", "lo"),
        ("铁矿地区", "төмрийн хүдрийн бүс", "mn"),
        ("是吗", "тийм үү, үгүй юу", "mn"),
    ],
)
def test_word_that_only_looks_like_a_negation_is_silent(
    source: str, target: str, language: str
) -> None:
    assert fields(source, "变化", target, CHANGES[language], language) == []
