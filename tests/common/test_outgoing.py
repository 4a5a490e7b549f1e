"""Where a request to a name goes: to a checked address, with the name it was made for."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from common.addresses import Limits, read_networks
from common.outgoing import AddressRefused, CheckedTransport, name_for_certificate, resolve_name

LOOPBACK = Limits(None, read_networks(["127.0.0.0/8", "::1/128"]))


class Named(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.headers["Host"])))
        self.end_headers()
        self.wfile.write(self.headers["Host"].encode())

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Named)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


class Names:
    """Resolves every name to `answers` in turn, the last one for good, and counts how often."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def get(url: str, names: Names, limits: Limits, times: int = 1) -> list[str]:
    async def main() -> list[str]:
        transport = CheckedTransport(httpx.AsyncHTTPTransport(), limits, names)
        async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
            return [(await client.get(url)).text for _ in range(times)]

    return asyncio.run(main())


def test_name_is_looked_up_once_and_stays_the_host(port: int) -> None:
    names = Names(["127.0.0.1"], ["10.0.0.1"])
    url = f"http://model.example.test:{port}/"
    assert get(url, names, LOOPBACK, times=2) == [f"model.example.test:{port}"] * 2
    assert names.asked == [("model.example.test", port)]


def test_name_with_one_address_inside_is_refused_whole(port: int) -> None:
    names = Names(["93.184.216.34", "127.0.0.1"])
    with pytest.raises(AddressRefused):
        get(f"http://model.example.test:{port}/", names, Limits(None))


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "127.0.0.1", "[::1]"])
def test_loopback_in_every_spelling_is_refused(host: str) -> None:
    async def main() -> None:
        transport = CheckedTransport(httpx.AsyncHTTPTransport(), Limits(None))
        async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
            await client.get(f"http://{host}/")

    with pytest.raises(AddressRefused):
        asyncio.run(main())


def test_next_address_is_tried_where_nobody_listens(port: int) -> None:
    names = Names(["::1", "127.0.0.1"])
    assert get(f"http://model.example.test:{port}/", names, LOOPBACK)


def test_name_without_an_address_is_a_failed_connection() -> None:
    with pytest.raises(httpx.ConnectError):
        get("http://model.example.test/", Names([]), LOOPBACK)


def test_certificate_is_checked_against_the_name_and_not_against_the_address() -> None:
    assert name_for_certificate(httpx.URL("https://model.example.test/v1")) == {
        "sni_hostname": "model.example.test"
    }
    assert name_for_certificate(httpx.URL("https://[::1]/v1")) == {}


def test_address_without_a_name_resolves_to_itself() -> None:
    assert resolve_name("127.0.0.1", 443) == ["127.0.0.1"]
