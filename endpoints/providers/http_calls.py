"""Posts of JSON to an outside service: one call, time limits, and a key that stays unseen."""

import asyncio
import json
import math
import os
import ssl
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from urllib.parse import urlsplit

import httpx

from common.addresses import Limits
from common.outgoing import AddressRefused, CheckedTransport
from endpoints.providers.base import (
    ChatReply,
    EndpointError,
    EndpointGarbled,
    EndpointInside,
    EndpointUnreachable,
)
from endpoints.providers.replies import beginning_of, read_failure

# How zlib is told what it unpacks: a gzip file, or a zlib stream, which HTTP calls deflate.
WINDOW_BITS = {
    "gzip": 16 + zlib.MAX_WBITS,
    "x-gzip": 16 + zlib.MAX_WBITS,
    "deflate": zlib.MAX_WBITS,
}

HIDDEN = "[key]"
SHORTEST_KEY = 8


class BaseUrlError(ValueError):
    """A base URL that can't be used; `code` says why."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class MissingKeyError(LookupError):
    """The environment variable that should hold the endpoint's key is not set."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: to connect, and for a whole call with its reply; bytes of the longest reply."""

    connect: float = 10.0
    total: float = 120.0
    reply_bytes: int = 4_000_000


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A reply as it came, unpacked."""

    status: int
    headers: httpx.Headers
    content: bytes


class HttpCalls:
    """Posts to one service; `key` is hidden in whatever is told of its replies."""

    def __init__(
        self,
        *,
        headers: Mapping[str, str] | None = None,
        key: str = "",
        timeouts: Timeouts | None = None,
        reach: Limits | None = None,
    ) -> None:
        """Prepare a client; nothing is sent. `reach` None lets it call any address."""
        self._timeouts = timeouts or Timeouts()
        self._written = ways_to_write(key) if len(key) >= SHORTEST_KEY else ()
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            **(headers or {}),
        }
        self._reach = reach
        self._tls = _trusted_certificates()
        self._idle: list[httpx.AsyncClient] = []

    async def post(
        self, url: str, content: bytes, headers: Mapping[str, str] | None = None
    ) -> HttpReply:
        """Post once. Raises EndpointUnreachable, EndpointInside, EndpointGarbled."""
        try:
            async with asyncio.timeout(self._timeouts.total):
                return await self._post(url, content, headers)
        except TimeoutError:
            raise EndpointUnreachable(f"no reply in {self._timeouts.total:g} s") from None
        except AddressRefused:
            raise EndpointInside("") from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise EndpointUnreachable(type(error).__name__, body=self.hide(str(error))) from None

    async def aclose(self) -> None:
        """Close the connections."""
        while self._idle:
            await self._idle.pop().aclose()

    def answer_of_failure(self, reply: HttpReply, status: int | None = None) -> ChatReply:
        """Return the reply for a failure of the model. Raises the endpoint's error otherwise.

        `status` is what the reply means if its own status does not say it.
        """
        wait = read_retry_after(reply.headers.get("retry-after", ""), now=datetime.now(UTC))
        body = beginning_of(reply.content, self.hide)
        found = read_failure(status or reply.status, reply.content, body=body, retry_after=wait)
        if isinstance(found, EndpointError):
            raise found
        return found

    def hide(self, text: str) -> str:
        """Return a text without the key, also as JSON writes it.

        A key of less than 8 characters stays: it is a placeholder such as “EMPTY” that local
        servers ask for, and answers such as “A” would be lost with it.
        """
        for written in self._written:
            text = text.replace(written, HIDDEN)
        return text

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
        one = httpx.Limits(max_connections=1, max_keepalive_connections=1)
        direct = httpx.AsyncHTTPTransport(verify=self._tls, trust_env=False, limits=one)
        return httpx.AsyncClient(
            transport=CheckedTransport(direct, self._reach) if self._reach else direct,
            headers=self._headers,
            timeout=httpx.Timeout(self._timeouts.total, connect=self._timeouts.connect),
            follow_redirects=False,
            trust_env=False,
        )

    async def _post(self, url: str, body: bytes, headers: Mapping[str, str] | None) -> HttpReply:
        async with (
            self._connection() as client,
            client.stream("POST", url, content=body, headers=headers) as response,
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
            return HttpReply(response.status_code, response.headers, content)


@cache
def _trusted_certificates() -> ssl.SSLContext:
    """Return whom TLS trusts, read once in a process: it takes as long as fifty calls."""
    return httpx.create_ssl_context(trust_env=False)


def ways_to_write(key: str) -> tuple[str, ...]:
    """Return a key as it is and as it stands in JSON, the longest first."""
    quoted = json.dumps(key)[1:-1]
    ways = {key, quoted, quoted.replace("/", "\\/"), json.dumps(key, ensure_ascii=False)[1:-1]}
    return tuple(sorted(ways, key=lambda way: (-len(way), way)))


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
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (aware - now).total_seconds()
    except (TypeError, ValueError, OverflowError):
        return math.nan
