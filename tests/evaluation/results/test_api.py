"""The API of responses, and of the files with the figures of a run."""

from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from accounts.models import User
from projects.enums import Role
from projects.models import Project
from tests.evaluation.builders import finished_run, make_release, make_run

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Api = Callable[[User], APIClient]
ROOT = "/api/v1"


@pytest.fixture
def manager(project: Project, member: Member, api_of: Api) -> APIClient:
    return api_of(member(Role.MANAGER))


@pytest.mark.parametrize("tests", [1, 20])
def test_responses_take_a_fixed_number_of_queries(
    project: Project, member: Member, django_assert_num_queries: DjangoAssertNumQueries, tests: int
) -> None:
    run = finished_run(project, release=make_release(project, tests=tests))
    api = APIClient()
    api.force_authenticate(member(Role.MANAGER))
    with django_assert_num_queries(7):
        assert api.get(f"{ROOT}/runs/{run.pk}/responses/").status_code == 200


@pytest.mark.parametrize("role", [Role.MANAGER, Role.VIEWER])
def test_files_of_a_run_are_those_of_its_page(
    project: Project, member: Member, api_of: Api, role: Role
) -> None:
    run = finished_run(project)
    reader = member(role)
    api, browser = api_of(reader), Client()
    browser.force_login(reader, backend="accounts.backends.AccountBackend")

    listed = api.get(f"{ROOT}/runs/{run.pk}/files/").json()

    assert len(listed) > len(run.methods)
    for file in listed:
        answer = api.get(f"{ROOT}/runs/{run.pk}/files/{file['name']}")
        text = answer.getvalue()
        page = browser.get(f"/projects/ti/runs/{run.pk}/files/{file['name']}")
        assert (text, len(text)) == (page.content, file["size"])
        assert answer.headers["Content-Disposition"] == page.headers["Content-Disposition"]


def test_run_without_figures_has_no_files(project: Project, manager: APIClient) -> None:
    run = make_run(project)
    assert manager.get(f"{ROOT}/runs/{run.pk}/files/").json() == []
    answer = manager.get(f"{ROOT}/runs/{run.pk}/files/figures.csv")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_response_says_what_each_method_takes_from_it_and_why(
    project: Project, manager: APIClient
) -> None:
    run = finished_run(
        project,
        lambda request: "<think>B?</think>The answer is A.",
        methods=("direct", "anchored"),
    )
    first = manager.get(f"{ROOT}/runs/{run.pk}/responses/").json()["results"][0]

    body = manager.get(f"{ROOT}/runs/{run.pk}/responses/{first['id']}/").json()

    assert {name: body[name] for name in first} == first
    assert first["uid"] in body["messages"][-1]["content"]
    assert body["read_text"] == "The answer is A."
    assert [reading["method"] for reading in body["readings"]] == ["anchored", "direct"]
    assert all(reading["reason"] and reading["rule"] for reading in body["readings"])
    places = {each["method"]: each["place"] for each in body["readings"]}
    assert places["direct"] is None
    assert places["anchored"] == {"start": len("The "), "end": len("The answer is A")}
    by_method = {score["method"]: score["is_correct"] for score in first["scores"]}
    assert {each["method"]: each["is_correct"] for each in body["readings"]} == by_method


def test_response_of_another_run_is_not_found(project: Project, manager: APIClient) -> None:
    run, other = finished_run(project), finished_run(project, epochs=2)
    response = other.responses.first()
    assert response is not None
    assert manager.get(f"{ROOT}/runs/{run.pk}/responses/{response.pk}/").status_code == 404
