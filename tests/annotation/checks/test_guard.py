"""The guard counts each number and formula of a new text against its source."""

import pytest

from annotation.checks.guard import NumberChange, number_changes

SOURCE = ("1989年有3个", "12", "20%")
GOOD = ("༡༩༨༩ ལོར་ ༣ ཡོད།", "༡༢", "༢༠%")


def changes(after, before=GOOD, source=SOURCE):
    return number_changes(source, before, after, "zh", "bo")


def test_changes_of_other_digits_are_none():
    assert changes(("1989 ལོར་ 3 ཡོད།", "12", "20%")) == []


def test_changes_of_another_number_name_both():
    assert changes(("༡༩༩༨ ལོར་ ༣ ཡོད།", *GOOD[1:])) == [
        NumberChange("question", is_missing=False, value="1998"),
        NumberChange("question", is_missing=True, value="1989"),
    ]


def test_changes_of_one_of_two_equal_numbers_are_seen():
    found = changes(("2+3+3",), before=("2+2+3",), source=("2+2+3",))

    assert [(each.is_missing, each.value) for each in found] == [(False, "3"), (True, "2")]


def test_changes_that_the_earlier_text_had_are_not_asked_again():
    wrong = ("༡༩༩༨ ལོར་ ༣ ཡོད།", *GOOD[1:])

    assert changes(("༡༩༩༨ ལོ་ལ་ ༣ ཡོད།", *GOOD[1:]), before=wrong) == []


def test_changes_that_put_the_number_of_the_source_back_are_none():
    wrong = ("༡༩༩༨ ལོར་ ༣ ཡོད།", *GOOD[1:])

    assert changes(GOOD, before=wrong) == []


def test_changes_of_a_wrong_number_into_another_wrong_one_are_asked():
    wrong = ("༡༩༩༨ ལོར་ ༣ ཡོད།", *GOOD[1:])

    found = changes(("༡༩༧༨ ལོར་ ༣ ཡོད།", *GOOD[1:]), before=wrong)

    assert [each.value for each in found] == ["1978"]


def test_changes_of_exchanged_options_are_seen_in_both():
    found = changes((GOOD[0], GOOD[2], GOOD[1]))

    assert {each.field for each in found} == {"options.0", "options.1"}


def test_changes_of_options_moved_into_their_places_are_none():
    """The earlier text had them exchanged, so only its own fault goes."""
    assert changes(GOOD, before=(GOOD[0], GOOD[2], GOOD[1])) == []


def test_changes_of_dividing_a_text_that_was_never_divided_are_none():
    whole = ("1989 ལོར་ 3 ཡོད། A. 13 B. 20%",)

    assert changes((GOOD[0], "13", "20%"), before=whole) == []
    assert [c.value for c in changes((GOOD[0], "14", "20%"), before=whole)] == ["14"]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("20万", "200000"),
        ("XII", "12"),
        ("3", "གསུམ"),
        ("$\\frac{1}{2}$", "1/2"),
        ("$x^2$", "$x^{2}$"),
        ("12 000", "12,000"),
    ],
)
def test_changes_of_another_form_are_none(source, target):
    assert changes((target,), before=("",), source=(source,)) == []


@pytest.mark.parametrize(
    ("source", "target"),
    [("$x^2$", "$x^3$"), ("$a+b$", "$a-b$"), ("\\alpha", "\\beta"), ("二十", "30")],
)
def test_changes_of_a_formula_or_a_number_in_words_are_asked(source, target):
    assert changes((target,), before=(source,), source=(source,))


def test_changes_of_rubbish_end_soon():
    rubbish = "".join(f"{n} $x_{n}$ \\a" for n in range(2000))

    assert len(changes((rubbish,), before=("",), source=("$",))) == 40


def test_changes_of_a_number_into_words_are_none_however_big_it_is():
    source = ("there were 25 of 300",)
    assert changes(("ཉི་ཤུ་རྩ་ལྔ་ དང་ ༣༠༠",), before=("༢༥ དང་ ༣༠༠",), source=source) == []
    found = changes(("ཉི་ཤུ་རྩ་དྲུག་ དང་ ༣༠༠",), before=("༢༥ དང་ ༣༠༠",), source=source)
    assert [(each.is_missing, each.value) for each in found] == [(True, "25")]
