"""Puts an answer together that comes as server-sent events.

Source: the event stream of the HTML standard (fields, comments, line ends), with the chunks of
chat completions as data.
"""

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from endpoints.providers.base import EndpointGarbled, EndpointUnreachable
from endpoints.providers.replies import Hide, beginning_of

LINE_END = re.compile(r"\r\n|\n|\r")
DONE = "[DONE]"
Pieces = dict[str, list[Any]]
OPENING = (b"{", b"[", b"<")
"""What a body begins with that is no stream: JSON, or a page."""


def is_stream(content: bytes) -> bool:
    """Return whether a body may be an event stream; some servers answer in one piece all the same."""
    return not content.lstrip().startswith(OPENING)


def joined(content: bytes, hide: Hide = str) -> bytes:
    """Return the completion that the events make up, or the error that ended them, as JSON.

    The last chunk with `usage` counts. Raises EndpointUnreachable for a stream that was cut off: it
    has neither the last event nor a finish reason, so that a half answer is never taken for whole.
    Raises EndpointGarbled for an event that is not a chunk; `hide` takes the key out of what it
    tells.
    """
    whole: dict[str, Any] = {}
    choice: dict[str, Any] = {}
    pieces: Pieces = {}
    is_whole = False
    for event in events_of(content):
        if event.strip() == DONE:
            is_whole = True
            break
        chunk = _chunk(event, hide)
        if chunk.get("error"):
            return event.encode()
        whole |= {name: chunk[name] for name in ("model", "usage") if chunk.get(name)}
        for part in _choices(chunk):
            choice["message"] = {}  # filled at the end
            _add(choice, pieces, part)
    if not (is_whole or choice.get("finish_reason")):
        raise EndpointUnreachable("stream cut off")
    if choice:
        choice["message"] = {name: _joined(name, pieces[name]) for name in pieces}
    # Escaped, so that the two halves of a character that came in two chunks become one again.
    return json.dumps({**whole, "choices": [choice] if choice else []}).encode()


def events_of(content: bytes) -> Iterator[str]:
    """Yield the data of each event. A last one without an empty line after it is left out."""
    lines: list[str] = []
    for line in LINE_END.split(content.decode(errors="replace").removeprefix("\ufeff")):
        name, _colon, value = line.partition(":")
        if line and name == "data":
            lines.append(value.removeprefix(" "))
        elif not line and lines:
            yield "\n".join(lines)
            lines = []


def _chunk(event: str, hide: Hide) -> dict[str, Any]:
    try:
        chunk = json.loads(event)
    except (ValueError, RecursionError):
        raise EndpointGarbled("not-json", body=beginning_of(event.encode(), hide)) from None
    if not isinstance(chunk, dict):
        raise EndpointGarbled("no-choices")
    return chunk


def _choices(chunk: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the parts of the first answer; there is only one, as only one is asked for."""
    choices = chunk.get("choices")
    for part in choices if isinstance(choices, list) else []:
        if isinstance(part, dict) and not part.get("index"):
            yield part


def _add(choice: dict[str, Any], pieces: Pieces, part: dict[str, Any]) -> None:
    for name in ("finish_reason", "logprobs", "error"):
        if part.get(name):
            choice[name] = part[name]
    delta = part.get("delta") or part.get("message")
    for name, value in delta.items() if isinstance(delta, dict) else ():
        if value is not None:
            pieces.setdefault(name, []).append(value)


def _joined(name: str, pieces: list[Any]) -> Any:
    """Join the pieces of a message: texts and lists grow, and of anything else the last one counts.

    A content may have texts among lists of parts. The time grows with the pieces alone.
    """
    if name == "role" or not all(isinstance(each, str | list) for each in pieces):
        return pieces[-1]
    if all(isinstance(each, str) for each in pieces):
        return "".join(pieces)
    lists = (each if isinstance(each, list) else [each] for each in pieces if each)
    return [*chain.from_iterable(lists)]
