"""Each reader yields the answers of a file in the layout that its program writes."""

import json
import struct
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from evaluation.outside.readers import READERS
from evaluation.outside.readers.base import LONGEST_TEXT, AnswersUnreadable, number


def lines(path: Path, *rows: dict[str, Any]) -> Path:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


def read(name: str, path: Path) -> list[tuple[str, int, str]]:
    return [(each.uid, each.epoch, each.text) for each in READERS[name](path)]


def test_tlue_folder_names_items_by_subject_and_index(tmp_path: Path) -> None:
    folder = tmp_path / "m1_out"
    folder.mkdir()
    lines(
        folder / "history_m1_out.jsonl",
        {"loc": "history_0", "answer": "A", "model_result": "ལན་ནི་ཀ།"},
        {"loc": "history_12", "answer": "B", "model_result": None},
        {"uid": "own/3", "loc": "history_13", "answer": "B", "model_result": "B"},
    )

    assert read("tlue", folder) == [
        ("history/0", 1, "ལན་ནི་ཀ།"),
        ("history/12", 1, ""),
        ("own/3", 1, "B"),
    ]
    assert {each.model for each in READERS["tlue"](folder)} == {"m1"}


def test_lm_eval_reads_a_document_once_whatever_its_filters(tmp_path: Path) -> None:
    sample = {
        "doc_id": 0,
        "doc": {"id": "s/1", "question": "q", "choices": ["a", "b"]},
        "target": "A",
        "resps": [["The answer is A", "B"]],
        "metrics": ["exact_match"],
    }
    path = lines(
        tmp_path / "samples_x_2026.jsonl",
        sample | {"filter": "da", "exact_match": 0.0},
        sample | {"filter": "caa", "exact_match": 1.0},
    )

    answers = list(READERS["lm_eval"](path))

    assert [(a.uid, a.epoch, a.text, a.question) for a in answers] == [
        ("s/1", 1, "The answer is A", "q"),
        ("s/1", 2, "B", "q"),
    ]
    assert {(a.measure, a.is_right) for a in answers} == {("exact_match,da", 0.0)}


def test_lm_eval_takes_the_model_from_the_results_of_the_same_time(tmp_path: Path) -> None:
    sample = {"doc_id": 0, "doc": {"id": "s/1"}, "resps": [["A"]]}
    for time, model in (("1", "m1"), ("2", "m2")):
        lines(tmp_path / f"samples_x_y_{time}.jsonl", sample)
        lines(tmp_path / f"results_{time}.json", {"model_name": model})
    lines(tmp_path / "samples_x_3.jsonl", sample)

    assert [answer.model for answer in READERS["lm_eval"](tmp_path)] == ["", "m1", "m2"]


def test_lm_eval_takes_the_likeliest_option_of_a_log_likelihood_task(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "samples_mc.jsonl",
        {"doc_id": 0, "doc": {"id": "s/1"}, "resps": [[["-3.5", "False"]], [["-1.25", "True"]]], "acc": 1.0},
        {"doc_id": 1, "doc": {"id": "s/2"}, "resps": [[-0.5, True], [-2.0, False]], "acc": 0.0},
    )  # fmt: skip

    assert read("lm_eval", path) == [("s/1", 1, "B"), ("s/2", 1, "A")]


def test_lm_eval_reads_two_numbers_as_two_answers(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "samples_n.jsonl",
        {"doc_id": 0, "doc": {"id": "s/1"}, "resps": [["41", "42"]], "metrics": ["exact_match"],
         "exact_match": 0.5, "epochs": [1, 3], "exact_match_by_epoch": [0.0, 1.0]},
    )  # fmt: skip

    answers = list(READERS["lm_eval"](path))

    assert [(each.epoch, each.text, each.is_right) for each in answers] == [
        (1, "41", 0.0), (3, "42", 1.0),
    ]  # fmt: skip


def test_inspect_sample_that_ended_in_an_error_is_no_answer(tmp_path: Path) -> None:
    failed = {"id": "s/1", "epoch": 1, "error": {"message": "too long"}, "output": {"choices": []}}
    cut = inspect_sample("s/1", 2, "A", "C") | {"error": {"message": "the scorer failed"}}
    (tmp_path / "log.json").write_text(json.dumps({"samples": [failed, cut]}), "utf-8")

    assert read("inspect", tmp_path / "log.json") == [("s/1", 2, "A")]


def inspect_sample(uid: str, epoch: int, content: object, score: object) -> dict[str, Any]:
    return {
        "id": uid,
        "epoch": epoch,
        "input": [{"role": "user", "content": "shots"}, {"role": "user", "content": "q"}],
        "output": {
            "model": "m1",
            "choices": [{"message": {"content": content}, "stop_reason": "stop"}],
            "usage": {"input_tokens": 7, "output_tokens": 2},
        },
        "scores": {"choice": {"value": score, "answer": "A"}},
    }


def test_inspect_log_is_read_as_archive_and_as_json(tmp_path: Path) -> None:
    samples = [
        inspect_sample("s/1", 1, "A", "C"),
        inspect_sample("s/1", 2, [{"type": "text", "text": "B"}], "I"),
    ]
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("header.json", "{}")
        for sample in samples:
            archive.writestr(f"samples/s_epoch_{sample['epoch']}.json", json.dumps(sample))
    (tmp_path / "log.json").write_text(json.dumps({"samples": samples}), "utf-8")

    archived = list(READERS["inspect"](tmp_path / "log.eval"))
    several = inspect_sample("s/1", 1, "A", {"direct": 1, "responded": 1})
    (tmp_path / "several.json").write_text(json.dumps({"samples": [several]}), "utf-8")

    (answer,) = READERS["inspect"](tmp_path / "several.json")
    assert (answer.measure, answer.is_right) == ("choice,direct", 1.0)
    assert archived[0].is_right == 1.0
    assert (archived[0].model, archived[0].prompt_tokens, archived[0].question) == ("m1", 7, "q")
    assert [(a.uid, a.epoch, a.text) for a in archived] == [("s/1", 1, "A"), ("s/1", 2, "B")]
    assert read("inspect", tmp_path / "log.json") == [("s/1", 1, "A"), ("s/1", 2, "B")]


def zstandard_log(path: Path, content: bytes, packed: bytes) -> Path:
    """Write a log whose sample says the size and the checksum of `content`, and holds `packed`."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/s_epoch_1.json", content)
    stored = path.read_bytes()
    data = stored.replace(content, packed)
    method, sizes = (93).to_bytes(2, "little"), len(packed).to_bytes(4, "little")
    local, central = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    data = data[: local + 8] + method + data[local + 10 :]
    data = data[: local + 18] + sizes + data[local + 22 :]
    data = data[: central + 10] + method + data[central + 12 :]
    data = data[: central + 20] + sizes + data[central + 24 :]
    end = data.index(b"PK\x05\x06")
    data = data[: end + 16] + central.to_bytes(4, "little") + data[end + 20 :]
    path.write_bytes(data)
    return path


def zstandard(content: bytes) -> bytes:
    return bytes(pa.compress(content, codec="zstd", asbytes=True))


def test_inspect_folder_is_read_if_it_has_one_log(tmp_path: Path) -> None:
    log = {"samples": [{"id": "s/1", "epoch": 1, "output": {"completion": "A"}}]}
    lines(tmp_path / "one.json", log)
    assert [answer.uid for answer in READERS["inspect"](tmp_path)] == ["s/1"]

    lines(tmp_path / "two.json", log)
    with pytest.raises(AnswersUnreadable, match="2 logs in this folder; name one of them"):
        list(READERS["inspect"](tmp_path))


def test_inspect_log_in_zstandard_is_read(tmp_path: Path) -> None:
    content = json.dumps(inspect_sample("s/1", 1, "A", "C")).encode()
    path = zstandard_log(tmp_path / "log.eval", content, zstandard(content))

    assert read("inspect", path) == [("s/1", 1, "A")]


def test_inspect_log_in_zstandard_that_is_broken_is_refused(tmp_path: Path) -> None:
    content = json.dumps(inspect_sample("s/1", 1, "A", "C")).encode()
    for name, packed in {
        "other": b"no frame of Zstandard",
        "cut": zstandard(content)[:-9],
        "longer": zstandard(content + b" " * 100_000),
        "shorter": zstandard(b"{}"),
    }.items():
        path = zstandard_log(tmp_path / f"{name}.eval", content, packed)
        with pytest.raises(AnswersUnreadable):
            read("inspect", path)


def zipped(path: Path, content: bytes, method: int, *, times: int = 1) -> bytearray:
    with zipfile.ZipFile(path, "w", method) as archive:
        for number_of in range(times):
            archive.writestr(f"samples/s_epoch_{number_of + 1}.json", content)
    return bytearray(path.read_bytes())


def declare(data: bytearray, size: int) -> bytearray:
    """Change the unpacked size in every entry of the central directory."""
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        struct.pack_into("<I", data, at + 24, size)
        at = data.find(b"PK\x01\x02", at + 4)
    return data


def test_inspect_archive_that_is_broken_or_packed_in_another_way_is_refused(tmp_path: Path) -> None:
    content = json.dumps(inspect_sample("s/1", 1, "A", "C")).encode()
    path = tmp_path / "log.eval"
    broken = zipped(path, content, zipfile.ZIP_DEFLATED)
    start = 30 + len("samples/s_epoch_1.json")
    broken[start : start + 8] = b"\xff" * 8
    cases = {
        "broken": broken,
        "bzip2": zipped(path, content, zipfile.ZIP_BZIP2),
        "lzma": zipped(path, content, zipfile.ZIP_LZMA),
        "large": declare(zipped(path, content, zipfile.ZIP_STORED, times=2), 200 * 1024 * 1024),
    }
    for name, data in cases.items():
        path.write_bytes(data)
        with pytest.raises(AnswersUnreadable) as refused:
            read("inspect", path)
        if name == "large":
            assert "unpack to more than" in refused.value.reason


def test_inspect_archive_is_unpacked_to_the_size_that_it_declares(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(declare(zipped(path, b" " * 32_000_000, zipfile.ZIP_DEFLATED), 1_000))
    tracemalloc.start()
    try:
        with pytest.raises(AnswersUnreadable):
            read("inspect", path)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_answer_is_cut_at_the_longest_text(tmp_path: Path) -> None:
    row = {"loc": "s_0", "model_result": "a" * (LONGEST_TEXT + 1)}
    ((_uid, _epoch, text),) = read("tlue", lines(tmp_path / "s_m1_out.jsonl", row))
    assert len(text) == LONGEST_TEXT


def test_measure_is_a_finite_number_or_none() -> None:
    for value in (10**400, float("nan"), float("inf"), -float("inf"), 1e308, "x", None):
        assert number(value) is None, value
    assert [number(value) for value in (True, 0.25, -3, "C")] == [1.0, 0.25, -3.0, 1.0]


def test_epochs_count_from_one(tmp_path: Path) -> None:
    for said in (0, -1, True, "2", 1.5, 10**400):
        row = {"loc": "s_0", "model_result": "A", "epoch": said}
        tlue = lines(tmp_path / "s_m1_out.jsonl", row)
        inspect = tmp_path / "log.json"
        sample = inspect_sample("s/1", 1, "A", "C") | {"epoch": said}
        inspect.write_text(json.dumps({"samples": [sample]}), "utf-8")
        for name, path in {"tlue": tlue, "inspect": inspect}.items():
            with pytest.raises(AnswersUnreadable, match="epoch"):
                read(name, path)
    for word in ("0", "-1", "9" * 5_000):
        table = tmp_path / "a.csv"
        table.write_text(f"id,answer,epoch\ns/1,A,{word}\n", "utf-8")
        with pytest.raises(AnswersUnreadable, match="epoch"):
            read("csv", table)
    tlue = lines(tmp_path / "s_m1_out.jsonl", {"loc": "s_0", "model_result": "A", "epoch": 2})
    assert read("tlue", tlue) == [("s/0", 2, "A")]


def test_openai_batch_leaves_failed_requests_out(tmp_path: Path) -> None:
    def line(uid: str, text: str) -> dict[str, Any]:
        body = {"model": "m1", "choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
        return {"custom_id": uid, "response": {"status_code": 200, "body": body}, "error": None}

    path = lines(
        tmp_path / "out.jsonl",
        line("s/1", "A"),
        line("s/1#2", "B"),
        {"custom_id": "s/2", "response": None, "error": {"code": "batch_expired"}},
    )

    assert read("openai_batch", path) == [("s/1", 1, "A"), ("s/1", 2, "B")]


def test_table_may_have_epochs_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('\ufeffID,Answer,epoch\ns/1,A,\ns/1,"B, or so",2\n', "utf-8")

    assert read("csv", path) == [("s/1", 1, "A"), ("s/1", 2, "B, or so")]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("tlue", b'{"loc": "s_1"}\n'),
        ("lm_eval", b'{"doc": {}}\n'),
        ("lm_eval", b"\xff\n"),
        ("inspect", b"{}"),
        ("inspect", b"PK\x03\x04 no archive"),
        ("openai_batch", b"[1]\n"),
        ("csv", b"uid;answer\n"),
        ("csv", b"id,answer,epoch\ns/1,A,zero\n"),
        ("csv", b"id,answer\n\xff,A\n"),
    ],
)
def test_file_that_is_something_else_is_refused(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "s_m1_out.jsonl"
    path.write_bytes(content)

    with pytest.raises(AnswersUnreadable):
        list(READERS[name](path))
