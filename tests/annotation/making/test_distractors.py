"""Wrong answers are distinct, of like length, and never the answer in another notation."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.making.base import Fault, fault_text
from annotation.making.distractors import chosen_of, is_of_like_length, make_distractors
from annotation.making.from_pool.pool import read_pool
from annotation.making.pairs import Pair, read_pairs
from annotation.making.prompting import reader_of
from annotation.models import Item
from projects.models import Project

PAIR = {
    "question": "首都?",
    "answer": "北京",
    "distractors": ["上海", "上海。", "广州", "天津", "南京"],
}


def test_same_texts_and_the_answer_in_another_notation_are_passed_over() -> None:
    assert chosen_of("12", ["１２", "12.0", "13", "１３", "14", "15", "16"]) == ["13", "14", "15"]
    assert chosen_of("-5", ["5", "-5", "", "6"]) == ["5", "6"]
    assert chosen_of("北京", ["“北京”", "北京？", "「北京」。", "上海", "“上海”"]) == ["上海"]


@pytest.mark.parametrize("labels", ["ABCD", "bcde", "１２３４", "ཀཁགང"])
def test_labels_of_proposals_are_no_part_of_them(labels: str) -> None:
    """Otherwise the answer with a label would be a wrong answer."""
    texts = ["北京", "上海", "广州", "天津"]
    listed = [f"{label}. {text}" for label, text in zip(labels, texts, strict=True)]
    made = make_distractors(json.dumps({**PAIR, "distractors": listed}), seed=1)
    assert {*made.items[0].options} == {*texts}
    assert reader_of("北京")(json.dumps({"distractors": listed})) == texts[1:]


def test_lengths_are_alike_up_to_twice_or_four_characters() -> None:
    for text, is_alike in [("a" * 20, True), ("a" * 21, False), ("a" * 5, True), ("aaaa", False)]:
        assert is_of_like_length(text, "b" * 10) == is_alike, text
    assert is_of_like_length("aaaaa", "b")


def test_lines_that_are_no_pair_or_have_too_few_wrong_answers_say_why() -> None:
    short = {**PAIR, "distractors": ["上海", "北京"]}
    bare = {"question": "首都?", "answer": "东京"}
    long = {**PAIR, "question": "问" * 10_000}
    bad = ["{", "[1]", "3", *(json.dumps({**PAIR, name: 1}) for name in PAIR)]
    rows = [
        *bad,
        *map(
            json.dumps, (short, bare, long, {**short, "id": "a\nb"}, {**PAIR, "subject": "x" * 101})
        ),
    ]
    made = make_distractors("\n".join(rows), seed=1)
    assert (made.items, [(fault.line, fault.code) for fault in made.faults]) == (
        [],
        [
            *((line, "no_pair") for line in range(1, 7)),
            (7, "too_few_proposals"),
            (8, "no_proposals"),
            (9, "pair_too_long"),
            (10, "bad_id"),
            (11, "subject_too_long"),
        ],
    )
    assert "pair" in fault_text(made.faults[8])


def test_uid_is_that_of_the_id_or_of_question_and_answer() -> None:
    other = {**PAIR, "answer": "东京"}
    rows = [PAIR, other, PAIR, {**PAIR, "id": 7}, {**other, "id": "7"}]
    made = make_distractors("\n".join(map(json.dumps, rows)), seed=1)
    assert [item.uid for item in made.items][2:] == ["distractors/7"]
    assert len({item.uid for item in made.items}) == 3
    assert made.faults == [
        Fault("same_pair", 3, {"line": 1}), Fault("same_pair", 5, {"line": 4})
    ]  # fmt: skip


def test_pairs_are_read_from_a_table_too() -> None:
    table = 'question,answer,subject,id\n"首都,\n?",北京,geo,3\n,北京,,\n'
    pairs, faults = read_pairs(table)
    assert pairs == [Pair(3, "首都,\n?", "北京", "geo", "3")]
    assert faults == [Fault("no_pair", 4)]
    assert read_pairs("answer\n北京\n") == ([], [Fault("no_pair", 2)])


@pytest.mark.parametrize("text", [
    "\ufeffquestion,answer\n首都?,北京", "Question;ANSWER\n首都?;北京", "question\tanswer\n首都?\t北京",
    '\ufeff{"question": "首都?", "answer": "北京"}',
])  # fmt: skip
def test_mark_at_the_start_other_separators_and_capital_headings_are_read(text: str) -> None:
    assert [(pair.question, pair.answer) for pair in read_pairs(text)[0]] == [("首都?", "北京")]
    prompts = text.replace("uestion", "rompt").replace("q", "p").replace("Q", "P")
    assert [pooled.prompt for pooled in read_pool(prompts)[0]] == ["首都?"]


@pytest.mark.django_db
def test_command_imports_pairs_with_who_proposed(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps({**PAIR, "model": "m-1"}, ensure_ascii=False), encoding="utf-8")
    call_command("make_items", "ti", "distractors", str(path), "--seed", "5")
    item = Item.objects.get()
    assert {*item.options} == {"北京", "上海", "广州", "天津"}
    assert item.options["ABCD".index(item.key)] == "北京"
    assert item.metadata == {"made_by": "distractors 1, seed 5, proposed by m-1"}
