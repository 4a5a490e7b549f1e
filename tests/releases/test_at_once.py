"""Two at once on releases: builds, what is shown to everybody, and errata."""

from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from common.errors import DomainError
from projects.models import Project
from releases.building.actions import fail_build, resume_build
from releases.building.freezing import freeze_items
from releases.enums import ReleaseState
from releases.models import ProblemReport, Release
from releases.problems.actions import Problem, accept_problem, report_problem
from releases.publishing.audience import show_to_everybody
from tests.factories import UserFactory
from tests.races import interleave
from tests.releases.builders import NOW, build_published, fill, start

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
]


def test_first_two_builds_of_a_project_freeze_at_once(project: Project) -> None:
    fill(project, subjects=1, tests=3, devs=1)
    one, two = start(project, "0.1.0"), start(project, "0.2.0")

    faults = interleave(
        lambda: freeze_items(release=one, now=NOW),
        lambda: freeze_items(release=two, now=NOW),
        behind='INSERT INTO "releases_releasesecret"',
    )

    assert faults == (None, None)
    assert {each.items.count() for each in (one, two)} == {4}


def published(project: Project, version: str) -> Release:
    release = build_published(project, version)
    Release.objects.filter(pk=release.pk).update(published_at=timezone.now())
    release.refresh_from_db()
    return release


def reported(release: Release) -> ProblemReport:
    problem = Problem(item="s0/1", kind="wrong_key", text="B is right.")
    return report_problem(release=release, problem=problem, address="192.0.2.1", now=NOW)


def show(release: Release) -> None:
    show_to_everybody(release=release, actor=None, now=NOW)


def test_erratum_accepted_while_the_version_that_mends_it_is_shown_says_so(
    project: Project,
) -> None:
    fill(project, subjects=1, tests=3, devs=1)
    first = published(project, "0.1.0")
    show(first)
    report, senior = reported(first), UserFactory()
    project.items.filter(uid="s0/1").update(key="C")
    second = published(project, "0.2.0")

    faults = interleave(
        lambda: _accept(report, senior),
        lambda: show(second),
        behind='FROM "releases_releaseitem"',  # it has seen which versions are shown
    )

    assert faults == (None, None)
    assert ProblemReport.objects.get().mended_in == second


def _accept(report: ProblemReport, senior: User) -> None:
    accept_problem(report=report, words="C is right.", actor=senior, now=NOW)


def test_failed_build_is_resumed_or_begun_anew_and_never_lost(project: Project) -> None:
    fill(project, subjects=1, tests=3, devs=1)
    release = start(project)
    fail_build(release)
    assert release.job is not None
    type(release.job).objects.update(state="failed")
    release.refresh_from_db()

    def begin() -> Any:
        return start(project)

    resumed, begun = interleave(
        lambda: resume_build(release=release, actor=None, now=NOW),
        begin,
        behind='UPDATE "releases_release"',
    )

    assert resumed is None
    assert isinstance(begun, DomainError)
    assert Release.objects.get().pk == release.pk
    assert Release.objects.get().state == ReleaseState.BUILDING
