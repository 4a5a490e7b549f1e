"""A run says what it would take, ends when its budget is spent, and says what it took."""

from collections.abc import Callable
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatReply, ChatRequest
from endpoints.providers.recorded import NullProvider
from evaluation.models import ModelResponse, Run
from evaluation.results.queries.figures import run_results
from evaluation.runs.actions import BudgetSpent, RunInvalid, RunSettings, resume_run
from evaluation.runs.estimates import Estimate, estimate_run
from jobs.enums import JobState
from projects.enums import Role
from projects.models import Project
from prompts.actions import ensure_default_prompts
from prompts.models import PromptTemplate
from prompts.queries import known_prompts
from releases.models import Release
from tests.commands import printed
from tests.evaluation.builders import NOW, make_release, make_run, work_off
from tests.evaluation.runs.test_reuse import Paid
from tests.factories import ModelSpecFactory

pytestmark = pytest.mark.django_db
DOLLAR_A_CALL = {"prompt_price": Decimal(9_000), "completion_price": Decimal(10_000)}
"""`Paid` takes 100 tokens for a prompt and 10 for an answer: one dollar."""


@pytest.fixture
def spec(project: Project) -> ModelSpec:
    return ModelSpecFactory(project=project, **DOLLAR_A_CALL)


def test_budget_ends_a_run_in_order_and_a_higher_one_continues_it(spec: ModelSpec) -> None:
    release = make_release(spec.project, tests=3)
    run = make_run(spec.project, release, spec=spec, budget=Decimal(4), concurrency=2)

    job = work_off(run, Paid(spec))

    assert (job.state, job.result["answered"], job.result["is_budget_spent"]) == ("done", 4, True)
    assert run_results(run).usage.price == Decimal(4)
    with pytest.raises(BudgetSpent):
        resume_run(run=run, actor=None, now=NOW)
    with pytest.raises(RunInvalid):
        resume_run(run=run, budget=Decimal(0), actor=None, now=NOW)

    resume_run(run=run, budget=Decimal(20), actor=None, now=NOW)
    job = work_off(run, Paid(spec))

    assert (job.state, job.result["answered"], job.result["is_budget_spent"]) == ("done", 6, False)
    assert (run.budget, run_results(run).usage.price) == (Decimal(20), Decimal(6))


def test_reused_answers_take_nothing_of_a_budget(spec: ModelSpec) -> None:
    release = make_release(spec.project, tests=2)
    work_off(make_run(spec.project, release, spec=spec), Paid(spec))
    run = make_run(spec.project, release, spec=spec, epochs=2, budget=Decimal("3.5"), concurrency=1)

    job = work_off(run, Paid(spec))

    assert (job.result["answered"], job.result["is_budget_spent"]) == (7, True)
    usage = run_results(run).usage
    assert (usage.bought, usage.reused, usage.price) == (3, 4, Decimal(3))


def test_budget_at_an_endpoint_that_tells_no_tokens_ends_the_run_in_words(spec: ModelSpec) -> None:
    run = make_run(spec.project, make_release(spec.project), spec=spec, budget=Decimal(1))

    job = work_off(run)

    assert (job.state, job.error_code) == (JobState.FAILED, "budget_unmeasured")
    assert ModelResponse.objects.filter(run=run).exists()


def test_budget_without_prices_is_refused(project: Project) -> None:
    with pytest.raises(RunInvalid) as refusal:
        make_run(project, budget=Decimal(1))
    assert list(refusal.value.fields) == ["budget"]
    assert not Run.objects.exists()


def estimated(
    spec: ModelSpec, release: Release, most: int | None = None, **settings: Any
) -> Estimate:
    ensure_default_prompts(project=spec.project, now=NOW)
    prompt = known_prompts(spec.project, now=NOW)[0]
    return estimate_run(
        release=release, model_spec=spec, prompt=prompt, settings=RunSettings(**settings), most=most
    )


def test_estimate_before_any_answer_assumes_and_says_so(spec: ModelSpec) -> None:
    release = make_release(spec.project, tests=2)
    sizes = prompt_sizes(spec, release)

    found = estimated(spec, release, epochs=2, is_asked_again=True)

    assert found == Estimate(
        items=4, looked_at=4, questions=8, reused=0, calls=8,
        prompt_tokens=round(2 * sum(sizes) / 3), completion_tokens=None, bytes_per_token=3.0,
        measured_on=0, completion_basis="unknown", price=None, shots=0, bare_shots=0, hidden_items=0,
    )  # fmt: skip
    limited = ModelSpecFactory(project=spec.project, parameters={"max_tokens": 50}, **DOLLAR_A_CALL)
    bounded = estimated(limited, release)
    assert (bounded.completion_tokens, bounded.completion_basis) == (200, "limit")
    assert bounded.price == (bounded.prompt_tokens * 9_000 + 200 * 10_000) / Decimal(1_000_000)


def test_estimate_is_what_the_run_then_takes_where_answers_tell(spec: ModelSpec) -> None:
    release = make_release(spec.project, tests=3)
    work_off(make_run(spec.project, release, spec=spec), Counted(spec))

    found = estimated(spec, release, epochs=3)
    run = make_run(spec.project, release, spec=spec, epochs=3)
    work_off(run, Counted(spec))

    usage = run_results(run).usage
    assert (found.questions, found.reused, found.calls) == (18, 6, 12)
    assert (usage.reused, usage.bought) == (6, 12)
    assert found.measured_on == 6
    assert abs(found.prompt_tokens - usage.prompt_tokens) <= 1
    assert found.completion_tokens == usage.completion_tokens
    assert found.price is not None
    assert usage.price is not None
    assert abs(found.price - usage.price) <= Decimal("0.01")
    again = estimated(spec, release, epochs=3)
    assert (again.calls, again.prompt_tokens, again.completion_tokens, again.price) == (0, 0, 0, 0)


def test_estimate_of_a_sample_is_extrapolated(spec: ModelSpec) -> None:
    release = make_release(spec.project, tests=20)
    whole, sampled = estimated(spec, release), estimated(spec, release, most=10)
    assert (sampled.items, sampled.looked_at, sampled.calls) == (40, 10, 40)
    assert abs(sampled.prompt_tokens / whole.prompt_tokens - 1) < 0.05


def test_api_estimates_and_takes_a_budget(
    spec: ModelSpec, member: Callable[..., User], api_of: Callable[[User], APIClient]
) -> None:
    make_release(spec.project, tests=2, version="1.0.0")
    manager, runs = api_of(member(Role.MANAGER)), "/api/v1/projects/ti/runs/"
    asked = {"release": "1.0.0", "model": spec.name, "methods": ["direct", "anchored"]}

    found = manager.get(f"{runs}estimate/", asked)
    assert (found.status_code, found.json()["calls"], found.json()["measured_on"]) == (200, 4, 0)
    assert manager.get(f"{runs}estimate/", asked | {"sots": 1}).status_code == 400
    assert manager.get(f"{runs}estimate/", asked | {"model": "x"}).status_code == 404
    assert api_of(member(Role.VIEWER)).get(f"{runs}estimate/", asked).status_code == 403
    assert manager.get(f"{runs}estimate/", asked | {"prompt": "x"}).status_code == 404
    assert not Run.objects.exists()
    assert not PromptTemplate.objects.exists()

    started = manager.post(runs, asked | {"budget": "2", "concurrency": 1}, format="json").json()
    run = Run.objects.get(pk=started["run"])
    work_off(run, Paid(spec))
    body = manager.get(f"/api/v1/runs/{run.pk}/").json()
    assert body["budget"] == "2.0000"
    assert body["results"]["usage"] == {
        "bought": 2, "reused": 0, "unmeasured": 0, "prompt_tokens": 200, "completion_tokens": 20,
        "file_prompt_tokens": 0, "file_completion_tokens": 0, "price": "2.0000",
    }  # fmt: skip
    resume = f"/api/v1/runs/{run.pk}/resume/"
    assert manager.post(resume).json()["code"] == "budget_spent"
    assert manager.post(resume, {"budget": "3"}, format="json").status_code == 202


def test_form_shows_an_estimate_and_the_run_page_asks_for_a_higher_budget(
    spec: ModelSpec, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    release = make_release(spec.project, tests=2)
    manager = browser_of(member(Role.MANAGER))
    values = {
        "release": release.pk, "model": spec.pk, "prompt": "direct", "shots": 0, "epochs": 1,
        "methods": ["direct"], "concurrency": 1, "budget": "2",
    }  # fmt: skip
    start = reverse("evaluation:start", args=["ti"])

    page = manager.post(start, values | {"estimate": "yes"})
    assert page.status_code == 200
    assert "3 bytes a token are assumed" in page.content.decode()
    assert not Run.objects.exists()

    manager.post(start, values)
    run = Run.objects.get()
    work_off(run, Paid(spec))
    body = manager.get(reverse("evaluation:run", args=["ti", run.pk])).content.decode()
    assert "The budget is spent." in body
    assert 'value="2.0000"' in body
    manager.post(reverse("evaluation:resume", args=["ti", run.pk]), {"budget": "9"})
    run.refresh_from_db()
    assert (run.budget, run.job.state) == (Decimal(9), JobState.QUEUED)


def test_commands_estimate_and_take_a_budget(spec: ModelSpec) -> None:
    make_release(spec.project, tests=2, version="1.0.0")
    found = printed("estimate_run", "ti", "1.0.0", spec.name, "--epochs", "2")
    assert (found["questions"], found["calls"], found["price"]) == (8, 8, None)
    out = StringIO()
    call_command("estimate_run", "ti", "1.0.0", spec.name, stdout=out)
    assert "questions 4, reused 0, calls 4" in out.getvalue()

    started = printed("start_run", "ti", "1.0.0", spec.name, "--budget", "2.5")
    assert Run.objects.get(pk=started["run"]).budget == Decimal("2.5")
    with pytest.raises(CommandError, match="not a number"):
        printed("start_run", "ti", "1.0.0", spec.name, "--budget", "much")


class Counted(Paid):
    """One token for each byte of a prompt."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        sent = sum(len(message.content.encode()) for message in request.messages)
        return ChatReply("A", prompt_tokens=sent, completion_tokens=7)


def prompt_sizes(spec: ModelSpec, release: Release) -> list[int]:
    """The bytes of the prompts of a run, as an endpoint gets them."""
    seen: list[int] = []

    def reply(request: ChatRequest) -> str:
        seen.append(sum(len(message.content.encode()) for message in request.messages))
        return "A"

    work_off(make_run(spec.project, release, spec=spec), NullProvider(reply))
    return seen
