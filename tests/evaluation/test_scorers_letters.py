"""Which letters are valid for an item, and what each stands for."""

import pytest

from evaluation.scorers.letters import (
    LATIN,
    SCRIPT_LETTERS,
    OptionCountError,
    OptionLetters,
)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_option_letters_count_limits_latin_and_script(count: int) -> None:
    letters = OptionLetters(count)
    assert letters.latin == "ABCDEF"[:count]
    assert letters.latin_in("FEDCBA") == "FEDCBA"[6 - count :]
    assert letters.script_in("ཀ་ཁ་ག་ང་ཅ་ཆ") == "ABCDEF"[:count]


@pytest.mark.parametrize("count", [-1, 0, 1, 7])
def test_option_letters_outside_two_to_six_is_refused(count: int) -> None:
    with pytest.raises(OptionCountError):
        OptionLetters(count)


def test_option_letters_script_with_too_few_letters_is_refused() -> None:
    with pytest.raises(ValueError, match="ཀཁ"):
        OptionLetters(3, "ཀཁ")


def test_option_letters_without_script_finds_none() -> None:
    assert OptionLetters(4, "").script_in("ཀཁ") == ""


@pytest.mark.parametrize("language", [name for name in SCRIPT_LETTERS if name != "en"])
def test_script_letters_of_a_language_are_six_distinct_ones(language: str) -> None:
    assert len(set(SCRIPT_LETTERS[language])) == len(SCRIPT_LETTERS[language]) == len(LATIN)


@pytest.mark.parametrize(
    ("code", "letter"), [("B", "B"), ("Ｂ", "B"), ("ཁ", "B"), ("b", None), ("E", None), ("ཅ", None)]
)
def test_latin_of_code_follows_the_option_count(code: str, letter: str | None) -> None:
    assert OptionLetters(4).latin_of(code) == letter


def test_distinct_script_in_gives_each_letter_once_in_option_order() -> None:
    assert OptionLetters(4).distinct_script_in("ང་ཀ་ང་ཆ") == "AD"
