"""Likelihood methods choose the most probable option, by letter, by text or by character."""

import json

import pytest

from scoring.scorers import extract
from scoring.scorers.base import AskedItem
from scoring.scorers.letters import OptionLetters
from scoring.scorers.likelihood import Continuation, read_likelihoods, write_likelihoods

ASKED = AskedItem(OptionLetters(2, "ཀཁ"), ("ཤིང་།", "རི་བོ་ཆེན་པོ་ཞིག"))
# The letter speaks for A (−1 > −2), the sum for A (−4 > −6), the mean of characters for B (−2 < −0.5).
TWO = write_likelihoods([Continuation((-1.0, -3.0), 2), Continuation((-2.0, -1.0, -3.0), 12)])


@pytest.mark.parametrize(
    ("method", "letter"), [("likelihood", "A"), ("likelihood_text", "A"), ("likelihood_norm", "B")]
)
def test_methods_weigh_letter_text_and_length(method: str, letter: str) -> None:
    assert extract(method, TWO, ASKED).letter == letter


def test_sum_of_tokens_decides_against_the_letter() -> None:
    text = write_likelihoods([Continuation((-1.0, -9.0), 5), Continuation((-2.0, -1.0), 5)])

    assert extract("likelihood", text, ASKED).letter == "A"
    assert extract("likelihood_text", text, ASKED).letter == "B"


def test_tie_is_no_answer() -> None:
    text = write_likelihoods([Continuation((-1.5,), 4), Continuation((-1.5,), 4)])

    for method in ("likelihood", "likelihood_text", "likelihood_norm"):
        found = extract(method, text, ASKED)
        assert (found.letter, found.letters_seen, found.failure) == (
            None,
            ("A", "B"),
            "several_answers",
        )


def test_impossible_option_loses() -> None:
    text = write_likelihoods([Continuation((-float("inf"),), 4), Continuation((-90.0,), 4)])

    assert extract("likelihood_norm", text, ASKED).letter == "B"


def test_sum_that_no_float_holds_loses_and_ends_no_run() -> None:
    huge = Continuation((-1.7e308, -1.7e308), 4)
    text = write_likelihoods([huge, Continuation((-90.0,), 4)])

    for method in ("likelihood", "likelihood_text", "likelihood_norm"):
        assert extract(method, text, ASKED).letter == "B"


@pytest.mark.parametrize(
    "text",
    [
        "A",
        "",
        "[]",
        '{"likelihoods": [{"logprobs": [], "characters": 1}]}',
        '{"likelihoods": [{"logprobs": [NaN], "characters": 1}]}',
        '{"likelihoods": [{"logprobs": [Infinity, -Infinity], "characters": 1}]}',
        '{"likelihoods": [{"logprobs": [0.7], "characters": 1}]}',
        '{"likelihoods": [{"logprobs": [-1%s], "characters": 1}]}' % ("0" * 400),
        '{"likelihoods": [{"logprobs": [-1], "characters": 1e999}]}',
        '{"likelihoods": [{"logprobs": [-1], "characters": 0}]}',
        '{"likelihoods": 1}',
        "[" * 100_000,
    ],
)
def test_any_other_text_has_no_likelihoods(text: str) -> None:
    assert read_likelihoods(text) == []
    assert extract("likelihood", text, ASKED).failure == "no_answer"


def test_options_of_another_item_are_no_answer() -> None:
    three = json.loads(TWO)["likelihoods"]
    text = json.dumps({"likelihoods": [*three, three[0]]})

    assert extract("likelihood", text, ASKED).failure == "no_answer"
