"""How answers came out: empty ones, refusals, other models, and whose failure a missing answer is."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from endpoints.providers.base import (
    ChatReply,
    ChatRequest,
    EndpointError,
    EndpointKnowsNothing,
    EndpointLocked,
    EndpointRefused,
    EndpointUnpaid,
)
from evaluation.management.run_here import result_text, run_result
from evaluation.models import ModelResponse, Run
from evaluation.results.queries.figures import run_results
from evaluation.runs.actions import RunComplete, resume_run
from evaluation.runs.execution import perform_run
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from tests.evaluation.builders import (
    NOW,
    QUICK,
    asked_uid,
    make_release,
    make_run,
    serving,
    work_off,
)
from tests.factories import EndpointFactory, ModelSpecFactory

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]
Api = Callable[[User], APIClient]
UIDS = [f"{subject}/test-{n}" for subject in ("history", "physics") for n in range(3)]
STOP = ChatReply("A", "stop", "stand-in-strong")


@dataclass
class Scripted:
    """Replies with or raises what `script` has for a uid, else answers A as the model asked for."""

    script: dict[str, ChatReply | Exception]
    endpoint: str = "scripted"
    asked: list[str] = field(default_factory=list)

    async def complete(self, request: ChatRequest) -> ChatReply:
        uid = asked_uid(request)
        self.asked.append(uid)
        reply = self.script.get(uid, STOP)
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def aclose(self) -> None:
        """Nothing is open."""


def run_with(project: Project, script: dict[str, Any], **settings: Any) -> Run:
    run = make_run(project, **settings)
    work_off(run, Scripted(script))
    return run


def test_empty_answers_are_stored_with_all_that_came_instead(project: Project) -> None:
    run = run_with(
        project,
        {
            UIDS[0]: ChatReply("", "stop", "m", refusal="I can't.", body='{"choices": [1]}'),
            UIDS[1]: ChatReply("", "tool_calls", "m", tool_calls='[{"id": "1"}]'),
            UIDS[2]: ChatReply("", "length", "m", reasoning="Let me see"),
        },
    )
    kept = run.responses.filter(text="").order_by("release_item__position")
    columns = ("state", "finish_reason", "refusal", "tool_calls", "reasoning", "body")
    assert list(kept.values_list(*columns)) == [
        ("answered", "stop", "I can't.", "", "", '{"choices": [1]}'),
        ("answered", "tool_calls", "", '[{"id": "1"}]', "", ""),
        ("answered", "length", "", "", "Let me see", ""),
    ]


def test_failure_of_the_model_counts_as_no_answer_and_is_never_asked_again(
    project: Project,
) -> None:
    too_long = ChatReply("", fault="context_length_exceeded", body='{"error": …}')
    run = run_with(project, dict.fromkeys(UIDS[:2], too_long))

    results = run_results(run)
    rates = results.methods[0].summary.overall.item_weighted
    assert (results.answered, results.failed) == (6, 0)
    assert rates.response_rate == pytest.approx(4 / 6)
    assert results.kinds.faults == (("context_length_exceeded", 2),)
    with pytest.raises(RunComplete):
        resume_run(run=run, actor=None, now=NOW)


def test_failure_of_the_endpoint_is_in_no_figure_and_is_asked_again(project: Project) -> None:
    run = run_with(project, dict.fromkeys(UIDS[:2], EndpointRefused("400", body="no")))

    results = run_results(run)
    assert (results.answered, results.failed) == (4, 2)
    assert results.methods[0].summary.overall.item_weighted.response_rate == 1
    assert results.kinds.failures == (("endpoint-refused: 400", 2),)
    resume_run(run=run, actor=None, now=NOW)
    again = Scripted({})
    work_off(run, again)
    assert sorted(again.asked) == UIDS[:2]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (EndpointLocked("401"), "it does not accept the key (HTTP 401)"),
        (EndpointKnowsNothing("404"), "it does not know this address or this model (HTTP 404)"),
        (EndpointUnpaid("429"), "the account has no quota or credit left (HTTP 429)"),
    ],
)
def test_endpoint_that_refuses_all_stops_the_run_at_once(
    project: Project, error: EndpointError, words: str
) -> None:
    run = make_run(project, concurrency=1)
    provider = Scripted(dict.fromkeys(UIDS[1:], error))

    job = work_off(run, provider)

    assert (job.state, job.error_code) == ("failed", "endpoint_refuses_all")
    assert words in job.error
    assert provider.asked == UIDS[:2]
    assert list(ModelResponse.objects.values_list("state", flat=True)) == ["answered"]


def test_counts_of_answers_are_above_the_figures_in_the_api_and_in_the_command(
    project: Project, member: Member, browser_of: Browser, api_of: Api
) -> None:
    spec = ModelSpecFactory(project=project, model="stand-in-strong")
    script = {
        UIDS[0]: ChatReply("B", "length", "stand-in-weak"),
        UIDS[1]: ChatReply(" \n", "stop", "stand-in-strong"),
        UIDS[2]: ChatReply("", fault="content_filter"),
        UIDS[3]: EndpointRefused("400"),
    }
    run = run_with(project, script, spec=spec)
    viewer = member(Role.VIEWER)

    body = api_of(viewer).get(f"/api/v1/runs/{run.pk}/").json()["results"]["answers"]
    page = browser_of(viewer).get(reverse("evaluation:run", args=["ti", run.pk]))
    printed = result_text(run_result(run))

    assert body == {
        "empty": 2,
        "only_reasoning": 0,
        "finish_reasons": {"stop": 3, "length": 1},
        "models": {"stand-in-strong": 3, "stand-in-weak": 1},
        "other_models": {"stand-in-weak": 1},
        "model_failures": {"content_filter": 1},
        "endpoint_failures": {"endpoint-refused: 400": 1},
    }
    shown = " ".join(page.content.decode().split())
    assert shown.index("How the answers ended") < shown.index("<h2>Overall")
    for words in (
        "<code>length</code> 1",
        "<code>stand-in-weak</code> 1",
        "a content filter refused the question: 1",
        "it refused the requests (HTTP 400): 1",
        "2 of 5 answers are empty.",
        "1 answer names another model: stand-in-weak.",
        "1 question counts as not answered: a content filter refused the question.",
    ):
        assert words in shown
    assert "finish reasons: stop 3, length 1" in printed
    assert "other models: stand-in-weak 1" in printed


def test_run_with_only_empty_answers_says_so(
    project: Project, member: Member, browser_of: Browser
) -> None:
    run = run_with(project, dict.fromkeys(UIDS, ChatReply("", "length", "m")))
    words = EMPTY_WORDS
    manager = browser_of(member(Role.MANAGER))

    assert words in manager.get(reverse("evaluation:run", args=["ti", run.pk])).content.decode()
    assert words in run_result(run)["notes"]
    job_page = manager.get(reverse("jobs:job", args=[run.job_id])).content.decode()
    assert "Every answer is empty." in job_page


EMPTY_WORDS = "All answers are empty, so the figures say nothing about the model."
UNSAID_WORDS = (
    "No answer has any text outside its reasoning, so the figures say nothing about the model."
)


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("reply", "counts", "words"),
    [
        (ChatReply(" \t\n\u00a0\u3000", "stop", "m"), (6, 0), EMPTY_WORDS),
        (ChatReply("\u200b\r\n\ufeff", "stop", "m"), (6, 0), EMPTY_WORDS),
        (ChatReply("<think>Let me see, A", "length", "m"), (0, 6), UNSAID_WORDS),
        (ChatReply("<think>A?</think>\u200b\n", "stop", "m"), (0, 6), UNSAID_WORDS),
        (ChatReply("\n", "length", "m", reasoning="Let me see"), (0, 6), UNSAID_WORDS),
        (ChatReply("<think>A?</think>A", "stop", "m"), (0, 0), ""),
        (ChatReply("\u200bཀ", "stop", "m"), (0, 0), ""),
    ],
)
def test_answers_that_say_nothing_are_counted_above_the_figures(
    project: Project, member: Member, browser_of: Browser, reply: ChatReply,
    counts: tuple[int, int], words: str,
) -> None:  # fmt: skip
    run = run_with(project, dict.fromkeys(UIDS, reply))

    kinds = run_results(run).kinds
    page = browser_of(member(Role.VIEWER)).get(reverse("evaluation:run", args=["ti", run.pk]))
    shown = " ".join(page.content.decode().split())

    assert (kinds.empty, kinds.only_reasoning) == counts
    assert run_results(run).is_all_empty == bool(words)
    assert words in shown
    ended = f"<code>{reply.finish_reason}</code> 6"
    assert shown.index(ended) < shown.index("<h2>Overall")


def test_some_answers_of_reasoning_are_counted_apart_from_empty_ones(project: Project) -> None:
    script = {UIDS[0]: ChatReply("<think>A", "length"), UIDS[1]: ChatReply("\u3000", "stop")}
    run = run_with(project, script)
    notes = run_result(run)["notes"]
    assert "1 of 6 answers are empty." in notes
    assert "1 of 6 answers have no text outside their reasoning." in notes


def test_each_answer_is_stored_with_what_it_contains(project: Project) -> None:
    script = {
        UIDS[0]: ChatReply("<think>A", "length"),
        UIDS[1]: ChatReply("\u3000", "stop"),
        UIDS[2]: EndpointRefused("400"),
    }
    kinds = run_with(project, script).responses.values_list("says", flat=True)
    assert set(kinds) == {"answer", "reasoning", "nothing", ""}


@pytest.mark.parametrize("is_listed", [False, True])
def test_body_is_quoted_only_of_endpoints_that_an_administrator_allows(
    project: Project, member: Member, browser_of: Browser, api_of: Api, settings: Any,
    is_listed: bool,
) -> None:  # fmt: skip
    endpoint = EndpointFactory(project=project, base_url="http://127.0.0.1:9/v1")
    spec = ModelSpecFactory(project=project, endpoint=endpoint)
    settings.ALLOWED_ENDPOINTS = ["http://127.0.0.1:9"] if is_listed else []
    refused = EndpointRefused("400", body="a secret of a service inside")
    run = run_with(project, {UIDS[0]: refused}, spec=spec)
    failed = run.responses.get(state="failed")
    manager = member(Role.MANAGER)

    page = browser_of(manager).get(
        reverse("evaluation:response", args=["ti", run.pk, failed.pk])
    ).content.decode()  # fmt: skip
    body = api_of(manager).get(f"/api/v1/runs/{run.pk}/responses/{failed.pk}/").json()

    listed = browser_of(manager).get(reverse("evaluation:responses", args=["ti", run.pk]))

    assert "it refused the requests (HTTP 400)" in listed.content.decode()
    assert ("a secret" in page, "a secret" in body["body"]) == (is_listed, is_listed)
    assert "it refused the requests (HTTP 400)" in page
    assert body["error"] == "endpoint-refused: 400"


def test_endpoint_of_the_server_is_quoted_where_it_stopped_a_run(project: Project) -> None:
    server = EndpointFactory(project=None)
    server.allowed_projects.add(project)
    own = EndpointFactory(project=project)
    said = EndpointLocked("401", body="Wrong key given")
    quoted = []
    for endpoint in (server, own):
        spec = ModelSpecFactory(project=project, endpoint=endpoint)
        run = make_run(project, spec=spec)
        quoted.append(work_off(run, Scripted(dict.fromkeys(UIDS, said))).error_data["said"])
    assert quoted == ["Wrong key given", ""]


def test_run_at_an_endpoint_whose_name_leads_inside_stops_and_calls_nobody(
    project: Project, settings: Any, member: Member, browser_of: Browser
) -> None:
    settings.ENDPOINT_NETWORKS = []
    with serving() as server:
        base_url = server.base_url.replace("127.0.0.1", "localhost")
        endpoint = EndpointFactory(project=project, base_url=base_url)
        run = make_run(project, spec=ModelSpecFactory(project=project, endpoint=endpoint))

        job = run_now(run.job, partial(perform_run, limits=QUICK))

        assert server.asked == {}
    assert (job.state, job.error_code) == ("failed", "endpoint_refuses_all")
    page = browser_of(member(Role.VIEWER)).get(reverse("evaluation:run", args=["ti", run.pk]))
    assert "its address is not public" in page.content.decode()


def test_endpoint_of_the_server_may_be_inside(project: Project, settings: Any) -> None:
    settings.ENDPOINT_NETWORKS = []
    with serving() as server:
        endpoint = EndpointFactory(project=None, base_url=server.base_url)
        endpoint.allowed_projects.add(project)
        run = make_run(project, spec=ModelSpecFactory(project=project, endpoint=endpoint))
        assert run_now(run.job, partial(perform_run, limits=QUICK)).state == "done"


def test_published_reading_is_a_setting_of_the_run_and_is_named(
    project: Project, member: Member, browser_of: Browser, api_of: Api
) -> None:
    spec, release = ModelSpecFactory(project=project), make_release(project)
    cut_off = dict.fromkeys(UIDS, ChatReply("A <think>or B", "length"))
    manager = api_of(member(Role.MANAGER))
    body = {"release": release.version, "model": spec.name, "methods": ["direct"]}
    found = {}
    for published in (False, True):
        sent = manager.post("/api/v1/projects/ti/runs/", body | {"published": published})
        run = Run.objects.get(pk=sent.json()["run"])
        work_off(run, Scripted(cut_off))
        results = manager.get(f"/api/v1/runs/{run.pk}/").json()["results"]
        rate = results["methods"]["direct"]["overall"]["item_weighted"]["response_rate"]
        found[results["reading"]] = rate
    assert found == {"lotsawa": 1.0, "published": 0.0}
    shown = browser_of(member(Role.VIEWER)).get(reverse("evaluation:run", args=["ti", run.pk]))
    assert "as by the published scorer" in shown.content.decode()
