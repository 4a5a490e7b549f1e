"""Which addresses of the network this server may call: public ones, and networks that are named.

One policy for webhooks and for endpoints. An IPv6 address may hold an IPv4 address, which is where
a router takes the call. Of a mapped address and of NAT64 the inner address counts; every other form
is refused, as no public service needs it.
"""

import re
import socket
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
_LOW_32 = 0xFFFFFFFF
_NAT64 = IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_PART = r"0{0,2}(\d{1,3})"
# The look ahead keeps the place, so that 1-2-10-0-0-1 is read at each part.
_WITHIN_A_NAME = re.compile(
    rf"(?<!\d)(?=(?:{_PART}\.{_PART}\.{_PART}\.{_PART}|{_PART}-{_PART}-{_PART}-{_PART})(?!\d))"
)
# These services answer for any name with the address in it; elsewhere a part of a name that looks
# hexadecimal is an identifier.
_HEXADECIMAL = re.compile(r"(?<![0-9a-z])([0-9a-f]{8})\.(?:[^.]+\.)*(?:nip\.io|sslip\.io)\.?$")
# Public by `is_global`, in whole or in part and not in every version of Python, but served by
# whatever is near: protocol assignments with anycast addresses (and Teredo), 6to4 and its relays.
# The last IPv4 address is that of the machine under a virtual one at Azure; the last network is for
# documentation.
_NEARBY = (
    IPv4Network("192.0.0.0/24"),
    IPv4Network("192.88.99.0/24"),
    IPv4Network("168.63.129.16/32"),
    IPv6Network("2001::/23"),
    IPv6Network("2002::/16"),
    IPv6Network("3fff::/20"),
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be called. `ports` None means any; `networks` are allowed though not public."""

    ports: Collection[int] | None
    networks: Sequence[Network] = ()

    def allows(self, address: str) -> bool:
        """Return whether this address may be called."""
        reached = _reached(ip_address(address.partition("%")[0]))
        return any(reached in network for network in self.networks) or _is_public(reached)

    def allows_host(self, host: str) -> bool:
        """Return whether a host may be called as far as can be told without looking up its name.

        Numbers are read as resolvers do, so `127.1` and `0x7f000001` are 127.0.0.1, and so is
        `localhost`. A name that holds an IPv4 address, as `10.0.0.1.nip.io` or
        `app-10-0-0-1.sslip.io`, usually leads there, so it is read as that address too. Any other
        name is allowed: what it leads to is checked when it is called.
        """
        address = _written_address(host)
        if address is not None:
            return self.allows(address)
        return all(self.allows(held) for held in held_addresses(host))

    def allows_port(self, port: int) -> bool:
        return self.ports is None or port in self.ports


def read_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Return networks such as `10.1.0.0/16`. Raises ValueError."""
    return tuple(ip_network(text.strip()) for text in texts if text.strip())


def is_address(host: str) -> bool:
    """Return whether `host` is an address, not a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def held_addresses(host: str) -> list[str]:
    """Return the addresses that stand within a name.

    IPv4 with dots or dashes between the parts, or as eight hexadecimal digits (`7f000001.nip.io`);
    IPv6 with dashes (`fd00--1.sslip.io`).
    """
    plain = unicodedata.normalize("NFKC", host).replace("。", ".").casefold()
    found = [".".join(filter(None, match.groups())) for match in _WITHIN_A_NAME.finditer(plain)]
    found += [str(IPv4Address(int(digits, 16))) for digits in _HEXADECIMAL.findall(plain)]
    found += [label.replace("-", ":") for label in plain.split(".") if "--" in label]
    return [address for address in found if is_address(address)]


def _written_address(host: str) -> str | None:
    """Return the address that a host spells out, or None if it is a name to look up."""
    plain = unicodedata.normalize("NFKC", host).replace("。", ".").casefold()
    plain = plain.strip("[]").rstrip(".")
    if plain.rpartition(".")[2] == "localhost":
        return "127.0.0.1"
    if is_address(plain):
        return plain
    try:
        # `inet_aton` stops at a blank, which no host has.
        return None if plain.split() != [plain] else socket.inet_ntoa(socket.inet_aton(plain))
    except OSError:
        return None


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return False  # this leaves out ::127.0.0.1, site-local addresses and all that is reserved
    is_nearby = any(address in network for network in _NEARBY)
    return address.is_global and not address.is_multicast and not is_nearby


def _reached(address: Address) -> Address:
    """Return where a call to the address ends: at the inner one if a router translates it."""
    if not isinstance(address, IPv6Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & _LOW_32)
    return address.ipv4_mapped or address
