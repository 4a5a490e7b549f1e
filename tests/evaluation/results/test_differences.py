"""Answers that methods read differently: counted, said on the page, listed by page and API."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from endpoints.providers.base import ChatRequest
from evaluation.models import Run
from evaluation.results.queries.differences import Difference, methods_of
from evaluation.results.queries.figures import run_results
from evaluation.results.queries.responses import ResponseFilter, responses_of
from projects.enums import Role
from projects.models import Project
from tests.evaluation.builders import asked_uid, finished_run, make_release, make_run

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]
I_DO_NOT_KNOW = "ངས་མི་ཤེས།"


@pytest.fixture
def run(project: Project) -> Run:
    """Keys are A, B, C, D in turn; three "I don't know", of which `direct` reads each as D."""

    def reply(request: ChatRequest) -> str:
        return "B" if asked_uid(request) == "history/test-1" else I_DO_NOT_KNOW

    release = make_release(project, subjects={"history": "H"}, tests=4, hidden=1)
    methods = ("direct", "concern_all", "anchored")
    return finished_run(project, reply, release=release, methods=methods)


def test_headline_is_anchored_whatever_the_order_of_a_runs_methods(run: Run) -> None:
    assert methods_of(run) == ["anchored", "direct", "concern_all"]
    assert [one.scorer.name for one in run_results(run).methods] == methods_of(run)


def test_i_dont_know_is_no_answer_by_the_headline_and_counted_as_a_difference(run: Run) -> None:
    results = run_results(run)
    accuracies = [one.summary.overall.item_weighted.accuracy for one in results.methods]
    assert accuracies == [0.25, 0.5, 0.5]
    assert results.differences == (
        Difference("direct", "anchored", 3, 1, 0),
        Difference("concern_all", "anchored", 3, 1, 0),
    )


def test_methods_that_agree_make_no_difference(project: Project) -> None:
    assert run_results(finished_run(project)).differences == ()


def test_run_without_answers_has_no_difference(project: Project) -> None:
    assert run_results(make_run(project)).differences == ()


def test_run_page_says_where_methods_disagree_and_links_managers_to_the_answers(
    run: Run, member: Member, browser_of: Browser
) -> None:
    url = reverse("evaluation:run", args=["ti", run.pk])
    message = (
        "Direct reads 3 answers differently from Anchored."
        " Direct counts 1 of them as right, Anchored 0."
    )
    link = reverse("evaluation:responses", args=["ti", run.pk]) + (
        "?method=direct&amp;differs=anchored"
    )
    body = browser_of(member(Role.MANAGER)).get(url).content.decode()
    assert message in body
    assert link in body
    seen = browser_of(member(Role.VIEWER)).get(url).content.decode()
    assert message in seen
    assert link not in seen


@pytest.mark.parametrize(
    ("wanted", "uids"),
    [
        (ResponseFilter("direct", "", "anchored"), [0, 2, 3]),
        (ResponseFilter("anchored", "", "direct"), [0, 2, 3]),
        (ResponseFilter("direct", "right", "anchored"), [3]),
        (ResponseFilter("anchored", "none", "direct"), [0, 2, 3]),
        (ResponseFilter("direct", "", "concern_all"), []),
        (ResponseFilter("direct", "", "direct"), []),
        (ResponseFilter("anchored", "right"), [1]),
    ],
)
def test_responses_that_methods_read_differently_are_these(
    run: Run, wanted: ResponseFilter, uids: list[int]
) -> None:
    rows = responses_of(run, wanted).order_by("release_item__position")
    assert [row.release_item.uid for row in rows] == [f"history/test-{n}" for n in uids]


def test_responses_page_shows_both_readings(run: Run, member: Member, browser_of: Browser) -> None:
    url = reverse("evaluation:responses", args=["ti", run.pk])
    manager = browser_of(member(Role.MANAGER))
    body = manager.get(f"{url}?method=direct&kind=right&differs=anchored").content.decode()
    assert "<th>Direct</th>" in body
    assert "<th>Anchored</th>" in body
    assert "history/test-3" in body
    assert "history/test-0" not in body
    assert manager.get(f"{url}?differs=nonsense").status_code == 400


def test_api_lists_the_answers_that_methods_read_differently(run: Run, member: Member) -> None:
    api = APIClient()
    api.force_authenticate(member(Role.MANAGER))
    url = f"/api/v1/runs/{run.pk}/responses/"

    found = api.get(f"{url}?method=direct&differs=anchored").json()["results"]
    assert {row["uid"] for row in found} == {f"history/test-{n}" for n in (0, 2, 3)}
    right = api.get(f"{url}?method=direct&kind=right&differs=anchored").json()["results"]
    assert [row["uid"] for row in right] == ["history/test-3"]

    refused = api.get(f"{url}?differs=nonsense")
    assert (refused.status_code, refused.json()["code"]) == (400, "filter_unknown")
    counts = api.get(f"/api/v1/runs/{run.pk}/").json()["results"]["differences"]
    assert counts[0] == {
        "method": "direct", "headline": "anchored", "answers": 3, "right": 1, "headline_right": 0,
    }  # fmt: skip
