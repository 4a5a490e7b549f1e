"""Pausing, resuming and changing a round while it is open."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.errors import DomainError
from projects.locks import lock_project
from review.audience import Audience
from review.enums import OpinionsShown, RoundState
from review.models import Round
from review.rounds.actions.hidden_keys import hide_keys
from review.rounds.actions.rounds import RoundNotOpen
from review.rounds.actions.settings import (
    RoundInvalid,
    audience_faults,
    due_faults,
    substitute_faults,
    without,
)

LONGEST_REASON = 500


class RoundPausedAlready(DomainError):
    code = "round_paused_already"
    detail = _("This round is already paused. Resume it first to give another reason.")


class RoundNotPaused(DomainError):
    code = "round_not_paused"
    detail = _("This round is not paused.")


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundChanges:
    """What can change while people judge; each value is the one that holds from now on."""

    due_on: date | None = None
    cap_per_person: int | None = None
    roles: Sequence[str] = ()
    languages: Sequence[str] = ()
    excluded_people: Sequence[int] = ()
    has_blind_reading: bool = False
    opinions_shown: str = OpinionsShown.NOBODY
    substitute: int | None = None

    @classmethod
    def of(cls, round_: Round) -> "RoundChanges":
        """What holds now."""
        audience = Audience.from_json(round_.audience)
        return cls(
            due_on=round_.due_on,
            cap_per_person=round_.cap_per_person,
            roles=audience.roles,
            languages=audience.languages,
            excluded_people=audience.excluded,
            has_blind_reading=round_.has_blind_reading,
            opinions_shown=round_.opinions_shown,
            substitute=round_.substitute_id,
        )


@transaction.atomic
def pause_round(*, round_: Round, reason: str, actor: User | None, now: datetime) -> Round:
    """Give nobody a further seat, and say why; who holds a seat may judge it.

    Raises RoundInvalid, RoundNotOpen, RoundPausedAlready.
    """
    reason = reason.strip()
    if len(reason) > LONGEST_REASON:
        words = _("The reason can have at most %(most)s characters.")
        raise RoundInvalid(fields={"reason": [str(words % {"most": LONGEST_REASON})]})
    rows = Round.objects.filter(pk=round_.pk, state=RoundState.OPEN, paused_at__isnull=True)
    if not rows.update(paused_at=now, pause_reason=reason):
        raise RoundPausedAlready if _is_open(round_) else RoundNotOpen
    _record("round.paused", round_, {"reason": reason}, actor, now)
    return Round.objects.get(pk=round_.pk)


@transaction.atomic
def resume_round(*, round_: Round, actor: User | None, now: datetime) -> Round:
    """Give seats again. Raises RoundNotOpen, RoundNotPaused."""
    rows = Round.objects.filter(pk=round_.pk, state=RoundState.OPEN, paused_at__isnull=False)
    if not rows.update(paused_at=None, pause_reason=""):
        raise RoundNotPaused if _is_open(round_) else RoundNotOpen
    _record("round.resumed", round_, {}, actor, now)
    return Round.objects.get(pk=round_.pk)


@transaction.atomic
def change_round(
    *, round_: Round, changes: RoundChanges, actor: User | None, now: datetime
) -> Round:
    """Change the due date, the cap, whom an open round asks, who settles what no senior may settle,
    whether it is read blind first, and who sees the opinions of models.

    Judgements stay as they are, and who holds a seat may judge it as it was shown to them. Whether a panel needs an
    expert stays, as seats have been given by it. Raises RoundInvalid, RoundNotOpen.
    """
    audience = replace(
        Audience.from_json(round_.audience),
        roles=tuple(changes.roles),
        languages=tuple(changes.languages),
        excluded=without(changes.excluded_people, changes.substitute),
    )
    is_moved = changes.due_on != round_.due_on  # a date that has passed since may stay
    faults = audience_faults(round_.project, audience, besides=changes.substitute) | _cap_faults(
        changes
    )
    if changes.substitute != round_.substitute_id:  # one who has left since may stay
        faults |= substitute_faults(round_.project, changes.substitute)
    if is_moved:
        faults |= due_faults(changes.due_on, now=now)
    if faults:
        raise RoundInvalid(fields=faults)
    lock_project(round_.project_id)
    changed = Round.objects.filter(pk=round_.pk, state=RoundState.OPEN).update(
        due_on=changes.due_on,
        cap_per_person=changes.cap_per_person,
        audience=audience.as_json(),
        has_blind_reading=changes.has_blind_reading,
        opinions_shown=changes.opinions_shown,
        substitute=changes.substitute,
    )
    if not changed:
        raise RoundNotOpen
    data = asdict(changes) | {"due_on": changes.due_on.isoformat() if changes.due_on else None}
    _record("round.changed", round_, data, actor, now)
    changed_round = Round.objects.get(pk=round_.pk)
    hide_keys(changed_round)
    return changed_round


def _cap_faults(changes: RoundChanges) -> dict[str, list[str]]:
    """Hold the limits of the field. Returns what is wrong by field."""
    if changes.cap_per_person is None:
        return {}
    try:
        Round._meta.get_field("cap_per_person").clean(changes.cap_per_person, None)
    except ValidationError as error:
        return {"cap_per_person": error.messages}
    return {}


def _is_open(round_: Round) -> bool:
    return Round.objects.filter(pk=round_.pk, state=RoundState.OPEN).exists()


def _record(
    verb: str, round_: Round, data: dict[str, object], actor: User | None, now: datetime
) -> None:
    record_event(
        actor=actor,
        verb=verb,
        target=f"round:{round_.pk}",
        scope=round_.project.slug,
        data={"number": round_.number, **data},
        now=now,
    )
