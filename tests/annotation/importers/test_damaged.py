"""Whatever stands in a file, an importer gives rows or refuses in words: no other error, no hang."""

import json
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.importers.base import RowError, SourceRow, TranslationRow
from annotation.importers.errors import ImportRefused
from annotation.importers.formats import FORMATS, open_import
from annotation.importers.labels import describe
from annotation.imports.process import refusals_of
from tests.annotation.importers.test_published import (
    BELEBELE,
    CHOICES,
    EXPECTED,
    GLOBAL,
    HF,
    PRO,
    SAFETY,
    TMLU,
)

quickly = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
ROWS: tuple[dict[str, Any], ...] = (
    HF,
    GLOBAL,
    PRO,
    TMLU,
    BELEBELE,
    SAFETY,
    {"choices": CHOICES, "answerKey": "B"},
    {"question": "Q", "answer": "8"},
    {"uid": "1", "subject": "s", "question": "Q", "options": ["a", "b"], "key": "A"},
    {"loc": "law0", "polished_ti_content": "དྲི།\nA. ཀ\nB. ཁ\nC. ག\nD. ང", "answer": "A"},
)
NAMES = sorted({name for row in ROWS for name in row} | {"A", "Question", "", "option_k", "ID "})
cells = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["label", "text", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
tables = st.lists(st.dictionaries(st.sampled_from(NAMES), cells, max_size=9), max_size=4)
mutations = st.lists(
    st.tuples(st.integers(0, 10**6), st.binary(min_size=0, max_size=4)), min_size=1, max_size=4
)


def read_or_refuse(path: Path, **options: Any) -> list[Any]:
    """Read everything; each refusal must have words."""
    try:
        with refusals_of(path):
            rows = list(open_import(path, **options).rows)
    except ImportRefused as refusal:
        describe(refusal.code, refusal.data)  # raises without words
        return []
    for row in rows:
        assert isinstance(row, SourceRow | TranslationRow | RowError)
        if isinstance(row, RowError):
            assert describe(row.code, row.data)
        if isinstance(row, SourceRow) and row.kind == "choice":
            assert row.key in "ABCDEFGHIJ"[: len(row.options)]
    return rows


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
@given(table=tables)
@quickly
def test_any_cells_in_any_columns_are_read_or_refused(
    tmp_path: Path, suffix: str, table: list[dict[str, Any]]
) -> None:
    path = tmp_path / f"law_test{suffix}"
    lines = "\n".join(map(json.dumps, table))
    path.write_text(json.dumps(table) if suffix == ".json" else lines, "utf-8")
    for name in (None, *FORMATS):
        read_or_refuse(path, format=name)


@given(header=st.lists(st.sampled_from([*NAMES, *"ABab"]), max_size=8), body=st.text(max_size=80))
@quickly
def test_any_header_is_read_or_refused(tmp_path: Path, header: list[str], body: str) -> None:
    path = tmp_path / "law_test.csv"
    for sign in ",;\t|":
        path.write_text(f"{sign.join(header)}\n{body}", "utf-8", errors="replace")
        read_or_refuse(path)


@pytest.fixture(scope="module")
def sound_files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A sound file of each kind."""
    folder = tmp_path_factory.mktemp("sound")
    rows = [row for _name, row, _expected in EXPECTED.values()]
    paths = [folder / name for name in ("a.jsonl", "b.json", "c.csv", "d.xlsx", "e.parquet")]
    paths[0].write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    paths[1].write_text(json.dumps([rows[0]], ensure_ascii=False), "utf-8")
    paths[2].write_text(",Question,A,B,C,D,Answer\n0,q,a,b,c,d,A\n1,q,a,b,c,d,B\n", "utf-8")
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["", "Question", "A", "B", "C", "D", "Answer"])  # type: ignore[union-attr]
    sheet.append([0, "q", "a", "b", "c", "d", "A"])  # type: ignore[union-attr]
    book.save(paths[3])
    pq.write_table(pa.Table.from_pylist([rows[0]]), paths[4])
    return paths


@given(changes=mutations)
@quickly
def test_bytes_that_changed_are_read_or_refused(
    tmp_path: Path, sound_files: list[Path], changes: list[tuple[int, bytes]]
) -> None:
    for path in sound_files[:4]:
        read_or_refuse(damaged(path, changes, tmp_path))


@given(changes=mutations)
@settings(quickly, max_examples=8)  # each footer is looked at in a process of its own
def test_parquet_of_which_bytes_changed_is_read_or_refused(
    tmp_path: Path, sound_files: list[Path], changes: list[tuple[int, bytes]]
) -> None:
    read_or_refuse(damaged(sound_files[4], changes, tmp_path))


def damaged(path: Path, changes: list[tuple[int, bytes]], folder: Path) -> Path:
    """Write a copy of the file with those bytes put in at those places."""
    content = path.read_bytes()
    for place, put in changes:
        at = place % (len(content) + 1)
        content = content[:at] + put + content[at + len(put) or at + 1 :]
    copy = folder / f"damaged{path.suffix}"
    copy.write_bytes(content)
    return copy


def test_footer_over_which_arrow_ends_the_process_is_refused(
    tmp_path: Path, sound_files: list[Path]
) -> None:
    """A column that may be empty is called required, and its counts of levels no longer fit."""
    sound = sound_files[4].read_bytes()
    path = tmp_path / "damaged.parquet"
    path.write_bytes(sound.replace(b"\x25\x02\x18", b"\x25\x00\x18"))
    assert path.read_bytes() != sound
    with pytest.raises(ImportRefused, match="not_parquet"):
        list(open_import(path).rows)


def test_footer_that_is_too_long_is_refused_before_it_is_read(
    tmp_path: Path, sound_files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.importers.parquet_footers._MOST_BYTES", 10)
    path = tmp_path / "sound.parquet"
    path.write_bytes(sound_files[4].read_bytes())
    with pytest.raises(ImportRefused, match="not_parquet"):
        list(open_import(path).rows)
