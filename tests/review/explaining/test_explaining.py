"""An explanation is kept only if the model's answer is the key, which the model is never told."""

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
from annotation import hidden_items
from annotation.asking.actions import AskingSettings
from annotation.enums import TranslationState
from annotation.models import Item, Translation
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatRequest
from endpoints.providers.recorded import NullProvider
from jobs.enums import JobState
from jobs.models import Job
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from review.explaining.actions import (
    ExplainingInvalid,
    ExplainingUnderway,
    NothingToExplain,
    start_explaining,
)
from review.explaining.execution import perform_explaining
from review.models import ExplainedItem, ExplanationCall, ExplanationJob
from tests.annotation.translating.builders import NOW, QUICK, make_items
from tests.factories import ModelSpecFactory, make_translated_item

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
URL = "/api/v1/projects/ti/explanation-jobs/"


@pytest.fixture
def spec(project: Project) -> ModelSpec:
    return ModelSpecFactory(project=project, name="m")


@pytest.fixture
def item(project: Project) -> Item:
    return make_translated_item(project=project)


def start(spec: ModelSpec, budget: Decimal | None = None) -> ExplanationJob:
    settings = AskingSettings(model=spec, budget=budget, concurrency=1)
    return start_explaining(project=spec.project, settings=settings, actor=None, now=NOW)


def said(letter: str, text: object = "Because it is so.") -> str:
    return json.dumps({"answer": letter, "explanation": text})


def other_than(key: str) -> str:
    return "B" if key == "A" else "A"


def work_off(started: ExplanationJob, reply: Callable[[ChatRequest], str]) -> Job:
    provider = NullProvider(reply)
    started.refresh_from_db()
    work = partial(perform_explaining, connect=lambda endpoint: provider, limits=QUICK)
    return run_now(started.job, work)


def states(started: ExplanationJob) -> list[tuple[str, str]]:
    return list(started.items.order_by("pk").values_list("state", "reason"))


def text_of(item: Item) -> Translation:
    return Translation.objects.select_related("current_revision").get(item=item)


def test_explanation_of_the_key_becomes_part_of_the_text_and_says_where_it_is_from(
    spec: ModelSpec, item: Item
) -> None:
    before = text_of(item).current_revision
    asked: list[str] = []

    def reply(request: ChatRequest) -> str:
        asked.append(request.messages[-1].content)
        return said(item.key.lower())

    started = start(spec)
    job = work_off(started, reply)

    text = text_of(item)
    assert (job.state, states(started)) == (JobState.DONE, [("explained", "")])
    assert text.current_revision and before
    assert (text.current_revision.explanation, text.state) == ("Because it is so.", "pending")
    assert text.current_revision.origin == "mt"
    assert text.current_revision.question == before.question
    made = ExplainedItem.objects.get(made=text.current_revision)
    assert (made.explanation_job.model_spec, made.explanation_job.prompt_template.revision) == (
        spec, 1,
    )  # fmt: skip
    shown = json.loads(asked[0].partition("The item: ")[2].splitlines()[0])
    assert shown.keys() == {"question", "options"}
    with pytest.raises(NothingToExplain):
        start(spec)


def test_explanation_of_another_answer_is_not_kept_and_not_asked_again(
    spec: ModelSpec, item: Item
) -> None:
    started = start(spec)
    work_off(started, lambda _request: said(other_than(item.key)))
    assert states(started) == [("failed", "other_answer")]
    assert ExplanationCall.objects.count() == 1
    assert text_of(item).current_revision.explanation == ""  # type: ignore[union-attr]


def test_unreadable_answer_is_asked_thrice_with_the_reason(spec: ModelSpec, item: Item) -> None:
    replies = iter([said("Z"), said(item.key, 5), said(item.key, " ")])
    asked: list[ChatRequest] = []

    def reply(request: ChatRequest) -> str:
        asked.append(request)
        return next(replies)

    started = start(spec)
    work_off(started, reply)
    assert states(started) == [("failed", "explanation")]
    assert "“answer” is not the letter" in asked[1].messages[-1].content


def test_text_that_was_decided_meanwhile_keeps_as_it_is(spec: ModelSpec, item: Item) -> None:
    started = start(spec)

    def reply(_request: ChatRequest) -> str:
        return said(item.key)

    Translation.objects.update(state=TranslationState.APPROVED)
    work_off(started, reply)
    assert states(started) == [("failed", "text_changed")]
    with pytest.raises(NothingToExplain):
        start(spec)


def test_hidden_items_go_only_to_endpoints_that_may_have_them(
    spec: ModelSpec, item: Item, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = start(spec)
    hidden = {"test": lambda _project: frozenset({item.pk})}
    monkeypatch.setattr(hidden_items, "_declared", hidden)
    asked: list[ChatRequest] = []

    def reply(request: ChatRequest) -> str:
        asked.append(request)
        return said(item.key)

    work_off(started, reply)
    assert (states(started), asked) == ([("failed", "hidden")], [])
    with pytest.raises(NothingToExplain):
        start(ModelSpecFactory(project=spec.project, name="other"))
    spec.endpoint.hidden_item_projects.add(spec.project)
    assert start(spec).items.count() == 1


def test_settings_that_cannot_work_are_refused(spec: ModelSpec, item: Item) -> None:
    with pytest.raises(ExplainingInvalid):
        start(spec, budget=Decimal(1))  # the model has no prices
    start(spec)
    with pytest.raises(ExplainingUnderway):
        start(spec)


def test_command_counts_and_starts(
    spec: ModelSpec, item: Item, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("explain_items", "ti", "--model", "m", "--json", "--dry-run")
    dry = json.loads(capsys.readouterr().out)
    assert (dry["items"], dry["calls"], ExplanationJob.objects.count()) == (1, 1, 0)
    call_command("explain_items", "ti", "--model", "m", "--json")
    found = json.loads(capsys.readouterr().out)
    assert found["items"] == {"open": 1, "explained": 0, "failed": 0}
    with pytest.raises(CommandError, match="not a filter"):
        call_command("explain_items", "ti", "--model", "m", "--select", "colour=red")


def test_making_explanations_takes_a_list_of_items(
    spec: ModelSpec, item: Item, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_translated_item(project=item.project, uid="law/other")
    path = tmp_path / "items.txt"
    path.write_text(f"uid\n{item.uid}\n")
    making = ("make_items", "ti", "explanations", str(path), "--json")
    call_command(*making, "--model", "m", "--dry-run")
    assert json.loads(capsys.readouterr().out)["items"] == 1
    call_command(*making, "--model", "m")
    started = ExplanationJob.objects.get()
    assert [row.item for row in started.items.all()] == [item]
    assert started.selection == {"uids": [item.uid]}
    with pytest.raises(CommandError, match="name it with --model"):
        call_command(*making)


def test_pages_and_api_start_a_job_and_say_why_an_item_has_no_explanation(
    spec: ModelSpec,
    item: Item,
    member: Member,
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    user = member(Role.MANAGER)
    manager, api = browser_of(user), api_of(user)
    dry = api.post(URL, {"model": "m", "dry_run": True}, format="json")
    assert (dry.status_code, dry.json()["calls"]) == (200, 1)
    url = reverse("review:start-explaining", args=["ti"])
    values = {"model": spec.pk, "limit": 0, "concurrency": 2}
    assert manager.post(url, values).context["estimate"].calls == 1
    assert manager.post(url, {**values, "confirm": "yes"}).status_code == 302
    started = ExplanationJob.objects.get()
    assert manager.get(reverse("review:explaining", args=["ti", started.pk])).status_code == 200
    work_off(started, lambda _request: said(other_than(item.key)))
    page = manager.get(reverse("review:explaining", args=["ti", started.pk]))
    assert "is not the key" in page.content.decode()
    (failed,) = api.get(f"{URL}{started.pk}/failed/").json()["results"]
    assert failed["code"] == "other_answer"
    assert api.get(f"{URL}{started.pk}/").json()["results"]["calls"] == 1
    assert manager.get(reverse("review:explanation-jobs", args=["ti"])).status_code == 200


def test_dry_run_counts_the_items_that_have_no_text_to_explain(
    spec: ModelSpec, item: Item, member: Member, browser_of: Callable[[User], Client],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    make_items(spec.project, 2)
    call_command("explain_items", "ti", "--model", "m", "--json", "--dry-run")
    dry = json.loads(capsys.readouterr().out)
    assert (dry["items"], dry["without_text"]) == (1, 2)
    url = reverse("review:start-explaining", args=["ti"])
    values = {"model": spec.pk, "limit": 0, "concurrency": 2}
    page = browser_of(member(Role.MANAGER)).post(url, values)
    assert "no text of the project’s system" in page.content.decode()


def test_prompt_is_previewed_and_revised_and_asked_by_the_next_job(
    spec: ModelSpec, item: Item, member: Member, browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:  # fmt: skip
    user = member(Role.MANAGER)
    manager, api = browser_of(user), api_of(user)
    url = reverse("review:explaining-prompt", args=["ti"])
    revision = text_of(item).current_revision
    assert revision is not None
    assert revision.question in manager.get(url).content.decode()
    assert manager.post(url, {"revision": 1, "frame": "No item."}).status_code == 400
    assert manager.post(url, {"revision": 1, "frame": "Say why: {item}"}).status_code == 302
    assert api.get(f"{URL}prompt/").json() == {"revision": 2, "frame": "Say why: {item}"}
    outdated = api.put(f"{URL}prompt/", {"revision": 1, "frame": "{item}"}, format="json")
    assert (outdated.status_code, outdated.json()["code"]) == (409, "prompt_outdated")
    asked: list[str] = []

    def reply(request: ChatRequest) -> str:
        asked.append(request.messages[0].content)
        return said(item.key)

    started = start(spec)
    work_off(started, reply)
    assert asked[0].startswith("Say why: The item: ")
    assert started.prompt_template.revision == 2
