"""Options that name others, by letter or place: the name lost or changed, and rendered rightly."""

from annotation.checks.catalogue.base import CheckInput
from annotation.checks.catalogue.content import OptionNames

WRONG = (
    ("以上都对", "ཡང་དག་པ་ཞིག", "bo"),
    ("前两项正确", "ཕྱི་མ་གཉིས་འགྲིག", "bo"),
    ("前两项正确", "སྔ་མ་གསུམ་འགྲིག", "bo"),
    ("以上都不对", "ບໍ່ຖືກຕ້ອງ", "lo"),
    ("前两项都对", "ສອງຂໍ້ທ້າຍ", "lo"),
    ("上述两项", "нэг зүйл", "mn"),
    ("后两项都对", "эхний хоёр нь зөв", "mn"),
    ("以上皆是", "是的", "zh-Hant"),
    ("前三项", "後三項", "zh-Hant"),
    ("二者都是", "གསུམ་ཀ", "bo"),
    ("以上全部", "everything", "en"),
    ("前两项", "the last two", "en"),
    ("A和B", "A ແລະ ຄ", "lo"),
    ("A和B", "A", "bo"),
    ("同上", "ཡིན་པ", "bo"),
    ("所有选项", "ທຸກຄົນ", "lo"),
    ("以上都对", "كلها جيدة جدا", "ar"),
    ("以上都对", "ياخشى", "ug"),
)
RIGHT = (
    ("以上都对", "གོང་གསལ་ཚང་མ་འགྲིག", "bo"),
    ("以上全部", "གོང་གི་ཡོངས་རྫོགས།", "bo"),
    ("以上都不是", "གོང་གི་གང་ཡང་མིན་པ།", "bo"),
    ("前两项正确", "སྔ་མ་གཉིས་འགྲིག", "bo"),
    ("以上都不对", "ບໍ່ມີຂໍ້ໃດຖືກ", "lo"),
    ("以上都对", "ຖືກທຸກຂໍ້", "lo"),
    ("前两项都对", "ສອງຂໍ້ທຳອິດຖືກ", "lo"),
    ("上述两项", "дээрх хоёр", "mn"),
    ("以上都对", "дээрх бүгд зөв", "mn"),
    ("以上都对", "бүгд зөв", "mn"),
    ("前两项", "эхний хоёр", "mn"),
    ("以上皆是", "以上皆是", "zh-Hant"),
    ("以上都对", "皆是", "zh-Hant"),
    ("二者都是", "གཉིས་ཀ", "bo"),
    ("以上全部", "All of the above", "en"),
    ("前两项", "the first two", "en"),
    ("两者都对", "both are correct", "en"),
    ("A和B", "ກ ແລະ ຂ", "lo"),
    ("所有性压抑都是好的", "བྱུང་དོན་འདུལ་པོ་ཚང་མ་ཡག་པོ་ཡིན།", "bo"),
    ("都是", "ཚང་མ་ཡིན", "bo"),
    ("细胞膜都是由脂质构成的", "སྐྱི་མོ", "bo"),
    ("以上都不对", "none of the above", "en"),
    ("第二项", "second option", "en"),
    ("以上都对", "كل ما سبق", "ar"),
    ("以上都不对", "يۇقىرىدىكىلەرنىڭ ھەممىسى خاتا", "ug"),
    ("皆非", "གང་ཡང་མིན", "bo"),
    ("同上", "གོང་དང་མཚུངས", "bo"),
    ("2个月以上", "ཟླ་བ་2ཡན་", "bo"),
    ("二者相等", "ཕྱོགས་གཉིས་པོ་གཅིག་མཚུངས་ཡིན།", "bo"),
    ("没有一个", "གཅིག་ཀྱང་མེད།", "bo"),
)


def data_of(source: str, target: str, language: str) -> list[dict[str, str | int]]:
    """Return what the check says of the third option, in Chinese and in its rendering."""
    sources, targets = ("甲烷", "乙醇", source, "氧气"), ("a1", "b2", target, "d4")
    given = CheckInput("问题", sources, "A", "x", targets, None, "zh", language)
    return [dict(problem.data) for problem in OptionNames().run(given)]


def test_name_of_other_options_that_was_lost_or_changed_is_found() -> None:
    assert [case for case in WRONG if not data_of(*case)] == []


def test_name_of_other_options_in_the_words_of_the_language_is_silent() -> None:
    assert [(case, data_of(*case)) for case in RIGHT if data_of(*case)] == []


def test_lost_place_is_told_with_the_words_of_the_source() -> None:
    assert data_of("前两项正确", "ཕྱི་མ་གཉིས་འགྲིག", "bo") == [
        {"expected": "", "found": "—", "phrase": "前两项正确"}
    ]
