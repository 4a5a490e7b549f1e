"""Names that look alike are one subject, system or item; the first spelling stays."""

from pathlib import Path

import pytest

from annotation.imports.reports import Outcome, in_words
from annotation.models import Item, Translation
from projects.models import Project, Subject
from tests.annotation.imports.test_actions import item_row, run_import, write_items

pytestmark = pytest.mark.both_databases

SUBJECTS = ("Physics", "physics", "Physics ", "Physics\u00a0", "Phy\u200bsics", "Ｐhysics")


def test_subjects_that_look_alike_are_one_and_the_report_says_so(
    project: Project, tmp_path: Path
) -> None:
    rows = [item_row(n, subject=name) for n, name in enumerate(SUBJECTS)]
    path = write_items(tmp_path / "a.jsonl", rows)

    report = run_import(project, path)

    assert [*Subject.objects.values_list("slug", flat=True)] == ["Physics"]
    assert [note["data"] for note in report.notes] == [
        {"given": name, "kept": "Physics"} for name in SUBJECTS[1:]
    ]
    assert "“physics” looks like “Physics”" in in_words(report.as_json())["notes"][0]["reason"]
    assert run_import(project, path).outcome == Outcome.UNCHANGED


def test_system_and_uid_that_look_like_known_ones_are_those(
    project: Project, tmp_path: Path
) -> None:
    run_import(project, write_items(tmp_path / "a.jsonl", [item_row(1), item_row(2)]))
    text = {
        "uid": "Law/1",
        "system": "ＭＴ",
        "question": item_row(1)["translation_question"],
        "options": item_row(1)["translation_options"],
    }

    report = run_import(project, write_items(tmp_path / "b.jsonl", [text]))

    assert (report.outcome, report.refused) == (Outcome.UNCHANGED, 0)
    assert {note["data"]["kept"] for note in report.notes} == {"law/1", "mt"}
    assert Translation.objects.count() == Item.objects.count() == 2


def test_second_uid_of_a_file_that_looks_like_the_first_is_refused(
    project: Project, tmp_path: Path
) -> None:
    rows = [item_row(1), item_row(2, uid="LAW/1")]
    report = run_import(project, write_items(tmp_path / "a.jsonl", rows))
    assert [(error["row"], error["code"]) for error in report.errors] == [(2, "duplicate_uid")]


def test_refusals_stand_in_the_order_of_the_file(project: Project, tmp_path: Path) -> None:
    run_import(project, write_items(tmp_path / "a.jsonl", [item_row(1)]))
    rows = [item_row(1, question="other"), item_row(2, key="Z"), item_row(3, system="")]
    report = run_import(project, write_items(tmp_path / "b.jsonl", rows))
    assert [error["row"] for error in report.errors] == [1, 2, 3]
