"""The place that attempts are counted by."""

from ipaddress import IPv6Address, IPv6Network, ip_address

IPV6_PREFIX = 64


def network_of(address: str) -> str:
    """Return the address itself, or for IPv6 its /64: a household or a rented machine has all of one.

    What is no address stays as it is, so that attempts without one are counted together.
    """
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), IPV6_PREFIX), strict=False))
