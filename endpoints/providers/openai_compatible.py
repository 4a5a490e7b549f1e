"""Client of an OpenAI-compatible chat endpoint: one call, time limits, and a key that stays unseen."""

import asyncio
import json
import math
import os
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import httpx

from endpoints.providers.base import (
    ChatReply,
    ChatRequest,
    EndpointBroken,
    EndpointBusy,
    EndpointError,
    EndpointGarbled,
    EndpointRefused,
    EndpointUnreachable,
)

BUSY_STATUSES = frozenset({408, 425, 429})
SERVER_ERROR = 500
UNAVAILABLE = 503
EXCERPT = 300
# How zlib is told what it unpacks: a gzip file, or a zlib stream, which HTTP calls deflate.
WINDOW_BITS = {
    "gzip": 16 + zlib.MAX_WBITS,
    "x-gzip": 16 + zlib.MAX_WBITS,
    "deflate": zlib.MAX_WBITS,
}
OWN_PARAMETERS = frozenset({"model", "messages", "stream", "n"})


class BaseUrlError(ValueError):
    """A base URL that can't be used; `code` says why."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class ParameterError(ValueError):
    """Decoding parameters that the client sets itself or that are not JSON."""


class MissingKeyError(LookupError):
    """The environment variable that should hold the endpoint's key is not set."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: to connect, and for a whole call with its reply; bytes of the longest reply."""

    connect: float = 10.0
    total: float = 120.0
    reply_bytes: int = 4_000_000


def clean_base_url(value: str) -> str:
    """Return `value` without a trailing slash.

    Raises BaseUrlError for another scheme than http(s), no host, credentials inside, a query
    or a fragment (what stands in a URL ends up in logs), and for a path with `..` or escapes,
    which a server could read as another place than the one that is allowed.
    """
    try:
        parts = urlsplit(value.strip())
        has_port = parts.port is None or parts.port > 0
    except ValueError as error:
        raise BaseUrlError("malformed", "The address is malformed.") from error
    if parts.scheme not in {"http", "https"}:
        raise BaseUrlError("scheme", "The address must begin with http:// or https://.")
    if not parts.hostname or not has_port:
        raise BaseUrlError("host", "The address names no host.")
    if parts.username is not None or parts.password is not None:
        raise BaseUrlError("credentials", "The address must not hold a user name or password.")
    if "%" in parts.path or {".", ".."} & set(parts.path.split("/")) or "\\" in parts.path:
        raise BaseUrlError("path", "The path must not hold dots or escaped characters.")
    if parts.query or parts.fragment:
        raise BaseUrlError("query", "The address must not have a query or a fragment.")
    return parts.geturl().rstrip("/")


def check_parameters(parameters: Mapping[str, object]) -> None:
    """Raise ParameterError when a name belongs to the client or a value is not JSON."""
    taken = sorted(OWN_PARAMETERS & set(parameters))
    if taken:
        raise ParameterError(f"Set by Lotsawa itself: {', '.join(taken)}.")
    try:
        json.dumps(dict(parameters), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"Not JSON: {error}.") from error


def key_from_environment(name: str) -> str:
    """Return the value of the variable `name`, or "" when no name is given.

    Raises MissingKeyError, which names the variable, when it is unset or empty.
    """
    if not name:
        return ""
    value = os.environ.get(name, "").strip()
    if not value:
        raise MissingKeyError(f"The environment variable {name} is not set.")
    return value


class OpenAICompatible:
    """A `ChatProvider` over HTTP; the key is read when it is made and is in no repr or error."""

    def __init__(
        self,
        base_url: str,
        *,
        key_variable: str = "",
        timeouts: Timeouts | None = None,
    ) -> None:
        """Prepare a client; nothing is sent. Raises BaseUrlError, MissingKeyError."""
        self.endpoint = clean_base_url(base_url)
        self._timeouts = timeouts or Timeouts()
        self._key = key_from_environment(key_variable)
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
        }
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        self._headers = headers
        self._tls = httpx.create_ssl_context(trust_env=False)
        self._idle: list[httpx.AsyncClient] = []

    def __repr__(self) -> str:
        return f"OpenAICompatible({self.endpoint!r})"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Post one chat completion; raises the kinds of EndpointError."""
        try:
            async with asyncio.timeout(self._timeouts.total):
                status, headers, content = await self._post(request)
        except TimeoutError:
            raise EndpointUnreachable(f"no reply in {self._timeouts.total:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EndpointUnreachable(self._hide(f"{type(error).__name__} {error}")) from None
        if status != httpx.codes.OK:
            raise self._refusal(status, headers, content)
        return read_reply(content)

    async def aclose(self) -> None:
        """Close the connections."""
        while self._idle:
            await self._idle.pop().aclose()

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[httpx.AsyncClient]:
        """Lend a client that holds one connection.

        One client with many connections looks at each of them at every call: at 32 connections
        that costs more than all the rest of a call.
        """
        client = self._idle.pop() if self._idle else self._new_client()
        try:
            yield client
        finally:
            self._idle.append(client)

    def _new_client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            headers=self._headers,
            timeout=httpx.Timeout(self._timeouts.total, connect=self._timeouts.connect),
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
            follow_redirects=False,
            trust_env=False,
            verify=self._tls,
        )

    async def _post(self, request: ChatRequest) -> tuple[int, httpx.Headers, bytes]:
        body = json.dumps(request.body(), ensure_ascii=False).encode()
        url = f"{self.endpoint}/chat/completions"
        async with (
            self._connection() as client,
            client.stream("POST", url, content=body) as response,
        ):
            chunks: list[bytes] = []
            size = 0
            # Raw, as sent: httpx would unpack a few kilobytes to gigabytes before we could look.
            async for chunk in response.aiter_raw():
                size += len(chunk)
                _check_size(size, self._timeouts.reply_bytes)
                chunks.append(chunk)
            coding = response.headers.get("content-encoding", "")
            content = decoded(b"".join(chunks), coding, self._timeouts.reply_bytes)
            return response.status_code, response.headers, content

    def _refusal(self, status: int, headers: httpx.Headers, content: bytes) -> EndpointError:
        excerpt = " ".join(content[: 4 * EXCERPT].decode(errors="replace").split())
        detail = f"{status} {self._hide(excerpt)[:EXCERPT]}".strip()
        wait = read_retry_after(headers.get("retry-after", ""), now=datetime.now(UTC))
        if status in BUSY_STATUSES or (status == UNAVAILABLE and wait is not None):
            return EndpointBusy(detail, retry_after=wait)
        if status >= SERVER_ERROR:
            return EndpointBroken(detail, retry_after=wait)
        return EndpointRefused(detail)

    def _hide(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text


def decoded(content: bytes, coding: str, most: int) -> bytes:
    """Undo the one coding of a reply, to `most` bytes at the most.

    We ask for none, but a gateway on the way may compress all the same. Raises EndpointGarbled
    for more bytes, for other codings and for several of them, one within the other.
    """
    name = coding.strip().lower()
    if name in {"", "identity"}:
        return content
    if name not in WINDOW_BITS:
        raise EndpointGarbled(f"unknown content encoding {name[:40]!r}")
    unpacker = zlib.decompressobj(WINDOW_BITS[name])
    try:
        unpacked = unpacker.decompress(content, most + 1)
    except zlib.error:
        raise EndpointGarbled(f"damaged {name} reply") from None
    _check_size(len(unpacked), most)
    if not unpacker.eof:
        raise EndpointGarbled(f"damaged {name} reply")
    return unpacked


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise EndpointGarbled(f"more than {most} bytes")


def read_retry_after(value: str, *, now: datetime) -> float | None:
    """Return the seconds of a Retry-After header (a number or an HTTP date), None if unusable."""
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value, now)
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _seconds_until(value: str, now: datetime) -> float:
    try:
        moment = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return math.nan
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - now).total_seconds()


def read_reply(content: bytes) -> ChatReply:
    """Read a chat completion; raises EndpointGarbled when it is none.

    A null content (a refusal, a tool call, a reply cut before its first word) is an empty text.
    """
    try:
        data = json.loads(content)
        choice = data["choices"][0]
        text = choice["message"].get("content")
        usage = data.get("usage") or {}
        finish = choice.get("finish_reason")
        model = data.get("model")
    except (
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        AttributeError,
        RecursionError,  # a hundred thousand brackets in one another
    ) as error:
        raise EndpointGarbled(f"not a chat completion ({type(error).__name__})") from None
    if text is not None and not isinstance(text, str):
        raise EndpointGarbled("the content is not text")
    return ChatReply(
        # A NUL can't be stored by PostgreSQL.
        (text or "").replace("\0", ""),
        str(finish or "")[:40],
        str(model or "")[:200],
        _token_count(usage, "prompt_tokens"),
        _token_count(usage, "completion_tokens"),
    )


def _token_count(usage: object, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if type(value) is int and value >= 0 else None
