"""Which addresses of the network may be called: public ones, on ports that are allowed."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
_NAT64 = IPv6Network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class Limits:
    """`networks` are private ones that may be called all the same."""

    ports: Collection[int]
    networks: Sequence[Network] = ()

    def allows(self, address: str) -> bool:
        """Whether this address, and an IPv4 address within it, may be called."""
        found = ip_address(address.partition("%")[0])
        return all(self._allows(each) for each in _with_inner(found))

    def _allows(self, address: Address) -> bool:
        if any(address in network for network in self.networks):
            return True
        return address.is_global and not address.is_multicast


def read_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Networks such as `10.1.0.0/16`. Raises ValueError."""
    return tuple(ip_network(text) for text in texts)


def is_address(host: str) -> bool:
    """Whether `host` is an address and no name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _with_inner(address: Address) -> list[Address]:
    """The address as routers see it: the IPv4 address in a mapped one instead of that."""
    if not isinstance(address, IPv6Address):
        return [address]
    if address.ipv4_mapped:
        return [address.ipv4_mapped]
    inner: list[Address] = [address.sixtofour] if address.sixtofour else []
    inner += address.teredo or ()
    if address in _NAT64:
        inner.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return [address, *inner]
