"""Kinds of errors: kept with the scores, counted on the page of a run, and a filter of its responses."""

from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from endpoints.providers.base import ChatRequest
from evaluation.models import Score
from evaluation.results.json_values import results_json
from evaluation.results.queries.figures import run_results
from projects.enums import Role
from projects.models import Project
from tests.evaluation.builders import asked_uid, finished_run, make_release

pytestmark = pytest.mark.django_db


def say(request: ChatRequest) -> str:
    """Right, wrong, refused, the question again, an example, English."""
    question = request.messages[-1].content
    return [
        "A", "A", "抱歉，我无法回答。", question, "འདྲི་བ་ history/dev-1 ག་རེ་རེད། B C", "What is asked here is not clear to me at all.",
    ][int(asked_uid(request).rpartition("-")[2])]  # fmt: skip


def test_kinds_are_counted_listed_and_filtered(
    project: Project,
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    release = make_release(project, subjects={"history": ""}, tests=6, devs=3)
    run = finished_run(project, say, release=release, shots=3)

    found = results_json(run_results(run))["error_kinds"]["anchored"]

    assert found == {
        "knowledge": 1, "refusal": 1, "repeats_question": 1, "repeats_shots": 1,
        "other_language": 1,
    }  # fmt: skip
    manager = member(Role.MANAGER)
    page = browser_of(manager).get(f"/projects/ti/runs/{run.pk}/").content.decode()
    assert "Kinds of errors" in page
    assert "method=anchored&amp;kind=repeats_shots" in page
    listed = api_of(manager).get(f"/api/v1/runs/{run.pk}/responses/?kind=repeats_shots").json()
    assert [each["uid"] for each in listed["results"]] == ["history/test-4"]
    causes = {each["method"]: each["cause"] for each in listed["results"][0]["scores"]}
    assert causes["anchored"] == "repeats_shots"


def test_scores_from_before_are_of_unknown_kind(project: Project) -> None:
    run = finished_run(project, lambda request: "A")
    Score.objects.filter(run=run).update(cause="")
    cache.clear()
    assert results_json(run_results(run))["error_kinds"]["anchored"] == {"unknown": 4}
