"""The pages, the API and the command of translation jobs."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from annotation.models import TranslatedItem, TranslationCall, TranslationJob
from endpoints.models import Endpoint, ModelSpec
from jobs.models import Job
from projects.enums import Role
from projects.models import Project
from prompts.models import PromptTemplate
from tests.annotation.translating.builders import NOW, make_items, make_job, work_off
from tests.commands import printed
from tests.evaluation.builders import serving
from tests.factories import EndpointFactory, ModelSpecFactory

pytestmark = pytest.mark.django_db
Member = Callable[..., User]


@pytest.fixture
def spec(project: Project) -> ModelSpec:
    prices = {"prompt_price": Decimal(1), "completion_price": Decimal(4)}
    return ModelSpecFactory(project=project, name="m", **prices)


def test_start_page_shows_the_dry_run_before_it_starts_a_job(
    project: Project, spec: ModelSpec, manager: Client
) -> None:
    make_items(project, 3)
    url = reverse("annotation:start-translation", args=["ti"])
    values = {
        "system": "m1", "model": spec.pk, "strategy": "rank", "samples": 3, "limit": 2, "concurrency": 4,
    }  # fmt: skip
    shown = manager.post(url, values)
    assert shown.status_code == 200
    assert (shown.context["estimate"].items, shown.context["estimate"].calls) == (2, 14)
    assert not TranslationJob.objects.exists()

    manager.post(url, {**values, "confirm": "yes"})
    started = TranslationJob.objects.get()
    assert (started.strategy, started.selection, started.items.count()) == ("rank", {"limit": 2}, 2)

    refused = manager.post(url, {**values, "system": "m1", "confirm": "yes", "limit": 0})
    assert refused.status_code == 409  # the same system is underway


def test_page_and_api_take_a_list_of_items(
    project: Project, spec: ModelSpec, manager: Client, tmp_path: Path
) -> None:
    first, second, third = make_items(project, 3)
    url = reverse("annotation:start-translation", args=["ti"])
    values = {
        "system": "m1", "model": spec.pk, "strategy": "single", "samples": 3, "limit": 0, "concurrency": 4,
        "uids": f"{first.uid}\r\n\r\n{third.uid}\r\n",
    }  # fmt: skip
    assert manager.post(url, values).context["estimate"].items == 2
    refused = manager.post(url, {**values, "uids": f"{first.uid}\nnone/1"})
    assert refused.status_code == 400
    assert "1 in all: none/1" in refused.content.decode()

    url = reverse("api:translation-jobs", args=["ti"])
    asked = {"system": "m1", "model": "m", "strategy": "single", "dry_run": True}
    listed = {**asked, "uids": [second.uid]}
    assert manager.post(url, listed, content_type="application/json").json()["items"] == 1
    for state, found in (("untranslated", 3), ("approved", 0)):
        filtered = {**asked, "select": {"state": state}}
        answer = manager.post(url, filtered, content_type="application/json").json()
        assert answer["items"] == found
    path = tmp_path / "uids.txt"
    path.write_text(second.uid)
    command = ("ti", "--model", "m", "--system", "m1", "--dry-run", "--select")
    assert printed("translate_items", *command, f"list:{path}")["items"] == 1
    with pytest.raises(CommandError, match=r"none\.txt"):
        printed("translate_items", *command, f"list:{tmp_path}/none.txt")
    for content, words in (
        (b"uid\r\n \n", "names no item"),
        (b"", "names no item"),
        (b"a\0", "UTF-8"),
    ):
        path.write_bytes(content)
        with pytest.raises(CommandError, match=words):
            printed("translate_items", *command, f"list:{path}")
    url = reverse("annotation:start-translation", args=["ti"])
    assert "names no item" in manager.post(url, {**values, "uids": "uid\n"}).content.decode()


def test_page_of_a_job_says_what_failed_and_what_was_found(
    project: Project, spec: ModelSpec, manager: Client
) -> None:
    make_items(project, 1)
    started = make_job(project, spec=spec)
    work_off(started, lambda request: "no")
    shown = manager.get(reverse("annotation:translation-job", args=["ti", started.pk]))
    assert "The answer is not a JSON object." in shown.content.decode()
    assert shown.context["results"].failed == 1
    assert manager.get(reverse("annotation:translation-jobs", args=["ti"])).status_code == 200


def test_page_continues_a_job_with_a_higher_budget(
    project: Project, spec: ModelSpec, manager: Client
) -> None:
    make_items(project, 1)
    started = make_job(project, spec=spec, budget=Decimal(1))
    work_off(started)  # no tokens are told, so the budget cannot be kept
    url = reverse("annotation:resume-translation", args=["ti", started.pk])

    assert manager.post(url, {"budget": "much"}).status_code == 400
    assert manager.post(url, {"budget": "-1"}).status_code == 400
    assert manager.post(url, {"budget": "2.5"}).status_code == 302
    started.refresh_from_db()
    assert (started.budget, started.job.state) == (Decimal("2.5"), "queued")


def test_prompt_is_previewed_with_an_item_and_revised_once(
    project: Project, manager: Client
) -> None:
    item = make_items(project, 1)[0]
    url = reverse("annotation:translation-prompt", args=["ti"])
    assert item.question[:4] in manager.get(url).content.decode()
    values = {"revision": 1, "system": "Be exact.", "frame": "Translate: {item}"}

    assert manager.post(url, {**values, "frame": "Translate."}).status_code == 400
    assert manager.post(url, values).status_code == 302
    assert manager.post(url, values).status_code == 409  # it was revised meanwhile
    assert PromptTemplate.objects.filter(purpose="translate").count() == 2


def test_api_estimates_starts_shows_and_cancels(
    project: Project, spec: ModelSpec, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    make_items(project, 3)
    api = api_of(member(Role.MANAGER))
    url = "/api/v1/projects/ti/translation-jobs/"
    values = {"system": "m1", "model": "m", "strategy": "single"}

    asked = api.post(url, {**values, "dry_run": True}, format="json")
    assert (asked.status_code, asked.json()) == (
        200,
        {
            "items": 3, "hidden_left_out": 0, "calls": 3, "tokens": None, "price": None,
            "seconds": None, "measured_on": 0,
        },
    )  # fmt: skip
    started = api.post(url, values, format="json")
    assert started.status_code == 202
    one = f"/api/v1/translation-jobs/{started.json()['translation_job']}/"
    assert api.get(one).json()["results"]["open"] == 3
    assert api.post(f"{one}cancel/").status_code == 202
    assert api.get(one).json()["state"] == "cancelled"
    assert api.post(f"{one}resume/", {"budget": "2.5"}, format="json").status_code == 202
    assert api.get(url).json()["results"][0]["budget"] == "2.5000"


def answer(row: TranslatedItem, milliseconds: int = 1) -> TranslationCall:
    return TranslationCall(
        translated_item=row, step="translate", attempt=1, is_judge=False, state="answered", text="",
        prompt_tokens=100, completion_tokens=100, latency_ms=milliseconds, try_count=1, created_at=NOW,
    )  # fmt: skip


def test_dry_run_tells_the_time_by_the_last_calls_and_the_limit_of_the_endpoint(
    project: Project, manager: Client
) -> None:
    make_items(project, 300)
    endpoint = EndpointFactory(project=project)
    spec = ModelSpecFactory(project=project, endpoint=endpoint, name="m")
    first, second = make_job(project, spec=spec, system="other").items.all()[:2]
    TranslationCall.objects.bulk_create([answer(first, 1_000), answer(second, 3_000)])
    url = reverse("annotation:start-translation", args=["ti"])
    values = {
        "system": "m1", "model": spec.pk, "strategy": "single", "samples": 3, "limit": 0, "concurrency": 4,
    }  # fmt: skip
    assert manager.post(url, values).context["seconds"] == 300 * 2 / 4

    Endpoint.objects.update(requests_per_minute=60)
    shown = manager.post(url, values)
    assert shown.context["seconds"] == 300
    assert "about 5 min" in shown.content.decode()
    assert manager.post(url, {**values, "hold": "on"}).context["seconds"] is None

    Endpoint.objects.update(requests_per_minute=None, concurrency=1)
    assert manager.post(url, values).context["seconds"] == 300 * 2


def test_running_job_tells_what_it_will_have_taken_once_twenty_answers_are_measured(
    project: Project, spec: ModelSpec, manager: Client
) -> None:
    make_items(project, 60)
    started = make_job(project, spec=spec, concurrency=1)
    page = reverse("annotation:translation-job", args=["ti", started.pk])
    one = reverse("api:translation-job", args=[started.pk])
    rows = list(started.items.order_by("pk"))
    TranslationCall.objects.bulk_create(map(answer, rows[:19]))
    Job.objects.filter(pk=started.job_id).update(state="running", done=19, total=60)
    assert manager.get(one).json()["expected"] is None

    TranslationCall.objects.bulk_create(map(answer, rows[19:30]))
    Job.objects.filter(pk=started.job_id).update(done=30)
    found = manager.get(one).json()["expected"]
    assert (found["calls"], found["tokens"]) == (60, {"prompt": 6_000, "completion": 6_000})
    assert Decimal(found["price"]) == Decimal("0.03")
    assert "60 calls, 6,000 tokens sent, 6,000 received" in manager.get(page).content.decode()


def test_command_translates_here_and_measures_the_next_dry_run(project: Project) -> None:
    make_items(project, 3)
    with serving() as server:
        endpoint = EndpointFactory(project=project, base_url=server.base_url)
        ModelSpecFactory(
            project=project, endpoint=endpoint, name="m", prompt_price=1, completion_price=4
        )
        first = ["ti", "--model", "m", "--strategy", "fuse", "--system", "m1"]
        done = printed("translate_items", *first, "--select", "limit=2", "--wait")
    assert (done["state"], done["items"], done["translated"]) == ("done", 2, 2)
    assert done["calls"] >= 8

    dry = printed("translate_items", *first, "--dry-run")
    assert (dry["items"], dry["calls"], dry["measured_on"]) == (1, 4, done["calls"])
    mean = done["tokens"]["prompt"] / done["calls"]
    assert dry["tokens"]["prompt"] == round(mean * 4)
    assert Decimal(dry["price"]) > 0


def test_command_refuses_a_budget_without_prices_in_words(project: Project) -> None:
    make_items(project, 1)
    ModelSpecFactory(project=project, name="m")
    with pytest.raises(CommandError, match="A budget needs prices"):
        call_command("translate_items", "ti", "--model", "m", "--system", "m1", "--budget", "5")
