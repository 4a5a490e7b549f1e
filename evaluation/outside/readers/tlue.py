"""Reads a folder or file of TLUE's responses: `<subject>_<model>_out.jsonl`."""

from collections.abc import Iterator
from pathlib import Path

from evaluation.outside.readers.base import AnswersUnreadable, OutsideAnswer, epoch_of
from scoring.response_files import (
    ResponseFileError,
    chunks_of,
    find_response_files,
    records_of,
    subject_of_loc,
)


def read(path: Path) -> Iterator[OutsideAnswer]:
    """Yield the answers; `loc` names the item by its subject and index, `uid` as it stands."""
    try:
        for file in find_response_files(path):
            for chunk in chunks_of(file):
                for row, record in records_of(chunk):
                    yield OutsideAnswer(
                        file=file.path.name,
                        row=row,
                        uid=_uid(record, file.subject),
                        text=_text(record, file.path, row),
                        question=str(record.get("question") or ""),
                        epoch=epoch_of(record.get("epoch"), file.path.name, row),
                        model=file.model,
                    )
    except ResponseFileError as error:
        raise AnswersUnreadable(error.file.name, error.code, error.row or 0) from error


def _text(record: dict[str, object], path: Path, row: int) -> str:
    if "model_result" not in record:
        raise AnswersUnreadable(path.name, "model_result is missing", row)
    text = record["model_result"]
    return text if isinstance(text, str) else ""


def _uid(record: dict[str, object], subject: str | None) -> str:
    """Return `uid`, or subject and index of `loc` as importers write them."""
    if isinstance(record.get("uid"), str):
        return str(record["uid"])
    loc = record.get("loc")
    if not isinstance(loc, str):
        return ""
    name = subject if subject and loc.startswith(subject) else subject_of_loc(loc) or ""
    index = loc.removeprefix(name).removeprefix("_")
    return f"{name}/{index}" if name and index.isdigit() else loc
