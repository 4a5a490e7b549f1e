"""Reads how probable continuations of a prompt are, from a completions call with `echo`."""

import unicodedata
from collections.abc import Sequence
from typing import Any

from endpoints.providers.base import ChatReply, EndpointGarbled
from endpoints.providers.replies import Hide, beginning_of, line_of, object_of, token_count
from scoring.scorers.likelihood import Continuation, is_logprob, write_likelihoods

NO_LOGPROBS = "no-logprobs"
"""The detail of the error where a reply does not say how probable the tokens of the prompt are."""

Tokens = list[tuple[str, float | None]]


def read_likelihoods(
    content: bytes, continuations: Sequence[str], hide: Hide = str, *, has_prompt: bool = True
) -> ChatReply:
    """Read a completions reply to one prompt for each continuation.

    Tokens that all prompts begin with belong to the prompt. Where characters become tokens by bytes,
    offsets in the text would not say where a continuation begins; this does. Of a text without a
    prompt, only the first token is left out: nothing before it makes it probable. Raises
    EndpointGarbled, with NO_LOGPROBS for a reply without log-probabilities of its prompts.
    """
    body = beginning_of(content, hide)
    data = object_of(content, body, hide)
    choices = data.get("choices")
    if not isinstance(choices, list) or len(choices) != len(continuations):
        raise EndpointGarbled("error" if data.get("error") else NO_LOGPROBS, body=body)
    choices = sorted(choices, key=_index)
    if not all(map(_is_echo, choices, continuations)):
        raise EndpointGarbled(NO_LOGPROBS, body=body)
    asked = [_tokens(each, body) for each in choices]
    shared = _shared_count(asked) if has_prompt else 1
    options = [
        Continuation(_logprobs(tokens[shared:], body), len(text.strip()))
        for tokens, text in zip(asked, continuations, strict=True)
    ]
    usage = data.get("usage")
    return ChatReply(
        text=write_likelihoods(options),
        finish_reason=line_of(choices[0].get("finish_reason"), 40),
        endpoint_model=line_of(data.get("model"), 200),
        prompt_tokens=token_count(usage, "prompt_tokens"),
        completion_tokens=token_count(usage, "completion_tokens"),
        body=body,
    )


def _index(choice: object) -> int:
    found = choice.get("index") if isinstance(choice, dict) else None
    return found if isinstance(found, int) else 0


def _is_echo(choice: object, continuation: str) -> bool:
    """Return whether a choice repeats its prompt, as far as it says any text.

    A server that does not know `echo` tells how probable its own words are instead. Blanks and
    forms of letters do not count: tokens may write them in another way.
    """
    text = choice.get("text") if isinstance(choice, dict) else None
    return not (isinstance(text, str) and text) or _plain(continuation) in _plain(text)


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def _tokens(choice: object, body: str) -> Tokens:
    """Return the tokens of a prompt with their log-probabilities, without the one that was written."""
    found: Any = choice.get("logprobs") if isinstance(choice, dict) else None
    tokens = found.get("tokens") if isinstance(found, dict) else None
    logprobs = found.get("token_logprobs") if isinstance(found, dict) else None
    if not (isinstance(tokens, list) and isinstance(logprobs, list)):
        raise EndpointGarbled(NO_LOGPROBS, body=body)
    if len(tokens) != len(logprobs):
        raise EndpointGarbled(NO_LOGPROBS, body=body)
    return list(zip(map(str, tokens), logprobs, strict=True))[:-1]


def _shared_count(asked: Sequence[Tokens]) -> int:
    """Return how many tokens all begin with; at least one is left to each."""
    most = min(len(tokens) for tokens in asked) - 1
    first = asked[0]
    for at in range(most):
        if any(tokens[at][0] != first[at][0] for tokens in asked):
            return at
    return max(most, 0)


def _logprobs(tokens: Tokens, body: str) -> tuple[float, ...]:
    try:  # None, a text, and a whole number that no float can hold are no logarithms
        found = tuple(float(value) for _token, value in tokens)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise EndpointGarbled(NO_LOGPROBS, body=body) from None
    if not (found and all(map(is_logprob, found))):
        raise EndpointGarbled(NO_LOGPROBS, body=body)
    return found
