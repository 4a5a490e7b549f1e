"""The API of models and runs: shapes, refusals, and who may call what."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from accounts.models import User
from evaluation.models import ModelSpec, Run
from evaluation.queries.specs import known_prompts
from projects.enums import Role
from projects.models import Project
from tests.evaluation.builders import finished_run, make_release, make_run, work_off
from tests.factories import EndpointFactory, ModelSpecFactory, UserFactory

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Api = Callable[[User], APIClient]
ROOT = "/api/v1"
MODEL = {
    "name": "gpt-x",
    "endpoint": "a",
    "model": "gpt-x",
    "parameters": {"temperature": 0},
}


@pytest.fixture
def manager(project: Project, member: Member, api_of: Api) -> APIClient:
    EndpointFactory(project=project, name="a", base_url="https://a.org/v1")
    return api_of(member(Role.MANAGER))


def test_model_is_added_listed_and_revised(manager: APIClient) -> None:
    url = f"{ROOT}/projects/ti/models/"
    added = manager.post(url, MODEL)
    assert added.status_code == 201
    body = added.json()
    del body["created_at"]
    assert body == {**MODEL, "revision": 1}

    change = {key: value for key, value in MODEL.items() if key != "name"}
    change |= {"model": "gpt-y"}
    revised = manager.put(f"{url}gpt-x/", change)
    assert (revised.status_code, revised.json()["revision"]) == (201, 2)
    (listed,) = manager.get(url).json()["results"]
    assert (listed["model"], listed["revision"]) == ("gpt-y", 2)


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        ({}, 400, "invalid", "name"),
        (MODEL | {"extra": 1}, 400, "invalid", "extra"),
        (MODEL | {"name": "x" * 101}, 400, "invalid", "name"),
        (MODEL | {"name": "a/b"}, 400, "model_invalid", "name"),
        (MODEL | {"endpoint": "x"}, 400, "model_invalid", "endpoint"),
        (MODEL | {"parameters": []}, 400, "invalid", "parameters"),
        (MODEL | {"parameters": {"seed": "x"}}, 400, "model_invalid", "parameters"),
        ([1], 400, "invalid", "non_field_errors"),
    ],
)
def test_bad_model_is_refused_in_words(
    manager: APIClient, body: Any, status: int, code: str, field: str
) -> None:
    response = manager.post(f"{ROOT}/projects/ti/models/", body)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert field in response.json()["fields"]
    assert not ModelSpec.objects.exists()


def test_model_that_is_there_or_is_not_is_refused(manager: APIClient) -> None:
    url = f"{ROOT}/projects/ti/models/"
    manager.post(url, MODEL)
    assert manager.post(url, MODEL).json()["code"] == "model_exists"
    change = {key: value for key, value in MODEL.items() if key != "name"}
    assert manager.put(f"{url}gpt-x/", change).json()["code"] == "model_unchanged"
    assert manager.put(f"{url}nobody/", change).status_code == 404
    assert manager.put(f"{url}gpt-x/", [1]).status_code == 400


def test_models_name_their_endpoint_and_not_its_address(
    project: Project, member: Member, api_of: Api
) -> None:
    ModelSpecFactory(project=project, endpoint__name="inside")
    answer = api_of(member(Role.VIEWER)).get(f"{ROOT}/projects/ti/models/")
    (shown,) = answer.json()["results"]
    assert (shown["endpoint"], "127.0.0.1" in answer.content.decode()) == ("inside", False)


def test_prompts_are_listed_with_the_names_that_a_run_takes(
    project: Project, manager: APIClient
) -> None:
    listed = manager.get(f"{ROOT}/projects/ti/prompts/").json()

    found = known_prompts(project, now=timezone.now())
    assert [(each["name"], each["frame"]) for each in listed] == [
        (prompt.name, prompt.frame) for prompt in found
    ]
    assert listed[0]["style"] == "direct"
    assert "{question}" in listed[0]["frame"]


def test_run_is_started_read_and_its_responses_listed(project: Project, manager: APIClient) -> None:
    make_release(project, version="1.0.0")
    spec = ModelSpecFactory(project=project)
    started = manager.post(
        f"{ROOT}/projects/ti/runs/", {"release": "1.0.0", "model": spec.name, "epochs": 2}
    )
    assert started.status_code == 202
    run = Run.objects.get()
    assert started.json() == {"run": run.pk, "job": run.job_id}

    work_off(run)
    body = manager.get(f"{ROOT}/runs/{run.pk}/").json()
    assert (body["state"], body["done"], body["total"]) == ("done", 12, 12)
    assert body["results"]["answered"] == 12
    assert set(body["results"]["methods"]) == {"direct", "concern_all", "anchored"}
    listed = manager.get(f"{ROOT}/runs/{run.pk}/responses/?page_size=5").json()
    assert len(listed["results"]) == 5
    assert listed["next"]
    first = listed["results"][0]
    assert (first["uid"], first["text"], first["key"]) == ("history/test-0", "A", "A")
    assert {score["method"] for score in first["scores"]} == set(run.methods)
    runs = manager.get(f"{ROOT}/projects/ti/runs/").json()["results"]
    assert [row["id"] for row in runs] == [run.pk]


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"release": "9.9.9"}, 404, "release_unknown"),
        ({"model": "nobody"}, 404, "model_unknown"),
        ({"prompt": "nobody"}, 404, "prompt_unknown"),
        ({"epochs": 0}, 400, "invalid"),
        ({"epochs": 10**30}, 400, "invalid"),
        ({"shots": 3}, 409, "release_without_shots"),
        ({"methods": ["likelihood"]}, 400, "invalid"),
        ({"methods": []}, 400, "invalid"),
        ({"concurrency": "x"}, 400, "invalid"),
        ({"sots": 1}, 400, "invalid"),
        ({"release": None}, 400, "invalid"),
    ],
)
def test_bad_run_is_refused_in_words(
    project: Project, manager: APIClient, changes: dict[str, Any], status: int, code: str
) -> None:
    make_release(project, version="1.0.0")
    ModelSpecFactory(project=project, name="m")
    response = manager.post(
        f"{ROOT}/projects/ti/runs/", {"release": "1.0.0", "model": "m"} | changes
    )
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert not Run.objects.exists()


def test_same_run_again_is_refused(project: Project, manager: APIClient) -> None:
    make_release(project, version="1.0.0")
    ModelSpecFactory(project=project, name="m")
    body = {"release": "1.0.0", "model": "m"}
    assert manager.post(f"{ROOT}/projects/ti/runs/", body).status_code == 202
    again = manager.post(f"{ROOT}/projects/ti/runs/", body)
    assert (again.status_code, again.json()["code"]) == (409, "run_underway")


def test_cancel_and_resume(project: Project, manager: APIClient) -> None:
    run = make_run(project)
    url = f"{ROOT}/runs/{run.pk}"
    assert manager.post(f"{url}/cancel/").json() == {"run": run.pk, "job": run.job_id}
    assert manager.post(f"{url}/cancel/").json()["code"] == "job_not_cancellable"
    assert manager.post(f"{url}/resume/").status_code == 202
    assert manager.post(f"{url}/resume/").json()["code"] == "job_not_runnable"
    work_off(run)
    assert manager.post(f"{url}/resume/").json()["code"] == "run_complete"


@pytest.mark.parametrize("role", list(Role))
def test_calls_by_role(project: Project, member: Member, api_of: Api, role: Role) -> None:
    run = finished_run(project)
    api = api_of(member(role))
    can = role == Role.MANAGER
    assert api.get(f"{ROOT}/projects/ti/runs/").status_code == 200
    assert api.get(f"{ROOT}/projects/ti/models/").status_code == 200
    assert api.get(f"{ROOT}/runs/{run.pk}/").status_code == 200
    assert api.get(f"{ROOT}/runs/{run.pk}/responses/").status_code == (200 if can else 403)
    assert api.post(f"{ROOT}/runs/{run.pk}/cancel/").status_code == (409 if can else 403)
    assert api.post(f"{ROOT}/runs/{run.pk}/resume/").status_code == (409 if can else 403)
    assert api.post(f"{ROOT}/projects/ti/runs/", {}).status_code == (400 if can else 403)
    assert api.post(f"{ROOT}/projects/ti/models/", {}).status_code == (400 if can else 403)


def test_strangers_and_the_unknown_find_nothing(
    project: Project, api_of: Api, manager: APIClient
) -> None:
    run = finished_run(project)
    stranger = api_of(UserFactory())
    for path in (f"runs/{run.pk}/", f"runs/{run.pk}/responses/", "projects/ti/runs/"):
        assert stranger.get(f"{ROOT}/{path}").status_code == 404
        assert APIClient().get(f"{ROOT}/{path}").status_code == 401
    for pk in (0, 999_999, 2**63, 2**90):
        assert manager.get(f"{ROOT}/runs/{pk}/").status_code == 404
        assert manager.post(f"{ROOT}/runs/{pk}/resume/").status_code == 404


def test_run_by_api_holds_no_text_or_key_of_an_item(
    project: Project, member: Member, api_of: Api
) -> None:
    run = finished_run(project, release=make_release(project, hidden=2))
    body = api_of(member(Role.VIEWER)).get(f"{ROOT}/runs/{run.pk}/").content.decode()
    assert "འདྲི་བ" not in body
    assert "test-" not in body


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
    run = finished_run(project, lambda request: "<think>B?</think>The answer is A.")
    first = manager.get(f"{ROOT}/runs/{run.pk}/responses/").json()["results"][0]

    body = manager.get(f"{ROOT}/runs/{run.pk}/responses/{first['id']}/").json()

    assert {name: body[name] for name in first} == first
    assert first["uid"] in body["messages"][-1]["content"]
    assert body["read_text"] == "The answer is A."
    assert [reading["method"] for reading in body["readings"]] == run.methods
    assert all(reading["reason"] and reading["rule"] for reading in body["readings"])
    by_method = {score["method"]: score["is_correct"] for score in first["scores"]}
    assert {each["method"]: each["is_correct"] for each in body["readings"]} == by_method


def test_response_of_another_run_is_not_found(project: Project, manager: APIClient) -> None:
    run, other = finished_run(project), finished_run(project, epochs=2)
    response = other.responses.first()
    assert response is not None
    assert manager.get(f"{ROOT}/runs/{run.pk}/responses/{response.pk}/").status_code == 404
