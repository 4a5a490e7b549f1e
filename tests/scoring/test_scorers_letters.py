"""Which letters are valid for an item, and what each stands for."""

import pytest

from scoring.scorers.letters import OptionCountError, OptionLetters


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 10])
def test_option_letters_count_limits_latin_and_script(count: int) -> None:
    letters = OptionLetters(count)
    assert letters.latin == "ABCDEFGHIJ"[:count]
    assert letters.seen_in("JIHGFEDCBA") == ("JIHGFEDCBA"[10 - count :], "")
    assert letters.seen_in("ཐ་ཏ་ཉ་ཇ་ཆ་ཅ་ང་ག་ཁ་ཀ") == ("", "JIHGFEDCBA"[10 - count :])


@pytest.mark.parametrize("count", [-1, 0, 1, 11])
def test_option_letters_outside_two_to_ten_is_refused(count: int) -> None:
    with pytest.raises(OptionCountError):
        OptionLetters(count)


def test_option_letters_script_with_too_few_letters_is_refused() -> None:
    with pytest.raises(ValueError, match="ཀཁ"):
        OptionLetters(3, "ཀཁ")


def test_option_letters_without_script_finds_none() -> None:
    assert OptionLetters(4, "").seen_in("ཀཁ") == ("", "")


@pytest.mark.parametrize(
    ("code", "letter"), [("B", "B"), ("Ｂ", "B"), ("ཁ", "B"), ("b", None), ("E", None), ("ཅ", None)]
)
def test_latin_of_code_follows_the_option_count(code: str, letter: str | None) -> None:
    assert OptionLetters(4).latin_of(code) == letter


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("b Ｂ", ("", "")),
        ("BBB ཀཁ", ("B", "")),
        ("CBC", ("BC", "")),
        ("CBCAD", ("CBCAD", "")),
        ("CB ང་ཀ་ང་ཆ", ("BC", "AD")),
        ("CBAD ང་ཁ་ག་ཀ་ཀ", ("CBAD", "ABCD")),
        ("ང་ཀ་ང་ཆ", ("", "AD")),
        ("ང\0ཁགཀཀ\ud800😀", ("", "DBCAA")),
    ],
)
def test_seen_in_gives_the_order_only_where_every_letter_occurs(
    text: str, seen: tuple[str, str]
) -> None:
    assert OptionLetters(4).seen_in(text) == seen
