"""Jobs: every move between states; starting, cancelling and resuming, each with an audit event."""

from datetime import datetime
from itertools import product
from typing import Any

import pytest
from celery import current_app
from django.utils import timezone
from kombu.exceptions import OperationalError

from accounts.models import AuditEvent
from jobs import actions as jobs
from jobs.endings import move_jobs
from jobs.enums import JOB_TRANSITIONS, STOPPED_JOB_STATES, JobState, Queue
from jobs.models import Job
from tests.factories import JobFactory, UserFactory
from tests.jobs.conftest import Declare, Refused, running, state_of

NOW: datetime = timezone.now()
Sent = list[tuple[int, str]]


@pytest.mark.django_db
def test_move_between_two_states_happens_only_if_the_table_allows_it() -> None:
    for source, target in product(JobState, JobState):
        job = JobFactory(state=source)
        rows = Job.objects.filter(pk=job.pk)

        is_allowed = target in JOB_TRANSITIONS[source]
        assert move_jobs(rows, to=target) == is_allowed, (source, target)
        assert state_of(job) == (target if is_allowed else source), (source, target)


@pytest.mark.django_db(transaction=True)
def test_created_job_wakes_a_worker_of_its_queue_when_its_transaction_commits(
    sent: Sent, declare: Declare
) -> None:
    declare(queue=Queue.EMBED)

    job = jobs.create_job(kind="testing", scope="ti", params={}, actor=None, now=NOW)

    assert sent == [(job.pk, "embed")]


@pytest.mark.django_db(transaction=True)
def test_created_job_without_redis_sends_no_message(
    sent: Sent, declare: Declare, settings: Any
) -> None:
    settings.REDIS_URL = ""
    declare()

    jobs.create_job(kind="testing", scope="ti", params={}, actor=None, now=NOW)

    assert sent == []


@pytest.mark.django_db
def test_job_of_a_kind_that_nobody_declares_is_not_created() -> None:
    with pytest.raises(LookupError, match="no such kind"):
        jobs.create_job(kind="no such kind", scope="ti", params={}, actor=None, now=NOW)


@pytest.mark.django_db
def test_job_stays_queued_when_redis_is_away(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    def send_task(*_: Any, **__: Any) -> None:
        raise OperationalError("no broker")

    monkeypatch.setattr(current_app, "send_task", send_task)
    job = JobFactory(kind="import")

    jobs.wake_worker(job)

    assert state_of(job) == JobState.QUEUED


@pytest.mark.django_db
def test_start_cancel_and_resume_are_in_the_audit_log_with_what_was_asked(
    sent: Sent, declare: Declare
) -> None:
    declare()
    manager = UserFactory()
    job = jobs.create_job(
        kind="testing", scope="ti", params={"file": "a.csv"}, actor=manager, now=NOW
    )

    jobs.cancel_job(job=job, actor=manager, now=NOW)
    jobs.resume_job(job=job, actor=None, now=NOW)

    rows = AuditEvent.objects.order_by("pk").values_list("verb", "actor", "target", "scope", "data")
    common = (f"job:{job.pk}", "ti", {"file": "a.csv"})
    assert list(rows) == [
        ("testing.started", manager.pk, *common),
        ("testing.cancelled", manager.pk, *common),
        ("testing.resumed", None, *common),
    ]
    assert job.requested_by == manager.email


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("state", "after"),
    [
        (JobState.QUEUED, JobState.CANCELLED),
        (JobState.HELD, JobState.CANCELLED),
        (JobState.RUNNING, JobState.RUNNING),
    ],
)
def test_cancel_ends_a_waiting_job_and_asks_a_running_one(state: JobState, after: JobState) -> None:
    job = running(state=state)

    jobs.cancel_job(job=job, actor=None, now=NOW)

    assert (state_of(job), job.cancel_requested_at) == (after, NOW)


@pytest.mark.django_db
@pytest.mark.parametrize("state", [JobState.DONE, JobState.FAILED, JobState.CANCELLED])
def test_cancel_of_an_ended_job_is_refused_in_words(state: JobState) -> None:
    job = running(state=state)

    with pytest.raises(jobs.JobNotCancellable) as refusal:
        jobs.cancel_job(job=job, actor=None, now=NOW)

    assert str(refusal.value) == "This job has already ended, so there is nothing to cancel."
    assert state_of(job) == state
    assert not AuditEvent.objects.exists()


@pytest.mark.django_db
def test_cancel_of_a_waiting_job_tidies_up_as_its_kind_says(declare: Declare) -> None:
    stopped: list[int] = []
    declare(on_stop=lambda job: stopped.append(job.pk))
    job = JobFactory(kind="testing")

    jobs.cancel_job(job=job, actor=None, now=NOW)

    assert stopped == [job.pk]


@pytest.mark.django_db
@pytest.mark.parametrize("state", JobState)
def test_resume_takes_only_jobs_that_have_stopped(state: JobState, sent: Sent) -> None:
    job = running(
        state=state, error_code="old", error_data={"a": 1}, crash_count=3, finished_at=NOW
    )

    if state in STOPPED_JOB_STATES:
        jobs.resume_job(job=job, actor=None, now=NOW)
        assert (state_of(job), job.error, job.error_data) == (JobState.QUEUED, "", {})
        assert (job.crash_count, job.finished_at) == (0, None)
    else:
        refusal = jobs.JobWaitsForFile if state == JobState.HELD else jobs.JobNotRunnable
        with pytest.raises(refusal):
            jobs.resume_job(job=job, actor=None, now=NOW)
        assert (state_of(job), job.crash_count) == (state, 3)


@pytest.mark.django_db
@pytest.mark.parametrize("state", JobState)
def test_hold_takes_only_jobs_that_wait_or_have_stopped(state: JobState) -> None:
    job = running(state=state, error_code="old", finished_at=NOW)

    if state in {JobState.QUEUED, *STOPPED_JOB_STATES}:
        jobs.hold_job(job=job, actor=None, now=NOW)
        assert (state_of(job), job.error, job.finished_at) == (JobState.HELD, "", None)
    else:
        with pytest.raises(jobs.JobNotHoldable):
            jobs.hold_job(job=job, actor=None, now=NOW)
        assert state_of(job) == state


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("state", JobState)
def test_only_a_held_job_is_released_to_the_workers(state: JobState, sent: Sent) -> None:
    job = running(state=state)

    if state == JobState.HELD:
        jobs.release_job(job=job, actor=None, now=NOW)
        assert (state_of(job), len(sent)) == (JobState.QUEUED, 1)
    else:
        with pytest.raises(jobs.JobNotRunnable):
            jobs.release_job(job=job, actor=None, now=NOW)
        assert (state_of(job), sent) == (state, [])


@pytest.mark.django_db
@pytest.mark.parametrize("state", JobState)
def test_only_a_held_job_is_finished_without_a_worker(state: JobState) -> None:
    job = running(state=state, total=3)

    jobs.finish_held_job(job=job, result={"translated": 3}, now=NOW)

    if state == JobState.HELD:
        assert (state_of(job), job.done, job.result) == (JobState.DONE, 3, {"translated": 3})
    else:
        assert (state_of(job), job.result) == (state, {})


@pytest.mark.django_db
def test_resume_that_the_kind_refuses_leaves_the_job_as_it_was(declare: Declare) -> None:
    def refuse(_job: Job) -> None:
        raise Refused(name="a.csv")

    declare(on_resume=refuse)
    job = JobFactory(kind="testing", state=JobState.FAILED)

    with pytest.raises(Refused):
        jobs.resume_job(job=job, actor=None, now=NOW)

    assert state_of(job) == JobState.FAILED
    assert not AuditEvent.objects.exists()
