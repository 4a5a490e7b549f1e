"""A job stopped or resumed by its own page or call follows the rules of what it is a job of."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from evaluation.runs.actions import resume_run
from jobs.enums import JobState
from jobs.models import Job
from projects.enums import Role
from projects.models import Project
from releases.enums import ReleaseState
from tests.evaluation.builders import make_run
from tests.releases.builders import fill, start

pytestmark = pytest.mark.django_db
NOW: datetime = timezone.now()


@pytest.fixture
def manager(member: Callable[..., User], api_of: Callable[[User], APIClient]) -> APIClient:
    return api_of(member(Role.MANAGER))


def ask(api: APIClient, job: int | None, verb: str) -> int:
    return api.post(f"/api/v1/jobs/{job}/{verb}/").status_code


def verbs() -> list[str]:
    rows = AuditEvent.objects.filter(scope="ti", actor__isnull=False).order_by("pk")
    return list(rows.values_list("verb", flat=True))


def test_build_that_is_resumed_builds_again(project: Project, manager: APIClient) -> None:
    fill(project)
    release = start(project)

    assert ask(manager, release.job_id, "cancel") == 200
    release.refresh_from_db()
    stopped = release.state
    assert ask(manager, release.job_id, "resume") == 200

    release.refresh_from_db()
    assert (stopped, release.state) == (ReleaseState.FAILED, ReleaseState.BUILDING)
    assert verbs() == ["release.cancelled", "release.resumed"]


def test_run_that_is_stopped_and_resumed_is_recorded(project: Project, manager: APIClient) -> None:
    run = make_run(project)

    assert [ask(manager, run.job_id, verb) for verb in ("cancel", "resume")] == [200, 200]

    assert verbs() == ["run.cancelled", "run.resumed"]


def test_job_of_a_run_that_has_a_successor_stays_ended(
    project: Project, manager: APIClient
) -> None:
    run = make_run(project)
    Job.objects.filter(pk=run.job_id).update(state=JobState.DONE)
    first = run.job_id
    assert ask(manager, first, "resume") == 409
    resume_run(run=run, actor=None, now=NOW)

    assert [ask(manager, first, verb) for verb in ("cancel", "resume")] == [409, 409]
