"""Any other table is read by a mapping; what the mapping does not say is never guessed."""

import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from annotation.importers.base import RowError, SourceRow
from annotation.importers.errors import ImportRefused
from annotation.importers.formats import open_import
from annotation.importers.labels import describe
from annotation.importers.mapped import ColumnMap, parse_map, written

TABLE = "Nr;Frage;a1;a2;a3;a4;Lösung;Thema\n7;Was? ;x;y;z;;{key};Recht\n"
MAP = "uid=nr,question=frage,options=a1:a4,key=lösung"


def table(folder: Path, key: str, name: str = "fragen.csv") -> Path:
    path = folder / name
    path.write_text(TABLE.format(key=key), "utf-8")
    return path


def only(path: Path, mapping: str) -> SourceRow | RowError:
    (row,) = open_import(path, mapping=mapping).rows
    assert isinstance(row, SourceRow | RowError)
    return row


def read(path: Path, mapping: str) -> SourceRow:
    row = only(path, mapping)
    assert isinstance(row, SourceRow)
    return row


def test_columns_are_found_in_any_case_and_the_rest_is_metadata(tmp_path: Path) -> None:
    found = read(table(tmp_path, "b"), MAP)
    assert (found.uid, found.subject, found.question) == ("7", "fragen", "Was? ")
    assert (found.options, found.key, found.metadata) == (("x", "y", "z"), "B", {"Thema": "Recht"})


@pytest.mark.parametrize(
    ("key", "key_as", "expected"),
    [
        ("C", "letter", "C"),
        ("0", "zero", "A"),
        ("2", "zero", "C"),
        ("1", "one", "A"),
        ("3", "one", "C"),
        (" z ", "text", "C"),
    ],
)
def test_key_names_an_option_in_four_ways(
    tmp_path: Path, key: str, key_as: str, expected: str
) -> None:
    assert read(table(tmp_path, key), f"{MAP},key_as={key_as}").key == expected


@pytest.mark.parametrize(
    ("key", "key_as", "code"),
    [
        ("D", "letter", "key_out_of_range"),
        ("2", "letter", "key_out_of_range"),
        ("3", "zero", "key_out_of_range"),
        ("0", "one", "key_out_of_range"),
        ("4", "one", "key_out_of_range"),
        ("A", "zero", "key_not_a_number"),
        ("w", "text", "key_is_no_option"),
        ("", "letter", "empty_text"),
    ],
)
def test_key_that_names_no_option_is_refused(
    tmp_path: Path, key: str, key_as: str, code: str
) -> None:
    found = only(table(tmp_path, key), f"{MAP},key_as={key_as}")
    assert isinstance(found, RowError)
    assert found.code == code
    assert describe(found.code, found.data)


@pytest.mark.parametrize(
    ("mapping", "code"),
    [
        ("question", "bad_map"),
        ("frage=question", "bad_map"),
        ("question=", "bad_map"),
        (f"{MAP},key_as=roman", "bad_map"),
        (f"{MAP},key=other", "bad_map"),
        ("question=frage,options=a1:a4", "map_incomplete"),
        ("question=frage,options=a1:b4,key=nr", "map_column_missing"),
        ("question=frage,options=a4:a1,key=nr", "map_column_missing"),
        ("question=text,options=a1:a4,key=nr", "map_column_missing"),
    ],
)
def test_mapping_that_does_not_fit_is_refused(tmp_path: Path, mapping: str, code: str) -> None:
    with pytest.raises(ImportRefused) as caught:
        only(table(tmp_path, "A"), mapping)
    assert caught.value.code == code
    assert describe(caught.value.code, caught.value.data)


@pytest.mark.parametrize(
    "choices",
    [
        ["x", "y"],
        [{"label": "A", "text": "x"}, {"label": "B", "text": "y"}],
        {"label": ["A", "B"], "text": ["x", "y"]},
        '["x", "y"]',
    ],
)
def test_options_may_be_a_list_in_any_of_the_usual_shapes(tmp_path: Path, choices: Any) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"q": "Q", "c": choices, "k": "B"}), "utf-8")
    assert read(path, "question=q,options=c,key=k").options == ("x", "y")


def test_kind_separator_sheet_and_translation_are_as_the_mapping_says(tmp_path: Path) -> None:
    path = tmp_path / "n.csv"
    path.write_text("q;a,b;n\nQ;1,2;3\n", "utf-8")
    number = read(path, "question=q,key=n,kind=number,separator=semicolon")
    assert (number.kind, number.key, number.options) == ("number", "3", ())
    book = openpyxl.Workbook()
    sheet = book.create_sheet("Zwei")
    for row in (("q", "r", "w", "k", "t", "tr", "tw"), ("Q", "x", "y", "x", "T", "u", "v")):
        sheet.append(row)
    book.save(tmp_path / "b.xlsx")
    columns = "question=q,options=r+w,key=k,key_as=text,sheet=Zwei"
    found = read(tmp_path / "b.xlsx", f"{columns},translation_question=t,translation_options=tr:tw")
    assert found.translation is not None
    assert (found.options, found.translation.options) == (("x", "y"), ("u", "v"))
    assert found.translation.question == "T"


def test_names_with_signs_of_the_mapping_are_written_and_read_again() -> None:
    columns = {"question": ("frage\\",), "options": ("a+b", "c,d"), "key": ("k",)}
    text = written(ColumnMap(columns, key_as="letter"))
    assert parse_map(text).columns == columns
