"""Leaves judges out of an arena, and brings them back."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from arena.actions.recounting import count_what_is_there
from arena.models import Judge
from common.errors import DomainError
from common.reasons import clear_reason, store_reason


class JudgeLeftOut(DomainError):
    code = "judge_left_out"
    detail = _(
        "This judge is left out already. Bring it back first if you want to give another reason than "
        "this: %(reason)s"
    )


@transaction.atomic
def leave_out_judge(*, judge: Judge, reason: str, actor: User | None, now: datetime) -> None:
    """Ask a judge no more and let its verdicts, which are kept, count for nothing.

    Then an audit row, and the rest is counted again. A job in progress goes on with the other judges.
    Again for the same reason does nothing. Raises ReasonMissing, ReasonTooLong, TextInvalid, JudgeLeftOut.
    """
    row = Judge.objects.filter(pk=judge.pk)
    if told := store_reason(row, "left_out_reason", reason, refusal=JudgeLeftOut):
        _record_and_count(judge, "arena.judge_left_out", {"reason": told}, actor, now)


@transaction.atomic
def bring_back_judge(
    *, judge: Judge, seen_reason: str | None = None, actor: User | None, now: datetime
) -> None:
    """Let a judge count again that was left out for the reason that was seen.

    The next start asks it what it misses. None says nothing about what was seen. Raises ReasonChanged.
    """
    if clear_reason(Judge.objects.filter(pk=judge.pk), "left_out_reason", seen_reason):
        _record_and_count(judge, "arena.judge_brought_back", {}, actor, now)


def _record_and_count(
    judge: Judge, verb: str, data: dict[str, str], actor: User | None, now: datetime
) -> None:
    arena = judge.arena
    record_event(
        actor=actor, verb=verb, target=f"arena:{arena.pk}", scope=arena.project.slug,
        data={"name": arena.name, "judge": judge.name, **data}, now=now,
    )  # fmt: skip
    count_what_is_there(arena=arena, actor=actor, now=now)
