"""The API of imports, jobs, items and findings: shapes, refusals and rights."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from annotation.duplicates.actions import start_search
from annotation.imports.actions import perform_import
from annotation.models import Finding, Item
from jobs.enums import JobState
from jobs.models import Job
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from tests.factories import ProjectFactory, make_translated_item

Member = Callable[..., User]
ApiOf = Callable[[User], APIClient]
ROW = {
    "uid": "law/1",
    "subject": "law",
    "question": "题 7",
    "options": ["甲", "乙"],
    "key": "A",
    "system": "mt",
    "translation_question": "དྲི་བ།",
    "translation_options": ["ཀ", "ཁ"],
}


def upload(*rows: Any, name: str = "items.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, "".join(json.dumps(r) + "\n" for r in rows).encode())


@pytest.fixture
def manager(member: Member, api_of: ApiOf) -> APIClient:
    return api_of(member(Role.MANAGER))


@pytest.fixture(autouse=True)
def kept_files(tmp_path: Path, settings: Any) -> None:
    settings.IMPORT_FOLDER = tmp_path / "kept"


def post_import(client: APIClient, **fields: Any) -> Any:
    return client.post("/api/v1/projects/ti/imports/", fields, format="multipart")


def test_import_answers_with_a_job_that_ends_with_the_report(
    project: Project, manager: APIClient
) -> None:
    response = post_import(manager, file=upload(ROW), format="items")
    assert (response.status_code, set(response.json())) == (202, {"job"})
    address = f"/api/v1/jobs/{response.json()['job']}/"
    waiting = manager.get(address).json()

    run_now(Job.objects.get(), perform_import)
    ended = manager.get(address).json()

    assert (waiting["state"], waiting["is_worker_alive"]) == ("queued", False)
    assert (ended["state"], ended["total"], ended["done"], ended["error"]) == ("done", 1, 1, "")
    assert (ended["result"]["imported"], ended["result"]["joined"]) == (1, 1)


def test_refused_rows_are_in_the_result_of_the_failed_job(
    project: Project, manager: APIClient
) -> None:
    job = post_import(manager, file=upload(ROW | {"key": "Z"})).json()["job"]

    run_now(Job.objects.get(), perform_import)
    body = manager.get(f"/api/v1/jobs/{job}/").json()

    assert (body["state"], body["error_code"]) == ("failed", "rows_refused")
    assert body["error"].startswith("Nothing was imported")
    assert body["result"]["errors"][0]["reason"] == "The key is “Z”, but the last option is B."


def test_any_file_ends_in_a_failed_job_in_words(project: Project, manager: APIClient) -> None:
    rubbish = [b"PK\x03\x04 broken", b"uid,subject\n1\n", b"\n\n\n", b'"' * 5000]
    names = ["a.jsonl", "a.csv", "a.zip", "a.xlsx", "a.parquet", "a.json", "a"]
    files = [(name, content) for name in names for content in (b"\xff\xfe\x00", b"[1, 2")]
    faults = []
    for name, content in [*files, *(("a", content) for content in rubbish)]:
        response = post_import(manager, file=SimpleUploadedFile(name, content))
        job = run_now(Job.objects.get(pk=response.json()["job"]), perform_import)
        is_told = job.error.endswith(".") and "%(" not in job.error
        if (job.state, job.error_code, is_told) != (JobState.FAILED, "file_refused", True):
            faults.append(f"{name} {content[:20]!r}: {job.state} {job.error}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({}, "file"),
        ({"file": "text"}, "file"),
        ({"file": SimpleUploadedFile("a.jsonl", b"")}, "file"),
        ({"file": upload(ROW), "format": "docx"}, "format"),
        ({"file": upload(ROW), "system": "s" * 101}, "system"),
        ({"file": upload(ROW), "dry_run": "perhaps"}, "dry_run"),
        ({"file": upload(ROW), "colour": "red"}, "colour"),
    ],
)
def test_import_that_cannot_be_taken_answers_400_naming_the_field(
    project: Project, manager: APIClient, fields: dict[str, Any], wrong: str
) -> None:
    response = post_import(manager, **fields)

    assert (response.status_code, response.json()["code"]) == (400, "invalid")
    assert list(response.json()["fields"]) == [wrong]


def test_import_as_json_is_refused(project: Project, manager: APIClient) -> None:
    response = manager.post("/api/v1/projects/ti/imports/", {"file": "x"}, format="json")

    assert response.status_code == 415


def test_job_is_cancelled_once_and_resumed(project: Project, manager: APIClient) -> None:
    job = post_import(manager, file=upload(ROW)).json()["job"]

    cancelled = manager.post(f"/api/v1/jobs/{job}/cancel/")
    again = manager.post(f"/api/v1/jobs/{job}/cancel/")
    resumed = manager.post(f"/api/v1/jobs/{job}/resume/")

    assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
    assert (again.status_code, again.json()["code"]) == (409, "job_not_cancellable")
    assert (resumed.status_code, resumed.json()["state"]) == (200, "queued")


def test_job_of_a_search_is_stopped_and_resumed_by_the_rules_of_searches(
    project: Project, manager: APIClient
) -> None:
    for number in range(2):
        add_item(project, number)
    first = start_search(project=project, methods=["exact"], actor=None, now=timezone.now())
    url = f"/api/v1/jobs/{first.job_id}"
    assert manager.post(f"{url}/cancel/").status_code == 200
    second = start_search(project=project, methods=["exact"], actor=None, now=timezone.now())
    refused = manager.post(f"{url}/resume/")
    assert (refused.status_code, refused.json()["code"]) == (409, "search_running")
    assert manager.post(f"/api/v1/jobs/{second.job_id}/cancel/").status_code == 200
    resumed = manager.post(f"{url}/resume/")
    assert (resumed.status_code, resumed.json()["state"]) == (200, "queued")
    verbs = AuditEvent.objects.filter(scope="ti", actor__isnull=False).order_by("pk")
    assert list(verbs.values_list("verb", flat=True)) == [
        "duplicates.cancelled",
        "duplicates.cancelled",
        "duplicates.resumed",
    ]


def add_item(project: Project, number: int, **fields: Any) -> Item:
    item = make_translated_item(project=project, uid=f"law/{number}", **fields)
    assert item.working_translation
    Finding.objects.create(
        revision=item.working_translation.current_revision,
        code="numbers_differ",
        severity="warning",
        field="question",
        data={"missing": "7", "added": ""},
        created_at=timezone.now(),
    )
    return item


def test_items_come_with_their_text_and_counts(project: Project, manager: APIClient) -> None:
    item = add_item(project, 1)

    body = manager.get("/api/v1/projects/ti/items/").json()

    [shown] = body["results"]
    assert (shown["id"], shown["uid"], shown["key"]) == (item.pk, "law/1", "A")
    assert shown["translation"]["question"] == "འདྲི་བ།"
    assert shown["findings"] == {"errors": 0, "warnings": 1, "notes": 0}


@pytest.mark.parametrize("count", [1, 3])
def test_lists_cost_the_same_for_any_number_of_rows(
    project: Project, manager: APIClient, count: int, django_assert_num_queries: Any
) -> None:
    for number in range(count):
        add_item(project, number)

    with django_assert_num_queries(7):
        items = manager.get("/api/v1/projects/ti/items/")
    with django_assert_num_queries(4):
        findings = manager.get("/api/v1/projects/ti/findings/")

    assert len(items.json()["results"]) == len(findings.json()["results"]) == count


def test_item_list_refuses_filters_that_it_does_not_know(
    project: Project, manager: APIClient
) -> None:
    response = manager.get("/api/v1/projects/ti/items/?state=lost")

    assert response.status_code == 400
    assert list(response.json()["fields"]) == ["state"]


def test_item_is_excluded_and_restored_with_a_reason(project: Project, manager: APIClient) -> None:
    address = f"/api/v1/projects/ti/items/{add_item(project, 1).pk}/"

    missing = manager.post(f"{address}exclude/", {})
    excluded = manager.post(f"{address}exclude/", {"reason": "no right answer"})
    twice = manager.post(f"{address}exclude/", {"reason": "no right answer"})
    restored = manager.post(f"{address}restore/", {"reason": "there is one"})

    assert (missing.status_code, list(missing.json()["fields"])) == (400, ["reason"])
    assert (excluded.status_code, excluded.json()["state"]) == (200, "excluded")
    assert (twice.status_code, twice.json()["code"]) == (409, "item_already_excluded")
    assert (restored.status_code, restored.json()["state"]) == (200, "active")


def test_finding_is_dismissed_once_with_a_reason(project: Project, manager: APIClient) -> None:
    add_item(project, 1)
    [finding] = manager.get("/api/v1/projects/ti/findings/?state=open").json()["results"]
    address = f"/api/v1/findings/{finding['id']}/dismiss/"

    blank = manager.post(address, {"reason": " "})
    done = manager.post(address, {"reason": "a year"})
    twice = manager.post(address, {"reason": "a year"})

    assert finding["message"] == "Missing numbers: 7."
    assert (blank.status_code, blank.json()["code"]) == (400, "invalid")
    assert (done.status_code, done.json()["dismissal_reason"]) == (200, "a year")
    assert (twice.status_code, twice.json()["code"]) == (409, "finding_already_dismissed")
    assert manager.get("/api/v1/projects/ti/findings/?state=open").json()["results"] == []


def test_findings_and_items_of_others_are_not_found(project: Project, manager: APIClient) -> None:
    foreign = add_item(ProjectFactory(slug="other"), 1)
    finding = Finding.objects.get()

    assert manager.get("/api/v1/projects/other/findings/").status_code == 404
    assert manager.get(f"/api/v1/projects/ti/items/{foreign.pk}/").status_code == 404
    for pk in (finding.pk, 10**30):
        response = manager.post(f"/api/v1/findings/{pk}/dismiss/", {"reason": "mine"})
        assert response.status_code == 404


@pytest.mark.parametrize("query", ["code=nope", "severity=grave", "state=lost"])
def test_finding_list_refuses_filters_that_it_does_not_know(
    project: Project, manager: APIClient, query: str
) -> None:
    response = manager.get(f"/api/v1/projects/ti/findings/?{query}")

    assert response.status_code == 400
    assert list(response.json()["fields"]) == [query.split("=", maxsplit=1)[0]]
