"""The layouts of CMMLU and Ti-MMLU, read again by our importers."""

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.importers.base import RowError, SourceRow, TranslationRow
from annotation.importers.formats import open_import
from releases.files.exporters import cmmlu, ti_mmlu
from releases.files.exporters.base import Row
from releases.files.exporters.numbering import BEYOND_NUMBERED, RowNumbers
from tests.releases.files.test_exporters import CONTENT, export, told

FOUR = ("ཆུ། ", "མེ།", "-3", "=1+1")
ROWS = (
    Row("law/dev/4", "law", "dev", "དཔེ་མཚོན་གྱི་དྲི་བ།", FOUR, 1, ""),
    Row("law/12", "law", "test", 'གང་ཞིག་རེད།\n"་"་དང་,', FOUR, 3, ""),
    Row("law/3", "law", "test", "མི་ཚེ་གང་འདྲ་རེད།", FOUR, 0, ""),
    Row("safety/9", "safety", "test", "འདི་བདེན་ནམ།", ("བདེན།", "མ་བདེན།"), 0, ""),
)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    formats = (cmmlu.FORMAT, ti_mmlu.FORMAT)
    export(replace(CONTENT, formats=formats, items=lambda: told(ROWS)), tmp_path)
    return tmp_path


def read(name: str, folder: Path) -> list[SourceRow | TranslationRow]:
    rows = list(open_import(folder, name).rows)
    assert not [row for row in rows if isinstance(row, RowError)]
    return rows


def texts(rows: Iterable[Row]) -> dict[str, tuple[str, tuple[str, ...], str]]:
    """What the layouts must hold: items with four options, outer white space aside."""
    return {
        row.id: (row.question, tuple(each.strip() for each in row.choices), "ABCD"[row.answer])
        for row in rows
        if len(row.choices) == 4
    }


@pytest.mark.parametrize(
    ("name", "folders"), [("cmmlu", ["cmmlu"]), ("ti_mmlu", ["ti_mmlu", "ti_mmlu_5shot"])]
)
def test_our_importer_reads_the_layout_as_the_same_items(
    release: Path, name: str, folders: list[str]
) -> None:
    found = {}
    for folder in folders:
        for row in read(name, release / folder):
            options = tuple(each.strip() for each in row.options)
            found[row.uid] = (row.question, options, row.key)
    assert found == texts(ROWS)


ODD = (
    ("གང་ཞིག་རེད།\n", FOUR),
    (" གང་ཞིག་རེད།", FOUR),
    ("གང་ཞིག་རེད།", ("\tཆུ།", "མེ།", "ས།", "རླུང་།")),
    ("གང་ཞིག་རེད།", ("ཆུ།", "མེ།", "ས།", "རླུང་། \n")),
    ("གང་ཞིག་རེད།\nA. གཅིག\nB. གཉིས", FOUR),
    ("གང་ཞིག་རེད།\nA. ཀ\nB. ཁ\nC. ག\nD. ང", FOUR),
    ("གང་ཞིག་རེད།", ("ཆུ།", "མེ།\nC. ས།", "ས།", "རླུང་།")),
)


@pytest.mark.parametrize(("question", "options"), ODD)
@pytest.mark.parametrize("name", ["cmmlu", "ti_mmlu"])
def test_odd_texts_come_back_to_the_letter(
    name: str, question: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    rows = [Row("law/1", "law", "test", question, options, 2, ""), ROWS[2]]
    formats = ({"cmmlu": cmmlu, "ti_mmlu": ti_mmlu}[name].FORMAT,)
    export(replace(CONTENT, formats=formats, items=lambda: told(rows)), tmp_path)
    found = {row.uid: row for row in read(name, tmp_path / name)}["law/1"]
    assert (found.question, found.options, found.key) == (question, options, "C")


def test_ti_mmlu_lists_options_only_where_the_text_leaves_doubt(tmp_path: Path) -> None:
    plain = ("ཆུ།", "མེ།", "ས།", "རླུང་།")
    texts = ("གང་ཞིག་རེད།", "གང་ཞིག་རེད།\n", "Vitamin A དང་ B གང་རེད།")
    rows = [Row(f"law/{n}", "law", "test", text, plain, 0, "") for n, text in enumerate(texts)]
    export(replace(CONTENT, formats=(ti_mmlu.FORMAT,), items=lambda: told(rows)), tmp_path)
    lines = (tmp_path / "ti_mmlu/law.jsonl").read_text(encoding="utf-8").splitlines()
    listed = [json.loads(line).get("options") for line in lines]
    assert listed == [None, list(plain), None]


def test_options_that_do_not_fit_the_text_are_not_believed(tmp_path: Path) -> None:
    row = {
        "loc": "law1", "polished_ti_content": "དྲི།\nA. 1\nB. 2\nC. 3\nD. 4", "answer": "A",
        "options": ["1", "2", "3", "5"],
    }  # fmt: skip
    (tmp_path / "ti_mmlu").mkdir()
    (tmp_path / "ti_mmlu/law.jsonl").write_text(json.dumps(row), encoding="utf-8")
    (found,) = read("ti_mmlu", tmp_path / "ti_mmlu")
    assert found.options == ("1", "2", "3", "4")


def test_cmmlu_is_read_by_position_as_its_scripts_do(release: Path) -> None:
    text = (release / "cmmlu/test/law.csv").read_text(encoding="utf-8")
    header, first, second = csv.reader(io.StringIO(text))
    assert header == ["", "Question", "A", "B", "C", "D", "Answer"]
    assert first == ["12", ROWS[1].question, *FOUR, "D"]
    assert second[0] == "3"


def test_ti_mmlu_carries_the_canary(release: Path) -> None:
    lines = (release / "ti_mmlu/law.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["canary"] for line in lines} == {CONTENT.facts.canary}


def test_subject_without_items_of_four_options_has_no_file(release: Path) -> None:
    assert sorted(path.name for path in release.rglob("*safety*")) == []


def numbers(*uids: str) -> list[int]:
    given = RowNumbers()
    return [given.number(Row(uid, "law", "test", "", (), 0, "")) for uid in uids]


def test_items_of_cmmlu_keep_their_number() -> None:
    assert numbers("law/12", "law/3", "law/dev/4") == [12, 3, 4]


def test_other_items_are_counted() -> None:
    assert numbers("q-a", "q-b", "law/0") == [0, 1, 2]


def test_item_without_number_among_others_takes_nobodys() -> None:
    assert numbers("law/0", "new", "law/1", "newer") == [0, BEYOND_NUMBERED, 1, BEYOND_NUMBERED + 1]


def test_number_that_is_taken_is_not_given_twice() -> None:
    assert numbers("law/1", "law/01") == [1, BEYOND_NUMBERED]
