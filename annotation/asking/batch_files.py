"""Asks the calls of a stopped job by batch file: the missing ones go out, answers come in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.asking.execution import AskingWork, Wave
from common.errors import DomainError
from endpoints.batch_files import request_lines
from endpoints.engine import ANSWERED, Result
from endpoints.providers.base import ChatReply, ChatRequest, request_hash
from endpoints.providers.translation.catalogue import ENGINES
from jobs.actions import JobNotRunnable


class NoBatchFile(DomainError):
    code = "no_batch_file"
    detail = _("Plain engines take no batch files. Let the job ask them directly.")


class BatchAnswersUnknown(DomainError):
    code = "batch_answers_unknown"
    detail = _(
        "%(ids)s: no call of this job. Give the answers to a file of this job. Nothing was stored."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """How many answers were stored, were stored before, and stand for requests that failed."""

    stored: int
    known: int
    failed: int


def missing_lines(work: AskingWork) -> Iterator[bytes]:
    """Yield the requests that the job can make now, all to one model, as lines of a batch file.

    Raises NoBatchFile, JobNotRunnable while the job is queued or running, EndpointNotAllowed, EndpointClosed.
    """
    _check(work)
    return request_lines(_requests(work))


def take_answers(work: AskingWork, answers: Mapping[str, ChatReply | None], now: datetime) -> Taken:
    """Store answers raw, and conclude the rows that need no more; a stored answer is kept.

    The key of a raw call makes it safe to take a file twice. Raises what `missing_lines` raises, and
    BatchAnswersUnknown before anything is stored.
    """
    _check(work)
    known = {_id(work, key) for key in work.stored_keys()}
    open_ids = {_id(work, key) for wave in work.waves() for key in wave.calls}
    if unknown := sorted(set(answers) - known - open_ids):
        raise BatchAnswersUnknown(ids=", ".join(unknown[:5]))
    asked = {name: reply for name, reply in answers.items() if name not in known}
    replies = {name: reply for name, reply in asked.items() if reply is not None}
    for wave in work.waves():
        wave.store(_results(work, wave, replies, now))
    return Taken(
        stored=len(replies), known=len(answers) - len(asked), failed=len(asked) - len(replies)
    )


def _check(work: AskingWork) -> None:
    if any(spec.endpoint.provider in ENGINES for spec in work.started.specs):
        raise NoBatchFile
    if not work.started.job.has_ended:
        raise JobNotRunnable


def _requests(work: AskingWork) -> Iterator[tuple[str, ChatRequest]]:
    model = None
    for wave in work.waves():
        model = model or wave.spec.pk
        if wave.spec.pk == model:
            yield from ((_id(work, key), wave.request(key)) for key in wave.calls)


def _id(work: AskingWork, key: tuple[int, str, int]) -> str:
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
