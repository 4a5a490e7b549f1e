"""Sends requests to addresses that strangers chose, without being led astray.

A name is looked up once, every address that it has is checked, and the connection goes to one of
those, so that a name that changes in between leads nowhere. Redirects are not followed, proxies of
the environment are not used, nothing of the answer is read but its head, and all of it together
has one limit of time.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import httpx

from webhooks.addresses import Limits, is_address
from webhooks.enums import Problem

SECONDS = 10.0
MOST_ADDRESSES = 3
Resolve = Callable[[str, int], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One request; `key` is for the caller to know its outcome by."""

    key: int
    url: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """`status` is that of the answer, None where there was none."""

    status: int | None = None
    problem: str = ""


class Refused(Exception):
    """The address may not be called, or is none."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


def trusted_certificates(more: str = "") -> ssl.SSLContext:
    """Trust the usual authorities, and those in the PEM file `more` besides. Raises OSError."""
    context = httpx.create_ssl_context()
    if more:
        context.load_verify_locations(cafile=more)
    return context


def resolve_name(host: str, port: int) -> Sequence[str]:
    """Every address of `host`, IPv4 first. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = dict.fromkeys(str(each[4][0]) for each in found)
    return sorted(addresses, key=lambda address: ":" in address)


@dataclass(frozen=True, slots=True)
class Sender:
    """How requests go out; `verify` is what certificates are checked against."""

    limits: Limits
    verify: ssl.SSLContext
    resolve: Resolve = resolve_name
    seconds: float = SECONDS

    def send_all(self, requests: Sequence[Outgoing]) -> dict[int, Outcome]:
        """Send all at once; return how each ended, by its key. Never raises for one of them."""
        return asyncio.run(self._send_all(requests))

    async def _send_all(self, requests: Sequence[Outgoing]) -> dict[int, Outcome]:
        ended = await asyncio.gather(*(self._send(each) for each in requests))
        return {each.key: outcome for each, outcome in zip(requests, ended, strict=True)}

    async def _send(self, request: Outgoing) -> Outcome:
        try:
            async with asyncio.timeout(self.seconds):
                return await self._post(request)
        except TimeoutError:
            return Outcome(problem=Problem.TIMEOUT)
        except Refused as refusal:
            return Outcome(problem=refusal.problem)
        except httpx.TimeoutException:
            return Outcome(problem=Problem.TIMEOUT)
        except httpx.InvalidURL:
            return Outcome(problem=Problem.UNRESOLVED)
        except (httpx.HTTPError, OSError, ValueError) as error:
            return Outcome(problem=_problem_of(error))

    async def _post(self, request: Outgoing) -> Outcome:
        url = httpx.URL(request.url)
        last: httpx.ConnectError | None = None
        for address in (await self._addresses(url))[:MOST_ADDRESSES]:
            try:
                return _outcome(await self._post_to(address, url, request))
            except httpx.ConnectError as error:  # nothing was sent: the next address may answer
                last = error
        assert last is not None  # noqa: S101 - there is at least one address
        raise last

    async def _addresses(self, url: httpx.URL) -> Sequence[str]:
        """Where the name leads, all of it allowed. Raises Refused."""
        host, port = url.raw_host.decode("ascii").strip("[]"), url.port or 443
        if url.scheme != "https" or port not in self.limits.ports:
            raise Refused(Problem.PORT)
        try:
            found = await asyncio.to_thread(self.resolve, host, port)
        except OSError as error:
            raise Refused(Problem.UNRESOLVED) from error
        if not found:
            raise Refused(Problem.UNRESOLVED)
        if not all(self.limits.allows(address) for address in found):
            raise Refused(Problem.PRIVATE)
        return found

    async def _post_to(self, address: str, url: httpx.URL, request: Outgoing) -> int:
        """The status of the answer of just this address; the name is for Host and certificate."""
        name = url.raw_host.decode("ascii")
        headers = {**request.headers, "host": url.netloc.decode("ascii"), "connection": "close"}
        async with (
            httpx.AsyncClient(
                verify=self.verify, trust_env=False, timeout=self.seconds, follow_redirects=False
            ) as client,
            client.stream(
                "POST",
                url.copy_with(host=address),
                headers=headers,
                content=request.body,
                extensions={} if is_address(name.strip("[]")) else {"sni_hostname": name},
            ) as response,
        ):
            return response.status_code


def _outcome(status: int) -> Outcome:
    if 200 <= status < 300:
        return Outcome(status)
    return Outcome(status, Problem.REDIRECT if 300 <= status < 400 else Problem.STATUS)


def _problem_of(error: Exception) -> Problem:
    """A certificate that is not trusted is told apart from a connection that broke."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Problem.TLS
        cause = cause.__cause__ or cause.__context__
    return Problem.CONNECTION
