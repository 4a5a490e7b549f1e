"""Reads the output file of an OpenAI batch: one answer a line, with the item's id as `custom_id`."""

from collections.abc import Iterator
from pathlib import Path

from evaluation.outside.readers.base import (
    AnswersUnreadable,
    OutsideAnswer,
    count,
    epoch_of,
    json_lines,
    mapping,
    text_of,
)

EPOCH = "#"
"""`custom_id` may end in `#2` for the second epoch."""


def read(path: Path) -> Iterator[OutsideAnswer]:
    """Yield the answers; lines without one, whose request failed, are left out."""
    for row, line in json_lines(path):
        if "custom_id" not in line:
            raise AnswersUnreadable(path.name, "custom_id is missing", row)
        response = mapping(line.get("response"))
        body = mapping(response.get("body"))
        choices = body.get("choices")
        if line.get("error") or not isinstance(choices, list) or not choices:
            continue
        uid, _sign, epoch = str(line["custom_id"]).rpartition(EPOCH)
        is_numbered = bool(uid) and epoch.isascii() and epoch.isdigit() and len(epoch) < 4
        choice, usage = mapping(choices[0]), mapping(body.get("usage"))
        yield OutsideAnswer(
            file=path.name,
            row=row,
            uid=uid if is_numbered else str(line["custom_id"]),
            text=text_of(mapping(choice.get("message")).get("content")),
            epoch=epoch_of(int(epoch) if is_numbered else None, path.name, row),
            model=str(body.get("model") or ""),
            finish_reason=str(choice.get("finish_reason") or "")[:40],
            prompt_tokens=count(usage.get("prompt_tokens")),
            completion_tokens=count(usage.get("completion_tokens")),
        )
