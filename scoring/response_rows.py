"""Reads and validates rows of model responses."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from languages import get_language
from languages.letters import MAX_OPTIONS, MIN_OPTIONS
from scoring.response_files import (
    Chunk,
    ResponseFile,
    ResponseFileError,
    records_of,
    subject_of_loc,
)
from scoring.scorers import numeric
from scoring.scorers.base import AskedItem, KeyKind
from scoring.scorers.letters import OptionLetters

_ITEM_COLUMNS = frozenset({"options", "option_count", "question"})


@dataclass(frozen=True, slots=True)
class RowRules:
    """How to read rows.

    option_count: the number of options of rows without `option_count` and `options`
    script: the option letters of the language, besides the Latin ones
    key_kind: whether `answer` must be an option letter, a number or a text
    """

    option_count: int = 4
    script: str = get_language("bo").option_letters
    key_kind: KeyKind = "option"


@dataclass(frozen=True, slots=True, eq=False)
class RowHead:
    """What many rows of a file have in common; compared by identity."""

    file: str
    subject: str
    epoch: int
    key: str
    asked: AskedItem


class ResponseRow(NamedTuple):
    """One response; `row` is its line in the file, counted from 1."""

    row: int
    uid: str | None
    head: RowHead
    response: str


class RowReader:
    """Reads the rows of one file. `RowIds` checks that ids are unique.

    A row is a JSON object with `answer` and `model_result`, which can be null for an empty
    response. It may have `loc` or `uid`, `subject`, `epoch` (default 1), `option_count`, `options`
    (a list of texts) and `question`. The subject is the first of these that exists: `subject`, the
    subject in the file's name, the part of `uid` before a slash, the part of `loc` before the
    index, the file's name without suffix.
    """

    def __init__(self, file: ResponseFile, rules: RowRules) -> None:
        self._file, self._rules = file, rules
        self._heads: dict[tuple[str, str | None, int], RowHead] = {}

    def rows(self, chunk: Chunk) -> Iterator[ResponseRow]:
        """Yield the rows of a chunk of the file.

        Raises ResponseFileError: what `records_of` raises, missing_columns, bad_value,
        bad_option_count, answer_outside_options, answer_not_a_number.
        """
        for number, record in records_of(chunk):
            yield self._plain_row(number, record) or self._row(number, record)

    def _plain_row(self, number: int, record: Mapping[str, Any]) -> ResponseRow | None:
        """Return an ordinary row after a few look-ups; None for any other row.

        Types are compared before the look-up because True and 1.0 would find the head of 1.
        """
        get = record.get
        uid = record["uid"] if "uid" in record else get("loc")
        answer, subject, epoch, response = (
            get("answer"), get("subject"), get("epoch", 1), get("model_result"),
        )  # fmt: skip
        if (
            type(uid) is not str
            or not uid
            or type(answer) is not str
            or type(epoch) is not int
            or type(response) is not str
            or not _ITEM_COLUMNS.isdisjoint(record)
        ):
            return None
        if subject is None:
            subject = self._file.subject or _subject_of_id(record)
        elif type(subject) is not str:
            return None
        head = self._heads.get((answer, subject, epoch))
        if head is None:
            head = self._row(number, record).head
            self._heads[answer, subject, epoch] = head
        return ResponseRow(number, uid, head, response)

    def _row(self, number: int, record: Mapping[str, Any]) -> ResponseRow:
        file = self._file
        if "answer" not in record or "model_result" not in record:
            missing = [name for name in ("answer", "model_result") if name not in record]
            raise ResponseFileError(
                "missing_columns", file.path, number, columns=", ".join(missing)
            )
        response = record["model_result"]
        if response is None:
            response = ""
        elif not isinstance(response, str):
            raise ResponseFileError("bad_value", file.path, number, column="model_result")
        asked = _asked(file, number, record, self._rules)
        uid = _uid(file, number, record)
        head = RowHead(
            file=file.path.name,
            subject=_subject(file, number, record),
            epoch=_epoch(file, number, record),
            key=_key(file, number, record["answer"], asked, self._rules.key_kind),
            asked=asked,
        )
        return ResponseRow(number, uid, head, response)


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
    cleaned = _clean_subject(subject) if isinstance(subject, str) else ""
    if not cleaned:
        raise ResponseFileError("bad_value", file.path, number, column="subject")
    return cleaned


@lru_cache(maxsize=1024)
def _clean_subject(subject: str) -> str:
    """Strip the subject; return an empty string if it is not a valid one."""
    return subject.strip() if subject.isprintable() else ""


def _subject_of_id(record: Mapping[str, Any]) -> str | None:
    uid = record.get("uid")
    if isinstance(uid, str) and "/" in uid:
        return uid.partition("/")[0] or None
    return subject_of_loc(record.get("loc"))


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
    if key_kind == "text":
        if answer is None or not key:
            raise ResponseFileError("bad_value", file.path, number, column="answer")
        return key
    if len(key) != 1 or key not in asked.letters.latin:
        raise ResponseFileError(
            "answer_outside_options", file.path, number, answer=key, letters=asked.letters.latin
        )
    return key


def _asked(
    file: ResponseFile, number: int, record: Mapping[str, Any], rules: RowRules
) -> AskedItem:
    if not any(map(record.get, _ITEM_COLUMNS)) and MIN_OPTIONS <= rules.option_count <= MAX_OPTIONS:
        return _asked_of(rules.option_count, rules.script)
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
