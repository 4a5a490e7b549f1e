"""Asks the calls of a held job by batch file: the missing ones go out, answers come in."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from itertools import chain, islice
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.asking.actions import change_budget, check_again
from annotation.asking.execution import AskingWork, Key, Wave
from annotation.asking.kinds import AskingKind, Started
from annotation.asking.queries import ANSWERED as ANSWERED_CALLS
from annotation.asking.queries import OPEN, state_counts
from common.errors import DomainError
from endpoints import batch_files
from endpoints.batch_files import request_lines
from endpoints.budgets import BudgetUnmeasured
from endpoints.engine import ANSWERED, Result
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatReply, ChatRequest, request_hash
from endpoints.providers.translation.catalogue import ENGINES
from jobs.actions import finish_held_job, hold_job, release_job
from jobs.enums import JobState
from projects.locks import lock_project

NAMED_IDS: Final = 10


class NoBatchFile(DomainError):
    code = "no_batch_file"
    detail = _("Plain engines take no batch files. Let the job ask them directly.")


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


class BatchAnswersUnknown(DomainError):
    code = "batch_answers_unknown"
    detail = _(
        "%(ids)s: no call of this job. Give the answers to a file of this job. Nothing was stored."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStep:
    """Which of the `steps` of its strategy the next file asks; each has a file of its own."""

    step: int
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """How many answers were stored, were stored before, and stand for requests that failed.

    `missing` calls have no answer yet, and were not in the file; `missing_ids` names the first ten.
    """

    stored: int
    known: int
    failed: int
    missing: int
    missing_ids: tuple[str, ...]


def check_takes_files(specs: Iterable[ModelSpec]) -> None:
    """Raise NoBatchFile if one of the models is a plain engine."""
    if any(spec.endpoint.provider in ENGINES for spec in specs):
        raise NoBatchFile


@transaction.atomic
def hold_asking(
    kind: AskingKind[Started],
    started: Started,
    *,
    actor: User | None,
    now: datetime,
    budget: Decimal | None = None,
) -> Started:
    """Have a job that waits or has stopped wait for batch files; one that is held only takes the `budget`.

    Raises NoBatchFile, JobNotHoldable, `invalid` and `underway` of the kind, EndpointNotAllowed and
    EndpointClosed.
    """
    lock_project(started.project.pk)
    check_takes_files(started.specs)
    check_again(kind, started)
    change_budget(kind, started, budget)
    started.job.refresh_from_db()
    if started.job.state != JobState.HELD:
        hold_job(job=started.job, actor=actor, now=now)
    started.refresh_from_db()
    return started


def ask_directly(started: Started, *, actor: User | None, now: datetime) -> Started:
    """Let workers ask what a held job lacks. Answers of a file that is out are paid twice, and stored once.

    Raises JobNotHeld, and what the kind refuses resumed jobs with.
    """
    started.job.refresh_from_db()
    if started.job.state != JobState.HELD:
        raise JobNotHeld
    release_job(job=started.job, actor=actor, now=now)
    started.refresh_from_db()
    return started


def missing_lines(work: AskingWork, now: datetime) -> Iterator[bytes]:
    """Return the requests that the job can make now, all to one model, as lines of a batch file.

    They are as many as one file holds and the budget affords. If no answer has measured the price yet,
    these are as many as the job makes at once. Without a request the job ends. Raises NoBatchFile,
    JobNotHeld, NoBudgetLeft, BudgetUnmeasured, EndpointNotAllowed, EndpointClosed.
    """
    check_takes_files(work.started.specs)
    if work.started.job.state != JobState.HELD:
        raise JobNotHeld
    lines = request_lines(islice(_requests(work), _affordable(work)))
    first = next(lines, None)
    if first is None:
        _finish(work, now)
        return iter(())
    return chain([first], lines)


def take_answers(work: AskingWork, answers: Mapping[str, ChatReply | None], now: datetime) -> Taken:
    """Store answers raw, conclude the rows that need no more, and end the job if none is open.

    A stored answer is kept: the key of a raw call makes it safe to take a file twice. Raises
    NoBatchFile, JobAskedDirectly, EndpointNotAllowed, EndpointClosed, and BatchAnswersUnknown before
    anything is stored.
    """
    check_takes_files(work.started.specs)
    if not (work.started.job.has_ended or work.started.job.state == JobState.HELD):
        raise JobAskedDirectly
    known = {_id(work, key) for key in work.stored_keys()}
    waiting = [_id(work, key) for wave in work.waves() for key in wave.calls]
    if unknown := sorted(set(answers) - known - set(waiting)):
        raise BatchAnswersUnknown(ids=", ".join(unknown[:NAMED_IDS]))
    asked = {name: reply for name, reply in answers.items() if name not in known}
    replies = {name: reply for name, reply in asked.items() if reply is not None}
    for wave in work.waves():
        wave.store(_results(work, wave, replies, now), is_from_file=True)
    _finish(work, now)
    missing = [name for name in waiting if name not in answers]
    return Taken(
        stored=len(replies), known=len(answers) - len(asked), failed=len(asked) - len(replies),
        missing=len(missing), missing_ids=tuple(missing[:NAMED_IDS]),
    )  # fmt: skip


def step_of(work: AskingWork) -> FileStep:
    """Return the step of the row that is furthest behind, counted by the steps that have an answer.

    Where an answer cannot be used, its step is asked again, in the next file.
    """
    steps = work.steps()
    waiting = (number for number, step in enumerate(steps, start=1) if _waits_for(work, step))
    return FileStep(step=next(waiting, len(steps)), steps=len(steps))


def taken_json(work: AskingWork, taken: Taken) -> dict[str, Any]:
    """Return what the API and the command print of answers that were taken, with the step of the next file."""
    work.started.job.refresh_from_db()
    named = {**asdict(taken), "missing_ids": list(taken.missing_ids)}
    return {**named, **asdict(step_of(work)), "state": work.started.job.state}


def _waits_for(work: AskingWork, step: str) -> bool:
    calls = work.calls.objects.filter(ANSWERED_CALLS, step__startswith=step)
    answered = calls.filter(**{work.row: OuterRef("pk")})
    waiting: bool = work.rows.filter(~Exists(answered), state=OPEN).exists()
    return waiting


def _affordable(work: AskingWork) -> int:
    """Return how many requests the budget affords. Raises NoBudgetLeft, BudgetUnmeasured."""
    purse, totals = work.filled_purse(), work.totals()
    if purse.budget is not None and totals.price is None:
        raise BudgetUnmeasured
    count = purse.affords(batch_files.MOST_REQUESTS, work.started.concurrency)
    if not count:
        raise NoBudgetLeft
    return count


def _requests(work: AskingWork) -> Iterator[tuple[str, ChatRequest]]:
    model = None
    for wave in work.waves():
        model = model or wave.spec.pk
        if wave.spec.pk == model:
            yield from ((_id(work, key), wave.request(key)) for key in wave.calls)


def _id(work: AskingWork, key: Key) -> str:
    return "-".join(str(part) for part in (work.kind.name, work.started.pk, *key))


def _results(
    work: AskingWork, wave: Wave, replies: Mapping[str, ChatReply], now: datetime
) -> list[Result[Any]]:
    named = ((key, replies.get(_id(work, key))) for key in wave.calls)
    return [_result(wave, key, reply, now) for key, reply in named if reply is not None]


def _result(wave: Wave, key: Any, reply: ChatReply, now: datetime) -> Result[Any]:
    return Result(
        key=key, state=ANSWERED, text=reply.text, error=reply.fault, reasoning=reply.reasoning,
        refusal=reply.refusal, tool_calls=reply.tool_calls, body=reply.body,
        finish_reason=reply.finish_reason, endpoint_model=reply.endpoint_model,
        prompt_tokens=reply.prompt_tokens, completion_tokens=reply.completion_tokens,
        latency_ms=0, try_count=1, request_hash=request_hash(wave.spec.endpoint.base_url, wave.request(key)),
        started_at=now, finished_at=now,
    )  # fmt: skip


def _finish(work: AskingWork, now: datetime) -> None:
    """Record how far the job is, and end it if no row is open."""
    counts = state_counts(work.rows.all())
    most = work.calls_of_row()
    answered = work.calls.objects.filter(ANSWERED_CALLS, **{f"{work.row}__in": work.rows.all()})
    total = sum(counts.values()) * most
    work.progress.start(total, done=min(total, answered.count()))
    if not counts[OPEN]:
        result = work.result(is_budget_spent=False)
        finish_held_job(job=work.started.job, result=result, now=now)
