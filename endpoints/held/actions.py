"""Has jobs wait for batch files or not, writes the calls that they lack, and takes the answers to store."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Any, BinaryIO

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from endpoints import batch_files
from endpoints.batch_files import request_lines
from endpoints.held.kinds import ANSWERS, HeldWork, can_be_held, work_of
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatRequest
from endpoints.providers.translation.catalogue import ENGINES
from jobs.actions import create_job, hold_job, release_job
from jobs.enums import ENDED_JOB_STATES, JobState
from jobs.models import Job
from jobs.uploads import keep_upload, new_folder
from projects.locks import lock_project


class NoBatchFile(DomainError):
    code = "no_batch_file"
    detail = _(
        "Plain engines, likelihoods and this kind of job take no batch files. Let the job ask them directly."
    )


class JobNotHeld(DomainError):
    code = "job_not_held"
    detail = _("This job does not wait for a batch file. Choose “Ask by batch file” on its page.")


class JobAskedDirectly(DomainError):
    code = "job_asked_directly"
    detail = _(
        "This job is being asked directly. Wait until it has ended, or cancel it, and then give the answers."
    )


class NoBudgetLeft(DomainError):
    code = "no_budget_left"
    detail = _("The budget of this job is spent. Give it a higher one, and write the file again.")


class NoCallLeft(DomainError):
    code = "no_call_left"
    detail = _(
        "No call is left for a file. Choose “Ask directly” on the page of the job: a worker then ends it, "
        "and asks nothing."
    )


class AnswersUnderway(DomainError):
    code = "answers_underway"
    detail = _(
        "Answers of this job are being stored right now. Wait until that is done, then try again."
    )


class NoAnswerFile(DomainError):
    code = "no_answer_file"
    status = 400
    detail = _("Choose the file of answers.")


class BatchAnswersUnknown(DomainError):
    code = "batch_answers_unknown"
    detail = _(
        "%(ids)s: no call of this job. Give the answers to a file of this job. Nothing was stored."
    )


class AnswersRemoved(DomainError):
    code = "answers_removed"
    detail = _("The file of answers is no longer stored. Give it again.")


def held_work(job: Job) -> HeldWork:
    """Return the work of a job. Raises NoBatchFile if its kind takes no files."""
    if not can_be_held(job.kind):
        raise NoBatchFile
    return work_of(job)


def check_takes_files(specs: Iterable[ModelSpec]) -> None:
    """Raise NoBatchFile if one of the models is a plain engine."""
    if any(spec.endpoint.provider in ENGINES for spec in specs):
        raise NoBatchFile


@transaction.atomic
def hold_calls(
    work: HeldWork, *, actor: User | None, now: datetime, budget: Decimal | None = None
) -> None:
    """Have a job that waits or has stopped wait for batch files; one that is held only takes the `budget`.

    Raises NoBatchFile, JobNotHoldable, and what the kind refuses resumed jobs and budgets with.
    """
    lock_project(work.project.pk)
    check_takes_files(work.specs)
    work.check_again()
    work.change_budget(budget)
    work.job.refresh_from_db()
    if work.job.state != JobState.HELD:
        hold_job(job=work.job, actor=actor, now=now)
        work.job.refresh_from_db()


@transaction.atomic
def ask_directly(job: Job, *, actor: User | None, now: datetime) -> None:
    """Let workers ask what a held job lacks. Answers of a file that is out are paid twice, and stored once.

    If it lacks nothing, a worker ends it. Raises JobNotHeld, AnswersUnderway, and what the kind refuses
    resumed jobs with.
    """
    _lock(job)
    job.refresh_from_db()
    if job.state != JobState.HELD:
        raise JobNotHeld
    release_job(job=job, actor=actor, now=now)
    job.refresh_from_db()


def give_answers(
    job: Job, files: Sequence[tuple[str, BinaryIO]], *, actor: User | None, now: datetime
) -> Job:
    """Keep the files of answers, and queue a job that stores them; return that.

    Raises NoBatchFile, NoAnswerFile, JobAskedDirectly, AnswersUnderway.
    """
    held_work(job)
    if not files:
        raise NoAnswerFile
    kept = [keep_upload(file, new_folder(), name) for name, file in files]
    places = [str(path.relative_to(settings.IMPORT_FOLDER)) for path in kept]
    with transaction.atomic():
        _lock(job)
        check_takes_answers(job)
        params = {"job": job.pk, "files": places}
        return create_job(
            kind=f"{job.kind}{ANSWERS}", scope=job.scope, params=params, actor=actor, now=now
        )


def check_takes_answers(job: Job) -> None:
    """Raise JobAskedDirectly while workers ask a job themselves."""
    job.refresh_from_db()
    if not (job.has_ended or job.state == JobState.HELD):
        raise JobAskedDirectly


def missing_lines(work: HeldWork) -> Iterator[bytes]:
    """Return the requests that the job can make now, all to one model, as lines of a batch file.

    They are as many as one file holds and the budget affords. If no answer has measured the price yet,
    these are as many as the job makes at once. Nothing is written. Raises NoBatchFile, JobNotHeld,
    NoBudgetLeft, BudgetUnmeasured, EndpointNotAllowed, EndpointClosed.
    """
    check_takes_files(work.specs)
    if work.job.state != JobState.HELD:
        raise JobNotHeld
    return request_lines(islice(_requests(work), _affordable(work)))


def id_of(work: HeldWork, key: Sequence[Any]) -> str:
    """Return the id of a call in batch files."""
    return "-".join(str(part) for part in (work.name, *key))


def _lock(job: Job) -> None:
    """Lock the project of a job, and raise AnswersUnderway while its answers are being stored."""
    lock_project(held_work(job).project.pk)
    storing = Job.objects.filter(kind=f"{job.kind}{ANSWERS}", params__job=job.pk)
    if storing.exclude(state__in=ENDED_JOB_STATES).exists():
        raise AnswersUnderway


def _affordable(work: HeldWork) -> int:
    """Return how many requests the budget affords. Raises NoBudgetLeft, BudgetUnmeasured."""
    count = work.filled_purse().affords(batch_files.MOST_REQUESTS, work.concurrency)
    if not count:
        raise NoBudgetLeft
    return count


def _requests(work: HeldWork) -> Iterator[tuple[str, ChatRequest]]:
    model = None
    for wave in work.waves(is_reading=True):
        model = model or wave.spec.pk
        if wave.spec.pk == model:
            yield from ((id_of(work, key), wave.request(key)) for key in wave.keys)
