"""A run sends hidden items only to endpoints that its project allows, if the project guards them."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from annotation.translating.actions import allow_hidden_items
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatRequest
from evaluation.models import ModelResponse, Run
from evaluation.runs.actions import resume_run
from evaluation.runs.hidden_items import HiddenItemsKept, hidden_items_sent
from jobs.enums import JobState
from projects.enums import Role
from projects.models import Project
from releases.enums import Subset
from releases.models import Release
from tests.evaluation.builders import NOW, make_release, make_run, work_off
from tests.factories import ModelSpecFactory

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
METHODS = ("anchored",)


@pytest.fixture
def spec(project: Project) -> ModelSpec:
    return ModelSpecFactory(project=project)


@pytest.fixture
def release(project: Project) -> Release:
    return make_release(project, tests=2, hidden=1)


def guard(project: Project) -> None:
    project.guards_hidden_items = True
    project.save(update_fields=["guards_hidden_items"])


def allow(spec: ModelSpec, *, is_allowed: bool = True) -> None:
    allow_hidden_items(
        endpoint=spec.endpoint, project=spec.project, is_allowed=is_allowed, actor=None, now=NOW
    )


def test_run_is_refused_in_words_until_the_endpoint_is_allowed(
    project: Project, release: Release, spec: ModelSpec
) -> None:
    guard(project)
    with pytest.raises(HiddenItemsKept, match="Allow it on the page Machine translation"):
        make_run(project, release, spec=spec)
    assert not Run.objects.exists()

    allow(spec)
    assert work_off(make_run(project, release, spec=spec)).state == JobState.DONE
    assert ModelResponse.objects.filter(release_item__subset=Subset.BLACK_BOX).count() == 2


def test_release_without_hidden_items_runs_at_any_endpoint(
    project: Project, spec: ModelSpec
) -> None:
    guard(project)
    assert work_off(make_run(project, make_release(project), spec=spec)).state == JobState.DONE


def test_run_asks_nothing_more_once_the_endpoint_is_no_longer_allowed(
    project: Project, release: Release, spec: ModelSpec
) -> None:
    guard(project)
    allow(spec)
    run = make_run(project, release, spec=spec)
    allow(spec, is_allowed=False)
    sent: list[ChatRequest] = []

    job = work_off(run, lambda request: sent.append(request) or "A")  # type: ignore[func-returns-value]

    assert (job.state, sent) == (JobState.FAILED, [])
    assert "does not allow their text at the endpoint" in job.error
    with pytest.raises(HiddenItemsKept):
        resume_run(run=run, actor=None, now=NOW)


def test_project_that_guards_nothing_is_warned_by_the_estimate(
    project: Project,
    release: Release,
    spec: ModelSpec,
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
) -> None:
    assert hidden_items_sent(release, spec, METHODS) == 2
    browser = browser_of(member(Role.MANAGER))
    typed = {
        "release": release.pk, "model": spec.pk, "prompt": "direct", "shots": 0,
        "epochs": 1, "concurrency": 1, "rotation": 0, "methods": METHODS, "estimate": "yes",
    }  # fmt: skip
    page = browser.post(reverse("evaluation:start", args=["ti"]), typed).content.decode()
    assert "This run sends 2 hidden items to an endpoint" in page

    allow(spec)
    assert hidden_items_sent(release, spec, METHODS) == 0


def test_manager_turns_the_guard_on_by_page_and_api(
    project: Project, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    browser = browser_of(member(Role.MANAGER))
    typed = {
        "name": "Ti", "description": "", "items_ahead": 5, "undo_minutes": 10, "reminder_days": 3,
        "guards_hidden_items": "on",
    }  # fmt: skip
    assert browser.post("/projects/ti/settings/", typed).status_code == 302
    assert browser.get("/api/v1/projects/ti/").json()["guards_hidden_items"] is True
    changed = browser.patch(
        "/api/v1/projects/ti/", {"guards_hidden_items": False}, content_type="application/json"
    )
    assert changed.json()["guards_hidden_items"] is False
