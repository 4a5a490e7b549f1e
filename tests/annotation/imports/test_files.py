"""Which files an import reads, which it leaves out and why, and which columns they may have."""

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotation.importers.base import SourceRow
from annotation.importers.errors import ImportRefused
from annotation.importers.formats import FORMATS, open_import
from annotation.imports.opening import FileRefused
from annotation.imports.queries import layouts
from annotation.imports.reports import in_words
from annotation.models import Item, Revision
from projects.models import Project
from tests.annotation.imports.test_actions import item_row, run_import, write_items

CMMLU = ",Question,A,B,C,D,Answer\n0,问题,甲,乙,丙,丁,B\n1,另一个,1,2,3,4,D\n"
TI = {"loc": "arts0", "polished_ti_content": "དྲི།\nA. ཀ\nB. ཁ\nC. ག\nD. ང", "answer": "B"}


def mixed_archive(folder: Path) -> Path:
    path = folder / "benchmark.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("test/arts.csv", CMMLU)
        archive.writestr("ti/arts.jsonl", json.dumps(TI, ensure_ascii=False) + "\n")
        archive.writestr("README.md", "read me")
        archive.writestr("__MACOSX/arts.csv", "x")
    return path


def test_archive_with_two_formats_is_refused_and_names_both_and_the_way_out(
    project: Project, tmp_path: Path
) -> None:
    with pytest.raises(FileRefused) as refusal:
        run_import(project, mixed_archive(tmp_path))

    assert str(refusal.value) == (
        "benchmark.zip contains files in several formats: cmmlu (test/arts.csv), ti_mmlu "
        "(ti/arts.jsonl). Choose one of them as the format and import once for each: first the "
        "source items, then their translations."
    )


def test_report_lists_every_file_with_its_rows_or_the_reason_why_it_was_not_read(
    project: Project, tmp_path: Path
) -> None:
    path = mixed_archive(tmp_path)

    source = run_import(project, path, format="cmmlu")
    target = run_import(project, path, format="ti_mmlu")

    assert (source.imported, target.joined) == (2, 1)
    found = [
        (f["name"], f["format"], f["rows"], f["used"], f["reason"])
        for f in in_words(source.as_json())["files"]
    ]
    assert found == [
        ("test/arts.csv", "cmmlu", 2, True, ""),
        ("ti/arts.jsonl", "", 0, False, "The format cmmlu reads only .csv, .parquet, .xlsx files."),
        (
            "README.md",
            "",
            0,
            False,
            "Only .csv, .json, .jsonl, .ndjson, .parquet, .tsv, .xlsx files are read.",
        ),
        ("__MACOSX/arts.csv", "", 0, False, "Hidden files are not read."),
    ]


def test_files_of_another_format_with_the_same_ending_are_left_out_by_a_chosen_format(
    project: Project, tmp_path: Path
) -> None:
    folder = tmp_path / "both"
    folder.mkdir()
    write_items(folder / "items.jsonl", [item_row(0)])
    text = {"uid": "law/0", "system": "second", "question": "གཞན།", "options": [*"ཀཁགང"]}
    write_items(folder / "texts.jsonl", [text])

    items = run_import(project, folder, format="items")
    texts = run_import(project, folder, format="translations")

    assert (items.imported, items.joined, items.refused) == (1, 1, 0)
    assert (texts.imported, texts.joined, texts.refused) == (0, 1, 0)
    assert [f["code"] for f in texts.files] == ["other_format", ""]


def cmmlu_rows() -> list[dict[str, Any]]:
    rows = [["问题", "甲", "乙", "丙", "丁", "B"], ["另一个", 1, 2.5, "3", "4", "D"]]
    return [dict(zip(["Question", *"ABCD", "Answer"], row, strict=True)) for row in rows]


def write_xlsx(path: Path, *rows: list[Any]) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.worksheets[0].append(row)
    book.save(path)
    return path


def test_cmmlu_columns_in_xlsx_give_the_items_of_the_csv(tmp_path: Path) -> None:
    header = [None, "Question", *"ABCD", "Answer"]
    rows = [[n, *row.values()] for n, row in enumerate(cmmlu_rows())]
    path = write_xlsx(tmp_path / "arts.xlsx", header, *rows)

    opened = open_import(path)
    found = [row for row in opened.rows if isinstance(row, SourceRow)]

    assert opened.format == "cmmlu"
    assert [(row.uid, row.options, row.key) for row in found] == [
        ("arts/0", ("甲", "乙", "丙", "丁"), "B"),
        ("arts/1", ("1", "2.5", "3", "4"), "D"),
    ]


def test_cmmlu_columns_in_parquet_with_the_index_that_pandas_names(tmp_path: Path) -> None:
    rows = [
        {name: str(cell) for name, cell in row.items()} | {"__index_level_0__": n}
        for n, row in enumerate(cmmlu_rows())
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "arts.parquet")

    opened = open_import(tmp_path / "arts.parquet")

    assert opened.format == "cmmlu"
    assert [row.uid for row in opened.rows if isinstance(row, SourceRow)] == ["arts/0", "arts/1"]


def test_mmlu_columns_in_xlsx_are_read_without_a_header(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "law_test.xlsx", ["Which?", "a", "b", 3, "d", "C"])

    opened = open_import(path)

    assert opened.format == "mmlu"
    (row,) = opened.rows
    assert isinstance(row, SourceRow)
    assert (row.uid, row.options, row.key) == ("law/0", ("a", "b", "3", "d"), "C")


def test_every_format_says_which_columns_it_needs() -> None:
    found = {layout.name: layout for layout in layouts()}

    assert found.keys() == FORMATS.keys()
    assert all(layout.summary and layout.files and layout.required for layout in found.values())
    assert [name for name, _holds in found["items"].required] == [
        "uid",
        "subject",
        "question",
        "options / option_a … option_j",
        "key",
    ]


def test_member_of_an_archive_without_a_name_is_not_read(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "items.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo(""), "x")
        archive.writestr("a.jsonl", json.dumps(item_row(1)) + "\n")

    report = run_import(project, path)

    assert (report.imported, Item.objects.count()) == (1, 1)
    assert [file["used"] for file in report.files] == [True, False]


def test_sheet_with_one_row_far_below_the_others_is_refused_at_once(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", ["uid", "subject", "question", "key"])
    forged = tmp_path / "forged.xlsx"
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(forged, "w") as copy:
        for member in archive.infolist():
            content = archive.read(member)
            if member.filename == "xl/worksheets/sheet1.xml":
                row = b'<row r="10000000000000"><c t="n"><v>1</v></c></row></sheetData>'
                content = re.sub(rb"<dimension[^>]*/>", b"", content)
                content = content.replace(b"</sheetData>", row)
            copy.writestr(member.filename, content)

    with pytest.raises(ImportRefused) as refusal:
        list(open_import(forged, format="items").rows)

    assert refusal.value.code == "sheet_too_large"


def test_parquet_with_a_date_that_python_does_not_know_is_refused_in_words(tmp_path: Path) -> None:
    row = {"uid": "a", "subject": "a", "question": "q", "key": "A", "options": ["a", "b"]}
    table = pa.Table.from_pylist([row])
    far = pa.array([10_000_000], pa.int32()).cast(pa.date32())
    pq.write_table(table.append_column("day", far), tmp_path / "a.parquet")

    with pytest.raises(ImportRefused) as refusal:
        list(open_import(tmp_path / "a.parquet", format="items").rows)

    assert refusal.value.code == "date_out_of_range"


def test_items_that_ask_for_a_translation_are_their_own_text_whatever_their_direction(
    project: Project, tmp_path: Path
) -> None:
    """They waited for a translation that no job may make, so nobody could review or release them."""
    path = tmp_path / "translations.jsonl"
    rows = [
        {"uid": "a", "source": "西藏的首府是拉萨。", "reference": "ལྷ་ས།", "direction": "zh-bo"},
        {
            "uid": "b",
            "source": "ལྷ་ས་ནི་གྲོང་ཁྱེར་རེད།",
            "reference": "拉萨是城市。",
            "direction": "bo-zh",
        },
        {"uid": "c", "source": "破\ufffd损", "reference": "ཆག", "direction": "zh-bo"},
    ]
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows))

    found = run_import(project, path)

    assert (found.imported, found.joined, found.with_findings) == (3, 3, 1)
    texts = Revision.objects.filter(translation__item__project=project).order_by("pk")
    assert [(text.question, text.answer) for text in texts] == [
        (row["source"], row["reference"]) for row in rows
    ]
    assert [text.translation.item.uid for text in texts if text.findings.exists()] == ["c"]
