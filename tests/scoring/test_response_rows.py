"""Reading response rows: what a row gives, and every refusal with its place."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from scoring import response_files
from scoring.response_files import ResponseFile, chunks_of
from scoring.response_rows import RowReader, RowRules
from scoring.scorers import AskedItem
from scoring.scorers.letters import OptionLetters
from tests.scoring.response_writing import GOOD, refusal, rows_of, write


def test_rows_gives_the_whole_row(tmp_path: Path) -> None:
    path = write(
        tmp_path / "r.jsonl",
        GOOD,
        b"",
        {
            "uid": "history/7",
            "answer": " C ",
            "model_result": None,
            "epoch": 2,
            "options": ["x", "y", "z"],
            "question": "Which?",
        },
    )
    first, second = (
        {**asdict(row.head), "row": row.row, "uid": row.uid, "response": row.response}
        for row in rows_of(path)
    )
    assert first == {
        "file": "r.jsonl",
        "row": 1,
        "uid": "agronomy0",
        "subject": "agronomy",
        "epoch": 1,
        "key": "B",
        "response": "B",
        "asked": asdict(AskedItem(OptionLetters(4))),
    }
    assert second == {
        "file": "r.jsonl",
        "row": 3,
        "uid": "history/7",
        "subject": "history",
        "epoch": 2,
        "key": "C",
        "response": "",
        "asked": asdict(AskedItem(OptionLetters(3), ("x", "y", "z"), "Which?")),
    }


def test_rows_that_agree_share_their_head(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", GOOD, {**GOOD, "loc": "agronomy1"}, {**GOOD, "epoch": 2})
    first, second, third = rows_of(path)
    assert (first.head is second.head, first.head is third.head) == (True, False)


@pytest.mark.parametrize(
    ("fields", "subject"),
    [
        ({"subject": " law ", "loc": "agronomy0"}, "law"),
        ({"loc": "grade8_math12"}, "grade8_math"),
        ({"loc": "12"}, "r"),
        ({"loc": None, "uid": 7}, "r"),
        ({"uid": "law/7"}, "law"),
        ({"uid": "/7"}, "r"),
        ({"loc": None}, "r"),
    ],
)
def test_rows_subject_comes_from_the_row_then_the_id_then_the_stem(
    tmp_path: Path, fields: dict[str, Any], subject: str
) -> None:
    path = write(tmp_path / "r.jsonl", {**GOOD, **fields})
    assert [row.head.subject for row in rows_of(path)] == [subject]


def test_rows_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    assert len(rows_of(path)) == 1


def test_rows_own_option_count_wins_over_the_rule(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", {**GOOD, "answer": "E", "option_count": 5})
    (row,) = rows_of(path, RowRules(option_count=2))
    assert row.head.asked.letters.count == 5


def test_rows_number_keys_are_kept_as_written(tmp_path: Path) -> None:
    path = write(
        tmp_path / "r.jsonl", {**GOOD, "answer": 12}, {"answer": "1,5", "model_result": ""}
    )
    assert [row.head.key for row in rows_of(path, RowRules(key_kind="number"))] == ["12", "1,5"]


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (b"{", "bad_json"),
        (b"[" * 100_000, "bad_json"),
        (b"[1]", "not_an_object"),
        (b'{"answer": "A"', "bad_json"),
        ("ང".encode("utf-16"), "wrong_encoding"),
        ('{"answer": "A", "model_result": "é"}'.encode("latin-1"), "wrong_encoding"),
        ({"answer": "A"}, "missing_columns"),
        ({"model_result": "A"}, "missing_columns"),
        ({"answer": "A", "model_result": 5}, "bad_value"),
        ({"answer": "A", "model_result": ["A"]}, "bad_value"),
        ({**GOOD, "answer": "E"}, "answer_outside_options"),
        ({**GOOD, "answer": "b"}, "answer_outside_options"),
        ({**GOOD, "answer": ""}, "answer_outside_options"),
        ({**GOOD, "answer": "AB"}, "answer_outside_options"),
        ({**GOOD, "answer": None}, "answer_outside_options"),
        ({**GOOD, "answer": 1}, "answer_outside_options"),
        ({**GOOD, "option_count": 11}, "bad_option_count"),
        ({**GOOD, "option_count": "4"}, "bad_option_count"),
        ({**GOOD, "options": ["only"]}, "bad_option_count"),
        ({**GOOD, "options": {"A": "x"}}, "bad_value"),
        ({**GOOD, "epoch": "one"}, "bad_value"),
        ({**GOOD, "epoch": True}, "bad_value"),
        ({**GOOD, "subject": 4}, "bad_value"),
        ({**GOOD, "subject": " "}, "bad_value"),
        ({**GOOD, "subject": "\ud800"}, "bad_value"),
        ({**GOOD, "loc": "\ud8000"}, "bad_value"),
        ({**GOOD, "uid": ["x"]}, "bad_value"),
    ],
)
def test_rows_bad_row_is_refused_with_file_and_row(
    tmp_path: Path, bad: dict[str, Any] | bytes, code: str
) -> None:
    path = write(tmp_path / "r.jsonl", GOOD, bad)
    assert refusal(lambda: rows_of(path)) == (code, "r.jsonl", 2)


def test_rows_word_as_number_key_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", GOOD)
    found = refusal(lambda: rows_of(path, RowRules(key_kind="number")))
    assert found == ("answer_not_a_number", "r.jsonl", 1)


def test_rows_row_over_the_limit_is_refused_without_reading_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(response_files, "MAX_ROW_BYTES", 1000)
    path = write(tmp_path / "r.jsonl", GOOD, {**GOOD, "model_result": "x" * 1000})
    assert refusal(lambda: rows_of(path)) == ("row_too_long", "r.jsonl", 2)


def test_rows_are_read_until_the_reader_stops(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", GOOD, b"broken")
    file = ResponseFile(path, None, "r")
    first = next(RowReader(file, RowRules()).rows(next(chunks_of(file))))
    assert first.uid == "agronomy0"
