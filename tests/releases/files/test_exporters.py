"""The rows of each format, and what spreadsheets may not do with them."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from pyarrow import parquet

from common.csv_cells import defuse
from releases.files.exporters import (
    FORMATS,
    OutputFolder,
    card,
    csv_tables,
    data_files,
    export_all,
    jsonl,
)
from releases.files.exporters.base import (
    HiddenItem,
    ReleaseContent,
    ReleasedItem,
    Row,
    configuration_name,
    file_stem,
)
from releases.files.exporters.card_sections import cell
from releases.files.manifest import ReleaseFacts, SourceNote, WrittenFile, json_line
from tests.releases.builders import sha256_of
from tests.releases.files.test_manifest import FACTS

ADDRESS = "https://bench.example.org/releases/ti/0.1.0/"
ROWS = (
    Row("a/dev", "a", "dev", "དཔེ།", ("ཀ", "ཁ"), 1, "因为"),
    Row(
        *("a/1", "a", "test", '=1+1\n"q"', ("-5", "@x", "a,b"), 0, ""),
        *("Law", "2", "2020", "choice", "1?", ("x", "y"), ("a/1",)),
    ),
)
ABOUT = {
    "category": "Law",
    "level": "2",
    "year": "2020",
    "kind": "choice",
    "split": "test",
    "source_question": "1?",
    "source_choices": ["x", "y"],
    "source_ids": ["a/1"],
}
NO_REFERENCES = dict.fromkeys(
    ("reference", "source_reference", "source_explanation", "direction"), ""
)
LEDGER = json_line(
    {
        "id": "a/1",
        "subject": "a",
        "split": "test",
        "subset": "open",
        "option_count": 3,
        "source": "S",
        "source_revision": "",
        "system": "mt",
        "origin": "mt",
        "revisions": 1,
        "rounds": [],
        "outcome": "approved",
        "is_adjudicated": False,
        "reviewers": [],
        "key_changes": [],
        "dismissed_findings": [],
    }
)


def told(rows: Iterable[Row]) -> Iterator[ReleasedItem]:
    """Rows with a line of a ledger each."""
    return (ReleasedItem(LEDGER, row) for row in rows)


def every_item() -> Iterator[ReleasedItem]:
    yield from told(ROWS)
    yield ReleasedItem(LEDGER, HiddenItem("a/2", "a", 4))


CONTENT = ReleaseContent(
    facts=FACTS,
    formats=tuple(FORMATS.values()),
    quality={"stages": []},
    items=every_item,
)


def export(content: ReleaseContent, path: Path) -> dict[str, bytes]:
    """The files of a release by name."""
    folder = OutputFolder(path)
    export_all(content, folder)
    return {file.name: folder.path_of(file.name).read_bytes() for file in folder.files}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return export(CONTENT, tmp_path_factory.mktemp("release"))


def test_export_all_names_each_file_once(files: dict[str, bytes]) -> None:
    assert sorted(files) == [
        "CITATION.cff",
        "README.md",
        "SHA256SUMS",
        "black_box.jsonl",
        "croissant.json",
        "csv/dev/a.csv",
        "csv/test/a.csv",
        "inspect/ti.py",
        "jsonl/dev/a.jsonl",
        "jsonl/test/a.jsonl",
        "ledger.jsonl",
        "lm_eval/_gen_yaml",
        "lm_eval/_mc_yaml",
        "lm_eval/_ti_gen.yaml",
        "lm_eval/_ti_mc.yaml",
        "lm_eval/ti_gen_a.yaml",
        "lm_eval/ti_mc_a.yaml",
        "lm_eval/utils.py",
        "manifest.json",
        "parquet/dev/a.parquet",
        "parquet/test/a.parquet",
        "quality.json",
    ]


def front_matter(facts: ReleaseFacts = FACTS) -> Any:
    with TemporaryDirectory() as path:
        folder = OutputFolder(Path(path))
        data_files.export(ROWS, replace(CONTENT, formats=(jsonl.FORMAT,)), folder)
        card.export(replace(CONTENT, facts=facts), folder)
        text = folder.path_of("README.md").read_text()
    return yaml.safe_load(text.split("---\n")[1])


def test_card_is_headed_by_what_dataset_loaders_read() -> None:
    found = front_matter()
    features = found["configs"][0]["features"]
    assert found == {
        "pretty_name": FACTS.name,
        "language": ["bo"],
        "license": "other",
        "license_name": "not stated",
        "task_categories": ["question-answering"],
        "task_ids": ["multiple-choice-qa"],
        "size_categories": ["n<1K"],
        "configs": [
            {
                "config_name": "default",
                "default": True,
                "features": features,
                "data_files": [
                    {"split": "dev", "path": "jsonl/dev/*.jsonl"},
                    {"split": "test", "path": "jsonl/test/*.jsonl"},
                ],
            },
            {
                "config_name": "a",
                "features": features,
                "data_files": [
                    {"split": "dev", "path": "jsonl/dev/a.jsonl"},
                    {"split": "test", "path": "jsonl/test/a.jsonl"},
                ],
            },
        ],
    }


def test_card_is_headed_by_yaml_whatever_the_project_is_called() -> None:
    name = 'a: "{b}" \x7f\x85 \u2028 \ufffe#'
    assert front_matter(replace(FACTS, name=name))["pretty_name"] == name


@pytest.mark.parametrize(
    "text",
    ["C++ <templates>", "<!-- all of it", "a|b", "a\\|b", "\\<b>", "&lt; or &#60;", "Q&A", "a\\b"],
)
def test_cell_shows_the_whole_of_a_text(text: str) -> None:
    table = f"| {cell(text)} | 1 |\n|---|---|\n| a | b |\n"
    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(table)
    assert f"<th>{escape(text, quote=False)}</th>\n<th>1</th>" in shown


def test_card_points_loaders_to_the_files_that_have_types() -> None:
    """They guess the types of JSONL and CSV, and take years such as 2019-06-01 for times."""
    files = [
        WrittenFile(f"{name}/test/a.{name}", "", "", 1, 1) for name in ("csv", "jsonl", "parquet")
    ]
    facts = replace(FACTS, formats=("csv", "jsonl", "parquet"))
    text = card.card_text(facts, (), {}, files)
    told = yaml.safe_load(text.split("---\n")[1])["configs"]
    paths = [each["path"] for config in told for each in config["data_files"]]
    assert paths == ["parquet/test/*.parquet", "parquet/test/a.parquet"]


def test_card_tells_loaders_the_types_of_what_has_none() -> None:
    files = [WrittenFile(f"{name}/test/a.{name}", "", "", 1, 1) for name in ("csv", "jsonl")]
    jsonl_config, csv_config = (
        yaml.safe_load(
            card.card_text(replace(FACTS, formats=(name,)), (), {}, files).split("---\n")[1]
        )["configs"][1]
        for name in ("jsonl", "csv")
    )
    columns = {each.pop("name"): each for each in jsonl_config["features"]}
    assert list(columns) == [*Row._fields, "canary"]
    assert columns["answer"] == {"dtype": "int8"}
    assert columns["choices"] == {"sequence": "string"}
    assert columns["year"] == {"dtype": "string"}
    assert [each["name"] for each in csv_config["features"]] == list(csv_tables.columns({}))
    assert {each["dtype"] for each in csv_config["features"]} == {"string"}
    assert csv_config["keep_default_na"] is False


def test_every_subject_has_a_configuration_of_its_own() -> None:
    stems = ("default", "default-subject", "default-subject-subject", "a", "a-subject")
    names = {configuration_name(stem) for stem in stems}
    assert len(names | {"default"}) == len(stems) + 1


def test_card_calls_a_licence_other_only_with_its_name_and_a_link() -> None:
    source = SourceNote("s", "1", "https://example.org/s", "Their own", "", "0" * 64)
    found = front_matter(replace(FACTS, sources=(source,)))
    assert {name: value for name, value in found.items() if name.startswith("license")} == {
        "license": "other",
        "license_name": "Their own",
        "license_link": "https://example.org/s",
    }


def other(name: str) -> dict[str, str]:
    return {"license": "other", "license_name": name, "license_link": ADDRESS}


@pytest.mark.parametrize(
    ("licences", "told"),
    [
        (("MIT",), {"license": "mit"}),
        (("CC BY-NC 4.0",), {"license": "cc-by-nc-4.0"}),
        (("ODbL-1.0",), {"license": "odbl"}),
        (("CC BY 4.0", "cc-by-4.0"), {"license": "cc-by-4.0"}),
        (("MIT", "mit"), {"license": "mit"}),
        (("GPL-3.0-only", "gpl-3.0"), {"license": "gpl-3.0"}),
        (("GPL-3.0-only", "GPL-3.0-or-later"), {"license": "gpl-3.0"}),
        (("MIT", "mit", "Apache-2.0"), other("Apache-2.0 and MIT")),
        (("MIT (modified)",), other("MIT (modified)")),
        (("MIT", "Apache-2.0"), other("Apache-2.0 and MIT")),
        (("MIT", ""), other("MIT and not stated")),
        (("",), other("not stated")),
        ((), other("not stated")),
    ],
)
def test_card_always_has_a_licence_that_holds_for_every_source(
    licences: tuple[str, ...], told: dict[str, str]
) -> None:
    sources = tuple(SourceNote("s", "1", "", licence, "", "0" * 64) for licence in licences)
    found = front_matter(replace(FACTS, sources=sources, address=ADDRESS))
    assert {name: value for name, value in found.items() if name.startswith("license")} == told


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40))
def test_card_of_any_name_is_read_back(name: str) -> None:
    found = front_matter(replace(FACTS, name=name))
    assert found["pretty_name"] == name


def test_jsonl_row_has_the_published_shape_and_exact_text(files: dict[str, bytes]) -> None:
    assert json.loads(files["jsonl/test/a.jsonl"]) == {
        "id": "a/1",
        "subject": "a",
        "question": '=1+1\n"q"',
        "choices": ["-5", "@x", "a,b"],
        "answer": 0,
        "explanation": "",
        **ABOUT,
        **NO_REFERENCES,
        "canary": "c",
    }


def test_csv_row_has_letters_for_options_and_key_and_no_cell_runs(files: dict[str, bytes]) -> None:
    rows = list(csv.reader(io.StringIO(files["csv/test/a.csv"].decode())))
    assert rows == [
        list(csv_tables.columns({})),
        ["a/1", "a", '\'=1+1\n"q"', "-5", "'@x", "a,b", "", "", "", "A", "", "Law", "2"]
        + ["2020", "choice", "test", "1?", "x", "y", "", "", "", "", "a/1", "", "", "", "", "c"],
    ]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["a,b", '"', "line\nend", "carriage\rreturn", "\r\n", "\u2028", "=1", "ཀ་ཁ"]
)


@given(st.lists(TEXTS, min_size=23, max_size=23), st.integers(0, 5))
def test_rows_of_any_text_are_read_back_by_the_json_and_csv_modules(
    texts: list[str], answer: int
) -> None:
    row = Row(
        *(texts[0], "a", "test", texts[1], texts[2:8], answer),
        *(*texts[8:12], "choice", texts[12], texts[13:19], (texts[0],), *texts[19:23]),
    )
    content = replace(CONTENT, formats=(jsonl.FORMAT, csv_tables.FORMAT), items=lambda: told([row]))
    with TemporaryDirectory() as path:
        written = export(content, Path(path))
    line = written["jsonl/test/a.jsonl"].decode()
    assert len(line.splitlines()) == 1
    assert json.loads(line) == {
        "id": texts[0],
        "subject": "a",
        "question": texts[1],
        "choices": texts[2:8],
        "answer": answer,
        "explanation": texts[8],
        "category": texts[9],
        "level": texts[10],
        "year": texts[11],
        "kind": "choice",
        "split": "test",
        "source_question": texts[12],
        "source_choices": texts[13:19],
        "source_ids": [texts[0]],
        "reference": texts[19],
        "source_reference": texts[20],
        "source_explanation": texts[21],
        "direction": texts[22],
        "canary": "c",
    }
    table = io.StringIO(written["csv/test/a.csv"].decode(), newline="")
    cells = [texts[0], "a", *texts[1:8], "ABCDEF"[answer], *texts[8:12], "choice", "test"]
    cells += [*texts[12:19], texts[0], *texts[19:23], "c"]
    assert list(csv.reader(table))[1] == [defuse(cell) for cell in cells]


@pytest.mark.parametrize("at_once", [1, 2])
def test_files_have_the_same_bytes_however_the_rows_are_divided(
    at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [ROWS[1]._replace(id=f"a/{n}") for n in range(5)]
    content = replace(CONTENT, items=lambda: told(rows))
    monkeypatch.setattr("releases.files.exporters.parquet.ROWS_PER_GROUP", 2)
    whole = export(content, tmp_path / "whole")
    monkeypatch.setattr(data_files, "ROWS_AT_ONCE", at_once)
    assert export(content, tmp_path / "divided") == whole
    assert parquet.ParquetFile(io.BytesIO(whole["parquet/test/a.parquet"])).num_row_groups == 3


def test_parquet_rows_are_those_of_jsonl(files: dict[str, bytes]) -> None:
    for split in ("dev", "test"):
        table = parquet.read_table(io.BytesIO(files[f"parquet/{split}/a.parquet"]))
        lines = files[f"jsonl/{split}/a.jsonl"].splitlines()
        assert table.to_pylist() == [json.loads(line) for line in lines]


def test_exports_of_the_same_content_have_the_same_bytes(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    assert export(CONTENT, tmp_path) == files


def test_description_sees_name_size_rows_and_hash_of_every_data_file(tmp_path: Path) -> None:
    folder = OutputFolder(tmp_path)
    data_files.export(ROWS, replace(CONTENT, formats=(jsonl.FORMAT,)), folder)
    data = (tmp_path / "jsonl/dev/a.jsonl").read_bytes()
    seen = folder.files[0]
    assert (seen.name, seen.size, seen.row_count) == ("jsonl/dev/a.jsonl", len(data), 1)
    assert seen.sha256 == sha256_of(data)


def test_output_folder_refuses_a_second_file_of_one_name(tmp_path: Path) -> None:
    folder = OutputFolder(tmp_path)
    folder.add_bytes("a/b.txt", b"1", media_type="text/plain")
    with pytest.raises(FileExistsError):
        folder.add_bytes("a/b.txt", b"2", media_type="text/plain")


def test_checksums_list_every_other_file(files: dict[str, bytes]) -> None:
    lines = [line.split("  ") for line in files["SHA256SUMS"].decode().splitlines()]
    others = sorted(set(files) - {"SHA256SUMS"})
    assert lines == [[sha256_of(files[name]), name] for name in others]


def test_black_box_listing_has_uid_subject_and_option_count_only(files: dict[str, bytes]) -> None:
    assert json.loads(files["black_box.jsonl"]) == {
        "id": "a/2",
        "subject": "a",
        "option_count": 4,
    }


def test_file_stem_of_a_plain_slug_is_the_slug() -> None:
    assert file_stem("world_history") == "world_history"


@pytest.mark.parametrize(
    "slug", ["../x", "a/b", "Art", "བོད", "", ".hidden", "a b", "x" * 200, "con", "nul.x"]
)
def test_file_stem_of_any_other_subject_is_plain_and_its_own(slug: str) -> None:
    stem = file_stem(slug)
    assert stem.isascii()
    assert not set(stem) & set("/\\ ")
    assert not stem.startswith(".")
    assert len(stem) <= 80
    assert stem.partition(".")[0] not in {"con", "nul"}  # devices on Windows
    assert file_stem(f"{slug}x") != stem
