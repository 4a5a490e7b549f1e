"""Reads what an OpenAI-compatible endpoint sent: an answer, a failure of the model, or one of its own.

A failure is *the model's* if the same question would fail again: it is longer than the model can
read, or a filter refused it. Such a question counts as not answered. Every other failure is the
endpoint's: the question is asked again later and counts for nothing until then.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
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
OK = 200
BAD_REQUEST = 400
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
HTTP_FAILURES = range(400, 600)
UNPAID_CODES = frozenset(
    {
        "insufficient_quota",
        "insufficient_balance",
        "insufficient_funds",
        "insufficient_credits",
        "billing_hard_limit_reached",
        "billing_not_active",
        "exceeded_current_quota_error",
        "arrearage",
        "1113",  # Zhipu
    }
)
UNPAID_WORDS = re.compile(
    r"exceeded your current quota|insufficient (balance|funds|credits?|quota)|balance is insufficient"
    r"|credit balance is too low|out of credits|(quota|credits?) (has been |is |are )?exhausted"
    r"|check your billing|unpaid (invoice|bill)|spending limit|余额不足|余额已|欠费"
)
# Gemini uses the words of a spent account for the limit of a minute, and then says when to return.
PAUSE_WORDS = re.compile(r"(retry|try again) (in|after) \d")
LOCKED_WORDS = re.compile(r"(invalid|incorrect) api key|api key (is )?(not valid|invalid|expired)")
LOCKED_CODES = frozenset({"invalid_api_key", "invalid_authentication", "authentication_error"})
UNKNOWN_MODEL_CODES = frozenset({"model_not_found", "model_not_exist", "modelnotfound"})
TOO_LONG_CODES = frozenset(
    {
        "context_length_exceeded",
        "context_window_exceeded",
        "exceed_context_size_error",
        "string_above_max_length",
        "prompt_too_long",
        "input_too_long",
        "1261",  # Zhipu
    }
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
        "1301",  # Zhipu
    }
)
# What services write in lower case, and what it says of the model. The first line that fits counts.
SAYINGS: Sequence[tuple[str, str]] = (
    (r"(unsupported|unknown|unrecognized) (parameter|request argument|argument|field)", ""),
    (r"maximum (context|prompt|input) (length|window|size)|maximum model length", TOO_LONG),
    (r"(prompt|input|request|messages?) (is |was |are )?too (long|large)", TOO_LONG),
    (r"prompt 超长|too many tokens|tokens in (the )?request more than", TOO_LONG),
    (r"configured context (length|window|size)|context (length|window|size) is only", TOO_LONG),
    (
        r"exceed max (message|prompt|input) tokens|total number of tokens.{0,40}must be less",
        TOO_LONG,
    ),
    (r"(longer|larger|greater) than .{0,40}context (length|window|size|limit)", TOO_LONG),
    (r"exceed.{0,40}context (length|window|size|limit)", TOO_LONG),
    (r"context (length|window|size|limit) (is |was |has been )?exceed", TOO_LONG),
    (r"(prompt|input) (token count|tokens|length)?.{0,40}exceed", TOO_LONG),
    (r"exceed.{0,20}token limit|range of input length should be", TOO_LONG),
    (r"too large for .{0,60}context|reduce the length of the messages", TOO_LONG),
    (r"`?inputs`? (tokens \+ `?max_new_tokens`? must be|must have less than)", TOO_LONG),
    (r"(输入|提示词|上下文).{0,10}(过长|超长|超过|超出|太长)", TOO_LONG),
    (
        r"content exists risk|(input|output) sensitive|considered high risk|敏感内容|inappropriate content",
        CONTENT_FILTER,
    ),
    (r"content management policy|content filtering policy|content policy", CONTENT_FILTER),
    (r"was flagged|requires moderation|usage polic(y|ies)|our safety system", CONTENT_FILTER),
    (r"(blocked|filtered|rejected|triggered|stopped).{0,40}content[ _]filter", CONTENT_FILTER),
    (r"content[ _]filter.{0,40}(blocked|filtered|rejected|triggered)", CONTENT_FILTER),
    (r"data_inspection_failed|prohibited_content|new_sensitive|content moderation", CONTENT_FILTER),
    (r"blocked (due to|because of|for) safety|potential(ly)? sensitive", CONTENT_FILTER),
    (r"violates? our (terms|polic)|敏感信息|内容违规|违规内容|不当内容|安全策略", CONTENT_FILTER),
)
PARTS = {"text": "text", "output_text": "text", "refusal": "refusal", "reasoning": "reasoning"}
PARTS |= {"thinking": "reasoning", "summary_text": "reasoning", "reasoning_text": "reasoning"}
REASONING = ("reasoning_content", "reasoning", "reasoning_details", "thinking")
TEXT_NAMES = ("text", "value", "content", "thinking", "summary")
MESSAGES = ("error", "message", "msg", "detail", "raw", "error_msg", "status_msg")
DEEPEST_TEXT = 6
Hide = Callable[[str], str]


def read_reply(content: bytes, hide: Hide = str) -> ChatReply:
    """Read a chat completion.

    A content of null (a refusal, a tool call, a reply cut before its first word) is an empty text;
    a content in parts is put together. `hide` takes the key out of a text, in case the endpoint
    sent it back. Raises EndpointGarbled, whose detail says by a code what the body is instead, or
    "error" if it is a failure that `read_failure` reads.
    """
    body = beginning_of(content, hide)
    data = object_of(content, body, hide)
    choice = _choice(data, body)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise EndpointGarbled("no-message", body=body)
    said = _said(message, body)
    usage = data.get("usage")
    return ChatReply(
        text=said["text"],
        finish_reason=line_of(choice.get("finish_reason"), 40),
        endpoint_model=line_of(data.get("model"), 200),
        prompt_tokens=token_count(usage, "prompt_tokens"),
        completion_tokens=token_count(usage, "completion_tokens"),
        reasoning=said["reasoning"],
        refusal=said["refusal"],
        tool_calls=_tool_calls(message),
        body=body,
    )


def read_failure(
    status: int, content: bytes, *, body: str, retry_after: float | None
) -> ChatReply | EndpointError:
    """Return a reply with `fault` for a failure of the model, else the endpoint's error.

    `body` is the beginning of the content as it may be stored, without the key.
    """
    codes, message, inner = _error_of(content)
    if status == OK:
        status = inner or status
    if status in QUESTION_STATUSES and (fault := _fault(codes, message)):
        return ChatReply("", fault=fault, body=body)
    if codes & UNPAID_CODES or (status < SERVER_ERROR and _is_about_money(message)):
        return EndpointUnpaid(str(status), body=body)
    denial = DENIALS.get(status)
    if status == BAD_REQUEST:  # as Gemini answers a wrong key
        denial = _denial_in(codes, message)
    if denial:
        return denial(str(status), body=body)
    if status in BUSY_STATUSES or (status == UNAVAILABLE and retry_after is not None):
        return EndpointBusy(str(status), retry_after=retry_after, body=body)
    if status >= SERVER_ERROR:
        return EndpointBroken(str(status), retry_after=retry_after, body=body)
    return EndpointRefused(str(status), body=body)


def _denial_in(codes: frozenset[str], message: str) -> type[EndpointError] | None:
    """Return the error of a wrong key or an unknown model, if codes or words say so."""
    if codes & LOCKED_CODES or LOCKED_WORDS.search(message):
        return EndpointLocked
    return EndpointKnowsNothing if codes & UNKNOWN_MODEL_CODES else None


def beginning_of(content: bytes, hide: Hide = str) -> str:
    """Return the first characters of a body on one line, whatever its bytes are.

    `hide` works before the cut, which could leave a part of what it hides.
    """
    text = content[: 4 * LONGEST_BODY].decode(errors="replace")
    return hide(" ".join(text.split()))[:LONGEST_BODY]


def object_of(content: bytes, body: str, hide: Hide) -> dict[str, Any]:
    """Return the object of a body. Raises EndpointGarbled, whose detail says what it is instead."""
    if not body:
        raise EndpointGarbled("empty")
    try:
        data = _hidden(json.loads(content), hide)
    except RecursionError:  # a hundred thousand brackets in one another
        raise EndpointGarbled("nested", body=body) from None
    except ValueError:
        is_page = body[:15].lower().startswith(("<!doctype", "<html"))
        raise EndpointGarbled("web-page" if is_page else "not-json", body=body) from None
    if not isinstance(data, dict):
        raise EndpointGarbled("no-choices", body=body)
    return data


def _hidden(data: Any, hide: Hide) -> Any:
    """Hide in every text of some JSON, before any of them is cut or joined."""
    if isinstance(data, str):
        return hide(data)
    if isinstance(data, list):
        return [_hidden(each, hide) for each in data]
    if isinstance(data, dict):
        return {hide(name): _hidden(each, hide) for name, each in data.items()}
    return data


def _choice(data: dict[str, Any], body: str) -> dict[str, Any]:
    choices = data.get("choices")
    found = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(found, dict) and not found.get("error"):
        return found
    is_error = isinstance(found, dict) or data.get("error") or _says_failure(data)
    raise EndpointGarbled("error" if is_error else "no-choices", body=body)


def _says_failure(data: dict[str, Any]) -> bool:
    """Return whether a body of status 200 says why there is no answer, as Zhipu and MiniMax send it."""
    places = _places_of(data)
    codes, message = _codes_in(places), _message_in(places)
    is_unpaid = bool(codes & UNPAID_CODES) or _is_about_money(message)
    return is_unpaid or bool(_fault(codes, message)) or _status_in(places) is not None


def _said(message: Mapping[str, Any], body: str) -> dict[str, str]:
    """Return the text, the reasoning and the refusal of a message.

    Gateways send the same reasoning under several names, so the first that holds any is taken.
    """
    given = message.get("content")
    if not (isinstance(given, str | list | None) or _text_in(given)):
        raise EndpointGarbled("no-text", body=body)
    said = {"text": "", "reasoning": "", "refusal": _text_in(message.get("refusal"))}
    for kind, text in _parts(given, body):
        said[kind] += text
    named = (_text_in(message.get(name)) for name in REASONING)
    said["reasoning"] = next(filter(None, named), "") or said["reasoning"]
    return said


def _parts(content: object, body: str) -> Iterator[tuple[str, str]]:
    """Yield what each part is and its text; pictures, sounds and nulls are left out."""
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            yield "text", _text(part)
        elif isinstance(part, dict):
            name = str(part.get("type") or "text")
            if (kind := PARTS.get(name)) is not None:
                yield kind, _text_in(part.get(name)) or _text_in(part)
        elif part is not None:
            raise EndpointGarbled("no-text", body=body)


def _text_in(value: object, depth: int = 0) -> str:
    """Return the text of a string, of an object that holds it under a known name, or of a list."""
    if isinstance(value, str):
        return _text(value)
    if depth == DEEPEST_TEXT:
        return ""
    if isinstance(value, list):
        return "".join(_text_in(each, depth + 1) for each in value)
    if isinstance(value, dict):
        return next(filter(None, (_text_in(value.get(n), depth + 1) for n in TEXT_NAMES)), "")
    return ""


def _tool_calls(message: Mapping[str, Any]) -> str:
    calls = message.get("tool_calls") or message.get("function_call")
    return json.dumps(calls, ensure_ascii=False)[:LONGEST_TOOL_CALLS] if calls else ""


def _error_of(content: bytes) -> tuple[frozenset[str], str, int | None]:
    """Return the codes of an error in lower case, its message, and the HTTP status that it names."""
    try:
        places = _places_of(json.loads(content))
    except (ValueError, RecursionError):
        places = []
    if not places:
        return frozenset(), beginning_of(content).lower(), None
    return _codes_in(places), _message_in(places), _status_in(places)


def _codes_in(places: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    return frozenset(str(place.get(name)).lower() for place in places for name in ("code", "type"))


def _message_in(places: Sequence[Mapping[str, Any]]) -> str:
    messages = [_text(place.get(name)) for place in places for name in MESSAGES]
    return " ".join(" ".join(messages).split())[:LONGEST_MESSAGE].lower()


def _status_in(places: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the first code inside an error that is the status of a failed HTTP call."""
    for place in places:
        for name in ("code", "status", "status_code"):
            value = str(place.get(name))
            if len(value) == len("400") and value.isdecimal() and int(value) in HTTP_FAILURES:
                return int(value)
    return None


def _places_of(data: object) -> list[dict[str, Any]]:
    """Return the objects of a failure that may hold codes and messages, the error itself first.

    Gemini puts the whole into a list; OpenRouter puts an error into the choice that it broke, and
    what the service behind it said into `metadata`.
    """
    whole = _object(data[0] if isinstance(data, list) and data else data)
    if not whole:
        return []
    choices = whole.get("choices")
    choice = _object(choices[0]) if isinstance(choices, list) and choices else {}
    error = _object(whole.get("error")) or _object(choice.get("error"))
    inner = (error.get("innererror"), error.get("metadata"), whole.get("base_resp"))
    return [error, whole, *map(_object, inner)]


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_about_money(message: str) -> bool:
    return bool(UNPAID_WORDS.search(message)) and not PAUSE_WORDS.search(message)


def _fault(codes: frozenset[str], message: str) -> str:
    """Return why the model gives no answer to this question, or ""."""
    if codes & FILTER_CODES:
        return CONTENT_FILTER
    if codes & TOO_LONG_CODES:
        return TOO_LONG
    return next((fault for words, fault in SAYINGS if re.search(words, message)), "")


def _text(value: object) -> str:
    """Return a text without NUL, which PostgreSQL cannot store; "" for anything else."""
    return value.replace("\0", "") if isinstance(value, str) else ""


def line_of(value: object, longest: int) -> str:
    """Return a value as text, cut; empty for none."""
    return str(value or "")[:longest]


def token_count(usage: object, name: str) -> int | None:
    """Return a count of tokens; None if the endpoint does not say it."""
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if type(value) is int and value >= 0 else None
