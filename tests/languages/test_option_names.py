"""Options that speak of other options, in every language whose file knows the phrases."""

import pytest

from languages import LANGUAGES
from languages.option_names import named_letters, names_options, speak_of_options
from tests.test_linear_patterns import UNITS, is_too_slow

PHRASES = {
    "en": (
        *("A and B", "All of the above", "Neither of them", "Option C is wrong", "Only A", "Both"),
        *("Same as B", "the first two are correct", "options one and three", "No correct answer"),
        *("first and third", "1 and 3 only", "A only", "AB", "both A and C", "none", "(A) and (B)"),
        *("All three", "A through C", "I, II", "1, 3", "other than A", "the answer is not given"),
        *("Neither A nor B", "Either (A) or (B)"),
        *(
            "all the options",
            "all but C",
            "the preceding two",
            "the other three are wrong",
            "more than one answer",
        ),
    ),
    "zh": (
        *(
            "A和B",
            "A、B、C",
            "以上都对",
            "甲和乙",
            "仅B",
            "同C",
            "前两项正确",
            "前三者",
            "选项二和三",
        ),
        *("都不选", "没有正确答案", "后两项都对", "①②", "二者都是", "除A以外", "第二项", "皆非"),
        *(
            "均不正确",
            "仅有丙",
            "只有甲",
            "同上",
            "第1、3项",
            "不选",
            "所有选项",
            "甲至丙",
            "都有",
            "1和3",
            "Ａ、Ｂ",
            "甲或乙",
        ),
    ),
    "zh-Hant": (
        *("以上皆是", "以上皆非", "甲和乙", "僅A", "同B", "前兩項正確", "前三者", "選項一和三"),
        *("無正確答案", "兩項都選", "皆非", "A與B", "沒有正確答案", "后兩項都對", "後兩項皆對"),
        *(
            "均不正確",
            "全部錯誤",
            "僅有丙",
            "只有甲",
            "同上",
            "所有選項",
            "甲至丙",
            "都有",
            "1和3",
            "與A一樣",
        ),
    ),
    "bo": (
        *("ཀ་དང་ཁ།", "གོང་གསལ་ཚང་མ།", "སྔ་མ་གཉིས་འགྲིག", "སྔ་མ་གསུམ།", "དང་པོ་དང་གཉིས་པ།", "B ཁོ་ན།"),
        *("C དང་མཚུངས།", "ལན་ཡང་དག་པ་མེད།", "གཉིས་ཀ", "གསུམ་ཀ་འགྲིག", "ཚང་མ་ནོར།", "ཕྱི་མ་གཉིས།"),
        *("གང་ཡང་མ་འགྲིག", "མཇུག་གི་གཉིས།", "གོང་གི་ལན་ཚང་མ་མིན།"),
        *("མཐའ་མ་གཉིས།", "དང་པོ་གཉིས།", "གསུམ་པོ་ཚང་མ།", "གཞན་གསུམ་ནོར།", "1དང་3", "༡དང་༣"),
    ),
    "lo": (
        *("ສອງຂໍ້ທຳອິດຖືກ", "ຖືກທຸກຂໍ້", "ບໍ່ມີຂໍ້ໃດຖືກ", "A ແລະ B", "A ເທົ່ານັ້ນ", "ຄືກັບ A"),
        *("ທັງສອງ", "ທັງໝົດທີ່ກ່າວມາ", "ຂໍ້ ກ ແລະ ຂ", "ຂໍ້ທີ 1 ແລະ 3", "ບໍ່ມີຄຳຕອບທີ່ຖືກຕ້ອງ"),
        *("ສາມຂໍ້ທຳອິດ", "ເລືອກທັງສອງ", "ຂໍ້ທີໜຶ່ງ ແລະ ທີສາມ"),
        *("ຂໍ້ໃດກໍຖືກ", "ທັງສາມຂໍ້", "ຍົກເວັ້ນຂໍ້ ກ"),
        *("ຂໍ້ ໑ ແລະ ໓", "ສອງຂໍ້ທ້າຍ", "ຂໍ້ທີໜຶ່ງ", "ຂໍ້ກແລະຂໍ້ຂ", "ຂໍ້ກ ແລະ ຂໍ້ຄ", "ກ ຫລື ຂ", "ຖືກຫມົດ", "ບໍ່ມີຄໍາຕອບ"),
    ),
    "mn": (
        *("эхний хоёр нь зөв", "эхний гурав", "А ба Б", "Зөвхөн A", "A-тай ижил", "дээрх бүгд"),
        *("бүгд зөв", "хоёулаа", "зөв хариулт байхгүй", "аль нь ч биш", "нэг ба гурав дахь"),
        *("Зөвхөн А", "хоёуланг нь сонгоно", "Нэг ба гуравдугаар сонголт", "сонголт 1 ба 3"),
        *(
            "нэг, гуравдугаар",
            "А-аас Г хүртэл",
            "А-аас бусад",
            "А-гаас бусад бүгд",
            "Хоёр дахь",
            "1 ба 3",
            "Бусад гурав нь буруу",
            "А шиг",
            "Хариулт байхгүй",
            "А мөн Б",
            "а, б",
            "Алийг нь ч биш",
        ),
    ),
    "ug": (
        *("ئالدىنقى ئىككىسى توغرا", "پەقەت A", "A بىلەن ئوخشاش", "يۇقىرىقىلارنىڭ ھەممىسى"),
        *("ھەممىسى توغرا", "ئىككىلىسى", "توغرا جاۋاب يوق", "ئالدىنقى ئۈچى", "A ۋە B"),
        *("بىرىنچى ۋە ئۈچىنچى", "ئىككىلىسىنى تاللايمىز", "ئا ۋە ب", "ئا ياكى ئە"),
        *(
            "باشقىلىرى خاتا",
            "پەقەت ئا",
            "بىرىنچىسى",
            "1 ۋە 3",
            "يۇقارقىلارنىڭ ھەممىسى",
            "ئا، ب",
            "ئا خاتا",
            "ھەر ئىككىسى",
            "ھەر ئۈچىسى",
        ),
    ),
    "ar": (
        *("الأول والثاني", "أ و ب", "جميع ما سبق", "لا شيء مما سبق", "كل ما ذكر", "كلاهما"),
        *("A فقط", "مثل A", "الخياران الأول والثالث", "لا توجد إجابة صحيحة", "أول خيارين صحيحان"),
        *("الثلاثة الأولى", "نفس A", "الخيار أ", "كلا الخيارين"),
        *(
            "أ، ب",
            "أ، ب، ج",
            "1 و 3",
            "١ و ٣",
            "ليس كلاهما",
            "جَمِيعُ ما سَبَق",
            "كـــل مـا سبق",
            "ﻛﻞ ﻣﺎ ﺳﺒﻖ",
            "أُ و بَ",
        ),
    ),
}
PHRASES["dz"] = ("A དང་ B", "ཚང་མ།", "གོང་གི་ཚང་མ།", "ཀ་དང་ཁ།", "གཉིས་ཀ")
PHRASES["ja"] = ("AとB", "上記すべて", "どれでもない", "Aのみ", "両方", "すべて正しい", "正解なし")
PHRASES["mn-Mong"] = ("ᠪᠦᠬᠦᠳᠡ ᠵᠥᠪ", "A ᠪᠠ B", "ᠪᠦᠬᠦᠳᠡ")
ORDINARY = {
    "en": (
        ["Paris", "London", "Rome", "A city"],
        ["Vitamin A", "Vitamin B", "Vitamin C", "Vitamin D"],
        ["Vitamin A", "B group", "C", "and D"],
        ["$a-b$", "$a$", "$b-a$", "$b$"],
    ),
    "zh": (
        ["1和2", "1和3", "2和3", "3和4"],
        ["同上海", "共有", "无", "都江堰"],
        ["北京", "上海", "广州", "深圳"],
        ["维生素A", "维生素B", "维生素C", "维生素D"],
        ["G and I", "H", "answer I want", "第八项"],
        ["$R\\times C$", "f(x)F(x)", "2A-B", "DNA"],
    ),
    "zh-Hant": (["臺北", "高雄", "臺南", "新竹"], ["不同", "相似", "相反", "無關"]),
    "bo": (
        ["བོད་ཀྱི་ལོ་རྒྱུས།", "དཀར་པོ་དང་ནག་པོ།", "ཁམས།", "ང་ཚོ།"],
        ["ཡིག་ གི", "མིང་ ཆུ", "ང་ གི", "ཁ་ ཆུ"],
        ["12", "14", "16", "18"],
    ),
    "lo": (
        ["ຂໍ້ຄວາມ", "ຂໍ້ກຳນົດ", "ຂໍ້ຄິດ", "ຂໍ້ມູນ"],
        ["ນ້ຳ", "ໄຟ", "ດິນ", "ລົມ"],
        ["ວຽງຈັນ", "ປາກເຊ", "ສະຫວັນນະເຂດ", "ຫຼວງພະບາງ"],
    ),
    "mn": (
        ["бусад", "шигшмэл", "аав", "бага"],
        ["Улаанбаатар", "Дархан", "Эрдэнэт", "Ховд"],
        ["хоёр", "гурав", "дөрөв", "тав"],
    ),
    "ug": (["ئۈرۈمچى", "قەشقەر", "خوتەن", "تۇرپان"], ["بىر", "ئىككى", "ئۈچ", "تۆت"]),
    "ar": (
        ["1 و 2", "1 و 3", "2 و 3", "3 و 4"],
        ["وَرْد", "أُمّ", "جَدّ", "بَاب"],
        ["القرن الأول", "القرن الثاني", "القرن الثالث", "القرن الرابع"],
        ["القاهرة", "بغداد", "دمشق", "الرياض"],
        ["واحد", "اثنان", "ثلاثة", "أربعة"],
    ),
}


@pytest.mark.parametrize("language", PHRASES)
def test_option_that_speaks_of_others_is_found(language: str) -> None:
    missed = [
        phrase
        for phrase in PHRASES[language]
        if not names_options("?", ["x1", "y2", "z3", phrase], language)
    ]
    assert missed == []


@pytest.mark.parametrize("language", ORDINARY)
def test_ordinary_options_are_not_taken_for_names(language: str) -> None:
    found = [options for options in ORDINARY[language] if names_options("?", options, language)]
    assert found == []


@pytest.mark.parametrize(
    ("options", "language"),
    [
        ([*"123456789", "G and J"], "en"),
        ([*"123456789", "第八项"], "zh"),
        ([*"123456789", "ཉ་དང་ཐ།"], "bo"),
    ],
)
def test_letters_and_places_beyond_the_sixth_count_where_there_are_so_many_options(
    options: list[str], language: str
) -> None:
    assert names_options("?", options, language)
    assert not names_options("?", options[-4:], language)


def test_statements_that_the_question_lists_are_not_options() -> None:
    options = ["①②", "②③", "①③", "①②③"]
    assert not names_options("①甲 ②乙 ③丙，正确的是", options, "zh")
    assert names_options("正确的是", options, "zh")


def test_letters_that_options_name_are_those_of_the_item_in_any_script() -> None:
    assert named_letters("A和C都对", "zh", 4) == {"A", "C"}
    assert named_letters("ཀ་དང་ག་འགྲིག", "bo", 4) == {"A", "C"}
    assert named_letters("DNA", "zh", 4) == frozenset()
    assert not speak_of_options(("维生素A",), "zh", 4)


def test_every_language_with_words_for_numbers_knows_such_phrases() -> None:
    assert [
        each.code for each in LANGUAGES.values() if each.number_words and not each.option_names
    ] == []


@pytest.mark.slow
@pytest.mark.parametrize("language", PHRASES)
def test_phrases_are_found_in_time_that_grows_with_the_text(language: str) -> None:
    class Search:
        def finditer(self, text: str) -> list[bool]:
            return [names_options(text, [text, "a"], language)]

        def fullmatch(self, text: str) -> bool:
            return speak_of_options((text,), language, 4)

    units = [*UNITS.values(), *PHRASES[language][:3], "第", "前两", "དང་པོ་དང་", "дээр"]
    assert [unit for unit in units if is_too_slow(Search(), unit)] == []
