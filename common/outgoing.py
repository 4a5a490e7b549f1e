"""Calls addresses that strangers chose, without being led astray.

A name is looked up once and every address that it has is checked. The connection goes to one of
those, so a name that changes in between leads nowhere; `Host` and the certificate stay those of the
name. Whoever makes the client turns off redirects and the proxies of the environment.
"""

import asyncio
import socket
from collections.abc import Callable, Sequence
from typing import Any

import httpx

from common.addresses import Limits, is_address

MOST_ADDRESSES = 3
Resolve = Callable[[str, int], Sequence[str]]


class AddressRefused(Exception):
    """The name leads to an address that may not be called."""


def resolve_name(host: str, port: int) -> Sequence[str]:
    """Return every address of `host`, IPv4 first. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = dict.fromkeys(str(each[4][0]) for each in found)
    return sorted(addresses, key=lambda address: ":" in address)


async def checked_addresses(
    host: str, port: int, *, limits: Limits, resolve: Resolve = resolve_name
) -> Sequence[str]:
    """Return up to MOST_ADDRESSES addresses of a name, if every address that it has is allowed.

    Raises AddressRefused, and OSError if the name has no address.
    """
    found = await asyncio.to_thread(resolve, host, port)
    if not found:
        raise OSError(f"no address of {host}")
    if not all(limits.allows(address) for address in found):
        raise AddressRefused
    return found[:MOST_ADDRESSES]


def name_for_certificate(url: httpx.URL) -> dict[str, Any]:
    """Return the extension that keeps the name of `url` on a connection to an address."""
    name = url.raw_host.decode("ascii")
    return {} if is_address(name.strip("[]")) else {"sni_hostname": name}


class CheckedTransport(httpx.AsyncBaseTransport):
    """Sends requests by `transport` to addresses that `limits` allows, and to no others.

    The addresses of a name are kept until no connection comes about. Requests raise AddressRefused
    besides the errors of httpx.
    """

    def __init__(
        self,
        transport: httpx.AsyncBaseTransport,
        limits: Limits,
        resolve: Resolve = resolve_name,
    ) -> None:
        self._transport, self._limits, self._resolve = transport, limits, resolve
        self._found: dict[tuple[str, int], Sequence[str]] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        place = _place_of(request.url)
        last: httpx.ConnectError | None = None
        for address in await self._addresses(place):
            try:
                return await self._transport.handle_async_request(_sent_to(address, request))
            except httpx.ConnectError as error:  # nothing was sent: the next address may answer
                last = error
        self._found.pop(place, None)
        raise last or httpx.ConnectError("no address")

    async def aclose(self) -> None:
        await self._transport.aclose()

    async def _addresses(self, place: tuple[str, int]) -> Sequence[str]:
        if place not in self._found:
            host, port = place
            try:
                self._found[place] = await checked_addresses(
                    host, port, limits=self._limits, resolve=self._resolve
                )
            except (
                OSError,
                UnicodeError,
            ) as error:  # a name may have no form that can be looked up
                raise httpx.ConnectError("the name has no address") from error
        return self._found[place]


def _place_of(url: httpx.URL) -> tuple[str, int]:
    port = url.port or (443 if url.scheme == "https" else 80)
    return url.raw_host.decode("ascii").strip("[]"), port


def _sent_to(address: str, request: httpx.Request) -> httpx.Request:
    """Return the request for an address; its `Host` header is there already."""
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, **name_for_certificate(request.url)},
    )
