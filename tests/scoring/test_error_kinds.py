"""The kind of error of a response that is not right."""

from typing import Any

from scoring.error_kinds import Ending, Shots, error_kind

QUESTION = "གངས་ལྗོངས་ཀྱི་རྒྱལ་ས་གང་རེད།"
SHOTS = Shots(("ཉི་མ་གང་ནས་ཤར་རམ།",), ("C", "A", "D"))


def kind(text: str, outcome: Any = "no_answer", **more: Any) -> str | None:
    facts = {"question": QUESTION, "shots": SHOTS, "script": "Tibetan", **more}
    return error_kind(text, outcome=outcome, **facts)


def test_kinds_of_errors() -> None:
    said = "ལན་འདི་ནི་ངས་མི་ཤེས།"
    cases = [
        (kind("B", "correct"), None),
        (kind("B", "knowledge_error"), "knowledge"),
        (kind("", ending=Ending("content_filter")), "refusal"),
        (kind("", ending=Ending("stop", is_refused=True)), "refusal"),
        (kind("I’m sorry, but I can't answer that."), "refusal"),
        (kind("抱歉，我无法回答这个问题。"), "refusal"),
        (kind(said, ending=Ending("length")), "truncated"),
        (kind(f"{QUESTION} A B C D", "repeater"), "repeats_question"),
        (kind("C\nA\nD\nB", "repeater"), "repeats_shots"),
        (kind("C\nA\nD\nC\nA\nD", "several_answers", ending=Ending("length")), "repeats_shots"),
        (kind(f"{SHOTS.questions[0]} C", "several_answers"), "repeats_shots"),
        (kind("C, A or B", "several_answers"), "several_answers"),
        (kind("A, B, C and D", "repeater"), "several_answers"),
        (kind("This question is about the capital."), "other_language"),
        (kind("这个问题问的是首都在哪里的事情。"), "other_language"),
        (kind(said), "no_answer"),
        (kind("hm"), "no_answer"),
        (kind(""), "no_answer"),
        (kind("This question is about the capital.", script="Latin"), "no_answer"),
        (kind("This question is about the capital.", script="Zyyy"), "no_answer"),
    ]
    assert [found for found, _wanted in cases] == [wanted for _found, wanted in cases]


def test_letters_in_the_order_of_shots_may_be_chance_or_a_list_of_options() -> None:
    two = Shots((), ("A", "B"))
    assert kind("A or B", "several_answers", shots=two) == "several_answers"
    listed = Shots((), ("B", "C", "D"))
    assert kind("A. x B. y C. z D. w", "repeater", shots=listed) == "several_answers"
    short = Shots(("1+1=?",), ("A",))
    assert kind("Here 1+1=? A B", "several_answers", shots=short) == "several_answers"
