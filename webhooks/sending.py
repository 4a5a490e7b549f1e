"""Sends requests to addresses that strangers chose; `common.outgoing` says where they may go.

Redirects are not followed, proxies of the environment are not used, nothing of the answer is read
but its head, and all of it together has one limit of time.
"""

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import httpx

from common.addresses import Limits
from common.outgoing import (
    AddressRefused,
    Resolve,
    checked_addresses,
    name_for_certificate,
    resolve_name,
)
from webhooks.enums import Problem

SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One request."""

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


@dataclass(frozen=True, slots=True)
class Sender:
    """How requests go out; `verify` is what certificates are checked against."""

    limits: Limits
    verify: ssl.SSLContext
    resolve: Resolve = resolve_name
    seconds: float = SECONDS

    def send_all(self, requests: Sequence[Outgoing]) -> list[Outcome]:
        """Send all at once; return how each ended, in their order. Never raises for one of them."""
        return asyncio.run(self._send_all(requests))

    async def _send_all(self, requests: Sequence[Outgoing]) -> list[Outcome]:
        return await asyncio.gather(*(self._send(each) for each in requests))

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
        for address in await self._addresses(url):
            try:
                return _outcome(await self._post_to(address, url, request))
            except httpx.ConnectError as error:  # nothing was sent: the next address may answer
                last = error
        assert last is not None  # noqa: S101 - there is at least one address
        raise last

    async def _addresses(self, url: httpx.URL) -> Sequence[str]:
        """Where the name leads, all of it allowed. Raises Refused."""
        host, port = url.raw_host.decode("ascii").strip("[]"), url.port or 443
        if url.scheme != "https" or not self.limits.allows_port(port):
            raise Refused(Problem.PORT)
        try:
            return await checked_addresses(host, port, limits=self.limits, resolve=self.resolve)
        except AddressRefused as refusal:
            raise Refused(Problem.PRIVATE) from refusal
        except OSError as error:
            raise Refused(Problem.UNRESOLVED) from error

    async def _post_to(self, address: str, url: httpx.URL, request: Outgoing) -> int:
        """The status of the answer of just this address; the name is for Host and certificate."""
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
                extensions=name_for_certificate(url),
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
