"""A file on the wrong side, or in the wrong project, is taken in, but not in silence."""

from pathlib import Path

import pytest

from annotation.imports.reports import in_words
from projects.models import Project
from tests.annotation.imports.test_actions import item_row as translated_row
from tests.annotation.imports.test_actions import run_import, write_items


def source_row(number: int, question: str) -> dict[str, object]:
    row = translated_row(number, question=question)
    return {name: row[name] for name in row if not name.startswith("translation")}


def notes_of(project: Project, path: Path) -> list[str]:
    report = in_words(run_import(project, path, is_dry_run=True).as_json())
    return [note["reason"] for note in report["notes"]]


@pytest.mark.parametrize(
    "question",
    ["Монгол улсын нийслэл аль хот вэ?", "རྒྱལ་ས་གང་ཡིན་ནམ་ཞེས་པར་བརྟག་དགོས།", "Which city is it?"],
)
def test_questions_in_another_script_are_noted_with_their_number(
    project: Project, tmp_path: Path, question: str
) -> None:
    rows = [source_row(1, question), source_row(2, question), source_row(3, "中国的首都是哪里？")]
    (note,) = notes_of(project, write_items(tmp_path / "a.jsonl", rows))
    assert note.startswith("2 of 3 questions have no letter of the script")
    assert "中文" in note


@pytest.mark.parametrize(
    ("language", "questions"),
    [
        ("zh", ["中国的首都是哪里？", "Which of 甲 and 乙 is true?", "CO2 + H2O ="]),
        ("zh", ["中国的首都是哪里？", "What is the capital of Mali?"]),
        ("xx", ["What is the capital of Mali?"]),
    ],
    ids=["mixed", "half of them", "unknown language"],
)
def test_sound_files_have_no_note(
    project: Project, tmp_path: Path, language: str, questions: list[str]
) -> None:
    Project.objects.update(source_language=language)
    project.refresh_from_db()
    rows = [source_row(number, question) for number, question in enumerate(questions, 1)]
    assert notes_of(project, write_items(tmp_path / "a.jsonl", rows)) == []
