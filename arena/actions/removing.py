"""Deletes arenas that nobody has judged, and takes others off the leaderboard and puts them back."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from arena.actions.arenas import ArenaJudging
from arena.models import Arena, ArenaCall, Seat
from arena.queries import has_verdicts
from common.errors import DomainError
from common.reasons import clear_reason, store_reason
from jobs.enums import ENDED_JOB_STATES
from jobs.models import Job
from projects.locks import lock_project


class ArenaHidden(DomainError):
    code = "arena_hidden"
    detail = _(
        "This arena is hidden already. Show it first if you want to give another reason than this: "
        "%(reason)s"
    )


class ArenaHasVerdicts(DomainError):
    code = "arena_has_verdicts"
    detail = _(
        "This arena has verdicts, which are kept. Hide it from the leaderboard with a reason instead."
    )


@transaction.atomic
def hide_arena(*, arena: Arena, reason: str, actor: User | None, now: datetime) -> None:
    """Take an arena off the leaderboard of its release; again for the same reason does nothing.

    Raises ReasonMissing, ReasonTooLong, TextInvalid, and ArenaHidden rather than drop the reason.
    """
    row = Arena.objects.filter(pk=arena.pk)
    if told := store_reason(row, "hidden_reason", reason, refusal=ArenaHidden):
        _record(arena, "arena.hidden", {"reason": told}, actor, now)


@transaction.atomic
def show_arena(
    *, arena: Arena, seen_reason: str | None = None, actor: User | None, now: datetime
) -> None:
    """Put an arena that was hidden for the reason that was seen back on the leaderboard.

    None says nothing about what was seen. Raises ReasonChanged.
    """
    if clear_reason(Arena.objects.filter(pk=arena.pk), "hidden_reason", seen_reason):
        _record(arena, "arena.shown", {}, actor, now)


@transaction.atomic
def delete_arena(*, arena: Arena, actor: User | None, now: datetime) -> None:
    """Delete an arena without verdicts, with its battles and with answers that nobody could read.

    The audit row tells how many those were. Raises ArenaHasVerdicts, ArenaJudging.
    """
    lock_project(arena.project_id)
    # These writes make people wait who take a pair, as in `claim_battle`, or judge theirs.
    found, seats = Arena.objects.filter(pk=arena.pk), Seat.objects.filter(battle__arena=arena)
    if not found.update(figures={}):
        return
    seats.filter(judged_at=None).update(reserved_until=now)
    jobs = Job.objects.filter(pk__in=found.values("job"))
    if jobs.exclude(state__in=ENDED_JOB_STATES).exists():
        raise ArenaJudging
    if has_verdicts(arena):
        raise ArenaHasVerdicts
    calls = ArenaCall.objects.filter(battle__arena=arena)
    told = {"battles": arena.battles.count(), "unreadable": calls.count()}
    _record(arena, "arena.deleted", told, actor, now)
    for rows in (
        calls, seats, arena.battles.all(),
        arena.contestants.all(), arena.judges.all(), found,
    ):  # fmt: skip
        rows.delete()


def _record(
    arena: Arena, verb: str, data: Mapping[str, object], actor: User | None, now: datetime
) -> None:
    record_event(
        actor=actor, verb=verb, target=f"arena:{arena.pk}", scope=arena.project.slug,
        data={"name": arena.name, **data}, now=now,
    )  # fmt: skip
