"""Batch files of translation jobs on the page and in the API: who gets them, and what they say."""

import json
from collections.abc import Callable
from decimal import Decimal
from io import BytesIO

import pytest
from django.http import StreamingHttpResponse
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from annotation.models import TranslationJob
from jobs.enums import JobState
from jobs.models import Job
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from tests.annotation.translating.builders import make_items, make_job, outcomes, work_off
from tests.annotation.translating.test_batch_files import answer, held

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
BrowserOf = Callable[[User], Client]


def lines_of(response: StreamingHttpResponse) -> list[dict[str, object]]:
    return [json.loads(line) for line in response.getvalue().splitlines()]


def page(name: str, started: TranslationJob) -> str:
    if name in {"batch-file", "batch-answers", "hold-job", "ask-directly"}:
        return reverse(f"endpoints:{name}", args=[started.job_id])
    return reverse(f"annotation:{name}", args=["ti", started.pk])


def store_given() -> None:
    """Do the job that stores the last answers."""
    run_now(Job.objects.latest("pk"))


def api(name: str, started: TranslationJob) -> str:
    return f"/api/v1/jobs/{started.job_id}/{name}/"


def file_of(lines: list[dict[str, object]]) -> BytesIO:
    file = BytesIO(b"\n".join(map(answer, lines)))
    file.name = "answers.jsonl"
    return file


def test_page_gives_the_file_takes_the_answers_and_names_what_is_missing(
    project: Project, manager: Client
) -> None:
    make_items(project)
    started = held(project, "self_check")
    shown = manager.get(page("translation-job", started)).content.decode()
    assert "step 1 of 2" in shown
    assert "cancelled" not in shown
    assert "every 2s" not in shown

    asked = lines_of(manager.get(page("batch-file", started)))
    given = manager.post(page("batch-answers", started), {"file": file_of(asked[:2])})

    store_given()
    words = manager.get(given["Location"]).content.decode()
    assert f"(the first are {asked[2]['custom_id']})" in words
    assert page("translation-job", started) in words
    manager.post(page("batch-answers", started), {"file": file_of(asked[2:])})
    store_given()
    assert "step 2 of 2" in manager.get(page("translation-job", started)).content.decode()
    asked = lines_of(manager.get(page("batch-file", started)))
    manager.post(page("batch-answers", started), {"file": file_of(asked)})
    store_given()
    assert outcomes(started) == [("translated", "")] * 3
    started.refresh_from_db()
    assert started.job.state == JobState.DONE


def test_page_starts_holds_and_asks_directly(project: Project, manager: Client) -> None:
    make_items(project)
    started = make_job(project)
    assert "Ask by batch file" in manager.get(page("translation-job", started)).content.decode()
    manager.post(page("hold-job", started))
    started.refresh_from_db()
    assert started.job.state == JobState.HELD
    refused = manager.post(page("resume-translation", started))
    assert (refused.status_code, b"paid twice" in refused.content) == (409, True)
    without = manager.post(page("batch-answers", started))
    assert (without.status_code, b"Choose the file of answers." in without.content) == (400, True)

    manager.post(page("ask-directly", started))

    started.refresh_from_db()
    assert started.job.state == JobState.QUEUED


def test_form_starts_a_job_that_waits_for_its_file(project: Project, manager: Client) -> None:
    make_items(project)
    spec = held(project).model_spec
    values = {
        "system": "m2", "model": spec.pk, "strategy": "single", "samples": 3, "limit": 0,
        "concurrency": 4, "hold": "on", "confirm": "yes",
    }  # fmt: skip
    manager.post(reverse("annotation:start-translation", args=["ti"]), values)
    assert TranslationJob.objects.get(system="m2").job.state == JobState.HELD


@pytest.mark.parametrize("role", [Role.SENIOR, Role.REVIEWER])
def test_only_managers_get_files_and_give_answers(
    project: Project, member: Member, browser_of: BrowserOf, api_of: Callable[[User], APIClient],
    role: Role,
) -> None:  # fmt: skip
    make_items(project)
    started, user = held(project), member(role)
    browser, client = browser_of(user), api_of(user)

    assert browser.get(page("batch-file", started)).status_code in {403, 404}
    for name in ("batch-answers", "hold-job", "ask-directly"):
        assert browser.post(page(name, started)).status_code in {403, 404}
    assert client.get(api("batch-file", started)).status_code in {403, 404}
    for name in ("batch-answers", "hold", "ask-directly"):
        assert client.post(api(name, started)).status_code in {403, 404}
    shown = browser.get(page("translation-job", started))
    assert b"Download the file" not in shown.content


def test_api_gives_the_file_and_takes_answers(
    project: Project, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    make_items(project)
    started, client = held(project, budget=Decimal(1)), api_of(member(Role.MANAGER))
    assert client.post(api("hold", started), {"budget": "2"}).json() == {"state": "held"}
    asked = lines_of(client.get(api("batch-file", started)))

    given = client.post(
        api("batch-answers", started), {"files": [file_of(asked[:1])]}, format="multipart"
    )

    store_given()
    assert client.get(f"/api/v1/jobs/{given.json()['job']}/").json()["result"] == {
        "stored": 1, "known": 0, "failed": 0, "missing": 2,
        "missing_ids": [each["custom_id"] for each in asked[1:]], "step": 1, "steps": 1,
        "state": "held",
    }  # fmt: skip
    assert client.post(api("resume", started)).json()["code"] == "job_waits_for_file"
    assert client.post(api("ask-directly", started)).json() == {"state": "queued"}
    assert client.get(api("batch-file", started)).json()["code"] == "job_not_held"


def test_api_says_that_no_call_is_left(
    project: Project, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    items = make_items(project, 1)
    started, client = held(project), api_of(member(Role.MANAGER))
    items[0].state = "excluded"
    items[0].save()

    assert client.get(api("batch-file", started)).json()["code"] == "no_call_left"
    client.post(api("ask-directly", started))
    work_off(started)
    started.refresh_from_db()
    assert started.job.state == JobState.DONE
