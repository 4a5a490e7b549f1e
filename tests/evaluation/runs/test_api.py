"""The API of runs: shapes, refusals, and who may call what."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from evaluation.models import Run
from projects.enums import Role
from projects.models import Project
from tests.evaluation.builders import finished_run, make_release, make_run, work_off
from tests.factories import ModelSpecFactory, UserFactory

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Api = Callable[[User], APIClient]
ROOT = "/api/v1"


@pytest.fixture
def manager(project: Project, member: Member, api_of: Api) -> APIClient:
    return api_of(member(Role.MANAGER))


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


def test_bad_run_is_refused_in_words(project: Project, manager: APIClient) -> None:
    make_release(project, version="1.0.0")
    ModelSpecFactory(project=project, name="m")
    wanted: list[tuple[dict[str, Any], int, str]] = [
        ({"release": "9.9.9"}, 404, "release_unknown"),
        ({"model": "nobody"}, 404, "model_unknown"),
        ({"prompt": "nobody"}, 404, "prompt_unknown"),
        ({"epochs": 0}, 400, "invalid"),
        ({"epochs": 10**30}, 400, "invalid"),
        ({"shots": 3}, 409, "release_without_shots"),
        ({"methods": ["likeliest"]}, 400, "invalid"),
        ({"methods": []}, 409, "release_without_tests"),
        ({"concurrency": "x"}, 400, "invalid"),
        ({"sots": 1}, 400, "invalid"),
        ({"release": None}, 400, "invalid"),
    ]
    told = []
    for bad, _status, _code in wanted:
        answer = manager.post(f"{ROOT}/projects/ti/runs/", {"release": "1.0.0", "model": "m"} | bad)
        told.append((bad, answer.status_code, answer.json()["code"]))
    assert told == wanted
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
    can, reads = role in (Role.MANAGER, Role.EVALUATOR), role == Role.MANAGER
    assert api.get(f"{ROOT}/projects/ti/runs/").status_code == 200
    assert api.get(f"{ROOT}/runs/{run.pk}/").status_code == 200
    assert api.get(f"{ROOT}/runs/{run.pk}/responses/").status_code == (200 if reads else 403)
    assert api.post(f"{ROOT}/runs/{run.pk}/cancel/").status_code == (409 if can else 403)
    assert api.post(f"{ROOT}/runs/{run.pk}/resume/").status_code == (409 if can else 403)
    assert api.post(f"{ROOT}/projects/ti/runs/", {}).status_code == (400 if can else 403)


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
