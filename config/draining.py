"""Reads what is left of a request's body once it is answered, so that the connection can serve the next.

The web server closes a connection with more than some kilobytes unread, although its answer promised to
keep it; somebody who is still sending then never sees the answer.
"""

from collections.abc import Callable, Iterable
from typing import Any

MOST_DRAINED = 10_000_000  # gunicorn.conf.py announces that it closes after larger ones
CHUNK = 1 << 16

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def draining(application: Application) -> Application:
    """Return the application, which now reads the rest of each body, up to MOST_DRAINED bytes."""

    def serve(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        answer = application(environ, start_response)
        drain(environ["wsgi.input"])
        return answer

    return serve


def drain(body: Any) -> None:
    """Read and forget; a connection that breaks meanwhile needs no answer."""
    left = MOST_DRAINED
    try:
        while left > 0 and (data := body.read(min(CHUNK, left))):
            left -= len(data)
    except OSError:
        return
