"""Whatever a service sends back of the key it was sent, nothing that may be stored holds it."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest

from endpoints.connections import PROVIDERS
from endpoints.enums import ProviderName
from endpoints.models import Endpoint
from endpoints.providers.base import ChatReply, ChatRequest, EndpointError, Message
from endpoints.providers.replies import LONGEST_BODY
from endpoints.providers.translation.base import as_request
from tests.endpoints.test_plain_engines import RECORDED, answering, segments_for

KEY = 'sk-a/very"secret-1234567890'
ECHO = f"Authorization: Bearer {KEY}"
ROWS = [{"translatedText": ECHO, "text": ECHO}] * 2
TRANSLATIONS: dict[str, Any] = {
    "google_v2": {"data": {"translations": ROWS}},
    "google_v3": {"translations": ROWS},
    "deepl": {"translations": ROWS},
    "microsoft": [{"translations": [row]} for row in ROWS],
    "libretranslate": {"translatedText": [ECHO] * 2},
    "niutrans": {"tgt_text": "".join(f'<s id="{n}">{ECHO}</s>' for n in range(2))},
    "http_template": {"data": {"results": [ECHO] * 2}},
}
COMPLETION = {
    "headers": {"Authorization": ECHO},
    "model": ECHO,
    "choices": [
        {
            "finish_reason": f"{'x' * 30} {KEY}",
            "message": {
                "content": [{"type": "text", "text": {"value": ECHO}}],
                "reasoning": ECHO,
                "refusal": ECHO,
                "tool_calls": [{KEY: ECHO}],
            },
        }
    ],
}
GARBLED = {"headers": ECHO, "what": [ECHO]}


def written(data: object) -> Iterator[bytes]:
    """Yield some JSON as services write it."""
    yield json.dumps(data).encode()
    yield json.dumps(data).replace("/", "\\/").encode()
    yield json.dumps({" " * LONGEST_BODY: 1, "x": "y" * (LONGEST_BODY - 40), "data": data}).encode()


def ask(name: str, status: int, content: bytes) -> ChatReply | EndpointError:
    question = ChatRequest("m", (Message("user", "?"),))
    if name in RECORDED:
        question = as_request(segments_for(name, RECORDED[name][0]))

    async def once(base_url: str) -> ChatReply:
        client = PROVIDERS[name](Endpoint(provider=name, base_url=base_url, api_key_env="ECHO_KEY"))
        try:
            return await client.complete(question)
        finally:
            await client.aclose()

    with answering((status, {}, content)) as server:
        try:
            return asyncio.run(once(server.base_url))
        except EndpointError as error:
            return error


def texts_of(found: ChatReply | EndpointError) -> str:
    if isinstance(found, EndpointError):
        return f"{found} {found!r} {found.detail} {found.body}"
    return " ".join(str(getattr(found, each.name)) for each in fields(found))


@pytest.mark.parametrize("name", sorted(PROVIDERS))
def test_key_that_a_service_sends_back_is_stored_nowhere(
    name: str, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.ENDPOINT_NETWORKS = ["127.0.0.0/8"]
    monkeypatch.setenv("ECHO_KEY", KEY)
    good = COMPLETION if name == ProviderName.OPENAI_COMPATIBLE else TRANSLATIONS[name]
    cases = [(status, data) for status in (200, 400, 401) for data in (good, GARBLED)]
    for status, data in cases:
        for content in written(data):
            said = texts_of(ask(name, status, content))
            assert "1234567890" not in said, (status, content)
            assert "very" not in said, (status, content)
    answer = ask(name, 200, json.dumps(good).encode())
    assert isinstance(answer, ChatReply)
    assert "Authorization: Bearer [key]" in answer.text


def test_placeholder_instead_of_a_key_leaves_answers_alone(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.ENDPOINT_NETWORKS = ["127.0.0.0/8"]
    monkeypatch.setenv("ECHO_KEY", "A")
    content = json.dumps({"choices": [{"message": {"content": "A"}}]}).encode()
    answer = ask(ProviderName.OPENAI_COMPATIBLE, 200, content)
    assert isinstance(answer, ChatReply)
    assert answer.text == "A"
