"""What counts as the same text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.duplicates.dedupe.normalise import letter_count, normalise, normalise_keeping_case


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Capital of Tibet", "the  capital\tof tibet."),
        ("下列 哪个，正确？", "下列哪个正确"),
        ("Ａ＋Ｂ＝３", "A+B=3"),
        ("བོད་ཡིག་གི་དཔེ་ཆ།", "བོད༌ཡིག་གི་ དཔེ་ཆ"),
        ("༡༢༣ ལོ", "123 ལོ"),
        ("\u0f43", "\u0f42\u0fb7"),
        ("ພາສາ\u200bລາວ", "ພາສາລາວ"),
        ("ເເມ່ນຫຍັງ", "ແມ່ນຫຍັງ"),
        ("ما هو (   )؟", "ما هو ____?"),
        ("مَا هُوَ، إذن؟", "ما هو إذن"),
        ("ﺋﺎﻟﻤﺎ قايسى؟", "ئالما قايسى"),
        ("ᠮᠣᠩᠭᠣᠯ᠋᠃", "ᠮᠣᠩᠭᠣᠯ"),
        ("is ____ here", "is (   ) here"),
        ("“quoted” text", '"quoted" text'),
    ],
)
def test_normalise_spelling_of_one_text_is_equal(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("-5", "5"),
        ("1.5", "15"),
        ("3:2", "32"),
        ("5!", "5"),
        ("(a+b)c", "a+(bc)"),
        ("x > 3", "x < 3"),
        ("བཀའ", "བཀ"),
        ("ຂ້າ", "ຂ່າ"),
        ("1،5", "15"),
    ],
)
def test_normalise_other_meaning_stays_different(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


def test_normalise_keeping_case_tells_genotypes_and_vowels_apart() -> None:
    assert normalise("كَتب") == normalise("كُتب")
    assert normalise_keeping_case("كَتب") != normalise_keeping_case("كُتب")
    assert normalise("Aa") == normalise("AA")
    assert normalise_keeping_case("Aa") != normalise_keeping_case("AA")


@given(st.text() | st.text(alphabet="aA1(_) .,!-下。།་\u0f43\u200b"))
def test_normalise_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


def test_letter_count_leaves_marks_out() -> None:
    assert letter_count("a, b! 12") == 4
