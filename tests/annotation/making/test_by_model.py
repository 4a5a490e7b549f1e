"""A making job ends with an item or a reason for every pair, and asks nothing twice."""

import json
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from annotation.asking.actions import resume_asking
from annotation.making.by_model.actions import (
    MAKING,
    MakingComplete,
    MakingJobInvalid,
    MakingJobSettings,
    MakingUnderway,
    NothingToPropose,
    import_pairs,
    start_making_job,
)
from annotation.making.by_model.execution import perform_making
from annotation.making.pairs import WAY
from annotation.making.prompting import DISTRACTORS_FRAME, ask_for_wrong
from annotation.models import Item, MakingCall, MakingJob
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatReply, ChatRequest
from endpoints.providers.pretend_translations import pretend
from endpoints.providers.recorded import NullProvider
from jobs.enums import JobState
from jobs.models import Job
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from prompts.actions import revise_job_prompt
from prompts.enums import PromptPurpose
from tests.annotation.translating.builders import NOW, QUICK
from tests.factories import ModelSpecFactory

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
URL = "/api/v1/projects/ti/making-jobs/"


@pytest.fixture
def spec(project: Project) -> ModelSpec:
    prices = {"prompt_price": Decimal(1000), "completion_price": Decimal(4000)}
    return ModelSpecFactory(project=project, name="m", **prices)


def pairs_of(count: int, **more: object) -> str:
    rows = [{"question": f"{n} + 20 = ?", "answer": str(n + 20), **more} for n in range(count)]
    return "\n".join(map(json.dumps, rows))


def start(spec: ModelSpec, pairs: str, budget: Decimal | None = None) -> MakingJob:
    settings = MakingJobSettings(model=spec, pairs=pairs, budget=budget, concurrency=1, seed=5)
    return start_making_job(project=spec.project, settings=settings, actor=None, now=NOW)


def said(*texts: str) -> str:
    return json.dumps({"distractors": texts})


def good(request: ChatRequest) -> str:
    """Answer as the stand-in does, without misbehaving."""
    return pretend("well-behaved", [turn.content for turn in request.messages], seed=0)


def work_off(started: MakingJob, reply: Callable[[ChatRequest], str] | NullProvider) -> Job:
    provider = reply if isinstance(reply, NullProvider) else NullProvider(reply)
    started.refresh_from_db()
    work = partial(perform_making, connect=lambda endpoint: provider, limits=QUICK)
    return run_now(started.job, work)


def states(started: MakingJob) -> list[tuple[str, str]]:
    return list(started.pairs.order_by("pk").values_list("state", "reason"))


def test_each_pair_becomes_a_draft_with_the_recipe_of_model_and_prompt(spec: ModelSpec) -> None:
    started = start(spec, pairs_of(2, subject="sums"))
    job = work_off(started, good)
    assert (job.state, job.result["made"], job.result["imported"]) == (JobState.DONE, 2, 2)
    item = Item.objects.get(question="1 + 20 = ?")
    assert (item.subject.name, len({*item.options})) == ("sums", 4)
    assert item.options["ABCD".index(item.key)] == "21"
    assert item.metadata == {"made_by": "distractors 1, seed 5, proposed by m r1, prompt r1"}
    assert not item.translations.exists()
    assert MakingCall.objects.filter(state="answered").count() == 2
    assert import_pairs(started=started, now=NOW) == 0


def test_wrong_answers_that_cannot_be_used_are_asked_again_with_the_reason_and_good_ones_kept(
    spec: ModelSpec,
) -> None:
    asked: list[ChatRequest] = []
    replies = iter([said("２０", "13", "14"), said("20.0", "13", "15")])

    def reply(request: ChatRequest) -> str:
        asked.append(request)
        return next(replies)

    started = start(spec, pairs_of(1))
    work_off(started, reply)
    assert started.pairs.get().distractors == ["13", "14", "15"]
    assert "Only 2 of the wrong answers" in asked[1].messages[-1].content


def test_pair_without_three_wrong_answers_is_left_out_with_its_reason(spec: ModelSpec) -> None:
    started = start(spec, pairs_of(2))
    replies = {"0 +": said("20"), "1 +": json.dumps({"distractors": "13"})}
    job = work_off(
        started, lambda r: next(t for q, t in replies.items() if q in r.messages[0].content)
    )
    assert states(started) == [("failed", "too_few_wrong"), ("failed", "distractors")]
    assert (job.result["imported"], Item.objects.count()) == (0, 0)
    assert MakingCall.objects.count() == 6


def test_killed_job_asks_no_stored_answer_again_and_known_pairs_are_never_asked(
    spec: ModelSpec,
) -> None:
    started = start(spec, pairs_of(4))
    left = iter(range(2))

    def dying(request: ChatRequest) -> str:
        if next(left, None) is None:
            raise SystemExit
        return good(request)

    with pytest.raises(SystemExit):
        work_off(started, dying)
    stored, asked = MakingCall.objects.count(), []

    def counting(request: ChatRequest) -> str:
        asked.append(request)
        return good(request)

    Job.objects.update(state=JobState.QUEUED, worker="")
    work_off(started, counting)
    assert (len(asked), Item.objects.count()) == (4 - stored, 4)
    with pytest.raises(NothingToPropose):
        start(spec, pairs_of(4))


class MeteredProvider(NullProvider):
    """An endpoint that says that each answer took 100 tokens in and 100 out."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        return ChatReply(good(request), prompt_tokens=100, completion_tokens=100)


def test_job_whose_import_failed_is_resumed_from_its_page_and_asks_nothing(
    spec: ModelSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = start(spec, pairs_of(2))
    with monkeypatch.context() as broken:
        broken.setattr("annotation.making.by_model.execution.import_pairs", lambda **_: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            work_off(started, good)
    calls = MakingCall.objects.count()
    resume_asking(MAKING, started, actor=None, now=NOW)
    assert work_off(started, good).state == JobState.DONE
    assert (Item.objects.count(), MakingCall.objects.count()) == (2, calls)
    with pytest.raises(MakingComplete):
        resume_asking(MAKING, started, actor=None, now=NOW)


def test_budget_ends_the_job_with_the_items_so_far(spec: ModelSpec) -> None:
    started = start(spec, pairs_of(6), budget=Decimal(2))  # half a dollar a call
    job = work_off(started, MeteredProvider(good))
    assert (job.result["is_budget_spent"], job.result["imported"], job.result["open"]) == (
        True, 4, 2,
    )  # fmt: skip


def test_settings_that_cannot_work_are_refused(spec: ModelSpec) -> None:
    with pytest.raises(MakingJobInvalid):
        start(spec, " ")
    with pytest.raises(NothingToPropose):
        start(spec, "{}")
    start(spec, pairs_of(1))
    with pytest.raises(MakingUnderway):
        start(spec, pairs_of(2))


def test_recipe_names_the_revision_of_the_prompt_that_was_edited(spec: ModelSpec) -> None:
    revise_job_prompt(
        project=spec.project, purpose=PromptPurpose.MAKE, task=WAY, builtin=DISTRACTORS_FRAME,
        revision=1, frame="Three of them, please: {item}", actor=None, now=NOW,
    )  # fmt: skip
    work_off(start(spec, pairs_of(1)), good)
    assert "proposed by m r1, prompt r2" in Item.objects.get().metadata["made_by"]
    prompt = ask_for_wrong("Three: {item}", question="{q}", answer="a")
    assert '{"question": "{q}", "answer": "a"}' in prompt.messages[0].content


def test_command_counts_starts_and_refuses(
    spec: ModelSpec, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("question,answer\n1 + 20 = ?,21\n,5\n", encoding="utf-8")
    arguments = ["make_items", "ti", "distractors", str(path), "--model", "m", "--json"]
    call_command(*arguments, "--dry-run")
    dry = json.loads(capsys.readouterr().out)
    assert (dry["items"], dry["calls"], dry["left_out"][0]["line"]) == (1, 1, 3)
    assert not MakingJob.objects.exists()
    call_command(*arguments)
    found = json.loads(capsys.readouterr().out)
    assert (found["state"], found["pairs"]) == ("queued", {"open": 1, "made": 0, "failed": 0})
    with pytest.raises(CommandError, match="Only distractors, arena-prompts and explanations"):
        call_command("make_items", "ti", "word-order", str(path), "--model", "m")
    with pytest.raises(CommandError, match="name its --model"):
        call_command("make_items", "ti", "distractors", str(path), "--wait")


def test_pages_show_the_estimate_then_start_and_say_why_a_pair_failed(
    spec: ModelSpec, member: Member, browser_of: Callable[[User], Client]
) -> None:
    manager = browser_of(member(Role.MANAGER))
    url = reverse("annotation:start-making", args=["ti"])
    values = {"model": spec.pk, "pairs": f"{pairs_of(2)}\n[]", "seed": 0, "concurrency": 4}
    shown = manager.post(url, values)
    assert (shown.context["estimate"].calls, shown.context["fault_count"]) == (2, 1)
    assert not MakingJob.objects.exists()
    assert manager.post(url, {**values, "confirm": "yes"}).status_code == 302
    started = MakingJob.objects.get()
    work_off(started, lambda _request: said("1"))
    page = manager.get(reverse("annotation:making", args=["ti", started.pk]))
    assert "Only 1 of the wrong answers" in page.content.decode()
    for name in ("making-jobs", "making-prompt", "start-making"):
        assert manager.get(reverse(f"annotation:{name}", args=["ti"])).status_code == 200


def test_api_estimates_starts_and_lists_failed_pairs(
    spec: ModelSpec, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    api = api_of(member(Role.MANAGER))
    values = {"model": "m", "pairs": f"{pairs_of(1)}\n[]"}
    dry = api.post(URL, {**values, "dry_run": True}, format="json").json()
    assert (dry["calls"], [row["line"] for row in dry["left_out"]]) == (1, [2])
    pk = api.post(URL, values, format="json").json()["making_job"]
    work_off(MakingJob.objects.get(pk=pk), lambda _request: said("1"))
    (failed,) = api.get(f"{URL}{pk}/failed/").json()["results"]
    assert (failed["line"], failed["code"]) == (1, "too_few_wrong")
    found = api.get(f"{URL}{pk}/").json()
    assert (found["state"], found["results"]["calls"]) == ("done", 3)
    assert api.post(URL, {**values, "limit": 1}, format="json").status_code == 400
