"""Pretend log-probabilities of prompts, for the stand-in: each token has one by hashing."""

import re
from collections.abc import Sequence

from endpoints.providers.personas import (
    PERSONAS,
    SCRIPT,
    Known,
    chance,
    find_answer,
    pick_letter,
    read_prompt,
)
from languages.letters import letters_of

LIKELY, SHIFT = -0.2, 1.0
"""Of the letter that the model means, and how much less any other token has at least."""


def shared_beginning(texts: Sequence[str]) -> str:
    """Return what all texts begin with."""
    low, high = min(texts), max(texts)
    same = (at for at, (one, other) in enumerate(zip(low, high, strict=False)) if one != other)
    return low[: next(same, min(len(low), len(high)))]


def likely_letter(model: str, question: str, seed: object, known: Known) -> str:
    """Return the letter that the pretend model means, the one that it would also answer."""
    asked = read_prompt(question)
    letters = "".join(asked.options) or letters_of(4)
    right = find_answer(asked, known)
    return pick_letter(PERSONAS[model], letters, right, (f"{seed}/", model, asked.question))


def weighed(model: str, prompts: Sequence[str], question: str, letter: str) -> dict[str, object]:
    """Return a completion with the log-probabilities of each prompt and of one token after it."""
    tokens = [[*tokens_of(question), *tokens_of(prompt[len(question) :])] for prompt in prompts]
    choices = [
        _choice(at, each, len(tokens_of(question)), model, letter) for at, each in enumerate(tokens)
    ]
    count = sum(map(len, tokens))
    return {
        "object": "text_completion",
        "model": model,
        "choices": choices,
        "usage": {"prompt_tokens": count, "completion_tokens": len(prompts)},
    }


def _choice(at: int, tokens: list[str], first: int, model: str, letter: str) -> dict[str, object]:
    logprobs: list[float | None] = [
        -SHIFT - 3 * chance(model, *tokens[: place + 1]) for place in range(len(tokens))
    ]
    logprobs[0] = None
    named = tokens[first].strip()[:1] if first < len(tokens) else ""  # a text without options
    if SCRIPT.get(named, named) == letter:
        logprobs[first] = LIKELY
    return {
        "index": at,
        "text": "".join([*tokens, " ."]),
        "finish_reason": "length",
        "logprobs": {"tokens": [*tokens, " ."], "token_logprobs": [*logprobs, -1.0]},
    }


def tokens_of(text: str) -> list[str]:
    """Cut a text into words with the space before them, Tibetan at each tsheg."""
    return re.findall(r"\s*[^\s་]+་?|\s+$", text)
