"""Numbers and what stands beside them: signs, powers, fractions, ranges, percent and units."""

import re
import sys

import pytest
from hypothesis import given as any_of
from hypothesis import strategies as st

from annotation.checks.catalogue import check_text, numbers
from annotation.checks.catalogue.base import CheckInput
from annotation.checks.catalogue.parity import Numbers


def changes(source: str, target: str, languages: tuple[str, str] = ("zh", "bo")) -> tuple[str, str]:
    given = CheckInput(source, ("甲", "乙"), "A", target, ("x", "y"), None, *languages)
    found = [problem for problem in Numbers().run(given) if problem.field == "question"]
    data = found[0].data if found else {"missing": "", "added": ""}
    return str(data["missing"]), str(data["added"])


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("10²", "102", ("10, ²", "102")),
        ("3^4", "34", ("3, ⁴", "34")),
        ("y⁵", "y5", ("⁵", "5")),
        ("2**3", "23", ("2, ³", "23")),
        ("10⁻³", "10³", ("⁻³", "³")),
        ("x = -7", "x = 7", ("-7", "")),
        ("温度为-5", "དྲོད་ཚད་5", ("-5", "")),
        ("x = 8", "x = −8", ("", "-8")),
        ("5/7", "7/5", ("5/7", "7/5")),
        ("¾", "4/3", ("3/4", "4/3")),
        ("4分之3", "4/3", ("3/4", "4/3")),
        ("比例为3:2", "2:3", ("3:2", "2:3")),
        ("10~20个", "20-10", ("10–20", "20–10")),
        ("下列哪一项占47%", "གང་གིས་བརྒྱ་ཆ་༧༤", ("47", "74")),
        ("占5%", "5", ("5%", "")),
        ("占5‰", "5%", ("5‰", "5%")),
        ("x<5", "x>5", ("x<5", "5<x")),
        ("a≤3", "a<3", ("a≤3", "a<3")),
        ("3 km", "3 m", ("3 km", "3 m")),
        ("3千克", "3 g", ("3 千克", "3 g")),
        ("20 mg", "20 g", ("20 mg", "20 g")),
        ("2个和2个，5个", "2, 5, 5", ("2", "5")),
        ("一百二十个", "༡༣༠", ("120", "130")),
        ("贰佰元", "༢༥༠", ("200", "250")),
        ("12.5", "1.25", ("12.5", "1.25")),
        ("零下5度", "༥", ("-5", "")),
        ("负5", "5", ("-5", "")),
        ("负五", "5", ("-5", "")),
        ("5", "མོ་གྲངས་༥", ("", "-5")),
        ("三分之二", "3/2", ("2/3", "3/2")),
        ("三分之二", "༣/༢", ("2/3", "3/2")),
        ("2/3", "བཞི་ཆ་གསུམ། 3/2", ("2/3", "4, 3/2")),
        ("1,000", "1.000", ("1000", "1")),
        ("1 000 000", "1 000", ("1000000", "1000")),
        ("角为30°", "30℃", ("30 °", "30 ℃")),
        ("30℃", "30°", ("30 ℃", "30 °")),
        ("30度角", "30℃", ("30 度角", "30 ℃")),
        ("$5", "¥5", ("$5", "¥5")),
        ("100元", "$100", ("¥100", "$100")),
        ("5万美元", "€5", ("5 × 10000, $5", "€5")),
        ("x=−y", "x=y", ("-y", "")),
        ("f(-x)", "f(x)", ("-x", "")),
        ("-a+b", "a+b", ("-a", "")),
        ("1949年", "༡༩༤༩༠", ("1949", "19490")),
        ("1/3", "0.34", ("1, 3", "0.34")),
        ("1/3", "0.3", ("1, 3", "0.3")),
    ],
)
def test_change_beside_a_number_is_found(
    source: str, target: str, expected: tuple[str, str]
) -> None:
    assert changes(source, target) == expected


@pytest.mark.parametrize(
    ("source", "target", "languages"),
    [
        ("π≈3,14159", "π≈3.14159", ("zh", "bo")),
        ("10²", "10^2", ("zh", "bo")),
        ("10²", "$10^{2}$", ("zh", "bo")),
        ("面积5 m²", "5 m2", ("zh", "bo")),
        ("SO₄²⁻", "SO42-", ("zh", "bo")),
        ("5的平方是5²", "5 squared", ("zh", "en")),
        ("-5 + 3 =", "−5 + 3 =", ("zh", "bo")),
        ("零下5度", "-5", ("zh", "bo")),
        ("-5", "сөрөг 5", ("zh", "mn")),
        ("20℃-30℃", "20-30℃", ("zh", "bo")),
        ("1990年-2000年", "1990-2000", ("zh", "bo")),
        ("COVID-19", "ཏོག་19", ("zh", "bo")),
        ("½ 加 1/4", "1/2 དང་ 1/4", ("zh", "bo")),
        ("1.5个", "༫", ("zh", "bo")),
        ("1.5个", "༪", ("zh", "bo")),
        ("2比3", "2:3", ("zh", "bo")),
        ("占35%", "བརྒྱ་ཆ་༣༥", ("zh", "bo")),
        ("占35%", "35 хувь", ("zh", "mn")),
        ("占百分之二十五", "༢༥%", ("zh", "bo")),
        ("占25%", "ໃນ 25 ເປີເຊັນ", ("zh", "lo")),
        ("a>b", "b<a", ("zh", "bo")),
        ("5千米", "5 km", ("zh", "bo")),
        ("5千米", "5 км", ("zh", "mn")),
        ("37°C", "37℃", ("zh", "bo")),
        ("25人", "ཉི་ཤུ་རྩ་ལྔ།", ("zh", "bo")),
        ("25人", "ຊາວຫ້າ", ("zh", "lo")),
        ("25人", "хорин таван хүн", ("zh", "mn")),
        ("25人", "བོད་ ᠒᠕", ("zh", "mn-Mong")),
        ("50万元", "སྒོར་ཁྲི་ལྔ་བཅུ།", ("zh", "bo")),
        ("一九四九年", "1949", ("zh", "bo")),
        ("25 people", "二十五人", ("en", "zh")),
        ("1/2", "0.5", ("zh", "bo")),
        ("占50%", "0.5", ("zh", "bo")),
        ("1/3", "0.33", ("zh", "bo")),
        ("2/3", "66.7%", ("zh", "lo")),
        ("0.143", "1/7", ("zh", "mn")),
        ("三分之二", "༠.༦༦", ("zh", "bo")),
        ("3/4", "75%", ("zh", "bo")),
        ("四分之三", "༠.༧༥", ("zh", "bo")),
        ("百分之五十", "0.5", ("zh", "bo")),
        ("三分之二", "2/3", ("zh", "bo")),
        ("三分之二", "གསུམ་ཆ་གཉིས", ("zh", "bo")),
        ("2/3", "ສອງສ່ວນສາມ", ("zh", "lo")),
        ("2/3", "гуравны хоёр", ("zh", "mn")),
        ("1,000", "1.000", ("zh", "lo")),
        ("1 000 000", "1,000,000", ("zh", "bo")),
        ("零下5度", "5 degrees below zero", ("zh", "en")),
        ("正负5", "±5", ("zh", "bo")),
        ("肩负3项任务", "3", ("zh", "bo")),
        ("8 minus 5", "8 - 5", ("en", "bo")),
        ("30°", "30 ອົງສາ", ("zh", "lo")),
        ("30度角", "30 ອົງສາ", ("zh", "lo")),
        ("30度的角", "30°", ("zh", "bo")),
        ("气温30度", "30℃", ("zh", "lo")),
        ("20°-30℃", "20℃-30℃", ("zh", "bo")),
        ("体温37℃", "37 °\u0421-ийн халуун", ("zh", "mn")),
        ("气温37℃", "37°\u0421", ("zh", "mn")),
        ("$5 到 $10", "＄5-＄10", ("zh", "bo")),
        ("日元100", "¥100", ("zh", "bo")),
        ("x=−y", "$x=-y$", ("zh", "bo")),
        ("- a 项", "a", ("zh", "bo")),
    ],
)
def test_number_in_another_form_is_the_same_number(
    source: str, target: str, languages: tuple[str, str]
) -> None:
    assert changes(source, target, languages) == ("", "")


@pytest.mark.parametrize(
    ("source", "target", "languages"),
    [
        ("5公斤", "5 ກຣາມ", ("zh", "lo")),
        ("5公斤", "5 گرام", ("zh", "ug")),
        ("5公斤", "5 غرام", ("zh", "ar")),
        ("5公里", "5 م", ("zh", "ar")),
        ("5平方米", "5 метр", ("zh", "mn")),
        ("5米/秒", "5 ກິໂລແມັດຕໍ່ຊົ່ວໂມງ", ("zh", "lo")),
        ("100美元", "100 ຢວນ", ("zh", "lo")),
        ("100元", "100 доллар", ("zh", "mn")),
    ],
)
def test_other_unit_is_found_where_both_sides_say_it_in_words(
    source: str, target: str, languages: tuple[str, str]
) -> None:
    assert all(changes(source, target, languages))
    assert all(changes(target, source, languages[::-1]))


@pytest.mark.parametrize(
    ("source", "target", "languages"),
    [
        ("5平方米", "5 м2", ("zh", "mn")),
        ("5平方公里", "5 км2", ("zh", "mn")),
        ("5平方米", "5 متر مربع", ("zh", "ar")),
        ("5立方米", "5 ແມັດກ້ອນ", ("zh", "lo")),
        ("60公里每小时", "60 كيلومتر في الساعة", ("zh", "ar")),
        ("5公尺", "5米", ("zh-Hant", "zh")),
        ("5小时", "5 цаг", ("zh", "mn")),
        ("2万元", "2 түмэн юань", ("zh", "mn")),
    ],
)
def test_same_unit_in_words_is_silent(source: str, target: str, languages: tuple[str, str]) -> None:
    assert changes(source, target, languages) == ("", "")
    assert changes(target, source, languages[::-1]) == ("", "")


SIGNS_OF_FRACTIONS = re.findall(numbers._VULGAR, "".join(map(chr, range(sys.maxunicode + 1))))
NUMERIC = st.characters(categories=["Nd", "Nl", "No"])
WITH_NUMERIC = st.text(NUMERIC | st.sampled_from("ab 一་,.-−/:%<$分之"), max_size=20)


@pytest.mark.parametrize("sign", SIGNS_OF_FRACTIONS)
def test_every_fraction_of_one_character_is_read(sign: str) -> None:
    assert changes(f"{sign}和77", f"{sign} 88") == ("77", "88")


def test_every_vulgar_fraction_and_half_digit_is_among_the_signs() -> None:
    assert set("¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞༪༫༬༭༮༯༰༱༲༳") == set(SIGNS_OF_FRACTIONS)


@any_of(source=WITH_NUMERIC, target=WITH_NUMERIC)
def test_numeric_characters_of_any_script_never_raise(source: str, target: str) -> None:
    options = ("甲", source)
    for language in ("bo", "zh", "en", "ug"):
        check_text(CheckInput(source, options, "A", target, ("x", target), None, "zh", language))
