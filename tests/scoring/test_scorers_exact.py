"""Exact answers: what of a response is compared, and what is the same."""

import pytest

from scoring.scorers import AskedItem, extract
from scoring.scorers.exact import is_key
from scoring.scorers.letters import OptionLetters

ASKED = AskedItem(OptionLetters(4, ""))


def is_right(response: str, key: str) -> bool:
    return is_key(extract("exact", response, ASKED).letter, key)


@pytest.mark.parametrize(
    ("response", "key"),
    [
        ("<think>Rome?</think>It is in France.\n\n**paris.**\n", "Paris"),
        ("The capital: Paris", "Paris"),
        ("Answer: 12:30", "12:30"),
        ("Time: 12:30", "Time: 12:30"),
        ("ལྷ་ས།", "ལྷ་ས"),
        ("ལྷ༌ས", "ལྷ་ས།"),
        ("答案：「臺北」。", "臺北"),
        ("ນຳ້", "ນ້ຳ"),
        ("Yes!", "yes"),
        ("༡,༢༠༠", "1200"),
        ("0.75", "3/4"),
        ("Peking", "Beijing\n\nPeking\n"),
    ],
)
def test_same_answer_is_right(response: str, key: str) -> None:
    assert is_right(response, key)


@pytest.mark.parametrize(
    ("response", "key"),
    [
        ("Paris\nor Rome", "Paris"),
        ("Paris, I think", "Paris"),
        ("5!", "5"),
        ("50%", "50"),
        ("-5", "5"),
        ("C#", "C"),
        ("C++", "C"),
        ("10²", "102"),
        ("Beijing Peking", "Beijing\nPeking"),
        ("Paris", ""),
        ("།", "།"),
    ],
)
def test_other_answer_is_wrong(response: str, key: str) -> None:
    assert not is_right(response, key)


@pytest.mark.parametrize("response", ["", " \n ", "<think>Paris", "།"])
def test_response_of_marks_has_no_answer(response: str) -> None:
    assert extract("exact", response, ASKED).failure == "no_answer"
