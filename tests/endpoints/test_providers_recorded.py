"""The twins replay and refuse as the real client would."""

import asyncio

import pytest

from endpoints.providers.base import (
    ChatProvider,
    ChatReply,
    ChatRequest,
    EndpointBusy,
    EndpointRefused,
    Message,
)
from endpoints.providers.recorded import NullProvider, RecordedProvider

ONE = ChatRequest("m", (Message("user", "one"),))
TWO = ChatRequest("m", (Message("user", "two"),))


def ask(provider: ChatProvider, request: ChatRequest) -> ChatReply:
    return asyncio.run(provider.complete(request))


def test_recorded_replies_come_in_order_and_the_last_stays() -> None:
    provider = RecordedProvider.of(
        [(ONE, EndpointBusy("429")), (ONE, ChatReply("A")), (TWO, ChatReply("B"))]
    )

    with pytest.raises(EndpointBusy):
        ask(provider, ONE)
    assert [ask(provider, r).text for r in (ONE, ONE, TWO)] == ["A", "A", "B"]
    assert provider.asked == [ONE, ONE, ONE, TWO]


def test_question_without_a_record_is_refused() -> None:
    with pytest.raises(EndpointRefused):
        ask(RecordedProvider.of([(ONE, ChatReply("A"))]), TWO)


def test_null_provider_answers_with_its_function() -> None:
    assert ask(NullProvider(), ONE) == ChatReply("", "stop", "m")
    assert ask(NullProvider(lambda r: r.messages[0].content), TWO).text == "two"
