"""Published data sets in the shape that others give them: recognised by content, text exact."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotation.importers.base import Row, RowError, RowRef, SourceRow, TranslationRow
from annotation.importers.errors import ImportRefused
from annotation.importers.formats import open_import
from annotation.importers.labels import describe

FOUR = {"A": "甲 ", "B": "乙", "C": "丙", "D": "丁"}
HF = {"question": " Q\n", "subject": "law", "choices": ["a ", "b", "c", "d"], "answer": 2}
GLOBAL = {
    "sample_id": "law/test/7",
    "subject": "law",
    "subject_category": "Social",
    "question": "Q",
    "option_a": "a",
    "option_b": "b",
    "option_c": "c",
    "option_d": "d",
    "answer": "C",
    "cultural_sensitivity_label": "CS",
    "is_annotated": True,
    "region": None,
}
PRO = {
    "question_id": 70,
    "category": "computer science",
    "question": "Q",
    "options": list("abcdefghij"),
    "answer": "J",
    "answer_index": 9,
    "cot_content": "A: because",
    "src": "ori",
}
TMLU = {
    "question": "Q",
    **FOUR,
    "E": "戊",
    "F": None,
    "answer": "E",
    "explanation": "因為",
    "metadata": {"subject": "biology", "year": 110, "level": "high school", "source": "AST"},
}
BELEBELE = {
    "link": "https://example.org/a",
    "question_number": 2,
    "flores_passage": "A passage.",
    "question": "What?",
    "mc_answer1": "w",
    "mc_answer2": "x",
    "mc_answer3": "y",
    "mc_answer4": "z",
    "correct_answer_num": "4",
    "dialect": "bod_Tibt",
}
CHOICES = [{"label": "A", "text": "нэг"}, {"label": "B", "text": "хоёр"}]
SAFETY = {"id": 3, "category": "Physical Health", "question": "ཡིན་ནམ།", "options": ["ཡིན།", "མིན།"]}


def lines(*rows: object) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write(path: Path, *rows: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(list(rows)), path)
    else:
        path.write_text(json.dumps(rows) if path.suffix == ".json" else lines(*rows), "utf-8")
    return path


def read(path: Path, **options: Any) -> Sequence[Row]:
    return list(open_import(path, **options).rows)


def item(path: Path, **options: Any) -> SourceRow:
    (row,) = read(path, **options)
    assert isinstance(row, SourceRow)
    return row


def error(path: Path, **options: Any) -> RowError:
    (row,) = read(path, **options)
    assert isinstance(row, RowError)
    assert describe(row.code, row.data)
    return row


LAW = {"uid": "law/0", "subject": "law", "question": "Q", "options": ("a", "b", "c", "d")}
EXPECTED: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "mmlu as Hugging Face has it": (
        "mmlu",
        HF,
        {**LAW, "question": " Q\n", "options": ("a ", "b", "c", "d"), "key": "C"},
    ),
    "choices with uid": (
        "mmlu",
        HF | {"uid": "x", "subject": "s"},
        {
            "uid": "x",
            "subject": "s",
            "question": " Q\n",
            "options": ("a ", "b", "c", "d"),
            "key": "C",
        },
    ),
    "global_mmlu": (
        "global_mmlu",
        GLOBAL,
        {
            **LAW,
            "uid": "law/test/7",
            "key": "C",
            "category": "Social",
            "metadata": {"cultural_sensitivity_label": "CS", "is_annotated": "true"},
        },
    ),
    "mmlu_pro": (
        "mmlu_pro",
        PRO,
        {
            "uid": "computer_science/70",
            "subject": "computer_science",
            "category": "computer science",
            "question": "Q",
            "options": tuple("abcdefghij"),
            "key": "J",
            "explanation": "A: because",
            "metadata": {"src": "ori"},
        },
    ),
    "tmlu": (
        "tmlu",
        TMLU,
        {
            "uid": "biology/0",
            "subject": "biology",
            "question": "Q",
            "options": ("甲 ", "乙", "丙", "丁", "戊"),
            "key": "E",
            "explanation": "因為",
            "year": "110",
            "level": "high school",
            "metadata": {"source": "AST"},
        },
    ),
    "ceval": (
        "ceval",
        {"id": 0, "question": "Q", **FOUR, "answer": "B", "explanation": "因为", "subject": "law"},
        {**LAW, "options": tuple(FOUR.values()), "key": "B", "explanation": "因为"},
    ),
    "belebele": (
        "belebele",
        BELEBELE,
        {
            "uid": "https://example.org/a#2",
            "subject": "belebele",
            "question": "A passage.\n\nWhat?",
            "options": ("w", "x", "y", "z"),
            "key": "D",
            "metadata": {
                "link": "https://example.org/a",
                "question_number": "2",
                "dialect": "bod_Tibt",
            },
        },
    ),
    "translation_items": (
        "translation_items",
        {"uid": "t1", "source": "你好", "reference": "བཀྲ་ཤིས།", "direction": "zh-bo"},
        {
            "uid": "t1",
            "subject": "zh-bo",
            "question": "你好",
            "options": (),
            "key": "",
            "kind": "translation",
            "answer": "བཀྲ་ཤིས།",
            "metadata": {"direction": "zh-bo"},
        },
    ),
    "arena": (
        "arena",
        {"uid": "a1", "prompt": "ཁྱོད་ཀྱིས་བོད་སྐད་ནང་འབྲི།", "topic": "writing", "level": "2"},
        {
            "uid": "a1",
            "subject": "writing",
            "question": "ཁྱོད་ཀྱིས་བོད་སྐད་ནང་འབྲི།",
            "options": (),
            "key": "",
            "kind": "open",
            "metadata": {"level": "2"},
        },
    ),
}


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".parquet"])
@pytest.mark.parametrize("case", EXPECTED)
def test_published_row_is_recognised_and_read_exactly(
    tmp_path: Path, case: str, suffix: str
) -> None:
    name, row, expected = EXPECTED[case]
    path = write(tmp_path / f"any{suffix}", row)
    assert open_import(path).format == name
    assert item(path) == SourceRow(RowRef(path.name, 1), **{"split": "test", **expected})


def test_header_counts_in_any_case_and_cells_stand_between_any_usual_sign(tmp_path: Path) -> None:
    header = ["ID", "Question ", "a", "b", "C", "D", "ANSWER"]
    wrong = []
    for sign in ",;\t|，；":
        path = tmp_path / "law_val.csv"
        path.write_text(f"{sign.join(header)}\n{sign.join('0 Q w x y z D'.split())}\n", "utf-8")
        found = item(path)
        if (found.uid, found.split, found.key) != ("law/val/0", "test", "D"):
            wrong.append((sign, found))
    assert not wrong


@pytest.mark.parametrize("sign", list(",;\t|，；"))
@pytest.mark.parametrize(
    "header",
    [
        "UID Subject QUESTION Option_A option-b optionC ＯＰＴＩＯＮ＿D KEY",
        "uid subject question OPTIONA OptionB option_c option_d Key",
    ],
)
def test_case_width_hyphens_and_joins_of_a_header_do_not_count(
    tmp_path: Path, header: str, sign: str
) -> None:
    for first_line in ("", f"sep={sign}\n"):
        path = tmp_path / "any.csv"
        rows = sign.join(header.split()), sign.join("1 s q w x y z D".split())
        path.write_text(first_line + "\n".join(rows), "utf-8")
        found = item(path)
        assert (found.uid, found.options, found.key) == ("1", ("w", "x", "y", "z"), "D")


def test_cmmlu_header_counts_in_any_case(tmp_path: Path) -> None:
    path = tmp_path / "law.csv"
    path.write_text(";QUESTION;a;b;c;d;answer\n7;Q;w;x;y;z;B\n", "utf-8")
    assert (open_import(path).format, item(path).uid, item(path).key) == ("cmmlu", "law/7", "B")


@pytest.mark.parametrize("key", [2, 2.0, "2", "2.0", "C", "c", "Ｃ"])
@pytest.mark.parametrize("column", ["choices", "options", "Options", "CHOICES"])
def test_list_of_options_with_an_answer_counted_from_0_is_a_choice(
    tmp_path: Path, column: str, key: object
) -> None:
    path = write(tmp_path / "any.jsonl", {"question": "q", column: [*"wxyz"], "Answer": key})
    assert (item(path).kind, item(path).options, item(path).key) == ("choice", tuple("wxyz"), "C")


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        ({"question": "q", "choices": [*"wxyz"], "answerKey": "C"}, "choices"),
        ({"ctx": "q", "endings": [*"wxyz"], "label": "1"}, "endings"),
        ({"question": "q", "opa": "w", "opb": "x", "cop": 2}, "opa, opb"),
        ({"question": "q", "选项甲": "w", "选项乙": "x", "答案": "甲"}, "选项甲, 选项乙"),
        ({"асуулт": "q", "сонголт А": "w", "сонголт Б": "x"}, "сонголт А, сонголт Б"),
        ({"ຄຳຖາມ": "q", "ຂໍ້ ກ": "w", "ຂໍ້ ຂ": "x"}, "ຂໍ້ ກ, ຂໍ້ ຂ"),
        ({"དྲི་བ": "q", "གདམ་ཀ": "w", "གདམ་ཁ": "x"}, "གདམ་ཀ, གདམ་ཁ"),
    ],
)
def test_file_of_unknown_columns_is_refused_with_those_that_look_like_options(
    tmp_path: Path, row: dict[str, object], columns: str
) -> None:
    path = write(tmp_path / "any.jsonl", row)
    with pytest.raises(ImportRefused) as refused:
        open_import(path)
    assert (refused.value.code, refused.value.data["columns"]) == (
        "options_not_recognised",
        columns,
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("d/biology_dev.jsonl", ("biology/dev/0", "dev")),
        ("d/biology/dev-00000-of-00001.jsonl", ("biology/dev/0", "dev")),
        ("d/dev/biology.jsonl", ("biology/dev/0", "dev")),
        ("d/biology_validation.jsonl", ("biology/val/0", "dev")),
        ("d/biology_test.jsonl", ("biology/0", "test")),
    ],
)
def test_split_and_subject_come_from_the_name_of_the_file(
    tmp_path: Path, name: str, expected: tuple[str, str]
) -> None:
    write(tmp_path / name, TMLU | {"metadata": {"source": "AST"}})
    found = item(tmp_path / "d")
    assert (found.uid, found.split) == expected


def test_shards_of_a_split_are_counted_on_and_files_are_not(tmp_path: Path) -> None:
    for number in range(2):
        write(tmp_path / f"s/test-0000{number}-of-00002.parquet", HF)
    write(tmp_path / "s/other/test.parquet", HF)
    found = read(tmp_path / "s")
    assert [getattr(row, "uid", getattr(row, "code", "")) for row in found] == [
        "law/0",
        "duplicate_uid",
        "law/1",
    ]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (HF | {"answer": 4}, "key_out_of_range"),
        (HF | {"answer": -1}, "key_out_of_range"),
        (HF | {"answer": None}, "no_answer"),
        (HF | {"subject": None}, ""),
        (HF | {"choices": ["a", ""]}, "empty_option"),
        (PRO | {"answer_index": 1}, "keys_differ"),
        (PRO | {"options": list("abcdefghijk")}, "option_count"),
        (TMLU | {"answer": "F"}, "key_out_of_range"),
        (TMLU | {"C": None}, "empty_option"),
        (TMLU | {"metadata": ["x"]}, "bad_metadata"),
        (TMLU | {"subject": "other"}, "repeated_column"),
        (GLOBAL | {"answer": ""}, "no_answer"),
        (BELEBELE | {"correct_answer_num": 0}, "key_out_of_range"),
        (BELEBELE | {"correct_answer_num": "5"}, "key_out_of_range"),
    ],
)
def test_published_row_that_cannot_be_read_says_why(
    tmp_path: Path, row: dict[str, Any], code: str
) -> None:
    path = write(tmp_path / "any.jsonl", row)
    if code:
        assert error(path).code == code
    else:  # then the name of the file is the subject
        assert item(path).subject == "any"


LOOKALIKES: list[dict[str, Any]] = [
    {"choices": ["a", "b"]},
    {"Choices": '["a", "b"]'},
    {"alternatives": {"text": ["a", "b"]}},
    {"A": "a", "B": "b"},
    {"option1": "a", "option2": "b"},
    {"choice_0": "a", "choice_1": "b"},
    {"选项A": "a", "选项B": "b"},
    {"Antwort a": "a", "Antwort b": "b"},
    {"answers_list": ["1", "7"]},
]


def test_kind_is_not_guessed_where_columns_look_like_options(tmp_path: Path) -> None:
    base = {"uid": "1", "subject": "s", "question": "Q", "answer": 1}
    guessed = []
    for number, columns in enumerate(LOOKALIKES):
        path = write(tmp_path / f"{number}.jsonl", base | columns)
        found = read(path, format="items")[0]
        told = found.data.get("column") if isinstance(found, RowError) else None
        if told not in list(columns):
            guessed.append(columns)
        named = write(tmp_path / f"named{number}.jsonl", base | columns | {"kind": "number"})
        assert item(named, format="items").kind == "number"
    assert not guessed


def test_plain_number_item_with_other_columns_is_still_one(tmp_path: Path) -> None:
    row = {"uid": "1", "subject": "s", "question": "Q", "answer": 12, "tags": ["x", "y"], "a": 3}
    assert item(write(tmp_path / "n.jsonl", row)).kind == "number"


def mm_eval(folder: Path) -> Path:
    syntax = {"choices": CHOICES, "answerKey": "B"}
    write(folder / "syntax_eval.json", syntax, syntax)
    write(folder / "semantics_eval.json", syntax | {"question": "_ нь"})
    write(folder / "reasoning_eval.json", {"question": "Хэд вэ?", "answer": "1,200"})
    return folder


def test_mm_eval_files_are_four_subjects_and_syntax_has_no_question(tmp_path: Path) -> None:
    folder = mm_eval(tmp_path / "m")
    assert open_import(folder).format == "mm_eval"
    rows = [row for row in read(folder) if isinstance(row, SourceRow)]
    assert [(row.uid, row.kind, row.question, row.options, row.key) for row in rows] == [
        ("reasoning/0", "number", "Хэд вэ?", (), "1,200"),
        ("semantics/0", "choice", "_ нь", ("нэг", "хоёр"), "B"),
        ("syntax/0", "choice", "", ("нэг", "хоёр"), "B"),
        ("syntax/1", "choice", "", ("нэг", "хоёр"), "B"),
    ]


def test_mm_eval_reasoning_joins_both_originals_of_mgsm(tmp_path: Path) -> None:
    write(tmp_path / "m/reasoning_eval.json", {"question": "Хэд вэ?", "answer": "1,200"})
    (tmp_path / "m/mgsm_en.tsv").write_text('"How many", he asked?\t1200\n', "utf-8")
    (tmp_path / "m/mgsm_zh.tsv").write_text("多少？\t1200\n", "utf-8")
    found = item(tmp_path / "m")
    assert (found.question, found.metadata) == ('"How many", he asked?', {"question_zh": "多少？"})
    assert found.translation == TranslationRow(
        found.ref, found.uid, "Хэд вэ?", (), None, "mm_eval", is_default_system=True
    )


@pytest.mark.parametrize(
    ("lines_of_mgsm", "code"), [("How?\t7\n", "original_differs"), ("", "original_missing")]
)
def test_mm_eval_row_of_another_number_than_mgsm_is_refused(
    tmp_path: Path, lines_of_mgsm: str, code: str
) -> None:
    write(tmp_path / "m/reasoning_eval.json", {"question": "Хэд вэ?", "answer": "8"})
    (tmp_path / "m/mgsm_en.tsv").write_text(lines_of_mgsm, "utf-8")
    assert error(tmp_path / "m").code == code


def test_mm_eval_labels_out_of_order_are_refused(tmp_path: Path) -> None:
    row = {"question": "Q", "choices": CHOICES[::-1], "answerKey": "A"}
    assert error(write(tmp_path / "knowledge_eval.json", row)).code == "labels_differ"


@pytest.mark.parametrize("suffix", [".jsonl", ".json"])
def test_ti_safetybench_joins_safetybench_by_category_and_id(tmp_path: Path, suffix: str) -> None:
    whole = {
        "id": 4,
        "category": "Mental Health",
        "polished_ti_content": "གང་ཡིན།\nA. ཀ\nB. ཁ",
        "answer": "B",
    }
    path = write(tmp_path / f"t{suffix}", SAFETY | {"answer": 1}, SAFETY | {"id": 9}, whole)
    found = [row for row in read(path) if isinstance(row, TranslationRow)]
    assert open_import(path).format == "ti_safetybench"
    assert [(row.uid, row.question, row.options, row.key, row.system) for row in found] == [
        ("physical_health/3", "ཡིན་ནམ།", ("ཡིན།", "མིན།"), "B", "ti_safetybench"),
        ("physical_health/9", "ཡིན་ནམ།", ("ཡིན།", "མིན།"), None, "ti_safetybench"),
        ("mental_health/4", "གང་ཡིན།", ("ཀ", "ཁ"), "B", "ti_safetybench"),
    ]


def test_json_that_names_a_field_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twice.json"
    path.write_text('[{"question": "a", "question": "b"}]', "utf-8")
    with pytest.raises(ImportRefused) as caught:
        read(path)
    assert (caught.value.code, caught.value.data["column"]) == ("repeated_column", "question")


@pytest.mark.parametrize(
    ("name", "count"),
    [("syntax_eval", 60), ("semantics_eval", 60), ("knowledge_eval", 60), ("reasoning_eval", 60)],
)
def test_real_files_of_mm_eval_are_read_exactly(shared_data: Path, name: str, count: int) -> None:
    path = shared_data / "mm_eval" / f"{name}.json"
    published = json.loads(path.read_text("utf-8"))
    rows = [row for row in read(path) if isinstance(row, SourceRow)]
    assert len(rows) == len(published) == count
    assert [(row.question, [*row.options], row.key) for row in rows] == [
        (
            said.get("question", ""),
            [choice["text"] for choice in said.get("choices", [])],
            said.get("answerKey") or said["answer"],
        )
        for said in published
    ]
