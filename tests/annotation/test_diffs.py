"""Differences keep both texts and never cut a stack."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.diffs import Segment, diff

TEXTS = st.text(alphabet="བོདསྐྱུ་། ab12", max_size=30)


@given(TEXTS, TEXTS)
def test_diff_of_any_texts_gives_both_back(old: str, new: str) -> None:
    segments = diff(old, new)

    assert "".join(s.text for s in segments if s.op != "ins") == old
    assert "".join(s.text for s in segments if s.op != "del") == new


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", []),
        ("བོད", "བོད", [Segment("same", "བོད")]),
        ("", "ཀ", [Segment("ins", "ཀ")]),
        (
            "སྐད་ནག་",
            "སྐད་ཆུ་",
            [
                Segment("same", "སྐད་"),
                Segment("del", "ནག"),
                Segment("ins", "ཆུ"),
                Segment("same", "་"),
            ],
        ),
        ("སྐ", "སྐུ", [Segment("del", "སྐ"), Segment("ins", "སྐུ")]),
        ("1949", "1959", [Segment("del", "1949"), Segment("ins", "1959")]),
    ],
)
def test_diff_works_on_whole_graphemes_words_and_numbers(
    old: str, new: str, expected: list[Segment]
) -> None:
    assert diff(old, new) == expected
