"""A receiver on loopback with a certificate of its own for hooks.example.test.

The key beside this file signs that certificate and nothing else; it is no secret.
"""

import json
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NAME = "hooks.example.test"


@dataclass
class Receiver:
    """`answers` are statuses in turn, then 204; "hang" and "close" answer nothing.

    "last" is 204 once three others have been answered.
    """

    port: int = 0
    answers: list[Any] = field(default_factory=list)
    location: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)
    answered: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    @property
    def url(self) -> str:
        return f"https://{NAME}:{self.port}/hook?a=1"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(each["body"]) for each in self.requests]

    @property
    def ids(self) -> list[str]:
        return [each["headers"]["webhook-id"] for each in self.requests]

    def status(self, answer: Any) -> int:
        """Return what to answer with, for "last" once three others are answered."""
        if answer != "last":
            return int(answer)
        return 204 if all(self.answered.acquire(timeout=60) for _other in range(3)) else 500


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(receiver))
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(HERE / "cert.pem", HERE / "key.pem")
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    server.handle_error = lambda *_: None  # type: ignore[method-assign,assignment]
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield receiver
    finally:
        receiver.done.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.requests.append({"path": self.path, "headers": headers, "body": body})
            answer = receiver.answers.pop(0) if receiver.answers else 204
            with suppress(OSError):
                self.answer(answer)
            receiver.answered.release()

        def answer(self, answer: Any) -> None:
            if answer == "hang":
                receiver.done.wait()
            elif answer == "drip":
                self.drip()
            elif answer != "close":
                self.send_response(receiver.status(answer))
                if receiver.location:
                    self.send_header("location", receiver.location)
                self.end_headers()
            self.close_connection = True

        def drip(self) -> None:
            """A head without an end, one line after another."""
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while not receiver.done.is_set():
                self.wfile.write(b"a: b\r\n")
                time.sleep(0.02)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
