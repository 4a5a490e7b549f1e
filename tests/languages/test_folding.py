"""One fold for texts that look the same, in every script served."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from languages.folding import fold, lao_in_order, plain_ideographs
from tests.test_linear_patterns import UNITS, is_too_slow


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("⾼⼀学⽣", "高一学生"),
        ("⻓⻔⻢", "长门马"),
        ("\uf9d1金", "六金"),
        ("ນ້ຳ", "ນໍ້າ"),
        ("ນ້ຳ", "ນຳ້"),
        ("ນຳ", "ນໍາ"),
        ("ກີ້", "ກ້ີ"),
        ("ຫຼັ້ງ", "ຫລ້ັງ"),
        ("ແມ່", "ເເມ່"),
        ("ໝາ", "ຫມາ"),
        ("ໜູ", "ຫນູ"),
        ("ຫຼາຍ", "ຫລາຍ"),
        ("ཀ\u0f71\u0f72", "ཀ\u0f72\u0f71"),
        ("བོད༌ཡིག", "བོད་ཡིག"),
        ("བོད ཡིག", "བོད་ཡིག"),
        ("ཀ\u0f7b", "ཀ\u0f7a\u0f7a"),
        ("ཡིན༎", "ཡིན།།"),
        ("ＡＢＣ１２３", "ABC123"),
        ("ｶﾅ", "カナ"),
        ("ﻻ", "لا"),
        ("كتـــاب", "كتاب"),
        ("کتاب", "كتاب"),
        ("علی", "علي"),
        ("یىل", "يىل"),
        ("مەکتەپ", "مەكتەپ"),
        ("۱۲۳", "١٢٣"),
        ("葛󠄀", "葛"),
        ("ᠮᠣᠩᠭᠣᠯ ᠤᠨ", "ᠮᠣᠩᠭᠣᠯ ᠤᠨ"),
        ("ᠮᠣᠩᠭᠣᠯ\u180b", "ᠮᠣᠩᠭᠣᠯ"),
        ("水\u200b的\ufeff", "水的"),
        ("H₂O", "H2O"),
        ("−5", "-5"),
        ("37℃", "37°C"),
        ("a\u00a0b", "a b"),
        ("第Ⅱ章", "第II章"),
    ],
)
def test_texts_that_look_the_same_are_equal(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10²", "102"),
        ("x³", "x3"),
        ("ཀ", "ཁ"),
        ("ນ້ຳ", "ນຳ"),
        ("ي", "ى"),
        ("ກີ້", "ກີ່"),
        ("ເມ", "ແມ"),
        ("Aa", "AA"),
        ("高", "髙"),
    ],
)
def test_texts_that_mean_something_else_stay_apart(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_certain_forms_are_put_right_and_nothing_else() -> None:
    assert plain_ideographs("⾼⼀学⽣ H₂O　ＡＢ") == "高一学生 H₂O　ＡＢ"
    assert lao_in_order("ນໍ້າ ນຳ້ ໝາ") == "ນ້ຳ ນ້ຳ ໝາ"


@pytest.mark.slow
def test_folding_takes_time_that_grows_with_the_text() -> None:
    class Fold:
        def finditer(self, text: str) -> str:
            return fold(text)

        fullmatch = finditer

    units = [*UNITS.values(), "ນໍ້າ", "ຳ", "ໍ", "བོད ", "⾼"]
    assert [unit for unit in units if is_too_slow(Fold(), unit)] == []
