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
        ({"content": [None, {"type": "text", "text": "B"}, None]}, {"text": "B"}),
        ({"content": [{"type": "text", "text": {"value": "B"}}]}, {"text": "B"}),
        ({"content": [{"type": None, "text": "B"}]}, {"text": "B"}),
        ({"content": {"type": "text", "text": "B"}}, {"text": "B"}),
        (
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
                    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "So."}]},
                    {"type": "text", "text": "B"},
                ]
            },
            {"text": "B", "reasoning": "Hm.So."},
        ),
        (
            {
                "content": "B",
                "reasoning_details": [
                    {"type": "reasoning.summary", "summary": "Hm. "},
                    {"type": "reasoning.text", "text": "So."},
                    {"type": "reasoning.encrypted", "data": "xyz"},
                ],
            },
            {"text": "B", "reasoning": "Hm. So."},
        ),
        (
            {"content": "B", "reasoning": "Hm.", "reasoning_details": [{"text": "Hm."}]},
            {"text": "B", "reasoning": "Hm."},
        ),
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
        (b'{"choices": ["A"]}', "no-choices"),
        (b'{"choices": [{"text": "A"}]}', "no-message"),
        (b'{"choices": [{"message": "A"}]}', "no-message"),
        (b'{"choices": [{"message": {"content": 7}}]}', "no-text"),
        (b'{"choices": [{"message": {"content": [7]}}]}', "no-text"),
        (b'{"choices": [{"message": {"content": {"image": 7}}}]}', "no-text"),
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


TOO_LONG_MESSAGES = {
    "OpenAI, vLLM": CONTEXT,
    "vLLM": "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
    "SGLang": "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
    "llama.cpp": "the request exceeds the available context size. try increasing it",
    "TGI": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.",
    "TGI, older": "`inputs` must have less than 1024 tokens. Given: 2000",
    "Gemini": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "Anthropic": "prompt is too long: 210000 tokens > 200000 maximum",
    "Anthropic, with answer": "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    "Bedrock": "Input is too long for requested model.",
    "Cohere": "too many tokens: total number of tokens in the prompt cannot exceed 4081",
    "Mistral": "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    "xAI": "This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
    "Moonshot": "Invalid request: Your request exceeded model token limit: 8192",
    "Zhipu": "Prompt exceeds max length",
    "Zhipu, Chinese": "Prompt 超长",
    "Chinese": "输入的长度超过模型的限制",
    "Chinese, short": "提示词过长",
    "Qwen": "<400> InvalidParameter: Range of input length should be [1, 30720]",
    "Groq": "Please reduce the length of the messages or completion.",
    "OpenAI, responses": "Your input exceeds the context window of this model.",
    "on two lines": "Invalid argument: the input token count\n(9000)\nexceeds the limit.",
    "MiniMax": "invalid params, context window exceeds limit",
    "SiliconFlow": "Total tokens of image and text exceed max message tokens",
    "Ollama": "Prompt has 9000 tokens, but the configured context size is 8192 tokens",
    "vLLM, counts": "You passed 5000 input tokens. However, the model's context length is only 4096.",
    "Fireworks": "The total number of tokens (prompt + max_tokens) must be less than or equal to 4096",
    "Yi": "tokens in request more than max tokens allowed",
    "Groq, size": "Request too large for model on tokens per minute: Limit 6000, Requested 20000",
}
FILTER_MESSAGES = {
    "Azure": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    "OpenAI": "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
    "OpenAI, images": "Your request was rejected as a result of our safety system.",
    "Anthropic": "Output blocked by content filtering policy",
    "DeepSeek": "Content Exists Risk",
    "Zhipu": "系统检测到输入或生成内容可能包含不安全或敏感内容，请您避免输入易产生敏感内容的提示语",
    "Qwen": "Input data may contain inappropriate content.",
    "Qwen, code": "data_inspection_failed",
    "Moonshot": "The request was rejected because it was considered high risk",
    "MiniMax": "input new_sensitive",
    "Gemini": "prompt was blocked due to SAFETY",
    "Hunyuan": "请求内容命中安全策略",
    "Baichuan": "输入内容违规",
    "Together": "The request is rejected because of potential sensitive content",
}
PARAMETER_MESSAGES = [
    "Your input length field is invalid: unsupported parameter",
    "Unsupported parameter: 'context_window' is not supported with this model.",
    "Unknown parameter: 'content_filter'.",
    "Unrecognized request argument supplied: context window",
    "`max_new_tokens` must be strictly positive",
    "max_tokens is too large: 100000. This model supports at most 16384 completion tokens.",
    "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens",
    "Range of max_tokens should be [1, 8192]",
    "temperature is not supported",
    "The content filter setting is invalid",
    "Please set the input length field.",
]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        *((TOO_LONG, message) for message in TOO_LONG_MESSAGES.values()),
        *((CONTENT_FILTER, message) for message in FILTER_MESSAGES.values()),
    ],
)
def test_message_about_the_question_is_the_models_failure(fault: str, message: str) -> None:
    for body in (
        {"error": {"message": message, "code": 400}},
        [{"error": {"message": message, "code": 400, "status": "INVALID_ARGUMENT"}}],
        {"message": message},
        {"error": {"message": "Provider returned error", "metadata": {"raw": message}}},
    ):
        content = json.dumps(body).encode()
        assert read_failure(400, content, body="", retry_after=None) == ChatReply("", fault=fault)


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("1261", TOO_LONG),
        (1261, TOO_LONG),
        ("1301", CONTENT_FILTER),
        ("content_filter", CONTENT_FILTER),
    ],
)
def test_code_about_the_question_is_the_models_failure(code: str | int, fault: str) -> None:
    content = json.dumps({"error": {"code": code, "message": "?"}}).encode()
    assert read_failure(400, content, body="", retry_after=None) == ChatReply("", fault=fault)


@pytest.mark.parametrize("message", PARAMETER_MESSAGES)
def test_message_about_a_parameter_is_not_the_models_failure(message: str) -> None:
    content = json.dumps({"error": {"message": message}}).encode()
    found = read_failure(400, content, body="", retry_after=None)
    assert type(found) is EndpointRefused


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"error": {"code": 401}}, EndpointLocked),
        ({"error": {"code": "502"}}, EndpointBroken),
        ({"error": {"code": 429, "message": "slow down"}}, EndpointBusy),
        ({"error": {"code": "x", "status": 402}}, EndpointUnpaid),
        ({"error": "no", "status_code": 403}, EndpointForbids),
        ({"code": 404, "message": "no such model"}, EndpointKnowsNothing),
        ({"choices": [{"error": {"code": 502}, "message": {"content": ""}}]}, EndpointBroken),
    ],
)
def test_status_inside_an_accepted_reply_counts_as_the_status(
    body: dict[str, Any], kind: type[EndpointError]
) -> None:
    content = json.dumps(body).encode()
    with pytest.raises(EndpointGarbled) as garbled:
        read_reply(content)
    assert garbled.value.detail == "error"
    assert type(read_failure(200, content, body="", retry_after=None)) is kind


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (429, "You exceeded your current quota, please check your plan.", EndpointUnpaid),
        (429, "Insufficient Balance", EndpointUnpaid),
        (400, "Your credit balance is too low to access the Anthropic API.", EndpointUnpaid),
        (429, "余额不足或无可用资源包,请充值。", EndpointUnpaid),
        (403, "Insufficient credits. Add more.", EndpointUnpaid),
        (403, "The account balance is insufficient", EndpointUnpaid),
        (429, "Your account is not active, please check your billing details", EndpointUnpaid),
        (429, "monthly spending limit reached", EndpointUnpaid),
        (403, "Free quota exhausted", EndpointUnpaid),
        (400, "余额已用完", EndpointUnpaid),
        (400, "API key not valid. Please pass a valid API key.", EndpointLocked),
        (400, "Incorrect API key provided", EndpointLocked),
        (429, "Resource has been exhausted (e.g. check quota).", EndpointBusy),
        (429, "You exceeded your current quota. Please retry in 36.2s.", EndpointBusy),
        (429, "Rate limit reached: quota of 20 requests per minute", EndpointBusy),
        (500, "Insufficient Balance", EndpointBroken),
    ],
)
def test_words_about_money_or_the_key_stop_at_once(
    status: int, message: str, kind: type[EndpointError]
) -> None:
    content = json.dumps({"error": {"message": message}}).encode()
    assert type(read_failure(status, content, body="", retry_after=None)) is kind


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, openai("invalid_api_key"), EndpointLocked),
        (403, openai("country_not_supported"), EndpointForbids),
        (404, openai("model_not_found"), EndpointKnowsNothing),
        (400, openai("invalid_api_key"), EndpointLocked),
        (400, openai("model_not_found"), EndpointKnowsNothing),
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


def test_failure_that_comes_as_a_success_is_read_as_one() -> None:
    def told(body: dict[str, Any]) -> ChatReply | EndpointError:
        content = json.dumps(body).encode()
        with pytest.raises(EndpointGarbled) as garbled:
            read_reply(content)
        assert garbled.value.detail == "error"
        return read_failure(200, content, body="", retry_after=None)

    unpaid = {"status_code": 1008, "status_msg": "insufficient balance"}
    filtered = {"status_code": 1027, "status_msg": "output sensitive"}
    assert isinstance(told({"choices": None, "base_resp": unpaid}), EndpointUnpaid)
    assert told({"base_resp": filtered}) == ChatReply("", fault=CONTENT_FILTER)
    assert told({"code": "1261", "msg": "x"}) == ChatReply("", fault=TOO_LONG)
    for other in ({"error_msg": "请求频率超过限制"}, {"base_resp": {"status_code": 0}}):
        with pytest.raises(EndpointGarbled) as garbled:
            read_reply(json.dumps(other).encode())
        assert garbled.value.detail == "no-choices"
