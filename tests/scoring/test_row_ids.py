"""The ids of response files: no id twice, and how often each item was asked and right."""

from pathlib import Path

import pytest

from scoring import response_files, row_ids
from scoring.file_scoring import FileScoring, ScoringRules
from scoring.response_files import ResponseFileError, find_response_files
from scoring.response_rows import RowRules
from tests.scoring.response_writing import GOOD, refusal, write

RULES = ScoringRules(RowRules(), ("direct", "concern_all"))


def scored(path: Path) -> FileScoring:
    """The scoring of a file or folder after its last piece."""
    scoring = FileScoring(find_response_files(path), RULES)
    list(scoring.chunks())
    return scoring


def test_row_ids_same_id_twice_is_refused_with_both_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", GOOD, {**GOOD, "loc": "agronomy1"}, b"", GOOD)
    with pytest.raises(ResponseFileError) as caught:
        scored(path)
    assert (caught.value.code, caught.value.row) == ("duplicate_id", 4)
    assert caught.value.params == {"id": "agronomy0", "first_row": 1}


def test_row_ids_same_id_is_found_across_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(response_files, "CHUNK_BYTES", 1)
    path = write(tmp_path / "r.jsonl", GOOD, {**GOOD, "loc": "agronomy1"}, GOOD)
    assert refusal(lambda: scored(path)) == ("duplicate_id", "r.jsonl", 3)


def test_row_ids_same_id_before_a_broken_row_is_what_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", GOOD, GOOD, b"{")
    assert refusal(lambda: scored(path)) == ("duplicate_id", "r.jsonl", 2)


def test_row_ids_same_id_after_a_broken_row_is_not_reached(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", GOOD, b"{", GOOD)
    assert refusal(lambda: scored(path)) == ("bad_json", "r.jsonl", 2)


def test_row_ids_of_the_first_file_are_checked_before_the_second_is_refused(
    tmp_path: Path,
) -> None:
    write(tmp_path / "agronomy_m_out.jsonl", GOOD, GOOD)
    write(tmp_path / "arts_m_out.jsonl", {**GOOD, "loc": "arts0"}, b"{")
    found = refusal(lambda: scored(tmp_path))
    assert found == ("duplicate_id", "agronomy_m_out.jsonl", 2)


def test_row_ids_in_another_epoch_or_subject_are_other_responses(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", GOOD, {**GOOD, "epoch": 2}, {**GOOD, "subject": "arts"})
    assert scored(path).repeats("direct") == {"agronomy": {(2, 2): 1}, "arts": {(1, 1): 1}}


def test_row_ids_with_equal_hashes_are_compared_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_ids, "hash", lambda uid: 7, raising=False)
    path = write(tmp_path / "r.jsonl", GOOD, {**GOOD, "loc": "agronomy1"})
    assert scored(path).repeats("direct") is None


def test_row_ids_repeats_count_asked_and_right_for_each_method(tmp_path: Path) -> None:
    both, only_concern_all, none = "B", "A, B, C, D: B", "C"
    path = write(
        tmp_path / "r.jsonl",
        *({**GOOD, "loc": "agronomy0", "epoch": n, "model_result": both} for n in (1, 2)),
        {**GOOD, "loc": "agronomy1", "epoch": 1, "model_result": only_concern_all},
        {**GOOD, "loc": "agronomy1", "epoch": 2, "model_result": none},
        {**GOOD, "loc": None, "subject": "agronomy", "model_result": both},
    )
    scoring = scored(path)
    assert scoring.repeats("direct") == {"agronomy": {(2, 2): 1, (0, 2): 1, (1, 1): 1}}
    assert scoring.repeats("concern_all") == {"agronomy": {(2, 2): 1, (1, 2): 1, (1, 1): 1}}


@pytest.mark.parametrize("content", [b"", b"\n\n"])
def test_row_ids_file_without_response_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(content)
    assert refusal(lambda: scored(path)) == ("empty_file", "r.jsonl", None)
