"""The API of models: shapes, refusals, and who may call what."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from endpoints.models import ModelSpec
from projects.enums import Role
from projects.models import Project
from tests.factories import EndpointFactory, ModelSpecFactory

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Api = Callable[[User], APIClient]
ROOT = "/api/v1"
MODEL = {
    "name": "gpt-x",
    "endpoint": "a",
    "model": "gpt-x",
    "parameters": {"temperature": 0},
    "prompt_price": "0.5000",
    "size": "7.0000",
    "batch_factor": "0.2500",
    "completion_price": "2.0000",
    "cutoff": "2024-06",
    "tuned_from": "base",
}


@pytest.fixture
def manager(project: Project, member: Member, api_of: Api) -> APIClient:
    EndpointFactory(project=project, name="a", base_url="https://a.org/v1")
    ModelSpecFactory(project=project, name="base")
    return api_of(member(Role.MANAGER))


@pytest.mark.parametrize("role", list(Role))
def test_calls_by_role(project: Project, member: Member, api_of: Api, role: Role) -> None:
    api, url = api_of(member(role)), f"{ROOT}/projects/ti/models/"
    assert api.get(url).status_code == 200
    assert api.post(url, {}).status_code == (400 if role == Role.MANAGER else 403)


def test_model_is_added_listed_and_revised(manager: APIClient) -> None:
    url = f"{ROOT}/projects/ti/models/"
    added = manager.post(url, MODEL)
    assert added.status_code == 201
    body = added.json()
    del body["created_at"]
    assert body == {**MODEL, "revision": 1, "is_of_server": False, "retired_at": None}

    change = {key: value for key, value in MODEL.items() if key != "name"}
    change |= {"model": "gpt-y"}
    revised = manager.put(f"{url}gpt-x/", change)
    assert (revised.status_code, revised.json()["revision"]) == (201, 2)
    (listed,) = [each for each in manager.get(url).json()["results"] if each["name"] == "gpt-x"]
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
        (MODEL | {"size": "0"}, 400, "model_invalid", "size"),
        (MODEL | {"batch_factor": "1.5"}, 400, "model_invalid", "batch_factor"),
        *(
            (MODEL | {"cutoff": text}, 400, "model_invalid", "cutoff")
            for text in ("2024", "2024-13")
        ),
        (MODEL | {"tuned_from": "gpt-x"}, 400, "model_invalid", "tuned_from"),
        ([1], 400, "invalid", "non_field_errors"),
    ],
)
def test_bad_model_is_refused_in_words(
    manager: APIClient, body: Any, status: int, code: str, field: str
) -> None:
    response = manager.post(f"{ROOT}/projects/ti/models/", body)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert field in response.json()["fields"]
    assert ModelSpec.objects.get().name == "base"


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
