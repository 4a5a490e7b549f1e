"""`item_analysis`: figures and suggestions on a terminal."""

import csv
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from projects.models import Project
from tests.evaluation.builders import make_release
from tests.evaluation.items.builders import GOOD, WEAK, answered_run, six_items
from tests.evaluation.items.test_actions import DOUBTED
from tests.factories import ProjectFactory

pytestmark = pytest.mark.django_db


def printed(*words: str) -> str:
    out = StringIO()
    call_command("item_analysis", *words, stdout=out)
    return out.getvalue()


def test_command_prints_suggestions_with_their_evidence(project: Project) -> None:
    release = six_items(project)
    for number, letters in enumerate(DOUBTED):
        answered_run(release, f"model-{number}", letters)

    lines = printed("ti").splitlines()

    assert lines[0] == "1.0.0: 6 items, 5 runs, 5 models"
    assert "history/test-1  key doubted: 3 of 3 strong models choose C" in lines[2]


def test_command_prints_json_and_csv(project: Project) -> None:
    answered_run(six_items(project), "model-1", GOOD)
    told = json.loads(printed("ti", "--release", "1.0.0", "--json"))
    assert [each["difficulty"] for each in told["figures"]] == [1.0] * 6
    rows = list(csv.DictReader(StringIO(printed("ti", "--format", "csv").removeprefix("\ufeff"))))
    assert [row["uid"] for row in rows] == [f"history/test-{n}" for n in range(6)]


def test_command_compares_with_a_release_of_another_project(project: Project) -> None:
    source = ProjectFactory(slug="zh", target_language="zh")
    for each, letters in ((source, GOOD), (project, WEAK)):
        release = make_release(each, subjects={"history": ""}, tests=6, version="1.0.0")
        for number in range(6):
            answered_run(release, f"model-{number}", letters)

    told = json.loads(printed("ti", "--source-release", "zh:1.0.0", "--json"))

    assert (told["shared_items"], told["shared_models"]) == (6, 6)
    assert "only very large effects" in told["notes"][-1]
    assert [each["dif_reference"] for each in told["figures"]] == [6] * 6


def test_command_refuses_a_project_without_runs(project: Project) -> None:
    six_items(project)
    with pytest.raises(CommandError, match="Run some models on one first"):
        printed("ti")
