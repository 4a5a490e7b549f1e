"""Reads files that assign subjects to categories."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

from scoring.response_files import BOM, ResponseFileError


def read_categories(path: Path) -> dict[str, str]:
    """Return the category of each subject from a file in one of three layouts.

    The file is a CSV file with the columns `subject` and `category`, a JSON object that maps
    subjects to categories, or a JSON object that maps categories to lists of subjects, as TLUE's
    own table does. Raises ResponseFileError: not_found, wrong_encoding, bad_json, bad_categories,
    subject_twice.
    """
    text = _read_text(path)
    pairs = _csv_pairs(path, text) if path.suffix.lower() == ".csv" else _json_pairs(path, text)
    categories: dict[str, str] = {}
    for subject, category in pairs:
        if subject in categories:
            raise ResponseFileError("subject_twice", path, subject=subject)
        categories[subject] = category
    if not categories:
        raise ResponseFileError("bad_categories", path)
    return categories


def _read_text(path: Path) -> str:
    if not path.is_file():
        raise ResponseFileError("not_found", path)
    try:
        return path.read_bytes().removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        raise ResponseFileError("wrong_encoding", path) from error


def _csv_pairs(path: Path, text: str) -> Iterator[tuple[str, str]]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if not {"subject", "category"} <= set(reader.fieldnames or ()):
        raise ResponseFileError("missing_columns", path, 1, columns="subject, category")
    for record in reader:
        subject, category = record["subject"], record["category"]
        if not subject or not category:
            raise ResponseFileError("bad_categories", path, reader.line_num)
        yield subject.strip(), category.strip()


def _json_pairs(path: Path, text: str) -> Iterator[tuple[str, str]]:
    try:
        entries = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise ResponseFileError("bad_json", path, reason=str(error)) from error
    if not isinstance(entries, list) or not all(isinstance(entry, tuple) for entry in entries):
        raise ResponseFileError("bad_categories", path)
    for name, value in entries:
        if isinstance(value, str) and value:
            yield name, value
        elif (
            isinstance(value, list) and value and all(isinstance(subject, str) for subject in value)
        ):
            yield from ((subject, name) for subject in value)
        else:
            raise ResponseFileError("bad_categories", path)
