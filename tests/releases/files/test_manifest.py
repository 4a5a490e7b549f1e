"""The manifest's bytes and the canary."""

import json

import pytest

from releases.files.manifest import (
    Counts,
    ReleaseFacts,
    SubjectCount,
    WrittenFile,
    canary_string,
    json_document,
    json_line,
    manifest_bytes,
)

FACTS = ReleaseFacts(
    project="ti",
    name="བོད་",
    version="0.1.0",
    source_language="zh",
    target_language="bo",
    seed=3,
    dev_per_subject=5,
    black_box_share=0.1,
    formats=("csv", "jsonl"),
    notes="",
    canary="c",
    software_version="0.1.0",
    counts=Counts(2, 1, 1, 2, 0, (SubjectCount("a", "A", "", 1, 1, 0),)),
    sources=(),
)
FILES = (
    WrittenFile("b.csv", "text/csv", "b" * 64, 2, 1),
    WrittenFile("a.csv", "text/csv", "a" * 64, 1, None),
)


def test_manifest_bytes_in_any_order_of_files_are_the_same() -> None:
    assert manifest_bytes(FACTS, FILES) == manifest_bytes(FACTS, reversed(FILES))


def test_manifest_bytes_name_every_file_and_the_software() -> None:
    body = json.loads(manifest_bytes(FACTS, FILES))
    assert [file["name"] for file in body["artifacts"]] == ["a.csv", "b.csv"]
    assert body["software"] == {"name": "lotsawa", "version": "0.1.0"}
    assert body["counts"]["subjects"][0]["slug"] == "a"
    assert body["seed"] == 3


def test_canary_string_depends_on_each_part_and_on_nothing_else() -> None:
    base = canary_string(project="ti", version="1.0.0", seed=1)
    assert canary_string(project="ti", version="1.0.0", seed=1) == base
    others = {
        canary_string(project="tj", version="1.0.0", seed=1),
        canary_string(project="ti", version="1.0.1", seed=1),
        canary_string(project="ti", version="1.0.0", seed=2),
    }
    assert len(others - {base}) == 3


def test_json_document_is_sorted_utf8_with_one_newline_at_the_end() -> None:
    assert json_document({"b": "ཀ", "a": 1}) == '{\n  "a": 1,\n  "b": "ཀ"\n}\n'.encode()


def test_json_document_with_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="Out of range"):
        json_document({"a": float("nan")})


def test_json_line_with_line_separators_stays_one_line() -> None:
    text = "a\nb\u2028c\u2029d\x85e\r"
    line = json_line({"t": text})
    assert line.splitlines() == [line.rstrip("\n")]
    assert json.loads(line) == {"t": text}
