"""Batch files: requests and answers as lines of JSON, in the format of OpenAI's Batch API.

Source: https://platform.openai.com/docs/guides/batch. Pure: no database and no network.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from endpoints.providers.base import ChatReply, ChatRequest, EndpointGarbled
from endpoints.providers.replies import beginning_of, read_failure, read_reply

MOST_REQUESTS: Final = 50_000
MOST_BYTES: Final = 200_000_000
OK: Final = 200


class BatchFileInvalid(DomainError):
    code = "batch_file_invalid"
    detail = _("Line %(line)s: %(problem)s. Nothing was stored. Mend the file and give it again.")


def request_lines(asked: Iterable[tuple[str, ChatRequest]]) -> Iterator[bytes]:
    """Yield a line for each id and request, until one file can hold no more (50,000 lines, 200 MB)."""
    size = 0
    for count, (custom_id, request) in enumerate(asked, start=1):
        line = _line(custom_id, request)
        size += len(line)
        if count > MOST_REQUESTS or size > MOST_BYTES:
            return
        yield line


def read_answers(lines: Iterable[bytes]) -> dict[str, ChatReply | None]:
    """Return the replies by id; None stands for a request that failed. Raises BatchFileInvalid."""
    answers: dict[str, ChatReply | None] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            custom_id, reply = _answer(line, number)
            if custom_id in answers:
                raise _invalid(number, _("%(id)s is there twice") % {"id": custom_id})
            answers[custom_id] = reply
    return answers


def _line(custom_id: str, request: ChatRequest) -> bytes:
    body = {name: value for name, value in request.body().items() if name != "stream"}
    line = {
        "custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions", "body": body,
    }  # fmt: skip
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"


def _answer(line: bytes, number: int) -> tuple[str, ChatReply | None]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise _invalid(number, _("no JSON")) from None
    if not isinstance(data, dict) or not isinstance(data.get("custom_id"), str):
        raise _invalid(number, _("custom_id is missing"))
    return data["custom_id"], _reply(data)


def _reply(data: dict[str, object]) -> ChatReply | None:
    """Return the reply of a line, also that the model will not answer; None for every other failure."""
    response = data.get("response")
    if data.get("error") or not isinstance(response, dict):
        return None
    status, content = response.get("status_code"), json.dumps(response.get("body")).encode()
    if not isinstance(status, int):
        return None
    if status == OK:
        with suppress(EndpointGarbled):
            return read_reply(content)
    found = read_failure(status, content, body=beginning_of(content), retry_after=None)
    return found if isinstance(found, ChatReply) else None


def _invalid(line: int, problem: object) -> BatchFileInvalid:
    return BatchFileInvalid(line=line, problem=problem)
