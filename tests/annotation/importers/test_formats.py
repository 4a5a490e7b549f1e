"""Every format: what it reads, what it refuses and where it says so."""

import json
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotation.importers.base import Row, RowError, RowRef, SourceRow, TranslationRow
from annotation.importers.errors import ImportRefused
from annotation.importers.formats import FORMATS, open_import
from annotation.importers.input_files import FILES_TRIED
from annotation.importers.labels import describe
from annotation.importers.limits import ImportLimits
from tests.rights import as_nobody

CMMLU = ",Question,A,B,C,D,Answer\n0,问题,甲,乙,丙,丁,B\n1,另一个,1,2,3,4,D\n"
ITEM = {"uid": "x/1", "subject": "x", "question": "Q", "options": ["a", "b", "c"], "key": "C"}


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a file below the temporary folder and return its path."""

    def write_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


Write = Callable[[str, str | bytes], Path]


def rows(path: Path, **options: object) -> list[Row]:
    return list(open_import(path, **options).rows)  # type: ignore[arg-type]


def refusal(path: Path, **options: object) -> ImportRefused:
    with pytest.raises(ImportRefused) as caught:
        rows(path, **options)
    assert describe(caught.value.code, caught.value.data)
    return caught.value


def jsonl(*values: object) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def test_cmmlu_folder_gives_test_and_dev_items_without_clash(write: Write, tmp_path: Path) -> None:
    write("c/test/arts.csv", "\ufeff" + CMMLU)
    write("c/dev/arts.csv", CMMLU)
    found = rows(tmp_path / "c")
    assert open_import(tmp_path / "c").format == "cmmlu"
    assert [row.uid for row in found if isinstance(row, SourceRow)] == [
        "arts/dev/0",
        "arts/dev/1",
        "arts/0",
        "arts/1",
    ]
    assert found[2] == SourceRow(
        RowRef("test/arts.csv", 2), "arts/0", "arts", "问题", ("甲", "乙", "丙", "丁"), "B", "test"
    )


@pytest.mark.parametrize("part", ["test", "dev"])
def test_cmmlu_single_folder_or_file_takes_the_split_from_its_folder(
    write: Write, part: str
) -> None:
    path = write(f"{part}/arts.csv", CMMLU)
    for place in (path, path.parent):
        assert {row.split for row in rows(place) if isinstance(row, SourceRow)} == {part}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0,q,a,b,c,d,E", "key_out_of_range"),
        ("0,q,a,b,c,d,", "key_out_of_range"),
        ("0,q,a,b,c,d,AB", "key_out_of_range"),
        ("0,q,a,,c,d,A", "empty_option"),
        ("0,  ,a,b,c,d,A", "empty_text"),
        ("0,q,a,b,c,A", "column_count"),
        ("x,q,a,b,c,d,A", "bad_index"),
        ("-1,q,a,b,c,d,A", "bad_index"),
        ("7,q,a,b,c,d,A", "duplicate_uid"),
    ],
)
def test_cmmlu_bad_row_is_an_error_with_its_place(write: Write, line: str, code: str) -> None:
    path = write("arts.csv", f",Question,A,B,C,D,Answer\n7,ok,a,b,c,d,A\n{line}\n8,ok,a,b,c,d,A\n")
    good, bad, after = rows(path)
    assert isinstance(good, SourceRow)
    assert isinstance(after, SourceRow)
    assert isinstance(bad, RowError)
    assert (bad.ref, bad.code) == (RowRef("arts.csv", 3), code)
    assert describe(bad.code, bad.data)


def test_cmmlu_other_columns_are_refused_by_name(write: Write) -> None:
    path = write("arts.csv", ",Question,A,B,C,D\n0,q,a,b,c,d\n")
    found = refusal(path, format="cmmlu")
    assert (found.code, found.data["column"]) == ("missing_column", "Answer")


def test_cmmlu_unclosed_quote_is_refused(write: Write) -> None:
    path = write("arts.csv", CMMLU + '2,"open,a,b,c,d,A\n3,q,a,b,c,d,A\n')
    assert refusal(path, format="cmmlu").code == "bad_csv"


def test_one_bad_file_among_good_is_named_and_the_others_are_read(
    write: Write, tmp_path: Path
) -> None:
    write("c/arts.csv", CMMLU)
    write("c/bad.csv", CMMLU.encode("gb18030"))
    write("c/law.csv", CMMLU)
    found = rows(tmp_path / "c", format="cmmlu")
    errors = [row for row in found if isinstance(row, RowError)]
    assert len(found) == 5
    assert [(error.ref, error.code) for error in errors] == [(RowRef("bad.csv", 0), "not_utf8")]
    assert errors[0].data["offset"] == CMMLU.encode("gb18030").index(b"\xce")


def test_mmlu_reads_files_without_header_by_their_ending(write: Write, tmp_path: Path) -> None:
    line = '"Which, of these?",a,b,c,d,C\n'
    for part in ("test", "dev", "val"):
        write(f"m/law_{part}.csv", line)
    assert open_import(tmp_path / "m").format == "mmlu"
    found = [row for row in rows(tmp_path / "m") if isinstance(row, SourceRow)]
    assert [(row.uid, row.split, row.key) for row in found] == [
        ("law/dev/0", "dev", "C"),
        ("law/0", "test", "C"),
        ("law/val/0", "dev", "C"),
    ]
    assert found[0].question == "Which, of these?"


TI = {"loc": "arts1", "polished_ti_content": "གང་།\nA. 1\nB. 2\nC. 3\nD. 4", "answer": "B"}


def test_ti_mmlu_row_is_a_translation_with_its_raw_text(write: Write) -> None:
    path = write("ti/arts.jsonl", jsonl(TI))
    raw = TI["polished_ti_content"]
    assert open_import(path).format == "ti_mmlu"
    assert rows(path) == [
        TranslationRow(
            ref=RowRef("arts.jsonl", 1),
            uid="arts/1",
            question="གང་།",
            options=("1", "2", "3", "4"),
            key="B",
            system="ti_mmlu",
            raw=raw,
            is_default_system=True,
        )
    ]


def test_ti_mmlu_unreadable_text_stays_whole_with_a_mark(write: Write) -> None:
    raw = "  N\nA. \nD. H\nA. 1\nB. 2\nC. 3\nD. 4 \n"
    path = write("arts.jsonl", jsonl({**TI, "polished_ti_content": raw}))
    (row,) = rows(path)
    assert isinstance(row, TranslationRow)
    assert (row.question, row.options, row.raw) == (raw, (), raw)
    assert [(mark.code, mark.data["reason"]) for mark in row.marks] == [
        ("options_unreadable", "repeated")
    ]


@pytest.mark.parametrize(
    ("folder", "split", "uid"),
    [
        ("ti_mmlu_5shot", None, "arts/dev/1"),
        ("few_shot", None, "arts/dev/1"),
        ("Ti-MMLU-few-shot", None, "arts/dev/1"),
        ("dev", None, "arts/dev/1"),
        ("ti_mmlu", None, "arts/1"),
        ("snapshots", None, "arts/1"),
        ("ti_mmlu", "dev", "arts/dev/1"),
        ("ti_mmlu_5shot", "test", "arts/1"),
    ],
)
def test_ti_mmlu_few_shot_folder_joins_dev_items(
    write: Write, folder: str, split: str | None, uid: str
) -> None:
    path = write(f"{folder}/arts.jsonl", jsonl(TI))
    for place in (path, path.parent):
        (row,) = rows(place, split=split)
        assert isinstance(row, TranslationRow)
        assert row.uid == uid


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({**TI, "loc": "arts"}, "bad_loc"),
        ({**TI, "loc": None}, "empty_text"),
        ({**TI, "answer": "E"}, "key_out_of_range"),
        ({**TI, "answer": None}, "key_out_of_range"),
        ({**TI, "polished_ti_content": ["x"]}, "not_text"),
        ({"loc": "arts1", "polished_ti_content": "x"}, "missing_column"),
        ([1], "not_an_object"),
        ({**TI, "polished_ti_content": "x\0"}, "nul_character"),
    ],
)
def test_ti_mmlu_bad_row_is_an_error(write: Write, value: object, code: str) -> None:
    path = write("arts.jsonl", jsonl(value))
    (error,) = rows(path, format="ti_mmlu")
    assert isinstance(error, RowError)
    assert (error.ref, error.code) == (RowRef("arts.jsonl", 1), code)
    assert describe(error.code, error.data)


@pytest.mark.parametrize("line", ["{", '{"a": 1}}', "NaN?", "[" * 100_000])
def test_jsonl_bad_line_is_an_error_and_the_next_is_read(write: Write, line: str) -> None:
    path = write("arts.jsonl", f"{line}\n\n{jsonl(TI)}")
    error, row = rows(path, format="ti_mmlu")
    assert isinstance(error, RowError)
    assert error.code == "bad_json"
    assert row.ref.row == 3


def test_jsonl_repeated_field_is_an_error(write: Write) -> None:
    (error,) = rows(write("a.jsonl", '{"uid": "1", "uid": "2"}\n'), format="items")
    assert isinstance(error, RowError)
    assert (error.code, error.data["column"]) == ("repeated_column", "uid")


SAFETY = [
    {"id": 2, "question": "q", "options": ["y", "n"], "category": "Mental Health"},
    {"id": 3, "question": "q", "options": ["a", "b", "c"], "category": "Mental Health"},
]
ANSWERS = {"2": {"category": "Mental Health", "answer": 1}, "3": {"answer": 3}}


def test_safetybench_joins_keys_of_the_folder_or_of_the_named_file(write: Write) -> None:
    items = write("s/test_zh.json", json.dumps(SAFETY))
    keys = write("s/answers.json", json.dumps(ANSWERS))
    for found in (rows(items.parent), rows(items, keys=keys)):
        item, error = found
        assert isinstance(item, SourceRow)
        assert (item.uid, item.key, item.options) == ("mental_health/2", "B", ("y", "n"))
        assert isinstance(error, RowError)
        assert (error.ref.row, error.code) == (2, "key_out_of_range")


def test_safetybench_without_keys_is_refused(write: Write) -> None:
    assert refusal(write("test_zh.json", json.dumps(SAFETY))).code == "keys_missing"


def test_safetybench_is_told_from_the_first_files_alone(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(FILES_TRIED):
        (folder / f"{number:03}.json").write_text("{}")
    listed = [{"id": 1, "question": "q", "options": ["a", "b"], "category": "c"}]
    (folder / "items.json").write_text(json.dumps(listed))

    assert refusal(folder).code == "format_not_recognised"
    (folder / "000.json").write_text(json.dumps(listed))
    assert open_import(folder).format == "safetybench"


def make_xlsx(path: Path, header: list[str], *values: list[object]) -> Path:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in (header, *values):
        sheet.append(row)
    book.save(path)
    return path


HEADER = ["uid", "subject", "question", "option_a", "option_b", "option_c", "key", "note"]
CELLS = ["x/1", "x", "Q", "a", "b", "c", "C", "kept"]


def item_files(folder: Path) -> dict[str, Path]:
    """Write the same item in each of the four file types."""
    folder.mkdir()
    record = dict(zip(HEADER, CELLS, strict=True))
    (folder / "i.jsonl").write_text(jsonl(record))
    (folder / "i.csv").write_text(f"{','.join(HEADER)}\n{','.join(CELLS)}\n")
    make_xlsx(folder / "i.xlsx", HEADER, [*CELLS])
    pq.write_table(pa.Table.from_pylist([record]), folder / "i.parquet")
    return {path.suffix: path for path in folder.iterdir()}


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".xlsx", ".parquet"])
def test_items_every_file_type_gives_the_same_row(tmp_path: Path, suffix: str) -> None:
    path = item_files(tmp_path / "i")[suffix]
    first = 1 if suffix in {".jsonl", ".parquet"} else 2
    assert open_import(path).format == "items"
    assert rows(path) == [
        SourceRow(
            RowRef(path.name, first),
            "x/1",
            "x",
            "Q",
            ("a", "b", "c"),
            "C",
            "test",
            metadata={"note": "kept"},
        )
    ]


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("arts.csv", ",Question,A,B,Answer\n0,'=x,'-a,''b',A\n", ("'-a", "''b'")),
        ("arts_test.csv", "'=x,'-a,''b','+c,d,A\n", ("'-a", "''b'", "'+c", "d")),
        (
            "x.csv",
            "uid,subject,question,option_a,option_b,key\nx/1,x,''=x,'-a,''b',A\n",
            ("-a", "''b'"),
        ),
    ],
)
def test_apostrophe_before_a_formula_is_taken_away_in_our_own_columns_only(
    write: Write, name: str, content: str, options: tuple[str, ...]
) -> None:
    (row,) = rows(write(name, content))
    assert isinstance(row, SourceRow)
    assert (row.question, row.options) == ("'=x", options)


def test_apostrophe_that_our_files_put_before_a_translation_is_taken_away(write: Write) -> None:
    path = write("t.csv", "uid,system,question,option_a,option_b\nx/1,mt,'=ཀ,'-a,b\n")
    (row,) = rows(path)
    assert isinstance(row, TranslationRow)
    assert (row.question, row.options) == ("=ཀ", ("-a", "b"))


def test_items_row_with_translation_carries_it(write: Write) -> None:
    value = {**ITEM, "split": "dev", "year": 2019, "system": "mt1", "translation_question": " ཀ ",
             "translation_options": ["1", "2", "3"], "translation_key": "C"}  # fmt: skip
    (row,) = rows(write("i.jsonl", jsonl(value)))
    assert isinstance(row, SourceRow)
    assert (row.split, row.year) == ("dev", "2019")
    assert row.translation == TranslationRow(row.ref, "x/1", " ཀ ", ("1", "2", "3"), "C", "mt1")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"options": ["a"]}, "option_count"),
        ({"options": list("abcdefghijk")}, "option_count"),
        ({"options": ["a", ""]}, "empty_option"),
        ({"options": ["a", None]}, "not_text"),
        ({"options": "a|b"}, "not_a_list"),
        ({"options": {"a": 1}}, "not_a_list"),
        ({"key": "D"}, "key_out_of_range"),
        ({"key": ""}, "key_out_of_range"),
        ({"question": "\u3000"}, "empty_text"),
        ({"uid": " x"}, "bad_uid"),
        ({"uid": "x" * 201}, "bad_uid"),
        ({"split": "train"}, "bad_split"),
        ({"question": True}, "not_text"),
        ({"question": "\ud800"}, "broken_character"),
        ({"translation_options": ["1", "2"]}, "empty_text"),
    ],
)
def test_items_bad_row_is_an_error(write: Write, change: dict[str, object], code: str) -> None:
    path = write("i.jsonl", json.dumps({**ITEM, **change}))
    (error,) = rows(path)
    assert isinstance(error, RowError)
    assert error.code == code
    assert describe(error.code, error.data)


def test_translations_read_system_and_options(write: Write) -> None:
    value = {"uid": "x/1", "system": "mt2", "question": "ཀ", "options": ["1", "2"], "key": "B"}
    path = write("t.jsonl", jsonl(value, {**value, "system": "mt3"}, value))
    assert open_import(path).format == "translations"
    first, second, repeated = rows(path)
    assert isinstance(first, TranslationRow)
    assert (first.system, first.options, first.key) == ("mt2", ("1", "2"), "B")
    assert isinstance(second, TranslationRow)
    assert isinstance(repeated, RowError)
    assert (repeated.code, repeated.data["first_row"]) == ("duplicate_uid", 1)


@pytest.mark.parametrize("encoding", ["utf-16", "gb18030", "utf-16-le", "latin-1"])
@pytest.mark.parametrize(
    "name", [name for name, module in FORMATS.items() if ".jsonl" in module.suffixes]
)
def test_other_encoding_is_refused_with_file_and_offset(
    write: Write, name: str, encoding: str
) -> None:
    text = '{"uid": "é问"}\n' if encoding != "latin-1" else '{"uid": "é"}\n'
    found = refusal(write("a.jsonl", text.encode(encoding)), format=name)
    assert found.code in {"not_utf8", "nul_byte"}
    assert found.data["file"] == "a.jsonl"
    assert int(found.data["offset"]) < len(text.encode(encoding))


@pytest.mark.parametrize(
    ("name", "code"),
    [("a.xlsx", "not_xlsx"), ("a.parquet", "not_parquet"), ("a.zip", "not_an_archive")],
)
def test_file_that_is_not_what_its_name_says_is_refused(write: Write, name: str, code: str) -> None:
    assert refusal(write(name, b"no such thing"), format="items").code == code


def test_row_over_the_limit_is_refused_without_reading_it_whole(tmp_path: Path) -> None:
    path = tmp_path / "i.jsonl"
    with path.open("wb") as handle:
        handle.write(b'{"uid": "')
        handle.truncate(200_000_000)
        handle.seek(0, 2)
        handle.write(b"\n" + json.dumps(ITEM).encode() + b"\n")
    error, item = rows(path, format="items", limits=ImportLimits(file_bytes=300_000_000))
    assert isinstance(error, RowError)
    assert (error.ref.row, error.code) == (1, "row_too_long")
    assert isinstance(item, SourceRow)
    assert refusal(path, format="items").code == "file_too_large"


def test_csv_cell_over_the_limit_is_refused(write: Write) -> None:
    path = write("arts.csv", CMMLU + '2,"' + "x\n" * 5_000 + '",a,b,c,d,A\n')
    assert refusal(path, limits=ImportLimits(row_bytes=4_000)).code == "row_too_long"


def zip_of(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_zip_of_a_folder_reads_like_the_folder(tmp_path: Path) -> None:
    members = {"c/test/arts.csv": CMMLU.encode(), "c/dev/arts.csv": CMMLU.encode()}
    path = zip_of(tmp_path / "c.zip", {**members, "__MACOSX/c/._arts.csv": b"\0"})
    assert [row.uid for row in rows(path) if isinstance(row, SourceRow)] == [
        "arts/dev/0",
        "arts/dev/1",
        "arts/0",
        "arts/1",
    ]


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"../arts.csv": b"x"}, "path_outside"),
        ({"/etc/arts.csv": b"x"}, "path_outside"),
        ({"a\\..\\..\\arts.csv": b"x"}, "path_outside"),
        ({"arts.csv": b"0" * 5_000_000}, "archive_bomb"),
        ({"read.me": b"x"}, "nothing_to_read"),
        ({}, "nothing_to_read"),
    ],
)
def test_unsafe_or_empty_archive_is_refused(
    tmp_path: Path, members: dict[str, bytes], code: str
) -> None:
    assert refusal(zip_of(tmp_path / "a.zip", members)).code == code


def test_workbook_that_unpacks_to_far_too_much_is_refused(tmp_path: Path) -> None:
    members = {"[Content_Types].xml": b" " * 5_000_000}
    path = zip_of(tmp_path / "i.xlsx", members)
    assert refusal(path, format="items").code == "archive_bomb"


def test_link_out_of_the_folder_is_refused(write: Write, tmp_path: Path) -> None:
    outside = write("secret.csv", CMMLU)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "arts.csv").symlink_to(outside)
    assert refusal(tmp_path / "c").code == "path_outside"


def test_unknown_things_are_refused_in_words(write: Write, tmp_path: Path) -> None:
    assert refusal(tmp_path / "none").code == "path_missing"
    assert refusal(write("a.csv", "one,two\n1,2\n")).code == "format_not_recognised"
    assert refusal(write("b.csv", CMMLU), format="xml").code == "unknown_format"
    assert refusal(write("empty.csv", ""), format="cmmlu").code == "nothing_to_read"


def test_format_is_recognised_past_a_bad_row_and_a_bad_file(write: Write, tmp_path: Path) -> None:
    write("ti/arts.jsonl", jsonl(TI).encode("utf-16"))
    write("ti/law.jsonl", "{\n" + jsonl({**TI, "loc": "law1"}))
    assert open_import(tmp_path / "ti").format == "ti_mmlu"
    codes = [row.code for row in rows(tmp_path / "ti") if isinstance(row, RowError)]
    assert codes == ["not_utf8", "bad_json"]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json"])
def test_unrecognised_file_in_another_encoding_is_refused_for_that(write: Write, name: str) -> None:
    assert refusal(write(name, CMMLU.encode("utf-16"))).code == "not_utf8"


def test_json_that_must_be_read_whole_has_its_own_limit(write: Write) -> None:
    path = write("test_zh.json", json.dumps(SAFETY))
    found = refusal(path, format="safetybench", limits=ImportLimits(json_bytes=50))
    assert (found.code, found.data["limit"]) == ("file_too_large", 50)


@pytest.mark.parametrize(
    ("folder", "good", "bad"),
    [
        ("c/test", CMMLU, "idx,Q,one,two\n0,q,a,b\n"),
        ("m", "q,1,2,3,4,A\n", "q,1,2\n"),
        ("i", "uid,subject,question,options,key\n", "id,text\n1,q\n"),
    ],
)
def test_format_is_recognised_past_a_first_file_with_other_columns(
    write: Write, tmp_path: Path, folder: str, good: str, bad: str
) -> None:
    good = f'{good}x/1,x,Q,"[""a"", ""b""]",A\n' if folder == "i" else good
    write(f"{folder}/arts_test.csv", bad)
    write(f"{folder}/law_test.csv", good)
    found = rows(tmp_path / folder.partition("/")[0])
    errors = [row for row in found if isinstance(row, RowError)]
    assert [(row.ref.file.rpartition("/")[2], row.code) for row in errors] == [
        ("arts_test.csv", "column_count" if folder == "m" else "missing_column")
    ]
    assert any(isinstance(row, SourceRow) for row in found)


def test_mmlu_is_recognised_past_a_bad_first_row(write: Write) -> None:
    first, second = rows(write("m/arts_test.csv", "Q, too,1,2,3,4,A\nQ,1,2,3,4,B\n"))
    assert isinstance(first, RowError)
    assert (first.ref.row, first.code) == (1, "column_count")
    assert isinstance(second, SourceRow)


def test_unrecognised_rows_without_header_are_not_measured_by_the_first(write: Write) -> None:
    path = write("a.csv", "Q,same,same\n1,2\n")
    assert refusal(path).code == "format_not_recognised"


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("a.csv", 'uid,subject,question,key\n1,2,"3', "bad_csv"),
        ("a.csv", f'uid,"{"x" * 500}"\n', "row_too_long"),
        ("a.jsonl", "{}" + " " * 500 + "\n", "row_too_long"),
        ("a.json", "[1,", "not_json"),
        ("a.xlsx", "no workbook", "not_xlsx"),
        ("a.parquet", "no parquet", "not_parquet"),
    ],
)
def test_unrecognised_file_that_cannot_be_read_is_refused_for_that(
    write: Write, name: str, content: str, code: str
) -> None:
    assert refusal(write(name, content), limits=ImportLimits(row_bytes=400)).code == code


@pytest.mark.parametrize(
    ("name", "format_name", "content"),
    [
        ("a.jsonl", "items", "\n"),
        ("a.csv", "items", "uid,subject,question,options,key\n"),
        ("a.jsonl", "ti_mmlu", ""),
        ("a.csv", "translations", ""),
        ("arts.csv", "cmmlu", ",Question,A,B,C,D,Answer\n"),
        ("arts_test.csv", "mmlu", ""),
    ],
)
def test_file_without_a_row_is_refused_alone_and_named_among_others(
    write: Write, tmp_path: Path, name: str, format_name: str, content: str
) -> None:
    assert refusal(write(name, content), format=format_name).code == "nothing_to_read"
    write(f"b_{name}", content)
    found = rows(tmp_path, format=format_name)
    assert [(row.ref.file, row.code) for row in found if isinstance(row, RowError)] == [
        (name, "nothing_to_read"),
        (f"b_{name}", "nothing_to_read"),
    ]


def test_safetybench_list_without_items_is_refused(write: Write, tmp_path: Path) -> None:
    write("s/test_zh.json", "[]")
    write("s/keys.json", json.dumps({"1": {"answer": 0}}))
    assert refusal(tmp_path / "s", format="safetybench").code == "nothing_to_read"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A CMMLU folder that everybody may read."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        folder = Path(name) / "c"
        for part in ("test", "dev"):
            (folder / part).mkdir(parents=True)
            (folder / part / "arts.csv").write_text(CMMLU, encoding="utf-8")
        yield folder


def test_file_that_may_not_be_read_is_named_and_the_others_are_read(open_folder: Path) -> None:
    (open_folder / "dev" / "arts.csv").chmod(0)
    with as_nobody():
        found = rows(open_folder)
    errors = [(row.ref.file, row.code) for row in found if isinstance(row, RowError)]
    assert errors == [("dev/arts.csv", "not_readable")]
    assert len(found) == 3


def test_folder_that_may_not_be_read_is_refused_not_left_out(open_folder: Path) -> None:
    (open_folder / "dev").chmod(0)
    with as_nobody():
        found = refusal(open_folder)
    (open_folder / "dev").chmod(0o755)
    assert (found.code, found.data["file"]) == ("not_readable", "c/dev")


def test_links_that_lead_nowhere_or_to_folders_outside_are_refused(
    write: Write, tmp_path: Path
) -> None:
    write("c/test/arts.csv", CMMLU)
    outside = write("other/law.csv", CMMLU).parent
    link = tmp_path / "c" / "link"
    link.symlink_to(outside, target_is_directory=True)
    assert refusal(tmp_path / "c").code == "path_outside"
    link.unlink()
    dead = tmp_path / "c" / "test" / "dead.csv"
    for target in (tmp_path / "c" / "gone.csv", dead):
        dead.symlink_to(target)
        assert refusal(tmp_path / "c").code == "not_readable"
        dead.unlink()


def test_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "items.jsonl")
    assert refusal(tmp_path / "items.jsonl").code == "not_readable"


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("xl/worksheets/sheet1.xml", b"<row", b"<"),
        ("xl/worksheets/sheet1.xml", b't="n"', b't="s"'),
        ("xl/workbook.xml", b"<workbookView ", b'<workbookView odd="1" '),
        ("xl/workbook.xml", b"</workbook>", b""),
        ("[Content_Types].xml", b"<", b"&"),
    ],
)
def test_damaged_workbook_is_refused_wherever_the_damage_is(
    tmp_path: Path, part: str, old: bytes, new: bytes
) -> None:
    book = openpyxl.Workbook()
    book.active.append(["uid", "subject", "question", "options", "key"])
    book.active.append([1, 2, 3, 4, 5])
    book.save(tmp_path / "whole.xlsx")
    with zipfile.ZipFile(tmp_path / "whole.xlsx") as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    assert old in members[part]
    members[part] = members[part].replace(old, new)
    path = zip_of(tmp_path / "i.xlsx", members)
    assert refusal(path, format="items").code == "not_xlsx"


def test_workbook_of_an_unknown_zip_version_is_refused(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "i.xlsx", {"[Content_Types].xml": b"<Types/>"})
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\1\2") + 6] = 229
    path.write_bytes(content)
    assert refusal(path, format="items").code == "not_xlsx"


def test_parquet_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    columns = {name: [str(value).encode("utf-16")] for name, value in ITEM.items()}
    columns = {
        name: pa.array(values, pa.binary()).view(pa.string()) for name, values in columns.items()
    }
    pq.write_table(pa.table(columns), tmp_path / "i.parquet")
    assert refusal(tmp_path / "i.parquet", format="items").code == "not_parquet"
