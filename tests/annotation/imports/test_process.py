"""The process that reads the file of an import: it may hang or die, the import does not."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.importers.base import Row, RowError, SourceRow, TranslationRow
from annotation.importers.errors import ImportRefused
from annotation.importers.formats import open_import
from annotation.importers.limits import ImportLimits
from annotation.importers.reading import BATCH_ROWS, batches_of
from annotation.imports import process
from annotation.imports.process import Request, reading
from tests.annotation.imports.test_actions import item_row, write_items

LIMITS = ImportLimits()


def go_on() -> None:
    pass


def large_file(folder: Path, rows: int = 6_000) -> Path:
    path = write_items(folder / "a.jsonl", [item_row(n) for n in range(rows)])
    with path.open("ab") as file:
        file.write(b" " * 900_000 + b"\n" + b" " * 900_000 + b"\n")
    assert path.stat().st_size > process.SMALL_BYTES
    return path


def child_of_this_process() -> int:
    text = Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii")
    (child,) = (
        int(pid)
        for pid in text.split()
        if b"annotation.imports.process" in Path(f"/proc/{pid}/cmdline").read_bytes()
    )
    return child


def test_rows_from_the_process_are_those_that_the_importer_gives(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        item_row(n)
        | {"translation_question": "དྲི་བ།", "translation_options": ["ཀ", "ཁ"], "system": "mt"}
        | {"note": n, "year": "1999", "level": "2", "category": "c", "explanation": "because"}
        for n in range(700)
    ]
    rows[3]["key"] = "Z"
    rows[4].pop("translation_question")
    rows[4].pop("translation_options")
    path = write_items(tmp_path / "a.jsonl", rows)
    with path.open("ab") as file:
        file.write(b" " * process.SMALL_BYTES)
    here = open_import(path)
    with reading(Request(path, None, None, LIMITS), go_on) as opened:
        child_of_this_process()
        assert (opened.format, opened.files) == (here.format, here.files)
        found = list(opened.rows)
    assert found == list(here.rows)
    assert {type(row) for row in found} == {SourceRow, RowError}


def test_translations_come_with_their_marks(tmp_path: Path) -> None:
    line = '{"loc": "arts%d", "polished_ti_content": "དྲི་བ། no options", "answer": "A"}\n'
    path = tmp_path / "arts.jsonl"
    path.write_text("".join(line % n for n in range(12_000)), "utf-8")
    with reading(Request(path, "ti_mmlu", None, LIMITS), go_on) as opened:
        first = next(opened.rows)
    assert isinstance(first, TranslationRow)
    assert first == next(open_import(path, "ti_mmlu").rows)
    assert first.marks


def test_process_that_dies_makes_a_refusal_that_names_the_file(tmp_path: Path) -> None:
    with reading(Request(large_file(tmp_path), None, None, LIMITS), go_on) as opened:
        next(opened.rows)
        os.kill(child_of_this_process(), signal.SIGSEGV)
        with pytest.raises(ImportRefused) as refused:
            list(opened.rows)
    assert (refused.value.code, refused.value.data) == ("reading_failed", {"file": "a.jsonl"})


def test_process_that_the_system_kills_was_out_of_memory(tmp_path: Path) -> None:
    with reading(Request(large_file(tmp_path), None, None, LIMITS), go_on) as opened:
        next(opened.rows)
        os.kill(child_of_this_process(), signal.SIGKILL)
        with pytest.raises(ImportRefused) as refused:
            list(opened.rows)
    assert refused.value.code == "too_much_memory"


def test_process_that_hangs_makes_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with reading(Request(large_file(tmp_path), None, None, LIMITS), go_on) as opened:
        os.kill(child_of_this_process(), signal.SIGSTOP)
        monkeypatch.setattr(process, "STALL_SECONDS", 0.2)
        with pytest.raises(ImportRefused) as refused:
            list(opened.rows)
    assert refused.value.code == "reading_stalled"


def test_whoever_waits_for_rows_can_end_the_reading(tmp_path: Path) -> None:
    class Cancelled(Exception):
        pass

    def cancel() -> None:
        if is_cancelled:
            raise Cancelled

    is_cancelled = False
    with (
        pytest.raises(Cancelled),
        reading(Request(large_file(tmp_path), None, None, LIMITS), cancel) as opened,
    ):
        child = child_of_this_process()
        os.kill(child, signal.SIGSTOP)
        is_cancelled = True
        list(opened.rows)
    assert not Path(f"/proc/{child}").exists()


def test_process_ends_with_the_block_though_rows_are_left(tmp_path: Path) -> None:
    with reading(Request(large_file(tmp_path), None, None, LIMITS), go_on) as opened:
        next(opened.rows)
        child = child_of_this_process()
    assert not Path(f"/proc/{child}").exists()


def test_small_text_file_is_read_without_a_process(tmp_path: Path) -> None:
    path = write_items(tmp_path / "a.jsonl", [item_row(0)])
    with reading(Request(path, None, None, LIMITS), go_on) as opened:
        with pytest.raises(ValueError, match="not enough"):
            child_of_this_process()
        assert [type(row) for row in opened.rows] == [SourceRow]


def test_file_that_needs_more_memory_than_the_setting_is_refused(tmp_path: Path) -> None:
    limits = ImportLimits(memory_bytes=25_000_000)
    path = tmp_path / "a.json"
    path.write_text("[" + "1000," * 3_000_000 + "1]")
    with (
        pytest.raises(ImportRefused) as refused,
        reading(Request(path, None, None, limits), go_on) as opened,
    ):
        list(opened.rows)
    assert (refused.value.code, refused.value.data) == ("too_much_memory", {"file": "a.json"})


def test_batches_are_short_where_rows_are_long(tmp_path: Path) -> None:
    path = write_items(
        tmp_path / "a.jsonl",
        [item_row(n) | {"question": "x" * (900_000 if n < 7 else 10)} for n in range(600)],
    )

    def sizes(rows: Iterator[Row]) -> list[int]:
        return [len(batch) for batch in batches_of(rows)]

    assert sizes(open_import(path).rows) == [3, 3, BATCH_ROWS, 94]
