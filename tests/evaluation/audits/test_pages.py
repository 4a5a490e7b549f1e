"""The pages, the API and the command of the extraction audit of a run."""

import json
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from evaluation.models import ExtractionAudit, ExtractionReading
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from tests.evaluation.audits.builders import audited_run, drawn, read_all, sample
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]
Api = Callable[[User], APIClient]


def test_a_manager_starts_it_and_people_read_until_nothing_is_left(
    project: Project, member: Member, browser_of: Browser
) -> None:
    run = audited_run(project, tests=4)
    manager, senior = browser_of(member(Role.MANAGER)), browser_of(member(Role.SENIOR))
    page = f"/projects/ti/runs/{run.pk}/audit/"
    assert "A manager can start one" in senior.get(page).content.decode()
    assert senior.post(page, {"doubtful": 5, "agreed": 5}).status_code == 403
    assert manager.post(page, {"doubtful": 0, "agreed": 5}).status_code == 400
    assert manager.post(page, {"doubtful": 5, "agreed": 5}).status_code == 302
    audit = ExtractionAudit.objects.get()
    run_now(audit.job)

    for _number in range(4):
        shown = senior.get(f"{page}read/")
        pk = shown.context["shown"].response
        assert senior.post(f"{page}read/", {"response": pk, "answer": "x"}).status_code == 400
        data = {"response": pk, "none": "1"}
        assert senior.post(f"{page}read/", data).status_code == 302

    assert "Nothing left to read" in senior.get(f"{page}read/").content.decode()
    assert ExtractionReading.objects.filter(answer="").count() == 4
    assert "Read 4 responses" in manager.get(page).content.decode()


def test_reading_is_blind(project: Project, member: Member, browser_of: Browser) -> None:
    run = audited_run(project, tests=4)
    drawn(run)
    senior = browser_of(member(Role.SENIOR))
    answer = senior.get(f"/projects/ti/runs/{run.pk}/audit/read/")
    shown = answer.context["shown"]
    assert set(type(shown).__slots__) == {
        "response", "question", "options", "has_number", "reference", "text",
    }  # fmt: skip
    words = answer.content.decode().partition("<main")[2].partition("</main")[0].lower()
    assert [word for word in ("anchored", "direct", "methods", "key ") if word in words] == []


def test_accuracies_stand_beside_the_scores(
    project: Project, member: Member, browser_of: Browser, api_of: Api
) -> None:
    run = audited_run(project, tests=8)
    manager = member(Role.MANAGER)
    page, path = browser_of(manager), f"/projects/ti/runs/{run.pk}/"
    assert "Reads as people do" not in page.get(path).content.decode()
    assert api_of(manager).get(f"/api/v1/runs/{run.pk}/").json()["results"]["audit"] is None

    read_all(drawn(run), UserFactory(), UserFactory())

    words = page.get(path).content.decode()
    assert "Reads as people do" in words
    found = api_of(manager).get(f"/api/v1/runs/{run.pk}/").json()["results"]["audit"]
    assert found["methods"]["anchored"]["accuracy"] == 1
    assert found["methods"]["direct"]["accuracy"] == 0.75
    assert found["methods"]["direct"]["strata"]["differ"] == {
        "population": 2, "read": 2, "right": 0,
    }  # fmt: skip
    words = page.get(f"{path}audit/").content.decode()
    assert "0/2" in words
    assert "1.00" in words


def test_api_starts_reads_and_exports(project: Project, member: Member, api_of: Api) -> None:
    run = audited_run(project, tests=8, hidden=4)
    manager, senior = api_of(member(Role.MANAGER)), api_of(member(Role.SENIOR))
    root = f"/api/v1/runs/{run.pk}/audit"
    assert manager.get(f"{root}/").json()["code"] == "audit_unknown"
    assert senior.post(f"{root}/", {}, format="json").status_code == 403
    started = manager.post(f"{root}/", {"seed": 3}, format="json")
    assert started.status_code == 202
    audit = ExtractionAudit.objects.get()
    run_now(audit.job)
    hidden = next(
        each for each in sample(audit) if each.response.release_item.subset == "black-box"
    )
    reading = {"response": hidden.response_id, "answer": None}
    assert senior.post(f"{root}/readings/", reading, format="json").status_code == 404
    assert senior.get(f"{root}/next/").json()["left"] == 4

    found = manager.get(f"{root}/next/").json()
    reading = {"response": found["next"]["response"], "answer": "A"}
    assert found["left"] == 8
    assert manager.post(f"{root}/readings/", reading, format="json").status_code == 204
    assert manager.post(f"{root}/readings/", reading, format="json").status_code == 204
    again = manager.post(f"{root}/readings/", reading | {"answer": "B"}, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "read_before")
    assert manager.get(f"{root}/").json()["figures"]["readings"] == 1
    assert senior.get(f"{root}/export/").status_code == 403
    lines = b"".join(manager.get(f"{root}/export/")).decode().splitlines()
    assert [json.loads(line)["readings"] for line in lines].count({"reader 1": "A"}) == 1
    table = b"".join(manager.get(f"{root}/export/?format=csv")).decode().splitlines()
    assert len(table) == 9


def test_command_draws_and_prints(project: Project) -> None:
    run = audited_run(project, tests=8)
    out = StringIO()
    call_command("extraction_audit", str(run.pk), "--start", "--seed", "1", stdout=out)
    assert "8 responses drawn, 0 read by two people" in out.getvalue()
    read_all(ExtractionAudit.objects.get(), UserFactory(), UserFactory())
    out = StringIO()
    call_command("extraction_audit", str(run.pk), stdout=out)
    assert "κ 1.000" in out.getvalue()
    direct = next(line for line in out.getvalue().splitlines() if line.startswith("direct"))
    assert ": 75.0% [" in direct
    assert direct.endswith("(6/8)")
