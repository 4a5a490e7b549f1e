"""The rows of each format, and what spreadsheets may not do with them."""

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from releases.exporters import export_all
from releases.exporters.base import (
    HiddenItem,
    LedgerEntry,
    ReleaseContent,
    RoundNote,
    Row,
    file_stem,
)
from releases.exporters.csv_tables import COLUMNS, defuse, restore
from releases.manifest import SourceNote
from tests.releases.test_manifest import FACTS

ROWS = (
    Row("a/dev", "a", "dev", "དཔེ།", ("ཀ", "ཁ"), 1, "因为"),
    Row("a/1", "a", "test", '=1+1\n"q"', ("-5", "@x", "a,b"), 0, ""),
)
LEDGER = LedgerEntry(
    id="a/1",
    subject="a",
    split="test",
    subset="open",
    source="CMMLU",
    source_revision="1",
    system="mt",
    origin="adjudicated",
    revisions=2,
    rounds=(
        RoundNote(1, "disputed", is_adjudicated=True, reviewers=("reviewer-1", "reviewer-2")),
        RoundNote(2, "approved", is_adjudicated=False, reviewers=("reviewer-2",)),
        RoundNote(3, "", is_adjudicated=False, reviewers=()),
    ),
)
CONTENT = ReleaseContent(
    facts=FACTS,
    rows=ROWS,
    hidden=(HiddenItem("a/2", "a", 4),),
    ledger=(LEDGER,),
    quality={"stages": []},
)


def texts() -> dict[str, str]:
    return {file.name: "".join(file.pieces) for file in export_all(CONTENT)}


def test_export_all_names_each_file_once() -> None:
    assert sorted(texts()) == [
        "README.md",
        "black_box.jsonl",
        "csv/dev/a.csv",
        "csv/test/a.csv",
        "jsonl/dev/a.jsonl",
        "jsonl/test/a.jsonl",
        "ledger.jsonl",
        "quality.json",
    ]


def front_matter(content: ReleaseContent = CONTENT) -> Any:
    (card,) = (file for file in export_all(content) if file.name == "README.md")
    return yaml.safe_load("".join(card.pieces).split("---\n")[1])


def test_card_is_headed_by_what_dataset_loaders_read() -> None:
    assert front_matter() == {
        "pretty_name": FACTS.name,
        "language": ["bo"],
        "task_categories": ["question-answering"],
        "task_ids": ["multiple-choice-qa"],
        "size_categories": ["n<1K"],
        "configs": [
            {
                "config_name": "default",
                "default": True,
                "data_files": [
                    {"split": "dev", "path": "jsonl/dev/*.jsonl"},
                    {"split": "test", "path": "jsonl/test/*.jsonl"},
                ],
            },
            {
                "config_name": "a",
                "data_files": [
                    {"split": "dev", "path": "jsonl/dev/a.jsonl"},
                    {"split": "test", "path": "jsonl/test/a.jsonl"},
                ],
            },
        ],
    }


@pytest.mark.parametrize(
    ("licences", "told"),
    [
        (("MIT",), {"license": "mit"}),
        (("CC BY-NC 4.0",), {"license": "other", "license_name": "CC BY-NC 4.0"}),
        (("MIT", "Apache-2.0"), {}),
        (("",), {}),
        ((), {}),
    ],
)
def test_card_names_the_licence_that_holds_for_every_source(
    licences: tuple[str, ...], told: dict[str, str]
) -> None:
    sources = tuple(SourceNote("s", "1", "", licence, "", "0" * 64) for licence in licences)
    found = front_matter(replace(CONTENT, facts=replace(FACTS, sources=sources)))
    assert {name: value for name, value in found.items() if name.startswith("license")} == told


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40))
def test_card_of_any_name_is_read_back(name: str) -> None:
    found = front_matter(replace(CONTENT, facts=replace(FACTS, name=name)))
    assert found["pretty_name"] == name


def test_jsonl_row_has_the_published_shape_and_exact_text() -> None:
    assert json.loads(texts()["jsonl/test/a.jsonl"]) == {
        "id": "a/1",
        "subject": "a",
        "question": '=1+1\n"q"',
        "choices": ["-5", "@x", "a,b"],
        "answer": 0,
        "explanation": "",
        "canary": "c",
    }


def test_csv_row_has_letters_for_options_and_key_and_no_cell_runs() -> None:
    rows = list(csv.reader(io.StringIO(texts()["csv/test/a.csv"])))
    assert rows == [
        list(COLUMNS),
        ["a/1", "a", '\'=1+1\n"q"', "'-5", "'@x", "a,b", "", "", "", "A", "", "c"],
    ]


def test_black_box_listing_has_uid_subject_and_option_count_only() -> None:
    assert json.loads(texts()["black_box.jsonl"]) == {
        "id": "a/2",
        "subject": "a",
        "option_count": 4,
    }


def test_ledger_line_sums_up_the_rounds() -> None:
    body = json.loads(texts()["ledger.jsonl"])
    summary = {name: body[name] for name in ("outcome", "is_adjudicated", "reviewers", "revisions")}
    assert summary == {
        "outcome": "approved",
        "is_adjudicated": True,
        "reviewers": ["reviewer-1", "reviewer-2"],
        "revisions": 2,
    }


@pytest.mark.parametrize(
    "cell", ["=1", "+1", "-1", "@a", "\tx", "\rx", "＝1", "＋1", "－1", "＠a", "'=1", "''+1"]
)
def test_defuse_of_what_a_spreadsheet_would_run_puts_an_apostrophe_before(cell: str) -> None:
    assert defuse(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "a=1", "1-2", "བོད", "'a", "$x$", "(−1)"])
def test_defuse_of_plain_text_leaves_it(cell: str) -> None:
    assert defuse(cell) == cell


@given(st.text(alphabet=st.sampled_from("'=+-@\t\ra1ཀ ")))
def test_restore_after_defuse_gives_the_text_back(cell: str) -> None:
    assert restore(defuse(cell)) == cell


def test_file_stem_of_a_plain_slug_is_the_slug() -> None:
    assert file_stem("world_history") == "world_history"


@pytest.mark.parametrize("slug", ["../x", "a/b", "Art", "བོད", "", ".hidden", "a b", "x" * 200])
def test_file_stem_of_any_other_subject_is_plain_and_its_own(slug: str) -> None:
    stem = file_stem(slug)
    assert stem.isascii()
    assert not set(stem) & set("/\\ ")
    assert not stem.startswith(".")
    assert len(stem) <= 80
    assert file_stem(f"{slug}x") != stem
