"""Answers that come as server-sent events are the same as those in one piece."""

import asyncio
import json
from typing import Any

import pytest

from endpoints.providers.base import ChatReply, ChatRequest, EndpointUnreachable, Message
from endpoints.providers.http_calls import Timeouts
from endpoints.providers.openai_compatible import OpenAICompatible
from endpoints.providers.replies import read_reply
from endpoints.providers.streams import EndpointGarbled, joined
from tests.evaluation.builders import serving

ODD = "ལན་ནི་ཁ།\u2028ຄຳຕອບ: B\r\nجاۋاب"


def stream(*chunks: object, end: str = "\n\n") -> bytes:
    return "".join(f"data: {json.dumps(each)}{end}" for each in chunks).encode()


def part(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


USAGE = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}
LAST = part("stop")


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n", "\r\r"])
def test_chunks_are_joined_with_the_usage_of_the_last(end: str) -> None:
    pieces = [part(role="assistant", content="")] + [part(content=each) for each in ODD]
    thought = part(reasoning_content="ཨ", content=None)
    content = b"\xef\xbb\xbf: waiting" + end.encode()
    content += (
        stream(thought, thought, *pieces, LAST, USAGE, end=end) + f"data: [DONE]{end}".encode()
    )

    found = read_reply(joined(content))

    assert (found.text, found.reasoning, found.finish_reason) == (ODD, "ཨཨ", "stop")
    assert (found.prompt_tokens, found.completion_tokens, found.endpoint_model) == (7, 3, "m")


def test_character_that_came_in_two_halves_is_one_again() -> None:
    halves = stream(part(content="B \ud83d"), part(content="\ude00"), LAST)
    lone = stream(part(content="B \ud83d"), LAST)

    assert read_reply(joined(halves)).text == "B 😀"
    assert read_reply(joined(lone)).text == read_reply(json.dumps(whole("B \ud83d")).encode()).text


def whole(content: str) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}


def test_stream_without_an_end_is_a_lost_connection() -> None:
    half = stream(part(content="The answer is "), part(content="B"))

    for content in (half, half[:-30], b"", b": waiting\n\n"):
        with pytest.raises(EndpointUnreachable, match="cut off"):
            joined(content)
    assert read_reply(joined(half + stream(LAST))).text == "The answer is B"


def test_error_within_a_stream_is_the_reply() -> None:
    error = {"error": {"code": 429, "message": "slow down"}}

    assert json.loads(joined(stream(part(content="A"), error))) == error


@pytest.mark.parametrize("data", ["no json", "[" * 100_000, "3"])
def test_event_that_is_no_chunk_is_garbled(data: str) -> None:
    with pytest.raises(EndpointGarbled):
        joined(f"data: {data}\n\n".encode())


def test_event_that_is_no_chunk_keeps_no_key() -> None:
    with pytest.raises(EndpointGarbled) as garbled:
        joined(b"data: wrong key sk-secret\n\n", lambda text: text.replace("sk-secret", "***"))
    assert garbled.value.body == "wrong key ***"


def ask(url: str, timeouts: Timeouts | None = None, **parameters: Any) -> ChatReply:
    request = ChatRequest("stand-in-chatty", (Message("user", "ཀ་བ?\nA. x\nB. y"),), parameters)

    async def once() -> ChatReply:
        provider = OpenAICompatible(url, timeouts=timeouts)
        try:
            return await provider.complete(request)
        finally:
            await provider.aclose()

    return asyncio.run(once())


def test_stand_in_says_the_same_streamed_and_in_one_piece() -> None:
    with serving() as server:
        streamed, whole = ask(server.base_url, stream=True), ask(server.base_url, stream=False)

    assert streamed == whole
    assert streamed.completion_tokens


def test_cut_stream_fails_and_is_bounded_in_size() -> None:
    with serving(faults={"cut": 1.0}) as server, pytest.raises(EndpointUnreachable):
        ask(server.base_url, stream=True)
    with serving() as server, pytest.raises(EndpointGarbled, match="more than 40 bytes"):
        ask(server.base_url, Timeouts(reply_bytes=40), stream=True)


def test_texts_among_lists_of_parts_are_all_kept() -> None:
    thought = part(content=[{"type": "thinking", "thinking": "ཨ"}])
    found = read_reply(
        joined(stream(part(content=""), thought, part(content="The "), part(content="B"), LAST))
    )
    later = read_reply(joined(stream(part(content="B"), part(content=[]), LAST)))

    assert (found.text, found.reasoning) == ("The B", "ཨ")
    assert later.text == "B"


def test_stream_that_ends_without_an_answer_is_not_an_empty_answer() -> None:
    for content in (b"data: [DONE]\n\n", stream(USAGE) + b"data: [DONE]\n\n"):
        with pytest.raises(EndpointGarbled, match="no-choices"):
            read_reply(joined(content))


def test_only_the_first_of_two_choices_is_read() -> None:
    second = {"choices": [{"index": 1, "delta": {"content": "C"}, "finish_reason": "stop"}]}

    assert read_reply(joined(stream(second, part(content="B"), second, LAST))).text == "B"


def test_key_in_two_pieces_is_hidden() -> None:
    def hide(text: str) -> str:
        return text.replace("sk-secret", "[key]")

    halves = joined(stream(part(content="it is sk-"), part(content="secret"), LAST), hide)
    assert read_reply(halves, hide).text == "it is [key]"
