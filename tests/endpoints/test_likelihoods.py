"""Completions with echo are read as likelihoods of continuations."""

import json
from typing import Any

import pytest

from endpoints.providers.base import ChatRequest, EndpointGarbled, Message
from endpoints.providers.likelihoods import NO_LOGPROBS, read_likelihoods
from scoring.scorers.likelihood import Continuation
from scoring.scorers.likelihood import read_likelihoods as read_text

OPTIONS = (" ཀ. ཤིང་།", " ཁ. ຕົ້ນໄມ້")


def choice(tokens: list[str], logprobs: list[float | None], index: int) -> dict[str, Any]:
    found = {"tokens": tokens, "token_logprobs": logprobs}
    return {"index": index, "finish_reason": "length", "logprobs": found}


def body(*choices: dict[str, Any]) -> bytes:
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    return json.dumps({"model": "m", "choices": choices, "usage": usage}).encode()


FIRST = choice(["དྲི་བ", " ", "ཀ", ".", "ཤིང་།", "x"], [None, -1, -0.5, -2, -3, -9], 0)
SECOND = choice(["དྲི་བ", " ", "ཁ", ".", "ຕົ້ນ", "ໄມ້", "x"], [None, -1, -0.7, -2, -1, -1, -9], 1)


def test_tokens_after_the_shared_beginning_are_the_option() -> None:
    found = read_likelihoods(body(SECOND, FIRST), OPTIONS)

    assert read_text(found.text) == [
        Continuation((-0.5, -2.0, -3.0), len(OPTIONS[0].strip())),
        Continuation((-0.7, -2.0, -1.0, -1.0), len(OPTIONS[1].strip())),
    ]
    assert (found.prompt_tokens, found.completion_tokens, found.endpoint_model) == (9, 2, "m")


def test_text_without_a_prompt_loses_its_first_token_alone() -> None:
    asked = ChatRequest("m", (), continuations=("དྲི་བ ཀ. ཤིང་།",))
    found = read_likelihoods(body(FIRST), asked.continuations, has_prompt=False)

    assert asked.body()["prompt"] == ["དྲི་བ ཀ. ཤིང་།"]
    assert read_text(found.text) == [
        Continuation((-1.0, -0.5, -2.0, -3.0), len(asked.continuations[0]))
    ]


def test_request_sends_each_option_after_the_prompt() -> None:
    turns = (Message("system", "S"), Message("user", "དྲི་བ"))
    sent = ChatRequest("m", turns, {"temperature": 0}, continuations=OPTIONS).body()

    assert sent == {
        "model": "m",
        "prompt": [f"S\n\nདྲི་བ{option}" for option in OPTIONS],
        "max_tokens": 1,
        "echo": True,
        "logprobs": 1,
    }


@pytest.mark.parametrize(
    "choices",
    [
        (FIRST,),
        (FIRST, {"index": 1, "text": "A", "logprobs": None}),
        (FIRST, choice(["a", "b"], [None], 1)),
        (FIRST, choice(["དྲི་བ", " ", "ཁ", "x"], [None, -1, None, -1], 1)),
        (FIRST, choice(["དྲི་བ", " ", "ཁ", "x"], [None, -1, float("nan"), -1], 1)),
        (FIRST, choice(["དྲི་བ", " ", "ཁ", "x"], [None, -1, -(10**400), -1], 1)),
        (FIRST, choice(["དྲི་བ", " ", "ཁ", "x"], [None, -1, float("inf"), -1], 1)),
        (FIRST, choice(["དྲི་བ", " ", "ཁ", "x"], [None, -1, 0.7, -1], 1)),
        (FIRST, choice([], [], 1)),
        (FIRST | {"text": "It is"}, SECOND | {"text": "I think"}),
    ],
)
def test_reply_without_them_is_refused(choices: tuple[dict[str, Any], ...]) -> None:
    with pytest.raises(EndpointGarbled, match=NO_LOGPROBS):
        read_likelihoods(body(*choices), OPTIONS)


def test_echo_in_other_blanks_and_forms_is_an_echo() -> None:
    texts = [f"དྲི་བ {option.replace('. ', '．')} x" for option in OPTIONS]
    choices = [each | {"text": text} for each, text in zip((FIRST, SECOND), texts, strict=True)]

    assert len(read_text(read_likelihoods(body(*choices), OPTIONS).text)) == len(OPTIONS)
