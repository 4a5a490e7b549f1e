"""Asking for a build: what is refused, in words, and who wins of two."""

import threading
from typing import Any

import pytest
from django.db import connection

from accounts.models import AuditEvent
from annotation.enums import Severity
from annotation.models import Finding
from common.errors import DomainError
from jobs.enums import JobState
from jobs.models import Job
from projects.models import Project
from releases.building.actions import BuildInvalid, BuildRequest, start_build
from releases.enums import ReleaseState
from releases.models import Release
from releases.readiness.checks import (
    DisputesOpen,
    NothingApproved,
    ReleaseBlocked,
    ReleaseExists,
    VersionInvalid,
    VersionNotGreater,
)
from review.enums import PanelState
from tests.factories import ProjectFactory, UserFactory, make_translated_item
from tests.releases.builders import (
    NOW,
    add_dispute,
    add_error,
    build_published,
    fill,
    make_approved,
    start,
)

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def test_start_build_makes_a_queued_job_a_row_and_an_audit_event(project: Project) -> None:
    fill(project)
    manager = UserFactory()
    release = start_build(
        project=project, request=BuildRequest(version="0.1.0"), actor=manager, now=NOW
    )
    assert (release.state, release.created_by) == (ReleaseState.BUILDING, manager)
    assert release.job is not None
    assert (release.job.state, release.job.scope) == (JobState.QUEUED, "ti")
    event = AuditEvent.objects.get(verb="release.started")
    assert (event.actor, event.data) == (manager, {"version": "0.1.0"})


def test_start_build_with_nothing_approved_is_refused(project: Project) -> None:
    make_translated_item(project=project)
    with pytest.raises(NothingApproved):
        start(project)
    assert not Release.objects.exists()
    assert not Job.objects.exists()


def test_start_build_with_open_errors_names_the_items(project: Project) -> None:
    add_error(make_approved(project, uid="a/1"))
    make_approved(project, uid="a/2")
    with pytest.raises(ReleaseBlocked) as refusal:
        start(project)
    assert refusal.value.current == {"uids": ["a/1"]}
    assert "a/1" in str(refusal.value)


def test_start_build_with_open_disputes_names_the_items(project: Project) -> None:
    add_dispute(make_approved(project, uid="a/1"))
    make_approved(project, uid="a/2")
    add_dispute(make_translated_item(project=project, uid="a/3"))
    with pytest.raises(DisputesOpen) as refusal:
        start(project)
    assert refusal.value.current == {"uids": ["a/1"]}
    assert "a/1" in str(refusal.value)
    assert not Release.objects.exists()


def test_start_build_with_settled_disputes_is_taken(project: Project) -> None:
    add_dispute(make_approved(project, uid="a/1"), PanelState.SETTLED)
    assert start(project).state == ReleaseState.BUILDING


def test_start_build_with_dismissed_errors_and_open_warnings_is_taken(project: Project) -> None:
    item = make_approved(project, uid="a/1")
    add_error(item, dismissed_at=NOW, dismissed_by=UserFactory(), dismissal_reason="fine")
    Finding.objects.create(
        revision=item.working_translation.current_revision,
        code="length",
        severity=Severity.WARNING,
        field="item",
        created_at=NOW,
    )
    assert start(project).state == ReleaseState.BUILDING


@pytest.mark.parametrize("version", ["1", "v1.0.0", "1.0.0/..", "../1.0.0", ""])
def test_start_build_with_no_version_is_refused(project: Project, version: str) -> None:
    fill(project)
    with pytest.raises(VersionInvalid):
        start(project, version)


@pytest.mark.parametrize("version", ["0.1.0", "0.1.0+again"])
def test_start_build_with_a_taken_version_is_refused(project: Project, version: str) -> None:
    fill(project)
    start(project)
    with pytest.raises(ReleaseExists):
        start(project, version)


@pytest.mark.parametrize("version", ["0.9.0", "1.0.0-rc.1"])
def test_start_build_below_the_latest_published_is_refused(project: Project, version: str) -> None:
    fill(project)
    build_published(project, "1.0.0")
    with pytest.raises(VersionNotGreater):
        start(project, version)


def test_start_build_with_values_out_of_range_names_the_field(project: Project) -> None:
    fill(project, subjects=1, tests=1)
    values: tuple[tuple[str, Any], ...] = (
        ("dev_per_subject", -1),
        ("dev_per_subject", 101),
        ("black_box_share", 1.01),
        ("black_box_share", -0.1),
        ("black_box_share", float("nan")),
        ("seed", -1),
        ("seed", 2**31),
        ("formats", ()),
        ("formats", ("jsonl", "xml")),
    )
    for field, value in values:
        with pytest.raises(BuildInvalid) as refusal:
            start(project, **{field: value})
        assert list(refusal.value.fields) == [field], value


@pytest.mark.django_db(transaction=True)
def test_two_builds_of_one_version_at_once_one_wins_and_the_other_is_told() -> None:
    project = ProjectFactory(slug="ti")
    fill(project)
    barrier = threading.Barrier(2)
    outcomes: list[str] = []

    def attempt() -> None:
        try:
            barrier.wait(timeout=120)
            start(project)
            outcomes.append("started")
        except DomainError as error:
            outcomes.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=attempt) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=170)
    assert sorted(outcomes) == ["release_exists", "started"]
    assert Release.objects.count() == 1
