"""What endpoints send: answers in every shape, and whose failure a refusal is."""

import json
from typing import Any

import pytest

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
from endpoints.providers.replies import LONGEST_BODY, read_failure, read_reply
from endpoints.stops import REPLY_FAULTS

CALL = [{"id": "1", "function": {"name": "look_up", "arguments": "{}"}}]


def reply_to(message: dict[str, Any], **choice: Any) -> ChatReply:
    body = {"model": "m", "choices": [{"message": message, **choice}]}
    return read_reply(json.dumps(body).encode())


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"content": None, "refusal": "I can't."}, {"refusal": "I can't."}),
        ({"content": "B", "reasoning_content": "Hm."}, {"text": "B", "reasoning": "Hm."}),
        ({"content": "B", "reasoning": "Hm."}, {"text": "B", "reasoning": "Hm."}),
        ({"content": [{"type": "text", "text": "ཁ"}]}, {"text": "ཁ"}),
        ({"content": [{"text": "A"}, {"type": "text", "text": "B"}, "C"]}, {"text": "ABC"}),
        ({"content": []}, {}),
        (
            {
                "content": [
                    {"type": "thinking", "thinking": "Hm."},
                    {"type": "image_url", "image_url": {"url": "data:"}},
                    {"type": "refusal", "refusal": "No."},
                ]
            },
            {"reasoning": "Hm.", "refusal": "No."},
        ),
        ({"content": None, "tool_calls": CALL}, {"tool_calls": json.dumps(CALL)}),
        ({}, {}),
    ],
)
def test_every_part_of_a_message_is_kept(message: dict[str, Any], said: dict[str, str]) -> None:
    reply = reply_to(message, finish_reason="stop")
    assert reply == ChatReply(**{"text": "", "finish_reason": "stop", "endpoint_model": "m"} | said)
    assert '"choices"' in reply.body


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"<!DOCTYPE html><html>Sign in</html>", "web-page"),
        (b"<HTML>", "web-page"),
        (b"Bad gateway", "not-json"),
        (b'{"choices": [', "not-json"),
        (b"\xff\xfe", "not-json"),
        (b"[" * 200_000 + b"]" * 200_000, "nested"),
        (b"[]", "no-choices"),
        (b"{}", "no-choices"),
        (b'{"choices": []}', "no-choices"),
        (b'{"choices": [null]}', "no-choices"),
        (b'{"choices": [{"text": "A"}]}', "no-message"),
        (b'{"choices": [{"message": "A"}]}', "no-message"),
        (b'{"choices": [{"message": {"content": 7}}]}', "no-text"),
        (b'{"choices": [{"message": {"content": [7]}}]}', "no-text"),
    ],
)
def test_body_that_is_no_completion_is_described_in_words(content: bytes, fault: str) -> None:
    with pytest.raises(EndpointGarbled) as garbled:
        read_reply(content)
    assert garbled.value.detail == fault
    assert fault in REPLY_FAULTS
    assert len(garbled.value.body) <= LONGEST_BODY


def openai(code: str, message: str = "no", **further: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "type": "invalid_request_error", **further}}


CONTEXT = "This model's maximum context length is 8192 tokens, however you requested 9000 tokens"


@pytest.mark.parametrize(
    ("status", "body", "fault"),
    [
        (400, openai("context_length_exceeded"), TOO_LONG),
        (400, {"object": "error", "message": CONTEXT, "code": 400}, TOO_LONG),
        (400, {"error": {"type": "exceed_context_size_error", "code": 400}}, TOO_LONG),
        (400, {"error": "prompt is too long: 210000 tokens > 200000 maximum"}, TOO_LONG),
        (413, {"detail": "Input length 9000 exceeds 8192"}, TOO_LONG),
        (422, {"error": "`inputs` tokens + `max_new_tokens` must be <= 4096"}, TOO_LONG),
        (400, openai("content_filter"), CONTENT_FILTER),
        (400, openai("x", innererror={"code": "ResponsibleAIPolicyViolation"}), CONTENT_FILTER),
        (400, openai("data_inspection_failed"), CONTENT_FILTER),
        (
            403,
            {"error": {"message": "The model requires moderation: input was flagged"}},
            CONTENT_FILTER,
        ),
        (200, openai("content_filter"), CONTENT_FILTER),
    ],
)
def test_failure_of_the_model_is_an_answer_without_text(
    status: int, body: dict[str, Any], fault: str
) -> None:
    content = json.dumps(body).encode()
    assert read_failure(status, content, body="b", retry_after=None) == ChatReply("", fault=fault)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, openai("invalid_api_key"), EndpointLocked),
        (403, openai("country_not_supported"), EndpointForbids),
        (404, openai("model_not_found"), EndpointKnowsNothing),
        (402, {}, EndpointUnpaid),
        (429, openai("insufficient_quota"), EndpointUnpaid),
        (429, {"error": {"type": "insufficient_quota", "code": None}}, EndpointUnpaid),
        (400, openai("unsupported_parameter", "temperature is not supported"), EndpointRefused),
        (429, openai("rate_limit_exceeded"), EndpointBusy),
        (500, {"error": {"message": CONTEXT}}, EndpointBroken),
        (200, {"error": {"message": "upstream failed"}}, EndpointRefused),
        (418, [], EndpointRefused),
    ],
)
def test_failure_of_the_endpoint_is_an_error(
    status: int, body: Any, kind: type[EndpointError]
) -> None:
    found = read_failure(status, json.dumps(body).encode(), body="said", retry_after=None)
    assert type(found) is kind
    assert (str(found).rpartition(" ")[2], found.body) == (str(status), "said")
