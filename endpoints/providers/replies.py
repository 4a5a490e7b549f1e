"""Reads what an OpenAI-compatible endpoint sent: an answer, a failure of the model, or one of its own.

A failure is *the model's* if the same question would fail again: it is longer than the model can
read, or a filter refused it. Such a question counts as not answered. Every other failure is the
endpoint's: the question is asked again later and counts for nothing until then.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from endpoints.providers.base import (
    CONTENT_FILTER,
    TOO_LONG,
    ChatReply,
    EndpointBroken,
    EndpointBusy,
    EndpointError,
    EndpointForbids,
    EndpointGarbled,
    EndpointKnowsNothing,
    EndpointLocked,
    EndpointRefused,
    EndpointUnpaid,
)

BUSY_STATUSES = frozenset({408, 425, 429})
SERVER_ERROR = 500
UNAVAILABLE = 503
PAYMENT_REQUIRED = 402
LONGEST_BODY = 2000
LONGEST_TOOL_CALLS = 20_000
LONGEST_MESSAGE = 2000
DENIALS: Mapping[int, type[EndpointError]] = {
    401: EndpointLocked,
    403: EndpointForbids,
    404: EndpointKnowsNothing,
    PAYMENT_REQUIRED: EndpointUnpaid,
}
# Statuses with which services say that they will not answer just this question.
QUESTION_STATUSES = frozenset({200, 400, 403, 413, 422, 451})
UNPAID_CODES = frozenset(
    {
        "insufficient_quota",
        "insufficient_balance",
        "insufficient_funds",
        "insufficient_credits",
        "billing_hard_limit_reached",
        "billing_not_active",
        "exceeded_current_quota_error",
    }
)
TOO_LONG_CODES = frozenset(
    {
        "context_length_exceeded",
        "context_window_exceeded",
        "exceed_context_size_error",
        "string_above_max_length",
        "prompt_too_long",
        "input_too_long",
    }
)
TOO_LONG_WORDS = (
    "maximum context length",
    "context length exceeded",
    "context window",
    "context size",
    "prompt is too long",
    "input is too long",
    "input length",
    "`max_new_tokens` must be",
)
FILTER_CODES = frozenset(
    {
        "content_filter",
        "content_filter_error",
        "content_policy_violation",
        "responsibleaipolicyviolation",
        "data_inspection_failed",
        "datainspectionfailed",
        "moderation_blocked",
        "prohibited_content",
        "sensitive_words_detected",
    }
)
FILTER_WORDS = (
    "content management policy",
    "content policy",
    "content filter",
    "content_filter",
    "was flagged",
    "requires moderation",
    "inappropriate content",
    "usage policies",
)
PARTS = {"text": "text", "output_text": "text", "refusal": "refusal", "reasoning": "reasoning"}
PARTS |= {"thinking": "reasoning"}


def read_reply(content: bytes) -> ChatReply:
    """Read a chat completion.

    A content of null (a refusal, a tool call, a reply cut before its first word) is an empty text;
    a content in parts is put together. Raises EndpointGarbled, whose detail says by a code what the
    body is instead, or the error that an error inside the body stands for.
    """
    data = _json_of(content)
    choice = _choice(data, content)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise EndpointGarbled("no-message", body=beginning_of(content))
    said = _said(message, content)
    usage = data.get("usage")
    return ChatReply(
        text=said["text"],
        finish_reason=_line(choice.get("finish_reason"), 40),
        endpoint_model=_line(data.get("model"), 200),
        prompt_tokens=_token_count(usage, "prompt_tokens"),
        completion_tokens=_token_count(usage, "completion_tokens"),
        reasoning=said["reasoning"],
        refusal=said["refusal"],
        tool_calls=_tool_calls(message),
        body=beginning_of(content),
    )


def read_failure(
    status: int, content: bytes, *, body: str, retry_after: float | None
) -> ChatReply | EndpointError:
    """Return a reply with `fault` for a failure of the model, else the endpoint's error.

    `body` is the beginning of the content as it may be stored, without the key.
    """
    codes, message = _error_of(content)
    if status in QUESTION_STATUSES and (fault := _fault(codes, message)):
        return ChatReply("", fault=fault, body=body)
    if codes & UNPAID_CODES:
        return EndpointUnpaid(str(status), body=body)
    if status in DENIALS:
        return DENIALS[status](str(status), body=body)
    if status in BUSY_STATUSES or (status == UNAVAILABLE and retry_after is not None):
        return EndpointBusy(str(status), retry_after=retry_after, body=body)
    if status >= SERVER_ERROR:
        return EndpointBroken(str(status), retry_after=retry_after, body=body)
    return EndpointRefused(str(status), body=body)


def beginning_of(content: bytes) -> str:
    """Return the first characters of a body on one line, whatever its bytes are."""
    return " ".join(content[: 4 * LONGEST_BODY].decode(errors="replace").split())[:LONGEST_BODY]


def _json_of(content: bytes) -> dict[str, Any]:
    body = beginning_of(content)
    if not body:
        raise EndpointGarbled("empty")
    try:
        data = json.loads(content)
    except RecursionError:  # a hundred thousand brackets in one another
        raise EndpointGarbled("nested", body=body) from None
    except ValueError:
        is_page = body[:15].lower().startswith(("<!doctype", "<html"))
        raise EndpointGarbled("web-page" if is_page else "not-json", body=body) from None
    if not isinstance(data, dict):
        raise EndpointGarbled("no-choices", body=body)
    return data


def _choice(data: dict[str, Any], content: bytes) -> dict[str, Any]:
    choices = data.get("choices")
    found = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(found, dict):
        return found
    raise EndpointGarbled(
        "error" if data.get("error") else "no-choices", body=beginning_of(content)
    )


def _said(message: Mapping[str, Any], content: bytes) -> dict[str, str]:
    """Return the text, the reasoning and the refusal of a message."""
    said = {
        "text": "",
        "reasoning": _text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        "refusal": _text(message.get("refusal")),
    }
    given = message.get("content")
    if isinstance(given, str):
        said["text"] = _text(given)
    elif isinstance(given, list):
        for kind, text in _parts(given, content):
            said[kind] += text
    elif given is not None:
        raise EndpointGarbled("no-text", body=beginning_of(content))
    return said


def _parts(parts: Sequence[Any], content: bytes) -> Iterator[tuple[str, str]]:
    """Yield what each part is and its text; pictures and sounds are left out."""
    for part in parts:
        if isinstance(part, str):
            yield "text", _text(part)
        elif not isinstance(part, dict):
            raise EndpointGarbled("no-text", body=beginning_of(content))
        elif (kind := PARTS.get(str(part.get("type", "text")))) is not None:
            yield kind, _text(part.get(str(part.get("type"))) or part.get("text"))


def _tool_calls(message: Mapping[str, Any]) -> str:
    calls = message.get("tool_calls") or message.get("function_call")
    return json.dumps(calls, ensure_ascii=False)[:LONGEST_TOOL_CALLS] if calls else ""


def _error_of(content: bytes) -> tuple[frozenset[str], str]:
    """Return the codes of an error in lower case, and its message."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        return frozenset(), beginning_of(content).lower()
    whole = data if isinstance(data, dict) else {}
    error = whole.get("error")
    inner = error if isinstance(error, dict) else {}
    further = inner.get("innererror")
    places = [inner, whole, further if isinstance(further, dict) else {}]
    codes = {str(place.get(name)).lower() for place in places for name in ("code", "type")}
    messages = [error, *(place.get(name) for place in places for name in ("message", "detail"))]
    return frozenset(codes), " ".join(map(_text, messages))[:LONGEST_MESSAGE].lower()


def _fault(codes: frozenset[str], message: str) -> str:
    """Return why the model gives no answer to this question, or ""."""
    if codes & FILTER_CODES:
        return CONTENT_FILTER
    if codes & TOO_LONG_CODES or any(words in message for words in TOO_LONG_WORDS):
        return TOO_LONG
    return CONTENT_FILTER if any(words in message for words in FILTER_WORDS) else ""


def _text(value: object) -> str:
    """Return a text without NUL, which PostgreSQL cannot store; "" for anything else."""
    return value.replace("\0", "") if isinstance(value, str) else ""


def _line(value: object, longest: int) -> str:
    return str(value or "")[:longest]


def _token_count(usage: object, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if type(value) is int and value >= 0 else None
