"""Questions in a text of any kind, and the order in which their options stand there."""

import csv
import io
import json
import unicodedata
from random import Random

import pytest

from submissions.leak_texts import Question, orders_in

QUESTIONS = {
    1: Question("འདི་ནི་དྲི་བ་དང་པོ་རེད།", ["ལན་དང་པོ།", "ལན་གཉིས་པ།", "ལན་གསུམ་པ།"]),
    2: Question("What is x in\n 2x = 10?", ["5", "15", "50", "2"]),
    3: Question('Who said "no"?', ['"He" did', "She, of course", r"\frac{1}{2} of them", "é"]),
    4: Question("What is x in 2x = 10? Say why.", ["a < b", "a > b", "it is so"]),
}
ORDERS = {1: "CAB", 2: "BDAC", 3: "DCBA", 4: "BCA"}
EXPECTED = {key: {order} for key, order in ORDERS.items()}


def rows() -> list[tuple[str, list[str]]]:
    """Question and options in the orders of a leak."""
    return [
        (each.text, [each.options["ABCD".index(letter)] for letter in ORDERS[key]])
        for key, each in QUESTIONS.items()
    ]


def as_prompt(question: str, options: list[str]) -> str:
    lines = [f"{letter}. {text}" for letter, text in zip("ABCD", options, strict=False)]
    return "\n".join([f"Question: {question}", *lines, "Answer with A / B / C / D."])


def as_csv() -> str:
    file = io.StringIO()
    csv.writer(file).writerows([question, *options] for question, options in rows())
    return file.getvalue()


def as_jsonl(**more: bool) -> str:
    return "\n".join(
        json.dumps({"question": question, "choices": options, "answer": "A"}, **more)  # type: ignore[arg-type]
        for question, options in rows()
    )


def as_log() -> str:
    """Bodies of requests, as texts within JSON."""
    bodies = (json.dumps({"messages": [{"content": as_prompt(*row)}]}) for row in rows())
    return "\n".join(json.dumps({"time": 1, "body": body}) for body in bodies)


TEXTS = {
    "prompts": "\n\n".join(as_prompt(*row) for row in rows()),
    "csv": as_csv(),
    "json lines": as_jsonl(ensure_ascii=False),
    "escaped": as_jsonl(),
    "options first": as_jsonl(sort_keys=True),
    "one array": json.dumps([{"q": question, "o": options} for question, options in rows()], indent=1),
    "log": as_log(),
    "decomposed": unicodedata.normalize("NFD", as_csv()),
    "answer first": "\n".join(f"{q} ({o[1]}) {' | '.join(o)}" for q, o in rows()),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_orders_are_found_in_texts_of_any_kind(name: str) -> None:
    assert orders_in(TEXTS[name], QUESTIONS) == EXPECTED


def test_a_text_may_have_a_question_in_several_orders() -> None:
    text = "འདི་ནི་དྲི་བ་དང་པོ་རེད། ལན་དང་པོ། ལན་གཉིས་པ། ལན་གསུམ་པ།\n" + TEXTS["prompts"]
    assert orders_in(text, QUESTIONS)[1] == {"ABC", "CAB"}


@pytest.mark.parametrize(
    "question",
    [
        Question("Which of these?", ["one", "two", "four"]),
        Question("Which of these?", ["one", "two", "two"]),
        Question("Which of these?", ["one", "two", ""]),
        Question("Which of these?", ["one", "two", "next"]),
        Question("Which?", []),
        Question("W?", ["one", "two", "three"]),
        Question("Not there", ["one", "two", "three"]),
    ],
)
def test_what_is_not_found_whole_is_left_out(question: Question) -> None:
    others = {2: Question("Which of all?", ["three", "two", "next"])}
    text = "Which of these? one two three W? one two three. Which of all? three two next"
    assert orders_in(text, {1: question, **others}) == {2: {"ABC"}}


def test_parts_of_longer_options_and_words_do_not_count() -> None:
    known = {1: Question("How many are they?", ["1", "10", "a", "a cat"])}
    assert orders_in("How many are they? 21 hats: a cat, 10, a, 1", known) == {1: {"DBCA"}}


def test_a_question_that_begins_another_is_told_from_it() -> None:
    known = {
        number: Question(f"How many {'very ' * number}old cats", [f"{number}a", f"{number}b"])
        for number in range(1, 40)
    } | {0: Question("How many very", ["none", "some"])}
    text = "\n".join(f"{each.text} {each.options[1]} {each.options[0]}" for each in known.values())
    assert orders_in(text, known) == {key: {"BA"} for key in known}


def test_all_of_ten_thousand_questions_are_found() -> None:
    rng = Random(1)
    known = {
        number: Question(
            f"Which of the following is true of {rng.random()}?",
            [f"{rng.random()}" for _ in "ABCD"],
        )
        for number in range(10_000)
    }
    text = json.dumps([[each.text, *each.options[::-1]] for each in known.values()])
    assert orders_in(text, known) == {key: {"DCBA"} for key in known}
