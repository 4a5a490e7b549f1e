"""The list of runs: filters, orders, intervals, files, and what models have taken."""

import csv
import io
import json
from collections.abc import Callable
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from common.intervals import wilson_interval
from evaluation.models import Run
from evaluation.results.queries.figures import run_results
from evaluation.runs.lists import ModelCost, RunFilter, costs_by_model, filtered_runs
from projects.enums import Role
from projects.models import Project
from tests.evaluation.builders import make_release, make_run, work_off
from tests.evaluation.runs.test_budgets import DOLLAR_A_CALL
from tests.evaluation.runs.test_reuse import Paid
from tests.factories import ModelSpecFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs(project: Project) -> list[Run]:
    """A finished run with two epochs of "priced", one of "bare" with reused answers, one waiting."""
    release = make_release(project, tests=4, version="1.0.0")
    priced = ModelSpecFactory(project=project, name="priced", **DOLLAR_A_CALL)
    bare = ModelSpecFactory(project=project, name="bare", endpoint=priced.endpoint)
    first = make_run(project, release, spec=priced, epochs=2)
    work_off(first, Paid(priced))
    second = make_run(project, release, spec=bare, methods=("direct",))
    work_off(second, Paid(bare))
    other = make_release(project, tests=1, version="2.0.0")
    return [first, second, make_run(project, other, spec=bare)]


def found(person: User, project: Project, **wanted: str) -> list[int]:
    rows = filtered_runs(person, project, RunFilter(**wanted))
    return list(rows.order_by("pk").values_list("pk", flat=True))


def test_filter_finds_by_model_release_state_prompt_and_part_of_a_name(
    project: Project, runs: list[Run], member: Callable[..., User]
) -> None:
    manager = member(Role.MANAGER)
    first, second, third = (run.pk for run in runs)
    cases = [
        ({}, [first, second, third]),
        ({"model": "bare"}, [second, third]),
        ({"release": "2.0.0"}, [third]),
        ({"state": "done"}, [first, second]),
        ({"state": "done", "model": "bare"}, [second]),
        ({"prompt": "direct"}, found(manager, project, q="direct")),
        ({"q": "PRIC"}, [first]),
        ({"q": "nothing"}, []),
    ]
    assert [found(manager, project, **wanted) for wanted, _pks in cases] == [
        pks for _w, pks in cases
    ]


def test_runs_are_filtered_by_the_rotation_of_options(
    project: Project,
    runs: list[Run],
    member: Callable[..., User],
    api_of: Callable[[User], APIClient],
    browser_of: Callable[[User], Client],
) -> None:
    Run.objects.filter(pk=runs[1].pk).update(rotation=2)
    manager, plain = member(Role.MANAGER), [runs[0].pk, runs[2].pk]
    api, url = api_of(manager), "/api/v1/projects/ti/runs/"

    for rotation, wanted in (
        ("", [each.pk for each in runs]),
        ("0", plain),
        ("2", [runs[1].pk]),
    ):
        listed = api.get(url, {"rotation": rotation}).json()["results"]
        assert [row["id"] for row in listed] == wanted, rotation
    assert api.get(url, {"rotation": "x"}).status_code == 400
    lines = b"".join(api.get(f"{url}export/", {"rotation": 2}).streaming_content)  # type: ignore[attr-defined]
    assert json.loads(lines)["rotation"] == 2
    page = browser_of(manager).get(reverse("evaluation:runs", args=["ti"]), {"rotation": 5})
    assert "Nothing matches" in page.content.decode()


def test_rows_keep_figure_interval_and_usage_as_the_page_of_the_run_has_them(
    runs: list[Run],
) -> None:
    for run in runs[:2]:
        run.refresh_from_db()
        results = run_results(run)
        overall = results.methods[0].summary.overall
        assert run.headline_interval == overall.accuracy_interval
        assert (run.bought_count, run.reused_count) == (results.usage.bought, results.usage.reused)
        assert run.prompt_tokens == results.usage.prompt_tokens
    assert runs[2].headline_interval is None

    Run.objects.update(headline_low=None, headline_high=None)  # as runs of before have it
    old_epochs, old_single = Run.objects.order_by("pk")[:2]
    assert old_epochs.headline_interval is None
    assert old_single.headline_interval == wilson_interval(2, 8)


def test_page_filters_sorts_and_shows_the_interval(
    project: Project,
    runs: list[Run],
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
) -> None:
    manager, url = browser_of(member(Role.MANAGER)), reverse("evaluation:runs", args=["ti"])
    body = manager.get(url, {"model": "priced"}).content.decode()
    assert reverse("evaluation:run", args=["ti", runs[0].pk]) in body
    assert reverse("evaluation:run", args=["ti", runs[1].pk]) not in body
    assert "Nothing matches" in manager.get(url, {"q": "none"}).content.decode()
    assert manager.get(url, {"state": "x"}).status_code == 400
    links = [reverse("evaluation:run", args=["ti", run.pk]) for run in runs]
    for order, wanted in (("oldest", [0, 1, 2]), ("score", [1, 0, 2]), ("model", [2, 1, 0])):
        body = manager.get(url, {"order": order}).content.decode()
        places = [body.index(f'"{link}"') for link in links]
        assert sorted(range(3), key=places.__getitem__) == wanted, order


def test_files_have_a_row_for_each_run_of_the_filter(
    runs: list[Run],
    member: Callable[..., User],
    api_of: Callable[[User], APIClient],
    browser_of: Callable[[User], Client],
) -> None:
    manager = member(Role.MANAGER)
    page = browser_of(manager).get(
        reverse("evaluation:runs-file", args=["ti", "csv"]), {"state": "done"}
    )
    text = b"".join(page.streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["model"], row["bought"], row["reused"]) for row in rows] == [
        ("bare", "0", "8"), ("priced", "16", "0"),
    ]  # fmt: skip
    assert Decimal(rows[1]["price"]) == 16

    export = "/api/v1/projects/ti/runs/export/"
    answer = api_of(manager).get(export, {"model": "priced"})
    lines = b"".join(answer.streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    (row,) = map(json.loads, lines)
    assert (row["run"], row["accuracy"], row["prompt_tokens"]) == (runs[0].pk, 0.25, 1600)
    listed = api_of(manager).get("/api/v1/projects/ti/runs/", {"model": "priced"}).json()
    (shown,) = listed["results"]
    assert shown["headline_low"] == pytest.approx(row["accuracy_low"])
    assert api_of(manager).get(export, {"state": "x"}).status_code == 400


def test_costs_are_summed_by_model_without_counting_an_answer_twice(
    project: Project,
    runs: list[Run],
    member: Callable[..., User],
    api_of: Callable[[User], APIClient],
    browser_of: Callable[[User], Client],
) -> None:
    manager = member(Role.MANAGER)
    assert costs_by_model(manager, project) == [
        ModelCost("bare", 1, 2, 0, 8, 0, 0, None),
        ModelCost("priced", 1, 1, 16, 0, 1600, 160, Decimal(16)),
    ]
    body = api_of(manager).get("/api/v1/projects/ti/runs/costs/").json()
    assert [(row["model"], row["bought"], row["reused"]) for row in body] == [
        ("bare", 0, 8), ("priced", 16, 0),
    ]  # fmt: skip
    page = browser_of(manager).get(reverse("evaluation:costs", args=["ti"])).content.decode()
    assert "$16.0000" in page
