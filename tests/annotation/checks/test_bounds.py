"""Bounds in signs and in words: turned round, made stricter, lost; right renderings are silent."""

from annotation.checks.catalogue.base import CheckInput
from annotation.checks.catalogue.parity import Numbers
from languages import LANGUAGES

WRONG = (
    ("不得少于10米", "མི་ཊར་10ལས་ཉུང།", "bo"),
    ("不得少于10米", "མི་ཊར་10ཡིན།", "bo"),
    ("3个月以上", "ཟླ་བ་3མན་", "bo"),
    ("至少三人", "མང་མཐར་མི་གསུམ", "bo"),
    ("至多5人", "ຢ່າງໜ້ອຍ 5 ຄົນ", "lo"),
    ("5岁以下", "5 ປີຂຶ້ນໄປ", "lo"),
    ("不超过5天", "5 ມື້", "lo"),
    ("不超过5天", "5 хоногоос багагүй", "mn"),
    ("大于5", "5-аас бага", "mn"),
    ("不少于30人", "30 хүн", "mn"),
    ("x≤5", "x нь 5-аас их", "mn"),
    ("至少5", "at most 5", "en"),
    ("不超过100", "more than 100", "en"),
    ("大于等于3", "дээд тал нь 3", "mn"),
    ("不超过5", "≥5", "bo"),
    ("超过5", "≥5", "bo"),
    ("不高于38℃", "38℃以上", "zh-Hant"),
    ("至少5人", "最多5人", "zh-Hant"),
    ("至少5", "على الأكثر 5", "ar"),
    ("不超过5", "5 دىن كۆپ", "ug"),
    ("x<5", "x ລົດ 5 ຫຼື ໃຫຍ່ກວ່າ 5", "lo"),
    ("低于60分", "60分以上", "zh-Hant"),
)
RIGHT = (
    ("不得少于10米", "མི་ཊར་10ལས་མི་ཉུང།", "bo"),
    ("3个月以上", "ཟླ་བ་3ཡན་", "bo"),
    ("至少三人", "ཉུང་མཐར་མི་གསུམ", "bo"),
    ("至多5人", "ຢ່າງຫຼາຍ 5 ຄົນ", "lo"),
    ("至多5人", "ບໍ່ເກີນ 5 ຄົນ", "lo"),
    ("5岁以上", "5 ປີຂຶ້ນໄປ", "lo"),
    ("不超过5天", "5 хоногоос хэтрэхгүй", "mn"),
    ("大于5", "5-аас их", "mn"),
    ("不少于30人", "30-аас доошгүй хүн", "mn"),
    ("x≤5", "x нь 5-аас ихгүй", "mn"),
    ("至少5", "at least 5", "en"),
    ("不超过100", "no more than 100", "en"),
    ("不超过100", "up to 100", "en"),
    ("大于等于3", "3-аас багагүй", "mn"),
    ("不超过5", "≤5", "bo"),
    ("超过5", ">5", "bo"),
    ("至少三人", "at least three people", "en"),
    ("不高于38℃", "38℃以下", "zh-Hant"),
    ("至少5人", "≥5人", "zh-Hant"),
    ("至少5", "5 على الأقل", "ar"),
    ("不超过5", "5 دىن ئاشمايدۇ", "ug"),
    ("不超过5小时", "5 ສົມງ ຫຼື ໜ້ອຍກວ່າ", "lo"),
    ("年满18周岁以上", "18 ба түүнээс дээш настай", "mn"),
    ("18岁以上", "18 and older", "en"),
    ("12岁以下儿童", "children under 12", "en"),
    ("最多的3个城市", "the 3 largest cities", "en"),
    ("以上3项", "the 3 above", "en"),
    ("3≤x<5", "3≤x<5", "bo"),
    ("超过一半", "more than half", "en"),
    ("超过三分之一", "more than 1/3", "en"),
    ("不大于0", "≤0", "bo"),
    ("一年以上", "more than a year", "en"),
    ("20以上30以下", "20ཡན་30མན", "bo"),
    ("等于或小于 0.05", "0.05དང་མཉམ་པའམ་ཆུང་བ།", "bo"),
    ("不低于60分", "60 оноо ба түүнээс дээш", "mn"),
    ("不少于2次", "хоёроос доошгүй удаа", "mn"),
    ("他活了二千年", "ལོ་ངོ་ཉིས་སྟོང་ལྷག", "bo"),
)


def shown(source: str, target: str, language: str) -> list[str]:
    """Return what the check of numbers says of a question in Chinese beside its rendering."""
    given = CheckInput(source, ("甲", "乙"), "A", target, ("x", "y"), None, "zh", language)
    return [
        f"{problem.data['missing']}/{problem.data['added']}" for problem in Numbers().run(given)
    ]


def test_bound_that_differs_is_found_in_every_language() -> None:
    assert [case for case in WRONG if not shown(*case)] == []


def test_bound_in_right_words_or_signs_is_silent() -> None:
    assert [(case, shown(*case)) for case in RIGHT if shown(*case)] == []


def test_bound_is_shown_as_a_sign_on_each_side() -> None:
    assert shown("至少三人", "མང་མཐར་མི་གསུམ", "bo") == ["≥3/≤3"]
    assert shown("不得少于10米", "10 ແມັດ", "lo") == ["≥10/"]


def test_words_for_bounds_of_every_language_have_one_place_for_the_number_and_a_stem() -> None:
    kinds = ("at_least", "at_most", "more", "less", "upwards", "downwards")
    wrong = [
        word
        for bounds in (language.bounds for language in LANGUAGES.values() if language.bounds)
        for kind in kinds
        for word in getattr(bounds, kind)
        if word.count("#") != 1
        or "#" not in (word[0], word[-1])
        or not any(stem in word for stem in bounds.stems)
    ]
    assert wrong == []
