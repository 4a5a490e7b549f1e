"""Finding response files: how names are parted into subject and model, and every refusal."""

from pathlib import Path

import pytest

from scoring.response_files import ResponseFile, ResponseFileError, find_response_files
from tests.scoring.response_writing import GOOD, refusal, rows_of, write


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
    assert [row.head.subject for row in rows_of(path)] == ["agronomy", "arts"]


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
