"""Reading response and category files: what a row gives, and every refusal with its place."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation import response_files
from evaluation.response_files import (
    ResponseFile,
    ResponseFileError,
    ResponseRow,
    RowRules,
    find_response_files,
    read_categories,
    read_rows,
)
from evaluation.scorers import AskedItem
from evaluation.scorers.letters import OptionLetters

GOOD: dict[str, Any] = {"loc": "agronomy0", "answer": "B", "model_result": "B"}


def write(path: Path, *rows: dict[str, Any] | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def rows_of(path: Path, rules: RowRules | None = None) -> list[ResponseRow]:
    files = find_response_files(path)
    return [row for file in files for row in read_rows(file, rules or RowRules())]


def refusal(action: Callable[[], object]) -> tuple[str, str, int | None]:
    with pytest.raises(ResponseFileError) as caught:
        action()
    return caught.value.code, caught.value.file.name, caught.value.row


def test_find_response_files_published_folder_parts_subject_and_model(tmp_path: Path) -> None:
    second = write(tmp_path / "world_history_gpt-4o_out.jsonl", {**GOOD, "loc": "world_history0"})
    first = write(tmp_path / "agronomy_gpt-4o_out.jsonl", GOOD)
    (tmp_path / "notes.txt").write_text("left alone")
    assert find_response_files(tmp_path) == [
        ResponseFile(first, "agronomy", "gpt-4o"),
        ResponseFile(second, "world_history", "gpt-4o"),
    ]


@pytest.mark.parametrize(
    ("folder", "name", "loc", "subject", "model"),
    [
        ("answers", "agronomy_deepseek_r1_out.jsonl", "agronomy0", "agronomy", "deepseek_r1"),
        ("deepseek_r1", "agronomy_deepseek_r1_out.jsonl", None, "agronomy", "deepseek_r1"),
        ("deepseek_r1_out", "agronomy_deepseek_r1_out.jsonl", None, "agronomy", "deepseek_r1"),
        ("answers", "college_law_o1_out.jsonl", None, "college_law", "o1"),
        ("answers", "college_law_o1_out.jsonl", "7", "college_law", "o1"),
        ("answers", "history2_deepseek_r1_out.jsonl", "history20", "history2", "deepseek_r1"),
        ("answers", "history_2_deepseek_r1_out.jsonl", "history_2_0", "history_2", "deepseek_r1"),
    ],
)
def test_find_response_files_name_is_parted_by_the_best_evidence(
    tmp_path: Path, folder: str, name: str, loc: str | None, subject: str, model: str
) -> None:
    path = write(tmp_path / folder / name, {**GOOD, "loc": loc})
    assert find_response_files(path.parent) == [ResponseFile(path, subject, model)]


def test_find_response_files_single_file_of_a_subject_that_ends_in_a_digit(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "history2_m_out.jsonl", {**GOOD, "loc": "history20"})
    assert find_response_files(path) == [ResponseFile(path, "history2", "m")]


def test_find_response_files_single_file_of_many_subjects_has_none_of_its_own(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "my_run_out.jsonl", GOOD, {**GOOD, "loc": "arts0"})
    assert find_response_files(path) == [ResponseFile(path, None, "my_run_out")]
    assert [row.subject for row in rows_of(path)] == ["agronomy", "arts"]


def test_find_response_files_missing_path_is_refused(tmp_path: Path) -> None:
    missing = tmp_path / "none"
    assert refusal(lambda: find_response_files(missing)) == ("not_found", "none", None)


def test_find_response_files_empty_folder_is_refused(tmp_path: Path) -> None:
    assert refusal(lambda: find_response_files(tmp_path)) == ("empty_folder", tmp_path.name, None)


@pytest.mark.parametrize("name", ["agronomy.jsonl", "agronomy_out.jsonl", "_m_x.jsonl"])
def test_find_response_files_other_name_among_good_ones_is_refused(
    tmp_path: Path, name: str
) -> None:
    write(tmp_path / "arts_m_out.jsonl", {**GOOD, "loc": "arts0"})
    write(tmp_path / name, GOOD)
    assert refusal(lambda: find_response_files(tmp_path)) == ("bad_name", name, None)


def test_find_response_files_several_models_in_a_folder_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "arts_m1_out.jsonl", {**GOOD, "loc": "arts0"})
    write(tmp_path / "arts_m2_out.jsonl", {**GOOD, "loc": "arts0"})
    with pytest.raises(ResponseFileError) as caught:
        find_response_files(tmp_path)
    assert (caught.value.code, caught.value.params) == ("several_models", {"models": "m1, m2"})


def test_read_rows_gives_the_whole_row(tmp_path: Path) -> None:
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
    assert rows_of(path) == [
        ResponseRow(
            "r.jsonl", 1, "agronomy0", "agronomy", 1, "B", "B", AskedItem(OptionLetters(4))
        ),
        ResponseRow(
            "r.jsonl",
            3,
            "history/7",
            "history",
            2,
            "C",
            "",
            AskedItem(OptionLetters(3), ("x", "y", "z"), "Which?"),
        ),
    ]


@pytest.mark.parametrize(
    ("fields", "subject"),
    [
        ({"subject": " law ", "loc": "agronomy0"}, "law"),
        ({"loc": "grade8_math12"}, "grade8_math"),
        ({"loc": "12"}, "r"),
        ({"loc": None, "uid": 7}, "r"),
        ({"loc": None}, "r"),
    ],
)
def test_read_rows_subject_comes_from_the_row_then_the_id_then_the_stem(
    tmp_path: Path, fields: dict[str, Any], subject: str
) -> None:
    path = write(tmp_path / "r.jsonl", {**GOOD, **fields})
    assert [row.subject for row in rows_of(path)] == [subject]


def test_read_rows_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    assert len(rows_of(path)) == 1


def test_read_rows_own_option_count_wins_over_the_rule(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", {**GOOD, "answer": "E", "option_count": 5})
    (row,) = rows_of(path, RowRules(option_count=2))
    assert row.asked.letters.count == 5


def test_read_rows_number_keys_are_kept_as_written(tmp_path: Path) -> None:
    path = write(
        tmp_path / "r.jsonl", {**GOOD, "answer": 12}, {"answer": "1,5", "model_result": ""}
    )
    assert [row.key for row in rows_of(path, RowRules(key_kind="number"))] == ["12", "1,5"]


def test_read_rows_same_id_in_another_epoch_or_subject_is_another_response(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", GOOD, {**GOOD, "epoch": 2}, {**GOOD, "subject": "arts"})
    assert len(rows_of(path)) == 3


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
        ({**GOOD, "option_count": 7}, "bad_option_count"),
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
        (GOOD, "duplicate_id"),
    ],
)
def test_read_rows_bad_row_is_refused_with_file_and_row(
    tmp_path: Path, bad: dict[str, Any] | bytes, code: str
) -> None:
    path = write(tmp_path / "r.jsonl", GOOD, bad)
    assert refusal(lambda: rows_of(path)) == (code, "r.jsonl", 2)


def test_read_rows_word_as_number_key_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", GOOD)
    found = refusal(lambda: rows_of(path, RowRules(key_kind="number")))
    assert found == ("answer_not_a_number", "r.jsonl", 1)


def test_read_rows_row_over_the_limit_is_refused_without_reading_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(response_files, "MAX_ROW_BYTES", 1000)
    path = write(tmp_path / "r.jsonl", GOOD, {**GOOD, "model_result": "x" * 1000})
    assert refusal(lambda: rows_of(path)) == ("row_too_long", "r.jsonl", 2)


@pytest.mark.parametrize("content", [b"", b"\n\n"])
def test_read_rows_file_without_response_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(content)
    assert refusal(lambda: rows_of(path)) == ("empty_file", "r.jsonl", None)


def test_read_rows_streams_and_stops_where_the_reader_stops(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", GOOD, b"broken")
    first = next(read_rows(ResponseFile(path, None, "r"), RowRules()))
    assert first.uid == "agronomy0"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.csv", "subject,category\nagronomy,Other\narts,Humanities\n"),
        ("c.csv", "\ufeffcategory,subject,note\nOther,agronomy,x\nHumanities,arts,y\n"),
        ("c.json", '{"agronomy": "Other", "arts": "Humanities"}'),
        ("c.json", '{"Other": ["agronomy"], "Humanities": ["arts"]}'),
    ],
)
def test_read_categories_layout_maps_subject_to_category(
    tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert read_categories(path) == {"agronomy": "Other", "arts": "Humanities"}


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("c.csv", b"a,b\n1,2\n", "missing_columns"),
        ("c.csv", b"", "missing_columns"),
        ("c.csv", b"subject,category\narts,\n", "bad_categories"),
        ("c.csv", b"subject,category\n", "bad_categories"),
        ("c.csv", b"subject,category\narts,x\narts,y\n", "subject_twice"),
        ("c.csv", b"\xff\xfe", "wrong_encoding"),
        ("c.json", b"{", "bad_json"),
        ("c.json", b"[]", "bad_categories"),
        ("c.json", b"5", "bad_categories"),
        ("c.json", b'{"x": []}', "bad_categories"),
        ("c.json", b'{"x": 5}', "bad_categories"),
        ("c.json", b'{"x": {"y": "z"}}', "bad_categories"),
        ("c.json", b'{"arts": "x", "arts": "y"}', "subject_twice"),
        ("c.json", b'{"x": ["arts"], "y": ["arts"]}', "subject_twice"),
    ],
)
def test_read_categories_bad_file_is_refused(
    tmp_path: Path, name: str, content: bytes, code: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert refusal(lambda: read_categories(path))[:2] == (code, name)


def test_read_categories_missing_file_is_refused(tmp_path: Path) -> None:
    assert refusal(lambda: read_categories(tmp_path / "c.csv")) == ("not_found", "c.csv", None)
