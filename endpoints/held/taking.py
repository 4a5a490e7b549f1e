"""The work of a job that stores the answers of batch files: raw first, then what they conclude."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.utils import timezone

from common.batches import batched
from endpoints.batch_files import read_answers
from endpoints.connections import address_of
from endpoints.engine import ANSWERED, Result
from endpoints.held.actions import (
    AnswersRemoved,
    BatchAnswersUnknown,
    check_takes_answers,
    check_takes_files,
    id_of,
)
from endpoints.held.kinds import FileWave, HeldWork, work_of
from endpoints.providers.base import ChatReply, request_hash
from jobs.actions import finish_held_job
from jobs.models import Job
from jobs.progress import Progress
from jobs.uploads import remove_folder

NAMED_IDS: Final = 10
STORED_AT_ONCE: Final = 500


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


def perform_taking(job: Job, progress: Progress) -> dict[str, Any]:
    """Store the answers of the files of a job, remove the uploads, and return the counts as JSON.

    Raises BatchFileInvalid, AnswersRemoved and what `take_answers` raises.
    """
    progress.set_note("reading")
    work = work_of(Job.objects.get(pk=job.params["job"]))
    paths = [settings.IMPORT_FOLDER / place for place in job.params["files"]]
    answers = _read(paths)
    progress.start(len(answers), note="storing")
    taken = take_answers(work, answers, timezone.now(), progress=progress)
    for path in paths:
        remove_folder(path.parent)
    return taken_json(work, taken)


def take_answers(
    work: HeldWork,
    answers: Mapping[str, ChatReply | None],
    now: datetime,
    *,
    progress: Progress | None = None,
) -> Taken:
    """Store answers raw, conclude what needs no more, and end the job if no call is left.

    A stored answer is kept: the key of a raw call makes it safe to take a file twice. Raises
    NoBatchFile, JobAskedDirectly, EndpointNotAllowed, EndpointClosed, and BatchAnswersUnknown before
    anything is stored.
    """
    check_takes_files(work.specs)
    check_takes_answers(work.job)
    known = {id_of(work, key) for key in work.stored_keys()}
    waiting = [id_of(work, key) for wave in work.waves(is_reading=True) for key in wave.keys]
    if unknown := sorted(set(answers) - known - set(waiting)):
        raise BatchAnswersUnknown(ids=", ".join(unknown[:NAMED_IDS]))
    asked = {name: reply for name, reply in answers.items() if name not in known}
    replies = {name: reply for name, reply in asked.items() if reply is not None}
    _store(work, replies, now, progress)
    _settle(work, now)
    missing = [name for name in waiting if name not in answers]
    return Taken(
        stored=len(replies), known=len(answers) - len(asked), failed=len(asked) - len(replies),
        missing=len(missing), missing_ids=tuple(missing[:NAMED_IDS]),
    )  # fmt: skip


def _settle(work: HeldWork, now: datetime) -> None:
    """Record how far the job is, and end it if it is held and no call is left."""
    standing = work.standing()
    Progress(work.job.pk).start(standing.total, done=standing.done)
    if standing.result is not None:
        finish_held_job(job=work.job, result=dict(standing.result), now=now)


def taken_json(work: HeldWork, taken: Taken) -> dict[str, Any]:
    """Return the counts of answers that were taken, with the step of the next file and the job's state."""
    work.job.refresh_from_db()
    named = {**asdict(taken), "missing_ids": list(taken.missing_ids)}
    return {**named, **asdict(work.step()), "state": work.job.state}


def _read(paths: list[Path]) -> dict[str, ChatReply | None]:
    try:
        with ExitStack() as stack:
            files = [stack.enter_context(path.open("rb")) for path in paths]
            return read_answers(chain.from_iterable(files))
    except FileNotFoundError as error:
        raise AnswersRemoved from error


def _store(
    work: HeldWork, replies: Mapping[str, ChatReply], now: datetime, progress: Progress | None
) -> None:
    stored = 0
    for wave in work.waves(is_reading=False):
        for results in batched(_results(work, wave, replies, now), STORED_AT_ONCE):
            wave.store([*results], is_from_file=True)
            stored += len(results)
            if progress:
                progress.advance_to(stored)


def _results(
    work: HeldWork, wave: FileWave, replies: Mapping[str, ChatReply], now: datetime
) -> Iterator[Result[Any]]:
    for key in wave.keys:
        if (reply := replies.get(id_of(work, key))) is not None:
            yield _result(wave, key, reply, now)


def _result(wave: FileWave, key: Any, reply: ChatReply, now: datetime) -> Result[Any]:
    return Result(
        key=key, state=ANSWERED, text=reply.text, error=reply.fault, reasoning=reply.reasoning,
        refusal=reply.refusal, tool_calls=reply.tool_calls, body=reply.body,
        finish_reason=reply.finish_reason, endpoint_model=reply.endpoint_model,
        prompt_tokens=reply.prompt_tokens, completion_tokens=reply.completion_tokens,
        latency_ms=0, try_count=1,
        request_hash=request_hash(address_of(wave.spec.endpoint), wave.request(key)),
        started_at=now, finished_at=now,
    )  # fmt: skip
