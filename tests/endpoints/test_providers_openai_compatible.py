"""The client keeps the key to itself, knows each kind of refusal and never reads without bound."""

import asyncio
import gzip
import json
import logging
import threading
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endpoints.providers.base import (
    ChatReply,
    ChatRequest,
    EndpointBroken,
    EndpointBusy,
    EndpointError,
    EndpointGarbled,
    EndpointKnowsNothing,
    EndpointLocked,
    EndpointRefused,
    EndpointUnpaid,
    EndpointUnreachable,
    Message,
    request_hash,
)
from endpoints.providers.http_calls import (
    BaseUrlError,
    MissingKeyError,
    Timeouts,
    clean_base_url,
    read_retry_after,
)
from endpoints.providers.openai_compatible import (
    OpenAICompatible,
    ParameterError,
    check_parameters,
)
from endpoints.providers.replies import LONGEST_BODY, read_reply

KEY = "sk-very-secret-1234"
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
REQUEST = ChatRequest("m", (Message("user", "དྲི་བ།"),), {"temperature": 0})
GOOD = {
    "model": "m-2026",
    "choices": [{"message": {"content": "ཁ"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1},
}

Reply = tuple[int, dict[str, str], bytes]


class Canned(ThreadingHTTPServer):
    """Answers every POST with `reply` and keeps what it was sent."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, reply: Reply) -> None:
        super().__init__(("127.0.0.1", 0), CannedHandler)
        self.reply = reply
        self.sent: list[tuple[str, str | None, bytes]] = []

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class CannedHandler(BaseHTTPRequestHandler):
    server: Canned

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.sent.append((self.path, self.headers.get("Authorization"), body))
        status, headers, content = self.server.reply
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def canned() -> Iterator[Callable[..., Canned]]:
    servers: list[Canned] = []

    def start(status: int, data: object, headers: dict[str, str] | None = None) -> Canned:
        content = data if isinstance(data, bytes) else json.dumps(data).encode()
        server = Canned((status, headers or {}, content))
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def complete(url: str, *, key_variable: str = "", timeouts: Timeouts | None = None) -> ChatReply:
    async def main() -> ChatReply:
        provider = OpenAICompatible(url, key_variable=key_variable, timeouts=timeouts)
        try:
            return await provider.complete(REQUEST)
        finally:
            await provider.aclose()

    return asyncio.run(main())


def test_complete_sends_the_request_and_reads_the_reply(
    canned: Callable[..., Canned], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMO_KEY", KEY)
    server = canned(200, GOOD)

    reply = complete(server.base_url, key_variable="DEMO_KEY")

    ((path, authorization, body),) = server.sent
    assert reply == ChatReply("ཁ", "stop", "m-2026", 9, 1)
    assert (path, authorization) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert json.loads(body) == {
        "model": "m",
        "messages": [{"role": "user", "content": "དྲི་བ།"}],
        "temperature": 0,
    }


@pytest.mark.parametrize(
    ("status", "headers", "kind", "wait"),
    [
        (429, {"Retry-After": "3"}, EndpointBusy, 3.0),
        (429, {}, EndpointBusy, None),
        (408, {}, EndpointBusy, None),
        (503, {"Retry-After": "2"}, EndpointBusy, 2.0),
        (503, {}, EndpointBroken, None),
        (500, {"Retry-After": "1"}, EndpointBroken, 1.0),
        (400, {}, EndpointRefused, None),
        (401, {}, EndpointLocked, None),
        (404, {}, EndpointKnowsNothing, None),
        (302, {"Location": "http://127.0.0.1:1/"}, EndpointRefused, None),
    ],
)
def test_status_tells_the_kind_of_refusal(
    canned: Callable[..., Canned],
    status: int,
    headers: dict[str, str],
    kind: type[EndpointError],
    wait: float | None,
) -> None:
    server = canned(status, {"error": "no"}, headers)

    with pytest.raises(EndpointError) as caught:
        complete(server.base_url)

    assert type(caught.value) is kind
    assert caught.value.retry_after == wait
    assert (caught.value.detail, caught.value.body) == (str(status), '{"error": "no"}')
    assert len(server.sent) == 1


def test_key_is_in_no_error_repr_or_log(
    canned: Callable[..., Canned],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("DEMO_KEY", KEY)
    server = canned(401, {"error": f"Wrong key {KEY} given"})
    caplog.set_level(logging.DEBUG)

    with pytest.raises(EndpointLocked) as caught:
        complete(server.base_url, key_variable="DEMO_KEY")

    shown = f"{caught.value} {caught.value!r} {caught.value.body} {OpenAICompatible(server.base_url)!r} {caplog.text}"
    assert KEY not in shown
    assert "[key]" in caught.value.body
    assert repr(OpenAICompatible("http://h/v1", key_variable="DEMO_KEY")) == (
        "OpenAICompatible('http://h/v1')"
    )


def test_missing_key_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)

    with pytest.raises(MissingKeyError, match="NO_SUCH_KEY"):
        OpenAICompatible("http://h/v1", key_variable="NO_SUCH_KEY")


def test_long_error_page_is_cut_short(canned: Callable[..., Canned]) -> None:
    server = canned(400, b"x" * 100_000)

    with pytest.raises(EndpointRefused) as caught:
        complete(server.base_url)

    assert (caught.value.detail, len(caught.value.body)) == ("400", LONGEST_BODY)


def test_reply_without_end_is_not_read_to_its_end(canned: Callable[..., Canned]) -> None:
    server = canned(200, b" " * 1_000_000)

    with pytest.raises(EndpointGarbled, match="more than 1000 bytes"):
        complete(server.base_url, timeouts=Timeouts(reply_bytes=1000))


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("GZIP", gzip.compress),
        ("deflate", zlib.compress),
        ("identity", bytes),
    ],
)
def test_reply_that_a_gateway_compressed_unasked_is_read(
    canned: Callable[..., Canned], coding: str, pack: Callable[[bytes], bytes]
) -> None:
    content = pack(json.dumps(GOOD).encode())
    server = canned(200, content, {"Content-Encoding": coding})
    assert complete(server.base_url).text == "ཁ"


def test_compressed_bomb_is_garbled_and_takes_little_memory(canned: Callable[..., Canned]) -> None:
    packer = zlib.compressobj(9, wbits=16 + zlib.MAX_WBITS)
    block = b" " * 1_000_000
    bomb = b"".join(packer.compress(block) for _ in range(200)) + packer.flush()
    server = canned(200, bomb, {"Content-Encoding": "gzip"})
    tracemalloc.start()
    try:
        with pytest.raises(EndpointGarbled, match="more than 1000000 bytes"):
            complete(server.base_url, timeouts=Timeouts(reply_bytes=1_000_000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000


@pytest.mark.parametrize(
    ("coding", "content"),
    [
        ("gzip, gzip", gzip.compress(gzip.compress(b"{}"))),
        ("br", b"{}"),
        ("gzip", b"no gzip"),
        ("deflate", zlib.compress(b"{}")[:-3]),
    ],
    ids=["twice", "unknown", "damaged", "cut"],
)
def test_reply_in_an_unknown_or_damaged_coding_is_garbled(
    canned: Callable[..., Canned], coding: str, content: bytes
) -> None:
    server = canned(200, content, {"Content-Encoding": coding})
    with pytest.raises(EndpointGarbled, match=r"encoding|damaged"):
        complete(server.base_url)


def test_error_inside_a_reply_is_a_failure_of_the_model_or_of_the_endpoint(
    canned: Callable[..., Canned],
) -> None:
    filtered = canned(200, {"error": {"code": "content_filter"}})
    assert complete(filtered.base_url) == ChatReply("", fault="content_filter")
    unpaid = canned(200, {"error": {"code": "insufficient_quota"}})
    with pytest.raises(EndpointUnpaid):
        complete(unpaid.base_url)


def test_nobody_listening_is_unreachable() -> None:
    server = Canned((200, {}, b""))
    server.server_close()

    with pytest.raises(EndpointUnreachable):
        complete(server.base_url)


def test_one_client_serves_many_calls_at_once(canned: Callable[..., Canned]) -> None:
    server = canned(200, GOOD)

    async def main() -> list[ChatReply]:
        provider = OpenAICompatible(server.base_url)
        replies = await asyncio.gather(*(provider.complete(REQUEST) for _ in range(20)))
        await provider.aclose()
        return replies

    assert asyncio.run(main()) == [ChatReply("ཁ", "stop", "m-2026", 9, 1)] * 20


@pytest.mark.parametrize(
    ("content", "reply"),
    [
        (b'{"choices":[{"message":{"content":null},"finish_reason":"length"}]}', ("", "length")),
        (b'{"choices":[{"message":{"content":"A\\u0000B"}}],"usage":null}', ("AB", "")),
        (b'{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}', ("", "stop")),
    ],
)
def test_reply_with_little_in_it_is_still_a_reply(content: bytes, reply: tuple[str, str]) -> None:
    assert read_reply(content) == ChatReply(*reply)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "type", "text", "error", "usage"]),
            inner,
        )
    ),
    max_leaves=8,
)


@given(JSON | st.binary(max_size=40))
def test_reply_of_any_bytes_is_read_or_called_garbled(data: object) -> None:
    content = data if isinstance(data, bytes) else json.dumps(data).encode()
    try:
        reply = read_reply(content)
    except EndpointGarbled:
        return
    assert isinstance(reply.text, str)
    assert reply.prompt_tokens is None or reply.prompt_tokens >= 0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("3", 3.0),
        ("0.5", 0.5),
        ("-4", 0.0),
        ("Fri, 20 Nov 2026 12:00:30 GMT", 30.0),
        ("Fri, 20 Nov 2026 11:00:00 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("Mon, 01 Jan 2024 00:00:00 +99999999999999999999", None),
        (f"Mon, 01 Jan {'9' * 20} 00:00:00 GMT", None),
    ],
)
def test_retry_after_in_each_form_is_seconds_or_none(value: str, seconds: float | None) -> None:
    assert read_retry_after(value, now=NOW) == seconds


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        ("http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/v1"),
        (" https://api.example.org/v1 ", "https://api.example.org/v1"),
        ("http://[::1]:9/v1", "http://[::1]:9/v1"),
    ],
)
def test_base_url_that_is_sound_is_kept(value: str, clean: str) -> None:
    assert clean_base_url(value) == clean


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("", "scheme"),
        ("ftp://h/v1", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("http://", "host"),
        ("http://h:99999/v1", "malformed"),
        ("http://[::1/v1", "malformed"),
        ("http://user:hunter2@h/v1", "credentials"),
        ("http://h/v1?key=1", "query"),
        ("http://h/v1#x", "query"),
    ],
)
def test_base_url_that_is_not_is_refused_with_a_code(value: str, code: str) -> None:
    with pytest.raises(BaseUrlError) as caught:
        clean_base_url(value)

    assert caught.value.code == code
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "parameters",
    [
        {"model": "x"},
        {"stream_options": {}},
        {"stream": 1},
        {"n": 3},
        {"top_p": float("nan")},
        {"x": {1}},
    ],
)
def test_parameters_that_are_the_clients_own_or_no_json_are_refused(
    parameters: dict[str, object],
) -> None:
    with pytest.raises(ParameterError):
        check_parameters(parameters)


def test_request_hash_depends_on_all_that_is_sent_and_on_nothing_else() -> None:
    same = ChatRequest("m", (Message("user", "q"),), {"a": 1, "b": 2})
    others = [
        ("e", ChatRequest("m", (Message("user", "q"),), {"a": 1})),
        ("e", ChatRequest("m2", (Message("user", "q"),), {"a": 1, "b": 2})),
        ("e", ChatRequest("m", (Message("user", "q "),), {"a": 1, "b": 2})),
        ("e", ChatRequest("m", (Message("system", "q"),), {"a": 1, "b": 2})),
        ("f", same),
    ]
    turned = ChatRequest("m", (Message("user", "q"),), {"b": 2, "a": 1})

    assert request_hash("e", same) == request_hash("e", turned)
    assert len({request_hash("e", same), *(request_hash(*other) for other in others)}) == 6
