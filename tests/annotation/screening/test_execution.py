"""A screening job ends with an opinion or a reason for every question, and holds nothing back."""

import json
from collections.abc import Callable
from decimal import Decimal
from functools import partial

import pytest
from django.core.management import CommandError, call_command

from annotation.asking.answers import fault_text
from annotation.enums import Screen
from annotation.models import Finding, Item, Opinion, ScreeningCall, ScreeningJob
from annotation.screening.actions import (
    NothingToScreen,
    ScreeningInvalid,
    ScreeningSettings,
    start_screening,
)
from annotation.screening.execution import perform_screening
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatReply, ChatRequest, EndpointRefused
from endpoints.providers.recorded import NullProvider
from jobs.actions import resume_job
from jobs.enums import JobState
from jobs.models import Job
from jobs.worker import run_now
from projects.models import Project
from tests.annotation.translating.builders import NOW, QUICK, make_items
from tests.factories import ModelSpecFactory, make_translated_item

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
FINE = json.dumps({"verdict": "fine", "confidence": 0.9, "reason": "All is there."})


def start(
    project: Project, *screens: str, spec: ModelSpec | None = None, budget: Decimal | None = None
) -> ScreeningJob:
    return start_screening(
        project=project,
        settings=ScreeningSettings(
            model=spec or ModelSpecFactory(project=project), screens=screens, budget=budget,
            concurrency=1,
        ),
        actor=None,
        now=NOW,
    )  # fmt: skip


def work_off(started: ScreeningJob, reply: Callable[[ChatRequest], str] | NullProvider) -> Job:
    provider = reply if isinstance(reply, NullProvider) else NullProvider(reply)
    started.refresh_from_db()
    work = partial(perform_screening, connect=lambda endpoint: provider, limits=QUICK)
    return run_now(started.job, work)


def opinions(started: ScreeningJob) -> list[tuple[str, str, float | None, str]]:
    rows = started.opinions.order_by("pk")
    return list(rows.values_list("screen", "state", "confidence", "words"))


def test_each_screen_asks_one_question_without_the_key_and_keeps_the_raw_answer(
    project: Project,
) -> None:
    item = make_translated_item(project=project)
    Item.objects.update(answer="", explanation="Because of the secret key.")
    asked: list[str] = []

    def reply(request: ChatRequest) -> str:
        asked.append(request.messages[-1].content)
        if "defend" not in asked[-1]:
            return FINE
        return json.dumps({"options": ["A", "B"], "confidence": "0.7", "reason": "Both are right."})

    started = start(project, *Screen.values)
    findings = Finding.objects.count()
    job = work_off(started, reply)

    assert job.state == JobState.DONE
    assert opinions(started) == [
        (screen, "doubt", 0.7, "Both are right.")
        if screen == Screen.UNIQUE
        else (screen, "fine", 0.9, "All is there.")
        for screen in Screen.values
    ]
    assert Opinion.objects.get(screen="unique").data == {"options": ["A", "B"]}
    assert ScreeningCall.objects.filter(state="answered", text=FINE).count() == 5
    assert not any("secret" in words or '"key"' in words for words in asked)
    assert [item.question in words for words in asked] == [
        screen == Screen.FAITHFUL for screen in Screen.values
    ]
    assert Finding.objects.count() == findings


def test_options_that_are_the_key_alone_are_no_doubt(project: Project) -> None:
    (item,) = make_items(project, 1)
    started = start(project, "unique")
    work_off(
        started, lambda _r: json.dumps({"options": [item.key], "confidence": 1, "reason": "."})
    )
    assert opinions(started) == [("unique", "fine", 1.0, ".")]


def test_unreadable_answer_is_asked_thrice_with_the_reason_and_says_why(project: Project) -> None:
    make_items(project, 1)
    asked: list[ChatRequest] = []

    def reply(request: ChatRequest) -> str:
        asked.append(request)
        return json.dumps({"verdict": "fine", "confidence": 80, "reason": "."})

    started = start(project, "context")
    work_off(started, reply)
    assert opinions(started) == [("context", "failed", None, "confidence")]
    assert [len(request.messages) for request in asked] == [1, 3, 3]
    words = "“confidence” is not a number from 0 to 1."
    assert fault_text("confidence", {}) == words
    assert words in asked[1].messages[-1].content


def test_killed_job_continues_without_asking_a_stored_answer_again(project: Project) -> None:
    make_items(project, 3)
    started = start(project, "context", "grammar")
    left = iter(range(4))

    def dying(_request: ChatRequest) -> str:
        if next(left, None) is None:
            raise SystemExit
        return FINE

    with pytest.raises(SystemExit):
        work_off(started, dying)
    stored = ScreeningCall.objects.count()
    asked: list[ChatRequest] = []

    def count(request: ChatRequest) -> str:
        asked.append(request)
        return FINE

    Job.objects.update(state=JobState.QUEUED, worker="")
    work_off(started, count)
    assert {state for _screen, state, *_rest in opinions(started)} == {"fine"}
    assert len(asked) == 6 - stored


def test_question_whose_endpoint_refused_is_asked_again_on_resume(project: Project) -> None:
    make_items(project, 1)

    class Refusing(NullProvider):
        async def complete(self, request: ChatRequest) -> ChatReply:
            raise EndpointRefused("400")

    started = start(project, "context")
    work_off(started, Refusing(lambda _request: FINE))
    assert opinions(started) == [("context", "failed", None, "endpoint")]
    Job.objects.update(state=JobState.FAILED)
    started.job.refresh_from_db()
    resume_job(job=started.job, actor=None, now=NOW)
    work_off(started, lambda _request: FINE)
    assert opinions(started) == [("context", "fine", 0.9, "All is there.")]


class MeteredProvider(NullProvider):
    """An endpoint that says that each answer took 100 tokens in and 100 out."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        return ChatReply(FINE, prompt_tokens=100, completion_tokens=100)


def test_budget_ends_the_job_in_order(project: Project) -> None:
    make_items(project, 6)
    prices = {"prompt_price": Decimal(1000), "completion_price": Decimal(4000)}
    spec = ModelSpecFactory(project=project, **prices)  # half a dollar a call
    started = start(project, "context", spec=spec, budget=Decimal(2))
    job = work_off(started, MeteredProvider(lambda _request: FINE))
    assert job.state == JobState.DONE
    assert job.result == {
        "screening_job": started.pk, "open": 2, "doubt": 0, "fine": 4, "failed": 0,
        "is_budget_spent": True,
    }  # fmt: skip


def test_settings_that_cannot_work_are_refused(project: Project) -> None:
    with pytest.raises(NothingToScreen):
        start(project, "context")
    make_items(project, 1)
    with pytest.raises(NothingToScreen):
        start(project, "faithful")  # no item has a translation
    for screens, budget, field in (
        ((), None, "screens"),
        (("x",), None, "screens"),
        (("unique",), Decimal(1), "budget"),
    ):
        with pytest.raises(ScreeningInvalid) as refusal:
            start(project, *screens, budget=budget)
        assert list(refusal.value.fields) == [field]


def test_command_counts_the_calls_and_queues_the_job(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    make_items(project, 3)
    spec = ModelSpecFactory(project=project)
    arguments = ("screen_items", "ti", "--model", spec.name, "--json", "--select", "limit=2")
    call_command(*arguments, "--screens", "unique, context", "--dry-run")
    assert json.loads(capsys.readouterr().out) == {
        "items": 2, "hidden_left_out": 0, "calls": 4, "tokens": None, "price": None,
        "seconds": None, "measured_on": 0,
    }  # fmt: skip
    assert not ScreeningJob.objects.exists()

    call_command(*arguments, "--screens", "unique,context")
    found = json.loads(capsys.readouterr().out)
    counts = {"open": 2, "doubt": 0, "fine": 0, "failed": 0}
    assert found["screens"] == {"context": counts, "unique": counts}
    assert (found["state"], found["calls"]) == ("queued", 0)
    with pytest.raises(CommandError, match="unique"):
        call_command(*arguments, "--screens", "nonsense")
