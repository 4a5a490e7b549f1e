"""What is removed from a response before any method reads it."""

import pytest

from scoring.scorers.reasoning import TAGS, answer_text, strip_reasoning
from tests.timing import least_cpu


@pytest.mark.parametrize("tag", TAGS)
def test_strip_reasoning_closed_tag_is_removed(tag: str) -> None:
    assert strip_reasoning(f"<{tag}>A\nC</{tag}>D<{tag}>B</{tag}>!") == "D!"


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("B <think>cut off at A", "B "),
        ("the chat template had opened: A</think>B", "B"),
        ("<think>a<think>b</think>c</think>D", "D"),
        ("<think>a</think><step>b</step>C", "C"),
        ("<step>a<think>b</step>c</think>D", ""),
        ("2 < 3, so B", "2 < 3, so B"),
        ("<b>B</b>", "<b>B</b>"),
        ("<Think>A</Think>", "<Think>A</Think>"),
        ("Reasoning\nA or C\nReasoned for 12 seconds\nD", "\nD"),
        ("Reasoning about it gives D", "Reasoning about it gives D"),
        ("Reasoning. Reasoned well: D", "Reasoning. Reasoned well: D"),
        ("Reasoned for 3 seconds: D", "Reasoned for 3 seconds: D"),
        ("", ""),
    ],
)
def test_strip_reasoning_case_leaves_the_answer(response: str, text: str) -> None:
    assert strip_reasoning(response) == text


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("B <think>cut off at A", "B <think>cut off at A"),
        ("opened: A</think>B", "opened: A</think>B"),
        ("<think>a<think>b</think>c</think>D", "c</think>D"),
        ("<step>a<think>b</step>c</think>D", "<step>aD"),
        (
            "Reasoning\nA or C\nReasoned for 12 seconds\nD",
            "Reasoning\nA or C\nReasoned for 12 seconds\nD",
        ),
        ("<think>A</think>D", "D"),
    ],
)
def test_published_reading_removes_closed_blocks_alone(response: str, text: str) -> None:
    assert answer_text(response, is_published=True) == text


def test_answer_text_excluded_strings_are_removed_one_after_another() -> None:
    assert answer_text("xABCy", ("B", "AC", "")) == "xy"


def test_answer_text_excluded_strings_act_on_the_stripped_text() -> None:
    assert answer_text("A<think>x</think>B", ("AB",)) == ""


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["<think>", "</think>", "Reasoning Reasoned "])
def test_strip_reasoning_many_loose_marks_take_linear_time(piece: str) -> None:
    assert least_cpu(lambda: strip_reasoning(piece * 200_000), runs=1) < 5
