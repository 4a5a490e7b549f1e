"""Which addresses may be called, in every form in which one can be written."""

import pytest

from common.addresses import Limits, is_address, read_networks

# What a request may reach, and whether it may.
TABLE = {
    # IPv4
    "93.184.216.34": True, "8.8.8.8": True, "1.1.1.1": True,
    "0.0.0.0": False, "10.1.2.3": False, "100.64.0.1": False, "127.0.0.1": False,
    "127.255.255.254": False, "169.254.169.254": False, "172.16.0.1": False, "172.31.0.1": False,
    "192.0.0.8": False, "192.0.0.9": False, "192.0.0.10": False, "192.0.0.170": False,
    "192.0.2.1": False, "192.88.99.1": False, "192.168.1.1": False, "198.18.0.1": False,
    "198.51.100.1": False, "203.0.113.1": False, "224.0.0.1": False, "240.0.0.1": False,
    "255.255.255.255": False, "168.63.129.15": True, "168.63.129.16": False,
    # IPv6
    "2606:2800:220:1::1": True, "2a00:1450:4001:81c::200e": True,
    "::": False, "::1": False, "::2": False, "100::1": False, "2001:db8::1": False,
    "3fff::1": False, "5f00::1": False, "fc00::1": False, "fd12:3456::1": False,
    "fe80::1": False, "fe80::1%eth0": False, "fec0::1": False, "ff02::1": False, "ff0e::1": False,
    # Anycast addresses of whatever is near
    "2001:1::1": False, "2001:1::2": False, "2001:4:112::1": False, "2001:20::1": False,
    # IPv4-mapped, IPv4-compatible, IPv4-translated
    "::ffff:8.8.8.8": True, "::ffff:10.0.0.1": False, "::ffff:127.0.0.1": False,
    "::ffff:7f00:1": False, "::ffff:192.0.0.9": False,
    "::127.0.0.1": False, "::7f00:1": False, "::10.0.0.1": False, "::8.8.8.8": False,
    "::ffff:0:127.0.0.1": False, "::ffff:0:8.8.8.8": False,
    # 6to4, Teredo, NAT64, NAT64 of a network's own
    "2002:a00:1::": False, "2002:808:808::": False, "2002:7f00:1::": False, "2002:c000:9::": False,
    "2001:0:4136:e378:8000:63bf:f5ff:fffe": False,
    "64:ff9b::8.8.8.8": True, "64:ff9b::10.0.0.1": False, "64:ff9b::127.0.0.1": False,
    "64:ff9b:1::8.8.8.8": False,
}  # fmt: skip


@pytest.mark.parametrize(("address", "is_allowed"), TABLE.items())
def test_public_addresses_are_allowed_and_no_others(address: str, is_allowed: bool) -> None:
    assert Limits(None).allows(address) == is_allowed


def test_networks_of_a_setting_are_allowed_and_no_others() -> None:
    allowed = Limits({443}, read_networks(["10.1.0.0/16", "fd00::/8"]))
    for address in ("10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3", "fd00::5"):
        assert allowed.allows(address), address
    for address in ("10.2.0.1", "::10.1.2.3", "2002:a01:203::", "fe80::5"):
        assert not allowed.allows(address), address
    assert (allowed.allows_port(443), allowed.allows_port(80)) == (True, False)
    with pytest.raises(ValueError):
        read_networks(["10.1.0.0/99"])


def test_a_name_is_no_address() -> None:
    assert is_address("127.0.0.1") and is_address("::1")
    assert not is_address("example.org") and not is_address("127.1")


HOSTS = {
    "127.1": False, "127.0.1": False, "0x7f000001": False, "0X7F.1": False, "2130706433": False,
    "017700000001": False, "0177.0.0.1": False, "127.0.0.1.": False, "10.257": False, "0": False,
    "localhost": False, "LOCALHOST": False, "localhost.": False, "a.localhost": False,
    "１２７.０.０.１": False, "127。1": False, "::1": False, "[::1]": False,
    "8.8.8.8": True, "134744072": True, "8.8": True, "example.org": True, "localhost.org": True,
    "127.0.0.1.nip.io": False, "10.0.0.1.sslip.io": False, "10-0-0-1.sslip.io": False,
    "app-192-168-1-7.nip.io": False, "1-2-10-0-0-1.example.org": False, "www.10.0.0.1": False,
    "169.254.169.254.example.org": False, "127。0。0。1.nip.io": False, "010-000-000-001.nip.io": False,
    "7f000001.nip.io": False, "app-C0A80101.nip.io": False, "0a000001.www.sslip.io.": False,
    "08080808.nip.io": True, "0a1b2c3d.endpoints.example.cloud": True, "c0a8beef.svc.example.org": True,
    "e0a1b2c3-0000-4000-8000-7f0000010000.example.org": True, "deadbeef.example.org": True, "x7f000001.org": True, "7f0000011.org": True,
    "fd00--1.sslip.io": False, "0--1.sslip.io": False, "xn--80ak6aa92e.com": True,
    "2a01-4f8-c17-b8f--2.sslip.io": True,
    "8.8.8.8.nip.io": True, "ec2-52-1-2-3.example.org": True, "model-2024-10-1-2.org": True,
    "10.0.1.example.org": True, "300-10-0-0-400.org": True,
    "1.example.org": True, "0x.org": True, "notlocalhost": True,
}  # fmt: skip
"""What may be called, by how the host is written; 8.8 is 8.0.0.8."""


@pytest.mark.parametrize(("host", "is_allowed"), HOSTS.items())
def test_every_spelling_of_an_address_is_read_as_the_resolver_reads_it(
    host: str, is_allowed: bool
) -> None:
    assert Limits(None).allows_host(host) == is_allowed


def test_spellings_of_allowed_networks_are_allowed() -> None:
    allowed = Limits(None, read_networks(["127.0.0.0/8"]))
    assert all(allowed.allows_host(host) for host in ("127.1", "localhost", "a.localhost"))
    assert not allowed.allows_host("10.1")
