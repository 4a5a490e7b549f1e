"""Tells by its content which program stored a file of answers."""

import csv
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from evaluation.outside.readers.answer_table import ANSWERS, IDS

LONGEST_LINE: Final = 4_000_000
_OF_LINES: Final[Mapping[str, frozenset[str]]] = {
    "lm_eval": frozenset({"doc_id", "resps"}),
    "openai_batch": frozenset({"custom_id", "response"}),
    "tlue": frozenset({"model_result"}),
}
"""The names that each object of a file has."""
_OF_FOLDERS: Final = (
    ("lm_eval", "**/samples_*.jsonl"),
    ("tlue", "**/*_out.jsonl"),
    ("inspect", "*.eval"),
    ("inspect", "*.json"),
)


def recognise(path: Path) -> str:
    """Return the name of the format of a file or folder, or "" for none that is known."""
    if path.is_dir():
        names = (name for name, pattern in _OF_FOLDERS if any(path.glob(pattern)))
        return next(names, "")
    if zipfile.is_zipfile(path):
        return "inspect"
    with path.open("rb") as file:
        text = file.read(LONGEST_LINE).decode("utf-8-sig", "replace").lstrip()
    text = text.partition("\n")[0]
    return _of_json(text) if text.startswith("{") else _of_table(text)


def _of_json(text: str) -> str:
    """Return the format of lines by the first of them; what is no whole object is a log of Inspect."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return "inspect"
    named = (name for name, names in _OF_LINES.items() if names <= found.keys())
    return next(named, "inspect" if {"eval", "samples"} & found.keys() else "")


def _of_table(header: str) -> str:
    cells = {cell.strip().casefold() for cell in next(csv.reader([header]), [])}
    return "csv" if cells & {*IDS} and cells & {*ANSWERS} else ""
