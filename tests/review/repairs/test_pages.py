"""The page of batch repairs, its API and its command: preview, start, one batch, undo."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from annotation.models import Item
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from review.models import RepairBatch
from tests.review.repairs.conftest import BROKEN, SOUND, repaired, text_of

pytestmark = pytest.mark.django_db
Broken = Callable[..., Item]
PAGE = "/projects/ti/repairs/"
API = "/api/v1/projects/ti/repairs/"


def test_page_previews_starts_and_undoes_a_batch(
    project: Project,
    broken: Broken,
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
) -> None:
    item = broken()
    broken("འདྲི་བ།\\nའདྲི།")
    browser = browser_of(member(Role.SENIOR))

    chosen = [(row.code, row.finding_count) for row in browser.get(PAGE).context["counts"]]
    assert ("escapes_left", 2) in chosen
    shown = browser.get(PAGE, {"code": "escapes_left"})
    page = shown.content.decode()
    assert "<del" in page
    assert "Repair 1 text" in page
    assert "There is no certain repair of what this check finds." in page
    digest = shown.context["plan"].digest

    refused = browser.post(PAGE, {"code": "escapes_left", "digest": "another"})
    assert refused.status_code == 409
    assert refused.context["plan"].digest == digest
    assert not RepairBatch.objects.exists()

    answer = browser.post(PAGE, {"code": "escapes_left", "digest": digest})
    batch = RepairBatch.objects.get()
    assert answer["Location"] == f"/jobs/{batch.job_id}/"
    run_now(batch.job)
    assert text_of(item).question == SOUND
    assert "Texts repaired: 1." in browser.get(f"/jobs/{batch.job_id}/").content.decode()

    listed = browser.get(PAGE).content.decode()
    assert f"{PAGE}{batch.pk}/undo/" in listed
    assert "repaired" in browser.get(f"{PAGE}{batch.pk}/").content.decode()

    browser.post(f"{PAGE}{batch.pk}/undo/")
    batch.refresh_from_db()
    assert batch.undo_job
    run_now(batch.undo_job)
    assert text_of(item).question == BROKEN
    assert "brought back" in browser.get(f"{PAGE}{batch.pk}/").content.decode()
    assert f"{PAGE}{batch.pk}/undo/" not in browser.get(PAGE).content.decode()


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.VIEWER])
def test_others_than_managers_and_seniors_are_refused(
    role: Role,
    project: Project,
    broken: Broken,
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    broken()
    batch = repaired(project)
    browser, api = browser_of(member(role)), api_of(member(role))

    assert browser.get(PAGE).status_code == 403
    assert browser.post(PAGE, {"code": "escapes_left", "digest": ""}).status_code == 403
    assert browser.post(f"{PAGE}{batch.pk}/undo/").status_code == 403
    assert api.get(f"{API}preview/", {"code": "escapes_left"}).status_code == 403
    assert api.post(API, {"code": "escapes_left", "digest": "x"}).status_code == 403
    assert api.post(f"{API}{batch.pk}/undo/").status_code == 403
    assert RepairBatch.objects.get().undo_job is None


def test_api_previews_starts_and_undoes_a_batch(
    project: Project,
    broken: Broken,
    member: Callable[..., User],
    api_of: Callable[[User], APIClient],
) -> None:
    item = broken()
    text = text_of(item)
    approved = broken("འདྲི་བ།\\nའདྲི།")
    api = api_of(member(Role.MANAGER))

    plan: Any = api.get(f"{API}preview/", {"code": "escapes_left"}).json()
    assert (plan["count"], plan["left_count"], plan["next_after"]) == (1, 1, None)
    assert plan["changes"][0]["fields"] == [
        {"label": "Q", "segments": [["same", "འདྲི་"], ["del", "\\"], ["same", '"བ།']]}
    ]
    assert [(row["uid"], row["left"]) for row in plan["left"]] == [(approved.uid, "no_repair")]

    said = {"code": "escapes_left", "digest": "another"}
    outdated = api.post(API, said, format="json")
    assert (outdated.status_code, outdated.json()["code"]) == (409, "preview_outdated")
    made = api.post(API, said | {"digest": plan["digest"]}, format="json")
    assert made.status_code == 202
    batch = RepairBatch.objects.get()
    assert made.json() == {"batch": batch.pk, "job": batch.job_id}
    run_now(batch.job)

    (listed,) = api.get(API).json()["results"]
    assert listed == api.get(f"{API}{batch.pk}/").json()
    assert (listed["repaired"], listed["left"], listed["restored"]) == (1, 0, 0)
    (row,) = api.get(f"{API}{batch.pk}/texts/").json()["results"]
    assert (row["revision"], row["is_repaired"], row["left"]) == (text.pk, True, "")
    assert api.post(f"{API}{batch.pk}/undo/").status_code == 202
    assert api.post(f"{API}{batch.pk}/undo/").status_code == 409


def test_api_names_a_field_that_it_does_not_know(
    project: Project, member: Callable[..., User], api_of: Callable[[User], APIClient]
) -> None:
    api = api_of(member(Role.MANAGER))

    assert "code" in api.get(f"{API}preview/", {"code": "nonsense"}).json()["fields"]
    said = {"code": "escapes_left", "subject": "nowhere"}
    assert "subject" in api.get(f"{API}preview/", said).json()["fields"]


def test_command_previews_and_repairs(
    project: Project, broken: Broken, capsys: pytest.CaptureFixture[str]
) -> None:
    item = broken()
    broken("འདྲི་བ།\\nའདྲི།")
    asked = ["repair_findings", "ti", "--check", "escapes_left", "--json"]

    call_command(*asked, "--dry-run")
    would = json.loads(capsys.readouterr().out)
    assert (would["texts"], would["left"]) == ([item.uid], {"no_repair": 1})
    assert text_of(item).question == BROKEN

    call_command(*asked)
    did = json.loads(capsys.readouterr().out)
    assert did == {"batch": RepairBatch.objects.get().pk, "repaired": 1, "left": {}}
    assert text_of(item).question == SOUND
