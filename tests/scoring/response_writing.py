"""Writing files of responses, and reading them as the command does."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoring.response_files import ResponseFileError, chunks_of, find_response_files
from scoring.response_rows import ResponseRow, RowReader, RowRules

GOOD: dict[str, Any] = {"loc": "agronomy0", "answer": "B", "model_result": "B"}


def write(path: Path, *rows: dict[str, Any] | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def rows_of(path: Path, rules: RowRules | None = None) -> list[ResponseRow]:
    return [
        row
        for file in find_response_files(path)
        for chunk in chunks_of(file)
        for row in RowReader(file, rules or RowRules()).rows(chunk)
    ]


def refusal(action: Callable[[], object]) -> tuple[str, str, int | None]:
    with pytest.raises(ResponseFileError) as caught:
        action()
    return caught.value.code, caught.value.file.name, caught.value.row
