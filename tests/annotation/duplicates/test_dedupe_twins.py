"""Twins that look the same are found, and so is a question whose options were all replaced."""

import pytest

from annotation.duplicates.dedupe.comparison import compare
from annotation.duplicates.dedupe.exact import exact_pairs, same_question_pairs
from annotation.duplicates.dedupe.near import make_search, near_pairs
from annotation.duplicates.dedupe.texts import ItemText

QUESTION = "硫酸的化学式是什么？"
OPTIONS = ("H2SO4", "HCl", "HNO3", "H3PO4")
QUESTIONS = {
    "zh": "下列哪种气体能使带火星的木条复燃？",
    "zh-Hant": "下列哪種氣體能使帶火星的木條復燃？",
    "lo": "ອາຍຊະນິດໃດຕໍ່ໄປນີ້ເຮັດໃຫ້ໄມ້ລຸກຄືນ?",
    "mn": "Дараах хийнүүдийн аль нь модыг дахин асаадаг вэ?",
    "ug": "تۆۋەندىكى گازلارنىڭ قايسىسى ياغاچنى قايتا ياندۇرىدۇ؟",
    "ar": "أي من الغازات التالية يعيد إشعال الخشب؟",
    "bo": "གཤམ་གྱི་རླངས་རྫས་གང་གིས་ཤིང་སླར་སྦར་ཐུབ།",
    "en": "Which of the following gases relights wood?",
}
DENIED = {
    "zh": "下列哪种气体不能使带火星的木条复燃？",
    "zh-Hant": "下列哪種氣體不能使帶火星的木條復燃？",
    "lo": "ອາຍຊະນິດໃດຕໍ່ໄປນີ້ບໍ່ເຮັດໃຫ້ໄມ້ລຸກຄືນ?",
    "mn": "Дараах хийнүүдийн аль нь модыг дахин асаадаггүй вэ?",
    "ug": "تۆۋەندىكى گازلارنىڭ قايسىسى ياغاچنى قايتا ياندۇرمايدۇ؟",
    "ar": "أي من الغازات التالية لا يعيد إشعال الخشب؟",
    "bo": "གཤམ་གྱི་རླངས་རྫས་གང་གིས་ཤིང་སླར་སྦར་མི་ཐུབ།",
    "en": "Which of the following gases does not relight wood?",
}
LONG = "某地区的居民在调查中说明了他们每天使用手机的时间，请根据所给的统计图回答问题"


def pairs(items: list[ItemText], language: str) -> set[tuple[int, int]]:
    texts = compare(items)
    found = [*exact_pairs(texts, side="source")]
    found += same_question_pairs(texts, language=language, side="source")
    search = make_search(texts, language=language, side="source")
    for block in range(search.block_count):
        found += near_pairs(search, block=block)
    return {(pair.a, pair.b) for pair in found}


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("zh", ItemText(1, QUESTION, OPTIONS, "A"), ItemText(2, QUESTION, ("H₂SO₄", "HCl", "HNO₃", "H₃PO₄"), "A")),
        ("zh", ItemText(1, QUESTION, OPTIONS, "A"), ItemText(2, "硫酸的化学式是（  ）", OPTIONS, "A")),
        ("zh", ItemText(1, "高一学生的人数", ("一", "二"), "A"), ItemText(2, "⾼⼀学⽣的⼈数", ("⼀", "⼆"), "A")),
        ("lo", ItemText(1, "ນ້ຳຢູ່ໃສໃນໂລກ", ("ແມ່ນ້ຳ", "ຝົນ"), "A"), ItemText(2, "ນໍ້າຢູ່ໃສໃນໂລກ", ("ແມ່ນໍ້າ", "ຝົນ"), "A")),
        ("zh", ItemText(1, LONG, ("甲", "乙"), "A"), ItemText(2, LONG, ("丙", "丁"), "B")),
    ],
)  # fmt: skip
def test_twin_is_found(language: str, one: ItemText, other: ItemText) -> None:
    assert pairs([one, other], language) == {(1, 2)}


@pytest.mark.parametrize("language", ["zh", "zh-Hant", "lo", "mn", "ug", "ar", "bo", "en"])
@pytest.mark.parametrize(
    "options",
    [
        ("$H_2SO_4$", "$HCl$", "$HNO_3$", "$H_3PO_4$"),
        ("$\\mathrm{H_{2}SO_{4}}$", "$\\mathrm{HCl}$", "$\\mathrm{HNO_{3}}$", "$\\mathrm{H_{3}PO_{4}}$"),
        ("H<sub>2</sub>SO<sub>4</sub>", "HCl", "HNO<sub>3</sub>", "H<sub>3</sub>PO<sub>4</sub>"),
        ("Ｈ２ＳＯ４", "ＨＣｌ", "ＨＮＯ３", "Ｈ３ＰＯ４"),
    ],
)  # fmt: skip
def test_twin_with_formulas_in_other_marks_is_found(
    language: str, options: tuple[str, ...]
) -> None:
    one = ItemText(1, QUESTIONS[language], OPTIONS, "A")
    other = ItemText(2, QUESTIONS[language], options, "A")
    assert pairs([one, other], language) == {(1, 2)}


@pytest.mark.parametrize(("language", "denied"), list(DENIED.items()))
def test_question_that_denies_is_no_twin(language: str, denied: str) -> None:
    one, other = ItemText(1, QUESTIONS[language], OPTIONS, "A"), ItemText(2, denied, OPTIONS, "B")
    assert pairs([one, other], language) == set()


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("zh", ItemText(1, QUESTION, OPTIONS, "A"), ItemText(2, "下列不是硫酸的化学式的是什么？", OPTIONS, "B")),
        (
            "en",
            ItemText(1, "Which of these planets has a moon?", ("Mars", "Venus", "Earth"), "A"),
            ItemText(2, "Which of these planets has no moon?", ("Mars", "Venus", "Earth"), "B"),
        ),
        ("zh", ItemText(1, "第1题：计算所需要的总人数", ("甲1", "乙1", "丙1"), "A"), ItemText(2, "第11题：计算所需要的总人数", ("甲11", "乙11", "丙11"), "A")),
        ("zh", ItemText(1, "下列说法正确的是", ("甲", "乙"), "A"), ItemText(2, "下列说法正确的是", ("丙", "丁"), "B")),
    ],
)  # fmt: skip
def test_other_question_is_no_twin(language: str, one: ItemText, other: ItemText) -> None:
    assert pairs([one, other], language) == set()


def test_long_question_of_many_items_is_a_frame() -> None:
    items = [
        ItemText(n, LONG, (f"甲{'子丑寅卯辰'[n]}", f"乙{'子丑寅卯辰'[n]}"), "A") for n in range(5)
    ]
    assert pairs(items, "zh") == set()
