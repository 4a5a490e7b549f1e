"""Runs with rotated options: what is asked, how letters are read, and what the table says."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from endpoints.providers.base import ChatRequest
from evaluation.audits.actions import AuditOfRotated, start_audit
from evaluation.comparisons.queries import compare, position_shares
from evaluation.models import ModelResponse, Run, Score
from evaluation.request_building import letter_shown, turned
from evaluation.results.queries.responses import reading_of
from evaluation.runs.actions import RunInvalid
from projects.models import Project
from releases.models import Release
from tests.evaluation.builders import NOW, asked_uid, finished_run, make_release, make_run
from tests.factories import ModelSpecFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(project: Project) -> Release:
    """history and physics with 4 test items each, whose keys are A, B, C, D in turn."""
    return make_release(project, tests=4)


def knowing(request: ChatRequest) -> str:
    """Says the letter that stands before the text of the right option, wherever it is."""
    number = int(asked_uid(request).rpartition("-")[2])
    right = f"ལན་ {number} {'ཀཁགང'[number % 4]}"
    (line,) = [one for one in request.messages[-1].content.splitlines() if one.endswith(right)]
    return line.strip()[0]


def rotated_runs(project: Project, release: Release, reply: Any) -> list[Run]:
    spec = ModelSpecFactory(project=project, name="m")
    return [
        finished_run(project, reply, release=release, spec=spec, rotation=rotation)
        for rotation in range(3)
    ]


def rotations(*runs: Run) -> Any:
    out = StringIO()
    numbers = [str(run.pk) for run in runs]
    call_command("compare_runs", "ti", *numbers, stdout=out, table="rotations", format="json")
    return json.loads(out.getvalue())["rows"]


def test_positions_count_hidden_items_only_for_those_who_may_see_them(project: Project) -> None:
    """A model that knows all would else tell how often each letter is the key of a hidden item."""
    release = make_release(project, tests=4, hidden=2)
    run = finished_run(project, knowing, release=release)
    assert position_shares(compare([run], "anchored", has_hidden=False)) == [[0.5, 0.5]]
    assert position_shares(compare([run], "anchored")) == [[0.25] * 4]


def test_letters_are_shown_and_turned_back() -> None:
    for count in (2, 4, 10):
        for rotation in range(10):
            for letter in "ABCDEFGHIJ"[:count]:
                shown = letter_shown(letter, count, rotation)
                assert letter_shown(shown, count, -rotation) == letter, (count, rotation)
    assert letter_shown("A", 4, 1) == "D"
    assert letter_shown("", 4, 1) == ""


def test_options_begin_with_the_one_at_the_rotation(release: Release) -> None:
    placed = release.items.select_related("revision")[0]
    first, second, third, fourth = placed.options
    assert turned(placed, 0) == (first, second, third, fourth)
    assert turned(placed, 1) == turned(placed, 5) == (second, third, fourth, first)


def test_model_that_knows_chooses_the_same_option_in_all_rotations(
    project: Project, release: Release
) -> None:
    runs = rotated_runs(project, release, knowing)
    for run in runs:
        found = Score.objects.filter(run=run, method="anchored")
        assert set(found.values_list("letter", "is_correct")) == {
            (letter, True) for letter in "ABCD"
        }, run.rotation
        assert not ModelResponse.objects.filter(run=run).exclude(reused_from=None).exists()
    *single, whole = rotations(*runs)
    assert [row["rotation"] for row in single] == ["0", "1", "2"]
    assert {row["accuracy"]["value"] for row in single} == {1}
    assert {row["position_A"] for row in single} == {0.25}
    assert (whole["rotation"], whole["same_option"], whole["accuracy"]["value"]) == ("all", 1, 1)


def test_model_that_always_says_a_prefers_a_position(project: Project, release: Release) -> None:
    runs = rotated_runs(project, release, lambda request: "A")
    letters = [
        set(Score.objects.filter(run=run, method="anchored").values_list("letter", flat=True))
        for run in runs
    ]
    assert letters == [{"A"}, {"B"}, {"C"}]
    *single, whole = rotations(*runs)
    assert {row["position_A"] for row in single} == {1}
    assert {row["accuracy"]["value"] for row in single} == {0.25}
    assert (whole["same_option"], whole["accuracy"]["value"]) == (0, 0.25)


def test_page_of_a_response_shows_the_prompt_that_was_sent(
    project: Project, release: Release
) -> None:
    run = finished_run(project, knowing, release=release, rotation=1)
    rows = ModelResponse.objects.select_related("run", "release_item__revision")
    response = rows.get(run=run, release_item__uid="history/test-2")
    reading = reading_of(response)
    assert "A. ལན་ 2 ཁ" in reading.messages[-1].content
    assert response.text == "B"
    assert reading.scores[0].extraction.letter == "C"


def test_rotation_out_of_bounds_and_audits_of_rotated_runs_are_refused(
    project: Project, release: Release
) -> None:
    with pytest.raises(RunInvalid) as refusal:
        make_run(project, release, rotation=10)
    assert "rotation" in refusal.value.fields
    run = finished_run(project, knowing, release=release, rotation=1)
    with pytest.raises(AuditOfRotated):
        start_audit(run=run, doubtful=1, agreed=1, seed=1, actor=None, now=NOW)


def test_command_starts_a_run_for_each_rotation(project: Project, release: Release) -> None:
    ModelSpecFactory(project=project, name="m")
    out = StringIO()
    call_command("start_run", "ti", release.version, "m", "--rotations", "3", "--json", stdout=out)
    numbers = [each["run"] for each in json.loads(out.getvalue())["runs"]]
    found = Run.objects.filter(pk__in=numbers).order_by("pk")
    assert list(found.values_list("rotation", flat=True)) == [0, 1, 2]
    with pytest.raises(CommandError):
        call_command("start_run", "ti", release.version, "m", "--rotations", "11")


def test_a_position_that_a_run_never_chose_has_a_share_of_nothing(
    project: Project, release: Release
) -> None:
    """Of runs beside each other, one may never choose the last position."""
    spec = ModelSpecFactory(project=project, name="m")
    replies = {0: lambda _request: "A", 1: lambda _request: "D"}
    runs = [
        finished_run(project, reply, release=release, spec=spec, rotation=rotation)
        for rotation, reply in replies.items()
    ]

    first, second, _all = rotations(*runs)

    assert [first["position_A"], first["position_D"]] == [1.0, 0.0]
    assert [second["position_A"], second["position_D"]] == [0.0, 1.0]


def test_command_says_the_rotation_of_each_run(project: Project, release: Release) -> None:
    ModelSpecFactory(project=project, name="m")
    out = StringIO()

    call_command("start_run", "ti", release.version, "m", "--rotations", "2", stdout=out)

    first, second = out.getvalue().split("\n\n")
    assert "rotated" not in first
    assert "options rotated by 1" in second
