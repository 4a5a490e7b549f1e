"""Reading files of model responses row by row, and the categories of their subjects."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.scorers import numeric
from evaluation.scorers.base import AskedItem, KeyKind
from evaluation.scorers.letters import MAX_OPTIONS, MIN_OPTIONS, SCRIPT_LETTERS, OptionLetters

MAX_ROW_BYTES = 16 * 1024 * 1024
MAX_INDEX_DIGITS = 20
SUFFIX = "_out.jsonl"
_LOC = re.compile(r"(?P<subject>.*?)_?(?P<index>\d+)")
_BOM = b"\xef\xbb\xbf"


class ResponseFileError(Exception):
    """A file of responses or categories can't be read with certainty.

    code: stable name of the reason
    file, row: where (rows count from 1)
    params: what the words for people need
    """

    def __init__(self, code: str, file: Path, row: int | None = None, **params: object) -> None:
        self.code, self.file, self.row, self.params = code, file, row, params
        super().__init__(code, str(file), row, params)


@dataclass(frozen=True, slots=True)
class RowRules:
    """How rows are read where they don't say it themselves.

    option_count: of rows without `option_count` and `options`
    script: the language's option letters besides the Latin ones
    key_kind: whether `answer` must be an option letter or a number
    """

    option_count: int = 4
    script: str = SCRIPT_LETTERS["bo"]
    key_kind: KeyKind = "option"


@dataclass(frozen=True, slots=True)
class ResponseFile:
    """One JSONL file; `subject` is None where the file's name doesn't say one."""

    path: Path
    subject: str | None
    model: str


class ResponseRow(NamedTuple):
    """One response with its key; `row` counts the lines of the file from 1."""

    file: str
    row: int
    uid: str | None
    subject: str
    epoch: int
    key: str
    response: str
    asked: AskedItem


def find_response_files(path: Path) -> list[ResponseFile]:
    """The file itself, or the `<subject>_<model>_out.jsonl` files of a TLUE folder, by name.

    Subject and model are parted at the subject that the first row names (`subject` or `loc`),
    else at the folder's name (`<model>` or `<model>_out`), else at the last underscore as TLUE
    does. A single file whose name doesn't agree with its first row is a file of many subjects.
    Other file types in the folder are left alone. Raises ResponseFileError: not_found,
    empty_folder, bad_name, several_models, and whatever is wrong with a first row.
    """
    if path.is_dir():
        return _folder_files(path)
    if not path.is_file():
        raise ResponseFileError("not_found", path)
    if _has_published_name(path) and _agrees_with_first_row(path):
        return [_named_file(path)]
    return [ResponseFile(path, None, path.stem)]


def read_rows(file: ResponseFile, rules: RowRules) -> Iterator[ResponseRow]:
    """Stream the rows of a file; one row is in memory at a time (and the ids seen so far).

    A row is a JSON object with `answer` and `model_result`; `model_result` null is an empty
    response. Optional: `loc` or `uid`, `subject`, `epoch` (default 1), `option_count`, `options`
    (list of texts), `question`. The subject is the row's own, else the one in the file's name,
    else what stands before the slash in `uid` or before the index in `loc`, else the file's stem.
    Blank lines are skipped. Raises ResponseFileError with file and row: wrong_encoding,
    row_too_long, bad_json, not_an_object, missing_columns, bad_value, bad_option_count,
    answer_outside_options, answer_not_a_number, duplicate_id, empty_file.
    """
    first_rows: dict[tuple[str, str, int], int] = {}
    count = 0
    for number, record in _records(file.path):
        row = _row(file, number, record, rules)
        count += 1
        if row.uid is not None:
            identity = (row.subject, row.uid, row.epoch)
            first = first_rows.setdefault(identity, number)
            if first != number:
                raise ResponseFileError(
                    "duplicate_id", file.path, number, id=row.uid, first_row=first
                )
        yield row
    if not count:
        raise ResponseFileError("empty_file", file.path)


def read_categories(path: Path) -> dict[str, str]:
    """Subject → category, from one of three layouts.

    CSV with the columns `subject` and `category`; JSON object subject → category; JSON object
    category → list of subjects (the layout of TLUE's own table). Raises ResponseFileError:
    not_found, wrong_encoding, bad_json, bad_categories, subject_twice.
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


def _folder_files(folder: Path) -> list[ResponseFile]:
    paths = sorted(path for path in folder.glob("*.jsonl") if not path.name.startswith("."))
    if not paths:
        raise ResponseFileError("empty_folder", folder)
    for path in paths:
        if not _has_published_name(path):
            raise ResponseFileError("bad_name", path, pattern=f"<subject>_<model>{SUFFIX}")
    files = [_named_file(path) for path in paths]
    models = sorted({file.model for file in files})
    if len(models) > 1:
        raise ResponseFileError("several_models", folder, models=", ".join(models))
    return files


def _has_published_name(path: Path) -> bool:
    subject, separator, model = path.name.removesuffix(SUFFIX).rpartition("_")
    return path.name.endswith(SUFFIX) and bool(subject and separator and model)


def _agrees_with_first_row(path: Path) -> bool:
    named = _first_subjects(path)
    return not named or any(path.name.startswith(f"{subject}_") for subject in named)


def _named_file(path: Path) -> ResponseFile:
    stem = path.name.removesuffix(SUFFIX)
    folder_model = path.parent.name.removesuffix("_out")
    for named in _first_subjects(path):
        if stem.startswith(f"{named}_") and len(stem) > len(named) + 1:
            return ResponseFile(path, named, stem[len(named) + 1 :])
    if folder_model and stem.endswith(f"_{folder_model}") and len(stem) > len(folder_model) + 1:
        return ResponseFile(path, stem.removesuffix(f"_{folder_model}"), folder_model)
    subject, _, model = stem.rpartition("_")
    return ResponseFile(path, subject, model)


def _first_subjects(path: Path) -> tuple[str, ...]:
    """What the first row's subject may be: named, or `loc` without one or more last digits.

    A subject may end in a digit itself, so that only the file's name can tell it from the index.
    """
    for _, record in _records(path):
        subject = record.get("subject")
        if isinstance(subject, str):
            return (subject,)
        return _subjects_of_loc(record.get("loc"))
    raise ResponseFileError("empty_file", path)


def _subjects_of_loc(loc: object) -> tuple[str, ...]:
    shortest = _subject_of_loc(loc)
    if shortest is None or not isinstance(loc, str):
        return ()
    ends = range(len(shortest) + 1, min(len(loc), len(shortest) + MAX_INDEX_DIGITS))
    longer = (loc[:end].removesuffix("_") for end in ends)
    return tuple(dict.fromkeys((shortest, *longer)))


def _subject_of_loc(loc: object) -> str | None:
    match = _LOC.fullmatch(loc) if isinstance(loc, str) else None
    return (match["subject"] or None) if match else None


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open("rb") as lines:
        number = 0
        while line := lines.readline(MAX_ROW_BYTES + 1):
            number += 1
            if len(line) > MAX_ROW_BYTES:
                raise ResponseFileError("row_too_long", path, number, limit=MAX_ROW_BYTES)
            if number == 1:
                line = line.removeprefix(_BOM)
            if not line.isspace() and line:
                yield number, _record(path, number, line)


def _record(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise ResponseFileError("wrong_encoding", path, number) from error
    except (ValueError, RecursionError) as error:
        raise ResponseFileError("bad_json", path, number, reason=str(error)) from error
    if not isinstance(record, dict):
        raise ResponseFileError("not_an_object", path, number)
    return record


def _row(
    file: ResponseFile, number: int, record: Mapping[str, Any], rules: RowRules
) -> ResponseRow:
    if "answer" not in record or "model_result" not in record:
        missing = [name for name in ("answer", "model_result") if name not in record]
        raise ResponseFileError("missing_columns", file.path, number, columns=", ".join(missing))
    response = record["model_result"]
    if response is None:
        response = ""
    elif not isinstance(response, str):
        raise ResponseFileError("bad_value", file.path, number, column="model_result")
    asked = _asked(file, number, record, rules)
    return ResponseRow(
        file=file.path.name,
        row=number,
        uid=_uid(file, number, record),
        subject=_subject(file, number, record),
        epoch=_epoch(file, number, record),
        key=_key(file, number, record["answer"], asked, rules.key_kind),
        response=response,
        asked=asked,
    )


def _uid(file: ResponseFile, number: int, record: Mapping[str, Any]) -> str | None:
    uid = record["uid"] if "uid" in record else record.get("loc")
    if isinstance(uid, int) and not isinstance(uid, bool):
        return str(uid)
    if uid is not None and not isinstance(uid, str):
        raise ResponseFileError("bad_value", file.path, number, column="uid")
    return uid or None


def _subject(file: ResponseFile, number: int, record: Mapping[str, Any]) -> str:
    subject = record.get("subject")
    if subject is None:
        subject = file.subject or _subject_of_id(record) or file.path.stem
    if not isinstance(subject, str) or not subject.strip() or not subject.isprintable():
        raise ResponseFileError("bad_value", file.path, number, column="subject")
    return subject.strip()


def _subject_of_id(record: Mapping[str, Any]) -> str | None:
    uid = record.get("uid")
    if isinstance(uid, str) and "/" in uid:
        return uid.partition("/")[0] or None
    return _subject_of_loc(record.get("loc"))


def _epoch(file: ResponseFile, number: int, record: Mapping[str, Any]) -> int:
    epoch = record.get("epoch", 1)
    if type(epoch) is not int or epoch < 0:
        raise ResponseFileError("bad_value", file.path, number, column="epoch")
    return epoch


def _key(
    file: ResponseFile, number: int, answer: object, asked: AskedItem, key_kind: KeyKind
) -> str:
    if key_kind == "number":
        text = "" if isinstance(answer, bool) else str(answer)
        if numeric.parse_key(text) is None:
            raise ResponseFileError("answer_not_a_number", file.path, number, answer=text)
        return text
    key = answer.strip() if isinstance(answer, str) else str(answer)
    if len(key) != 1 or key not in asked.letters.latin:
        raise ResponseFileError(
            "answer_outside_options", file.path, number, answer=key, letters=asked.letters.latin
        )
    return key


def _asked(
    file: ResponseFile, number: int, record: Mapping[str, Any], rules: RowRules
) -> AskedItem:
    options = record.get("options") or ()
    if not isinstance(options, list | tuple) or not all(isinstance(text, str) for text in options):
        raise ResponseFileError("bad_value", file.path, number, column="options")
    count = record.get("option_count") or len(options) or rules.option_count
    if type(count) is not int or not MIN_OPTIONS <= count <= MAX_OPTIONS:
        raise ResponseFileError("bad_option_count", file.path, number, count=count)
    question = record.get("question")
    if not options and not question:
        return _asked_of(count, rules.script)
    return AskedItem(
        _asked_of(count, rules.script).letters,
        tuple(options),
        question if isinstance(question, str) else "",
    )


@lru_cache(maxsize=64)
def _asked_of(option_count: int, script: str) -> AskedItem:
    return AskedItem(OptionLetters(option_count, script))


def _read_text(path: Path) -> str:
    if not path.is_file():
        raise ResponseFileError("not_found", path)
    try:
        return path.read_bytes().removeprefix(_BOM).decode()
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
