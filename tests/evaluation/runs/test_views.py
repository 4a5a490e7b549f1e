"""Pages of runs and responses: who sees what, what they show, what they refuse."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from endpoints.providers.base import EndpointRefused
from evaluation.models import Run
from evaluation.runs.execution import perform_run
from jobs.models import Job, WorkerBeat
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from prompts.models import PromptTemplate
from releases.enums import ReleaseState
from tests.evaluation.builders import finished_run, make_release, make_run, work_off
from tests.evaluation.runs.test_actions import Counting
from tests.factories import EndpointFactory, ModelSpecFactory, UserFactory, make_keyed_spec

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]
HIDDEN_TEXT = "འདྲི་བ་ history/test-2"


def page(name: str, *args: Any) -> str:
    return reverse(f"evaluation:{name}", args=args)


def pages_of(run: Run) -> dict[str, str]:
    response = run.responses.order_by("pk").first()
    assert response is not None
    return {
        "runs": page("runs", "ti"),
        "start": page("start", "ti"),
        "run": page("run", "ti", run.pk),
        "file": page("file", "ti", run.pk, f"{run.model_spec.name}_direct_metrics_results.csv"),
        "responses": page("responses", "ti", run.pk),
        "response": page("response", "ti", run.pk, response.pk),
    }


CLOSED = {
    Role.MANAGER: set[str](),
    Role.EVALUATOR: {"responses", "response"},
}
"""Pages that a role does not see; other roles see neither these nor the start of a run."""


@pytest.mark.parametrize("role", list(Role))
def test_pages_by_role(project: Project, member: Member, browser_of: Browser, role: Role) -> None:
    browser = browser_of(member(role))
    for name, url in pages_of(finished_run(project)).items():
        closed = CLOSED.get(role, {"start", "responses", "response"})
        assert browser.get(url).status_code == (403 if name in closed else 200), name


def test_pages_are_not_there_for_strangers(project: Project, browser_of: Browser) -> None:
    browser = browser_of(UserFactory())
    for name, url in pages_of(finished_run(project)).items():
        assert browser.get(url).status_code == 404, name


@pytest.mark.parametrize("name", ["cancel", "resume"])
def test_only_managers_stop_and_resume(
    project: Project, member: Member, browser_of: Browser, name: str
) -> None:
    run = make_run(project)
    url = page(name, "ti", run.pk)
    for role in (Role.SENIOR, Role.REVIEWER, Role.VIEWER):
        assert browser_of(member(role)).post(url).status_code == 403
    assert browser_of(UserFactory()).post(url).status_code == 404
    assert browser_of(member(Role.MANAGER)).get(url).status_code == 405


def test_run_on_a_release_that_is_not_public_is_for_managers(
    project: Project, member: Member, browser_of: Browser
) -> None:
    run = finished_run(project, release=make_release(project, state=ReleaseState.BUILT))
    url = page("run", "ti", run.pk)
    assert browser_of(member(Role.VIEWER)).get(url).status_code == 404
    viewer = browser_of(member(Role.VIEWER)).get(page("runs", "ti"))
    assert run.model_spec.name not in viewer.content.decode()
    assert browser_of(member(Role.MANAGER)).get(url).status_code == 200


def test_hidden_items_show_to_managers_only(
    project: Project, member: Member, browser_of: Browser
) -> None:
    run = finished_run(project, release=make_release(project, hidden=1))
    viewer, manager = browser_of(member(Role.VIEWER)), browser_of(member(Role.MANAGER))
    for name, url in pages_of(run).items():
        body = viewer.get(url).content.decode()
        assert HIDDEN_TEXT not in body, name
        assert "test-2" not in body, name
    hidden = run.responses.get(release_item__uid="history/test-2")
    body = manager.get(page("response", "ti", run.pk, hidden.pk)).content.decode()
    assert HIDDEN_TEXT in body


@pytest.mark.parametrize("pk", [0, 999_999, 2**63, 2**80])
def test_ids_that_are_nobodys_are_404(project: Project, manager: Client, pk: int) -> None:
    run = finished_run(project)
    for name in ("run", "job", "responses"):
        assert manager.get(page(name, "ti", pk)).status_code == 404
    assert manager.get(page("response", "ti", run.pk, pk)).status_code == 404
    assert manager.get(page("file", "ti", run.pk, "../x.csv")).status_code == 404


def test_start_page_starts_a_run(project: Project, manager: Client) -> None:
    release, spec = make_release(project), ModelSpecFactory(project=project)
    form = {
        "release": release.pk, "model": spec.pk, "prompt": "chain-of-thought", "shots": 0,
        "epochs": 2, "methods": ["direct"], "concurrency": 4,
    }  # fmt: skip

    response = manager.post(page("start", "ti"), form)

    run = Run.objects.get()
    assert response.url == page("run", "ti", run.pk)  # type: ignore[attr-defined]
    assert (run.prompt_template.name, run.epochs) == ("chain-of-thought", 2)
    again = manager.post(page("start", "ti"), form)
    assert again.status_code == 409
    assert "already in progress" in again.content.decode()


def test_start_page_with_a_bad_value_starts_nothing(project: Project, manager: Client) -> None:
    release, spec = make_release(project), ModelSpecFactory(project=project)
    form = {
        "release": release.pk, "model": spec.pk, "prompt": "direct", "shots": 0, "epochs": 1,
        "methods": ["direct"], "concurrency": 4,
    }  # fmt: skip

    values: list[dict[str, Any]] = [
        {"release": "999999"}, {"release": "x"}, {"model": "999999999999999999999999"},
        {"prompt": "nobody"}, {"shots": "-1"}, {"shots": "100000000000000000000000"},
        {"epochs": "51"}, {"methods": ["likeliest"]}, {"concurrency": ""},
    ]  # fmt: skip
    answers = [(bad, manager.post(page("start", "ti"), form | bad).status_code) for bad in values]
    assert answers == [(bad, 400) for bad in values]
    assert not Job.objects.exists()


def test_looking_at_start_writes_nothing(project: Project, manager: Client) -> None:
    make_release(project)
    ModelSpecFactory(project=project)
    assert "direct" in manager.get(page("start", "ti")).content.decode()
    assert not PromptTemplate.objects.exists()


def test_run_page_shows_figures_and_switches_method(project: Project, manager: Client) -> None:
    run = finished_run(project, lambda request: "A or B, so: A")
    body = manager.get(page("run", "ti", run.pk) + "?method=anchored").content.decode()
    assert "Humanities" in body
    assert "Uses the answer that the response marks or states." in body
    assert "hx-get" not in body
    assert manager.get(page("run", "ti", run.pk) + "?method=nonsense").status_code == 200


def test_run_page_that_waits_polls_and_says_when_no_worker_is_there(
    project: Project, manager: Client
) -> None:
    run = make_run(project)
    url = page("run", "ti", run.pk)
    body = manager.get(url).content.decode()
    assert "No worker is running." in body
    assert page("job", "ti", run.pk) in body

    WorkerBeat.objects.create(name="w", seen_at=timezone.now())
    assert "No worker is running." not in manager.get(url).content.decode()


def test_job_partial_ends_with_a_refresh(project: Project, manager: Client) -> None:
    run = make_run(project)
    url = page("job", "ti", run.pk)
    assert manager.get(url).status_code == 302
    waiting = manager.get(url, headers={"HX-Request": "true"})
    assert waiting.status_code == 200
    assert "<html" not in waiting.content.decode()
    assert "HX-Refresh" not in waiting

    work_off(run)
    assert manager.get(url, headers={"HX-Request": "true"})["HX-Refresh"] == "true"


def test_cancel_and_resume_by_page(project: Project, manager: Client) -> None:
    run = make_run(project)
    assert manager.post(page("cancel", "ti", run.pk)).status_code == 302
    assert manager.post(page("cancel", "ti", run.pk)).status_code == 409
    assert manager.post(page("resume", "ti", run.pk)).status_code == 302
    assert manager.post(page("resume", "ti", run.pk)).status_code == 409
    work_off(run)
    refused = manager.post(page("resume", "ti", run.pk))
    assert refused.status_code == 409
    assert "every question has an answer" in refused.content.decode()


def test_failed_questions_are_offered_again(project: Project, manager: Client) -> None:
    run = make_run(project)
    work_off(run, Counting({"history/test-1": EndpointRefused("400 no")}))
    body = manager.get(page("run", "ti", run.pk)).content.decode()
    assert "The endpoint did not answer one question." in body
    listed = manager.get(page("responses", "ti", run.pk) + "?kind=failed").content.decode()
    assert "history/test-1" in listed
    assert "history/test-0" not in listed


@pytest.mark.parametrize("count", [1, 3])
def test_run_list_takes_a_fixed_number_of_queries(
    project: Project,
    manager: Client,
    django_assert_num_queries: DjangoAssertNumQueries,
    count: int,
) -> None:
    release = make_release(project)
    for _ in range(count):
        make_run(project, release)
    with django_assert_num_queries(5):
        assert manager.get(page("runs", "ti")).status_code == 200


def test_what_the_endpoint_said_is_shown_to_managers_only(
    project: Project, member: Member, browser_of: Browser, manager: Client
) -> None:
    endpoint = EndpointFactory(project=None)
    endpoint.allowed_projects.add(project)
    spec = ModelSpecFactory(project=project, endpoint=endpoint)
    run = make_run(project, spec=spec, concurrency=1)
    names = [f"{s}/test-{n}" for s in ("history", "physics") for n in range(3)]
    said = EndpointRefused("400", body="the question “<ཀ>” is too long" + "!" * 400)
    work_off(run, Counting(dict.fromkeys(names, said)))
    url = page("run", "ti", run.pk)
    for role in (Role.SENIOR, Role.REVIEWER, Role.VIEWER):
        shown = browser_of(member(role)).get(url).content.decode()
        assert "it refused the requests (HTTP 400)" in shown
        assert "is too long" not in shown
    told = manager.get(f"/api/v1/jobs/{run.job_id}/").json()
    assert (told["error_code"], "is too long" in str(told)) == ("endpoint_failing", False)
    shown = manager.get(url).content.decode()
    assert "the question “&lt;ཀ&gt;” is too long!!!" in shown
    assert "!" * 300 not in shown


def test_variable_of_a_missing_key_is_named_to_managers_only(
    project: Project, member: Member, browser_of: Browser, manager: Client
) -> None:
    run = make_run(project, spec=make_keyed_spec(project, "SECRET_API_KEY"))
    run_now(run.job, perform_run)
    url = page("run", "ti", run.pk)
    for role in (Role.SENIOR, Role.REVIEWER, Role.VIEWER):
        shown = browser_of(member(role)).get(url).content.decode()
        assert "has no key for this endpoint" in shown
        assert "SECRET_API_KEY" not in shown
    assert "<code>SECRET_API_KEY</code>" in manager.get(url).content.decode()


@pytest.mark.parametrize("tests", [1, 20])
@pytest.mark.parametrize(("name", "queries"), [("run", 10), ("responses", 10)])
def test_pages_of_a_run_take_a_fixed_number_of_queries(
    project: Project,
    manager: Client,
    django_assert_num_queries: DjangoAssertNumQueries,
    tests: int,
    name: str,
    queries: int,
) -> None:
    run = finished_run(project, release=make_release(project, tests=tests))
    with django_assert_num_queries(queries):
        assert manager.get(page(name, "ti", run.pk)).status_code == 200
