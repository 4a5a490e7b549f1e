"""A sampling job scores each prompt once, draws a sample once, and imports it as open-ended drafts."""

import json
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from annotation.asking.actions import resume_asking
from annotation.making.from_pool.actions import (
    SAMPLING,
    NothingToScore,
    SamplingComplete,
    SamplingJobInvalid,
    SamplingSettings,
    SamplingUnderway,
    start_sampling,
)
from annotation.making.from_pool.execution import draw_sample, perform_sampling
from annotation.models import Item, SamplingCall, SamplingJob
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatReply, ChatRequest, EndpointRefused
from endpoints.providers.recorded import NullProvider
from jobs.enums import JobState
from jobs.models import Job
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from tests.annotation.translating.builders import NOW, QUICK
from tests.factories import ModelSpecFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
Member = Callable[..., User]
URL = "/api/v1/projects/ti/sampling-jobs/"
POOL = {
    "Write a letter to a landlord about a broken boiler": 5,
    "Write a letter to a landlord about a broken boiler.": 4,
    "Prove that the square root of two is irrational": 3,
    "Name three rivers of Mongolia and say where they rise": 2,
}
"""Prompts with the score that the model gives; the first two are near-duplicates."""


@pytest.fixture
def spec(project: Project) -> ModelSpec:
    prices = {"prompt_price": Decimal(1000), "completion_price": Decimal(4000)}
    return ModelSpecFactory(project=project, name="m", **prices)


def start(spec: ModelSpec, *, pool: str = "\n".join(POOL), **more: object) -> SamplingJob:
    values = {"model": spec, "pool": pool, "concurrency": 1, "seed": 5, **more}
    settings = SamplingSettings(**values)  # type: ignore[arg-type]
    return start_sampling(project=spec.project, settings=settings, actor=None, now=NOW)


def good(request: ChatRequest) -> str:
    asked = json.loads(request.messages[0].content.split("The prompt: ")[1].splitlines()[0])
    return json.dumps(dict.fromkeys(("specificity", "clarity", "depth"), POOL[asked["prompt"]]))


def work_off(started: SamplingJob, reply: Callable[[ChatRequest], str] | NullProvider) -> Job:
    provider = reply if isinstance(reply, NullProvider) else NullProvider(reply)
    started.refresh_from_db()
    work = partial(perform_sampling, connect=lambda endpoint: provider, limits=QUICK)
    return run_now(started.job, work)


def drawn(started: SamplingJob) -> list[int]:
    return list(
        started.prompts.filter(place__gt=0).order_by("place").values_list("line", flat=True)
    )


def test_sample_becomes_open_ended_drafts_with_their_recipe(spec: ModelSpec) -> None:
    started = start(spec, count=2)
    job = work_off(started, good)
    assert (job.state, job.result["scored"], job.result["imported"]) == (JobState.DONE, 4, 2)
    assert drawn(started) == [1, 3]
    item = Item.objects.get(question__startswith="Prove")
    assert (item.kind, item.options, item.key, item.answer) == ("open", [], "", "")
    assert item.subject.name == "arena-prompts"
    assert item.metadata == {
        "made_by": "arena-prompts 1, seed 5, scored by m r1, prompt r1: specificity 3, clarity 3, "
        "depth 3, topic 0 by hashed-ngrams"
    }
    assert not item.translations.exists()
    draw_sample(started)
    assert (drawn(started), SamplingCall.objects.count()) == ([1, 3], 4)


def test_killed_job_asks_no_stored_answer_again_and_known_prompts_are_never_asked(
    spec: ModelSpec,
) -> None:
    started = start(spec)
    left, asked = iter(range(2)), []

    def dying(request: ChatRequest) -> str:
        if next(left, None) is None:
            raise SystemExit
        return good(request)

    with pytest.raises(SystemExit):
        work_off(started, dying)
    stored = SamplingCall.objects.count()
    Job.objects.update(state=JobState.QUEUED, worker="")
    work_off(started, lambda request: asked.append(request) or good(request))  # type: ignore[func-returns-value]
    assert (len(asked), Item.objects.count()) == (4 - stored, 3)
    with pytest.raises(NothingToScore):
        start(spec, pool=next(iter(POOL)))


class MeteredProvider(NullProvider):
    """An endpoint that says that each answer took 100 tokens in and 100 out."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        return ChatReply(good(request), prompt_tokens=100, completion_tokens=100)


def refusing(words: str) -> Callable[[ChatRequest], str]:
    """Return replies of an endpoint that refuses prompts with some words."""

    def reply(request: ChatRequest) -> str:
        if words in request.messages[0].content:
            raise EndpointRefused("no")
        return good(request)

    return reply


def test_resumed_job_fills_up_a_short_sample_and_then_ends(spec: ModelSpec) -> None:
    started = start(spec, count=3)
    work_off(started, refusing("Prove"))
    assert drawn(started) == [1, 4]
    resume_asking(SAMPLING, started, actor=None, now=NOW)
    job = work_off(started, good)
    assert (drawn(started), job.result["imported"], Item.objects.count()) == ([1, 4, 3], 1, 3)
    with pytest.raises(SamplingComplete):
        resume_asking(SAMPLING, started, actor=None, now=NOW)


def test_full_sample_ends_the_job_also_where_the_endpoint_did_not_answer(spec: ModelSpec) -> None:
    started = start(spec, count=2)
    work_off(started, refusing("Prove"))
    assert drawn(started) == [1, 4]
    assert started.prompts.get(line=3).reason == "drawn_without"
    with pytest.raises(SamplingComplete):
        resume_asking(SAMPLING, started, actor=None, now=NOW)


def test_budget_ends_the_job_before_the_sample_is_drawn(spec: ModelSpec) -> None:
    started = start(spec, budget=Decimal(1))  # half a dollar a call
    job = work_off(started, MeteredProvider(good))
    assert (job.result["is_budget_spent"], job.result["open"], drawn(started)) == (True, 2, [])
    resume_asking(SAMPLING, started, actor=None, now=NOW, budget=Decimal(9))
    assert work_off(started, MeteredProvider(good)).result["imported"] == 3


@pytest.mark.slow
def test_missing_embedding_model_is_told_before_anything_is_asked(
    spec: ModelSpec, settings: Any
) -> None:
    settings.EMBEDDING_MODEL = "/nowhere/model"
    started, asked = start(spec), list[ChatRequest]()
    job = work_off(started, lambda request: asked.append(request) or good(request))  # type: ignore[func-returns-value]
    assert (job.error_code, asked) == ("embedding_model_missing", [])


def test_settings_that_cannot_work_are_refused(spec: ModelSpec) -> None:
    for values in ({"pool": " "}, {"count": 0}, {"count": 10_001}):
        with pytest.raises(SamplingJobInvalid):
            start(spec, **values)
    start(spec)
    with pytest.raises(SamplingUnderway):
        start(spec)


def test_database_keeps_scores_whole_and_a_place_for_one_prompt(spec: ModelSpec) -> None:
    prompts = start(spec).prompts.order_by("line")
    for bad in ({"specificity": 3, "clarity": 3}, {"specificity": 3, "clarity": 3, "depth": 6}):
        with pytest.raises(IntegrityError), transaction.atomic():
            prompts.filter(line=1).update(state="scored", **bad)
    prompts.update(state="scored", specificity=1, clarity=2, depth=3, topic=0, twins=0)
    with pytest.raises(IntegrityError), transaction.atomic():
        prompts.update(place=1)


def test_command_counts_starts_and_refuses(
    spec: ModelSpec, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pool.txt"
    path.write_text("Why?\nHow?\nWhy?\n", encoding="utf-8")
    arguments = ["make_items", "ti", "arena-prompts", str(path)]
    asked = [*arguments, "--model", "m", "--count", "1", "--seed", "3", "--json"]
    call_command(*asked, "--dry-run")
    dry = json.loads(capsys.readouterr().out)
    assert (dry["calls"], dry["left_out"][0]["line"], dry["embedding_model"]) == (
        2, 3, "hashed-ngrams",
    )  # fmt: skip
    assert not SamplingJob.objects.exists()
    call_command(*asked)
    found = json.loads(capsys.readouterr().out)
    assert (found["state"], found["prompts"]["open"], found["drawn"]) == ("queued", 2, 0)
    started = SamplingJob.objects.get()
    assert (started.count, started.seed, started.name) == (1, 3, "pool")
    with pytest.raises(CommandError, match="name it with --model"):
        call_command(*arguments)
    with pytest.raises(CommandError, match="--count is for"):
        call_command("make_items", "ti", "cloze", str(path), "--count", "3")


def test_pages_show_the_estimate_then_start_and_show_the_sample(
    spec: ModelSpec, member: Member, browser_of: Callable[[User], Client]
) -> None:
    manager = browser_of(member(Role.MANAGER))
    url = reverse("annotation:start-sampling", args=["ti"])
    pool = "\n".join([*POOL, next(iter(POOL))])
    values = {"model": spec.pk, "pool": pool, "count": 2, "seed": 0, "concurrency": 4}
    shown = manager.post(url, values)
    assert (shown.context["estimate"].calls, shown.context["fault_count"]) == (4, 1)
    assert "no embedding model" in shown.content.decode()
    assert not SamplingJob.objects.exists()
    assert manager.post(url, {**values, "confirm": "yes"}).status_code == 302
    started = SamplingJob.objects.get()
    work_off(started, lambda r: "{}" if "Prove" in r.messages[0].content else good(r))
    page = manager.get(reverse("annotation:sampling", args=["ti", started.pk]))
    assert "No further prompt is drawn" not in page.content.decode()
    assert [row.line for row in page.context["page"].rows] == [1, 4]
    assert [row.line for row, _words in page.context["failed"]] == [3]
    SamplingJob.objects.update(count=3)  # more than there is to draw
    page = manager.get(reverse("annotation:sampling", args=["ti", started.pk]))
    assert "No further prompt is drawn" in page.content.decode()
    for name in ("sampling-jobs", "sampling-prompt", "start-sampling"):
        assert manager.get(reverse(f"annotation:{name}", args=["ti"])).status_code == 200


def test_api_estimates_starts_and_lists_the_sample(
    spec: ModelSpec, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    api = api_of(member(Role.MANAGER))
    values = {"model": "m", "pool": "\n".join([*POOL, next(iter(POOL))]), "count": 1}
    dry = api.post(URL, {**values, "dry_run": True}, format="json").json()
    assert (dry["calls"], dry["left_out"][0]["code"], dry["embedding_model"]) == (
        4, "same_prompt", "hashed-ngrams",
    )  # fmt: skip
    pk = api.post(URL, values, format="json").json()["sampling_job"]
    work_off(SamplingJob.objects.get(pk=pk), refusing("Name"))
    (drawn_one,) = api.get(f"{URL}{pk}/sample/").json()["results"]
    assert drawn_one == {
        "place": 1, "uid": Item.objects.get().uid, "prompt": next(iter(POOL)), "subject": "",
        "topic": 0, "scores": {"specificity": 5, "clarity": 5, "depth": 5},
    }  # fmt: skip
    (failed,) = api.get(f"{URL}{pk}/failed/").json()["results"]
    assert (failed["line"], failed["code"]) == (4, "drawn_without")
    found = api.get(f"{URL}{pk}/").json()
    assert (found["state"], found["results"]["drawn"]) == ("done", 1)
