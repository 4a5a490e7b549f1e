"""Numbers in words are read by their value, whole."""

import pytest

from languages import LANGUAGES, get_language
from languages.spoken_numbers import spoken_numbers
from tests.test_linear_patterns import UNITS, is_too_slow


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("zh", "有一百二十个", {120}),
        ("zh", "百分之二十五", {100, 25}),
        ("zh", "贰佰元", {200}),
        ("zh", "一九四九年", {1, 9, 4, 1949}),
        ("zh", "两千零五", {2005}),
        ("zh", "一亿二千万", {120_000_000}),
        ("zh", "下列哪一项", {1}),
        ("zh-Hant", "十二萬三千", {123_000}),
        ("bo", "ཉི་ཤུ་རྩ་ལྔ།", {25}),
        ("bo", "བདུན་ཅུ་དོན་ལྔ།", {75}),
        ("bo", "བཅོ་བརྒྱད།", {18}),
        ("bo", "སྟོང་ཕྲག་གཉིས།", {2000, 1002}),
        ("bo", "ཁྲི་ལྔ་བཅུ།", {500_000, 10_050, 50_010}),
        ("lo", "ຊາວຫ້າ", {25}),
        ("lo", "ສອງຮ້ອຍສາມສິບ", {230}),
        ("mn", "зуун хорин таван", {125}),
        ("en", "two hundred and five", {200, 5, 205}),
        ("en", "twenty-five thousand", {25_000}),
        ("ar", "خمسة وعشرون", {5, 20, 25}),
        ("ar", "تسعة عشر", {19}),
        ("ar", "إحدى عشرة", {11}),
        ("ar", "الثالث عشر", {13}),
        ("ar", "الحادي والعشرون", {1, 20, 21}),
        ("ar", "ثلاثمائة", {300}),
        ("ar", "ألف وتسعمئة وتسعة وأربعون", {1000, 900, 9, 40, 1949}),
        ("ar", "خمسة عشر ألفا", {15_000}),
        ("ug", "ئىككى يۈز ئون بەش", {215}),
        ("ug", "يىگىرمە بىرىنچى", {21}),
        ("mn", "арванхоёрдугаар", {12}),
        ("mn", "хорин нэгдүгээр зуун", {21, 100}),
        ("mn", "долдугаар", {7}),
        ("en", "twenty-first", {21}),
        ("zh", "廿五", {25}),
        ("en", "often", set()),
        ("ja", "三", set()),
    ],
)
def test_numbers_in_words(language: str, text: str, expected: set[int]) -> None:
    assert spoken_numbers(text, get_language(language)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("language", [each.code for each in LANGUAGES.values()])
def test_numbers_in_words_are_read_in_time_that_grows_with_the_text(language: str) -> None:
    own = get_language(language)
    words = [word for words in own.number_words for word in words.split()]

    class Search:
        def finditer(self, text: str) -> frozenset[int]:
            return spoken_numbers.__wrapped__(text, own)

        fullmatch = finditer

    units = [*UNITS.values(), *words[:3], *(f"{word} " for word, _ in own.larger_numbers[-3:])]
    assert [unit for unit in units if is_too_slow(Search(), unit)] == []
