"""Runs: what starting refuses, that each answer is asked for once, and every way a run can stop."""

import signal
import time
from collections import Counter
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEvent
from endpoints.actions import EndpointNotAllowed
from endpoints.providers.base import (
    ChatReply,
    ChatRequest,
    EndpointBroken,
    EndpointError,
    EndpointGarbled,
    EndpointRefused,
    EndpointUnreachable,
)
from endpoints.providers.recorded import NullProvider
from evaluation.models import ModelResponse, Score
from evaluation.runs import execution
from evaluation.runs.actions import (
    OtherProject,
    ReleaseNotRunnable,
    ReleaseWithoutShots,
    ReleaseWithoutTests,
    RunComplete,
    RunInvalid,
    RunUnderway,
    cancel_run,
    refuse_resuming,
    resume_run,
)
from evaluation.runs.execution import perform_run
from jobs.actions import JobNotCancellable, JobNotRunnable
from jobs.enums import JobState
from jobs.models import Job
from jobs.progress import Progress
from jobs.worker import run_now
from projects.models import Project
from releases.enums import ReleaseState
from tests.evaluation.builders import (
    NOW,
    QUICK,
    asked_uid,
    finished_run,
    make_release,
    make_run,
    serving,
    work_off,
)
from tests.factories import ModelSpecFactory, ProjectFactory, make_keyed_spec
from tests.processes import start_python

pytestmark = pytest.mark.django_db


class Counting(NullProvider):
    """Answers A; counts questions; raises what `fails` gives for a uid."""

    def __init__(self, fails: dict[str, Exception] | None = None) -> None:
        super().__init__(lambda request: "A")
        self.fails = fails or {}
        self.asked: Counter[str] = Counter()

    async def complete(self, request: ChatRequest) -> ChatReply:
        uid = asked_uid(request)
        self.asked[uid] += 1
        if uid in self.fails:
            raise self.fails[uid]
        return await super().complete(request)


def test_runs_on_one_endpoint_keep_its_calls_a_minute_together(project: Project) -> None:
    release = make_release(project, tests=2)
    spec = ModelSpecFactory(
        project=project,
        endpoint__base_url="http://127.0.0.1:9/limited",
        endpoint__requests_per_minute=1200,
    )
    began = time.monotonic()

    for _run in range(2):
        work_off(make_run(project, release, spec=spec))

    assert ModelResponse.objects.count() == 8
    assert time.monotonic() - began >= 6 / 20  # seven waits, and room for rounding


def test_models_on_one_endpoint_keep_the_smallest_calls_a_minute_together(
    project: Project,
) -> None:
    release = make_release(project, tests=2)
    url = "http://127.0.0.1:9/shared"
    specs = [
        ModelSpecFactory(
            project=project, endpoint__base_url=url, endpoint__requests_per_minute=limit
        )
        for limit in (None, 1200, 60_000)
    ]
    began = time.monotonic()

    for spec in specs[::2]:
        work_off(make_run(project, release, spec=spec))

    assert ModelResponse.objects.count() == 8
    assert time.monotonic() - began >= 6 / 20  # seven waits, and room for rounding


def test_start_run_queues_a_job_with_its_settings(project: Project) -> None:
    run = make_run(project, shots=0, epochs=2, methods=("direct",), concurrency=3)

    assert (run.job.state, run.job.kind, run.job.scope) == ("queued", "run", "ti")
    assert (run.epochs, run.methods, run.concurrency) == (2, ["direct"], 3)
    assert AuditEvent.objects.get(verb="run.started").data["model"] == run.model_spec.name


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"shots": 21}, "shots"),
        ({"shots": -1}, "shots"),
        ({"epochs": 0}, "epochs"),
        ({"epochs": 51}, "epochs"),
        ({"concurrency": 0}, "concurrency"),
        ({"concurrency": 65}, "concurrency"),
        ({"methods": (), "shots": 1}, "shots"),
        ({"methods": ("direct", "magic")}, "methods"),
        ({"methods": ("likeliest",)}, "methods"),
    ],
)
def test_start_run_with_a_bad_setting_is_refused(
    project: Project, settings: dict[str, Any], field: str
) -> None:
    with pytest.raises(RunInvalid) as refusal:
        make_run(project, **settings)
    assert list(refusal.value.fields) == [field]
    assert not Job.objects.exists()


@pytest.mark.parametrize("state", [ReleaseState.BUILDING, ReleaseState.FAILED, ReleaseState.YANKED])
def test_start_run_on_a_release_that_does_not_stand_is_refused(
    project: Project, state: str
) -> None:
    release = make_release(project, state=state, yank_reason="wrong keys")
    with pytest.raises(ReleaseNotRunnable):
        make_run(project, release)


def test_start_run_without_test_items_is_refused(project: Project) -> None:
    with pytest.raises(ReleaseWithoutTests):
        make_run(project, make_release(project, tests=0, devs=2))


def test_start_run_with_shots_but_no_dev_item_is_refused(project: Project) -> None:
    with pytest.raises(ReleaseWithoutShots):
        make_run(project, shots=2)


def test_start_run_with_a_model_of_another_project_is_refused(project: Project) -> None:
    with pytest.raises(OtherProject):
        make_run(project, spec=ModelSpecFactory(project=ProjectFactory()))


def test_start_run_at_an_endpoint_that_is_not_allowed_is_refused(
    project: Project, settings: Any
) -> None:
    settings.ALLOWED_ENDPOINTS = ["https://a.org"]
    with pytest.raises(EndpointNotAllowed):
        make_run(project)


def test_start_run_twice_is_refused_until_the_first_ends(project: Project) -> None:
    release, spec = make_release(project), ModelSpecFactory(project=project)
    first = make_run(project, release, spec=spec)
    with pytest.raises(RunUnderway):
        make_run(project, release, spec=spec, methods=("anchored", "direct", "concern_all"))
    work_off(first)

    assert make_run(project, release, spec=spec).pk != first.pk


def test_run_asks_every_test_item_and_epoch_once_and_no_dev_item(project: Project) -> None:
    provider = Counting()
    run = make_run(project, make_release(project, tests=4, devs=2, hidden=1), epochs=3)

    job = work_off(run, provider)

    assert job.state == JobState.DONE
    assert (job.done, job.total) == (24, 24)
    assert job.result == {
        "run": run.pk, "answered": 24, "failed": 0, "is_budget_spent": False,
    }  # fmt: skip
    assert set(provider.asked.values()) == {3}
    assert set(provider.asked) == {
        f"{s}/test-{n}" for s in ("history", "physics") for n in range(4)
    }
    assert Score.objects.filter(run=run).count() == 24 * 3


def test_run_with_shots_puts_the_first_dev_items_of_the_subject_in_order(project: Project) -> None:
    run = make_run(project, make_release(project, tests=1, devs=3), shots=2)
    seen: dict[str, list[str]] = {}

    def reply(request: ChatRequest) -> str:
        turns = [m.content for m in request.messages if m.role == "user"]
        seen[asked_uid(request)] = [turn.split()[1] for turn in turns]
        return "A"

    work_off(run, reply)

    assert seen["history/test-0"] == ["history/dev-0", "history/dev-1", "history/test-0"]
    assert seen["physics/test-0"] == ["physics/dev-0", "physics/dev-1", "physics/test-0"]


def test_run_sends_the_parameters_and_moves_the_seed_with_the_epoch(project: Project) -> None:
    spec = ModelSpecFactory(project=project, parameters={"temperature": 0.5, "seed": 10})
    sent: list[dict[str, object]] = []
    run = make_run(project, make_release(project, tests=1), spec=spec, epochs=2)

    work_off(run, lambda request: sent.append(dict(request.parameters)) or "A")

    assert sorted(sent, key=lambda parameters: str(parameters["seed"])) == [
        {"temperature": 0.5, "seed": seed} for seed in (10, 10, 11, 11)
    ]


def test_run_stores_raw_rows_before_it_reads_them(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(project)

    def broken(*_: object) -> None:
        raise RuntimeError("the scorer is broken")

    monkeypatch.setattr(execution, "score_rows", broken)
    with pytest.raises(RuntimeError):
        work_off(run)
    monkeypatch.undo()
    assert ModelResponse.objects.filter(run=run).count() == 6
    assert not Score.objects.exists()

    provider = Counting()
    run.refresh_from_db()
    resume_run(run=run, actor=None, now=NOW)
    work_off(run, provider)

    assert provider.asked == Counter()
    assert Score.objects.filter(run=run).count() == 18


def test_run_makes_no_call_inside_a_transaction(project: Project) -> None:
    run, seen = make_run(project), []
    depth = len(connection.savepoint_ids)

    def connect(spec: object) -> NullProvider:
        seen.append(len(connection.savepoint_ids))
        return NullProvider(lambda request: "A")

    run_now(run.job, partial(perform_run, connect=connect, limits=QUICK))

    assert seen == [depth]


def test_run_with_refused_questions_keeps_both_numbers_and_asks_only_those_again(
    project: Project,
) -> None:
    release = make_release(project, tests=4)
    run = make_run(project, release)
    fails = {"history/test-1": EndpointRefused("400 too long")}

    job = work_off(run, Counting(fails))
    assert (job.state, job.result["answered"], job.result["failed"]) == ("done", 7, 1)
    first_job = run.job_id
    assert not Score.objects.filter(response__state="failed").exists()

    resume_run(run=run, actor=None, now=NOW)
    again = Counting()
    job = work_off(run, again)

    assert again.asked == {"history/test-1": 1}
    assert run.job_id != first_job
    assert (job.state, job.result["answered"], job.result["failed"]) == ("done", 8, 0)
    assert ModelResponse.objects.filter(run=run, state="failed").count() == 1


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            EndpointGarbled("web-page", body="<html>ལན་ 0 ཀ"),
            "its reply is a web page, not a chat completion.",
        ),
        (
            EndpointBroken("502", body="Bad Gateway ལན་ 0 ཀ"),
            "it reported an internal error (HTTP 502).",
        ),
        (EndpointRefused("400", body="ལན་ 0 ཀ"), "it refused the requests (HTTP 400)."),
        (
            EndpointUnreachable("ConnectError", body="ways to ལན་"),
            "it could not be reached, or did not answer in time",
        ),
    ],
)
def test_run_that_the_endpoint_stops_says_why_without_the_endpoints_words(
    project: Project, error: EndpointError, message: str
) -> None:
    run = make_run(project, concurrency=1)
    names = [f"{s}/test-{n}" for s in ("history", "physics") for n in range(3)]

    job = work_off(run, Counting(dict.fromkeys(names, error)))

    assert job.error_code == "endpoint_failing"
    assert message in job.error
    assert "ལན" not in job.error


def test_run_at_a_dead_endpoint_stops_in_words_and_resumes(project: Project) -> None:
    run = make_run(project, concurrency=1)
    error = EndpointUnreachable("ConnectError", body="to ལན་ 0 ཀ")
    names = [f"{s}/test-{n}" for s in ("history", "physics") for n in range(3)]

    job = work_off(run, Counting(dict.fromkeys(names, error)))

    assert (job.state, job.error_code) == ("failed", "endpoint_failing")
    assert "it could not be reached" in job.error
    assert "ཀ" not in job.error
    resume_run(run=run, actor=None, now=NOW)
    assert work_off(run, Counting()).result["answered"] == 6


def test_run_that_goes_on_counts_its_answers_without_reading_them_all(project: Project) -> None:
    run = make_run(project)
    work_off(run, Counting({"history/test-1": EndpointRefused("400")}))
    resume_run(run=run, actor=None, now=NOW)

    with CaptureQueriesContext(connection) as captured:
        assert work_off(run).done == 6

    reads = [
        query["sql"]
        for query in captured
        if query["sql"].startswith('SELECT "evaluation_modelresponse"."release_item_id"')
    ]
    assert reads
    assert all(" BETWEEN " in sql or " IN (" in sql for sql in reads)


def test_run_without_its_key_stops_and_keeps_the_variable_to_itself(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOT_THERE_API_KEY", raising=False)
    spec = make_keyed_spec(project, "NOT_THERE_API_KEY")
    run = make_run(project, spec=spec)

    job = run_now(run.job, perform_run)

    assert (job.state, job.error_code) == ("failed", "key_missing")
    assert "no key for this endpoint" in job.error
    assert "NOT_THERE_API_KEY" not in job.error


def test_run_whose_endpoint_is_no_longer_allowed_asks_nothing(
    project: Project, settings: Any
) -> None:
    run = make_run(project)
    settings.ALLOWED_ENDPOINTS = ["https://a.org"]

    assert run_now(run.job, perform_run).error_code == "endpoint_not_allowed"


def test_run_stores_text_that_no_database_holds_as_it_can(project: Project) -> None:
    run = finished_run(project, lambda request: "B\0 \ud800")

    assert set(ModelResponse.objects.filter(run=run).values_list("text", flat=True)) == {"B ?"}


def test_cancelled_run_keeps_its_answers_and_resumes_with_the_rest(project: Project) -> None:
    run = make_run(project, make_release(project, tests=40), concurrency=1)
    provider = Counting()

    def reply(request: ChatRequest) -> str:
        time.sleep(0.01)
        return "A"

    provider.reply = reply
    Job.objects.filter(pk=run.job_id).update(cancel_requested_at=NOW)
    assert work_off(run, provider).state == JobState.CANCELLED

    resume_run(run=run, actor=None, now=NOW)
    job = work_off(run, provider)
    assert (job.state, job.result["answered"]) == ("done", 80)
    assert set(provider.asked.values()) == {1}


def test_cancel_run_that_waits_ends_it_and_that_has_ended_is_refused(project: Project) -> None:
    run = make_run(project)
    cancel_run(run=run, actor=None, now=NOW)
    run.job.refresh_from_db()
    assert run.job.state == JobState.CANCELLED
    with pytest.raises(JobNotCancellable):
        cancel_run(run=run, actor=None, now=NOW)


def test_resume_run_at_an_endpoint_that_is_no_longer_allowed_is_refused(
    project: Project, settings: Any
) -> None:
    run = make_run(project)
    for state in (JobState.FAILED, JobState.DONE):
        settings.ALLOWED_ENDPOINTS = ["https://models.example.org"]
        Job.objects.filter(pk=run.job_id).update(state=state)
        with pytest.raises(EndpointNotAllowed):
            resume_run(run=run, actor=None, now=NOW)
        with pytest.raises(EndpointNotAllowed):
            refuse_resuming(run.job)
        run.refresh_from_db()
        assert run.job.state == state


def test_resume_run_that_waits_is_refused(project: Project) -> None:
    with pytest.raises(JobNotRunnable):
        resume_run(run=make_run(project), actor=None, now=NOW)


def test_resume_run_with_every_answer_is_refused(project: Project) -> None:
    with pytest.raises(RunComplete):
        resume_run(run=finished_run(project), actor=None, now=NOW)


def test_work_done_twice_changes_nothing(project: Project) -> None:
    run = finished_run(project)
    rows = list(ModelResponse.objects.values_list("pk", "text"))
    scores = list(Score.objects.values_list("pk", "letter"))
    provider = Counting()

    perform_run(run.job, Progress(run.job_id), connect=lambda spec: provider, limits=QUICK)

    assert provider.asked == Counter()
    assert list(ModelResponse.objects.values_list("pk", "text")) == rows
    assert list(Score.objects.values_list("pk", "letter")) == scores


def test_run_in_chunks_asks_what_one_chunk_would(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "CHUNK", 2)
    provider = Counting()
    job = work_off(make_run(project, make_release(project, tests=5)), provider)

    assert job.result["answered"] == 10
    assert set(provider.asked.values()) == {1}


WORKER = """
import os, sys, django
django.setup()
from django.conf import settings
from django.db import connections
from evaluation.runs.execution import perform_run
from jobs.worker import run_now
from evaluation.models import Run
run = Run.objects.get(pk=int(sys.argv[1]))
print("ready", flush=True)
job = run_now(run.job, perform_run)
print(job.state, job.error, flush=True)
"""


def wait_until_answered(server: Any, count: int) -> None:
    deadline = time.monotonic() + 150
    while len(server.answered) < count:  # not a loop over it: the server's threads write to it
        assert time.monotonic() < deadline, "the worker does not ask"
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
def test_worker_that_is_stopped_loses_at_most_a_batch_and_resume_asks_only_the_missing(
    sent: signal.Signals,
) -> None:
    project = ProjectFactory(slug="ti", target_language="bo")
    with serving(delay=0.01) as server:
        spec = ModelSpecFactory(project=project, endpoint__base_url=server.base_url)
        run = make_run(project, make_release(project, tests=150), spec=spec, concurrency=4)
        worker = start_python(WORKER, run.pk)
        wait_until_answered(server, 60)
        worker.send_signal(sent)
        worker.communicate(timeout=120)
        time.sleep(0.2)
        answered = sum(server.answered.values())
        stored = ModelResponse.objects.filter(run=run, state="answered").count()
        lost_at_most = 25 + 4 if sent == signal.SIGKILL else 0
        assert answered - lost_at_most <= stored <= answered < 300
        run.refresh_from_db()
        expected = JobState.RUNNING if sent == signal.SIGKILL else JobState.QUEUED
        assert run.job.state == expected

        server.answered.clear()
        output, _ = start_python(WORKER, run.pk).communicate(timeout=170)
        assert output.split()[:2] == ["ready", "done"]
        assert sum(server.answered.values()) == 300 - stored
        assert set(server.answered.values()) == {1}

    rows = ModelResponse.objects.filter(run=run, state="answered")
    assert rows.count() == rows.values("release_item", "epoch").distinct().count() == 300
    assert Score.objects.filter(run=run).count() == 900
