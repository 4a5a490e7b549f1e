"""The commands that list, cancel and resume jobs."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import AuditEvent
from jobs.enums import JobState
from tests.factories import JobFactory
from tests.jobs.conftest import state_of

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def printed(capsys: pytest.CaptureFixture[str], *arguments: Any) -> Any:
    call_command(*arguments, "--json")
    return json.loads(capsys.readouterr().out)


def test_jobs_lists_every_job_newest_first_with_why_it_failed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    waiting = JobFactory(created_at=NOW, total=7)
    failed = JobFactory(
        created_at=NOW, state="failed", error_code="internal", error_data={"name": "MemoryError"}
    )

    said = printed(capsys, "jobs")

    common = {"kind": "import", "project": "demo", "done": 0, "crashes": 0, "requested_by": ""}
    common |= {"created_at": "2026-11-22T12:00:00+00:00", "is_cancel_requested": False}
    assert said == {
        "is_worker_alive": False,
        "jobs": [
            common
            | {
                "id": failed.pk,
                "state": "failed",
                "total": 0,
                "error_code": "internal",
                "error": "Something went wrong inside Lotsawa (MemoryError). "
                "The worker's log says more.",
            },
            common
            | {"id": waiting.pk, "state": "queued", "total": 7, "error_code": "", "error": ""},
        ],
    }


def test_jobs_are_filtered_by_project_and_state_and_limited(
    capsys: pytest.CaptureFixture[str],
) -> None:
    wanted = [JobFactory(scope="ti", state="done").pk for _ in range(3)]
    JobFactory(scope="ti")
    JobFactory(scope="other", state="done")

    said = printed(capsys, "jobs", "--project", "ti", "--state", "done", "--limit", "2")

    assert [job["id"] for job in said["jobs"]] == wanted[:0:-1]


def test_jobs_prints_a_line_each_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    job = JobFactory(total=10, done=3)

    call_command("jobs")

    assert capsys.readouterr().out.splitlines() == [
        f"{job.pk:>6}  import  demo  waiting  3/10",
        "No worker is running, so waiting jobs do not start.",
    ]


def test_jobs_refuses_a_state_that_is_none() -> None:
    with pytest.raises(CommandError) as refusal:
        call_command("jobs", "--state", "lost")

    assert refusal.value.returncode != 0


def test_job_is_cancelled_and_resumed(capsys: pytest.CaptureFixture[str]) -> None:
    job = JobFactory()

    cancelled = printed(capsys, "cancel_job", str(job.pk))
    resumed = printed(capsys, "resume_job", str(job.pk))

    assert (cancelled["state"], resumed["state"]) == ("cancelled", "queued")
    assert state_of(job) == JobState.QUEUED
    assert AuditEvent.objects.count() == 2


@pytest.mark.parametrize("command", ["cancel_job", "resume_job"])
@pytest.mark.parametrize(("pk", "code"), [("done", "job_not"), ("unknown", "job_unknown")])
def test_job_that_cannot_be_cancelled_or_resumed_is_refused_with_exit_code_1(
    capsys: pytest.CaptureFixture[str], command: str, pk: str, code: str
) -> None:
    number = JobFactory(state="done").pk if pk == "done" else 987654

    with pytest.raises(CommandError) as refusal:
        call_command(command, str(number), "--json")

    assert refusal.value.returncode == 1
    assert json.loads(capsys.readouterr().out)["code"].startswith(code)
