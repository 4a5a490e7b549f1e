"""People's verdicts: who takes which battle, and what they say of it."""

import random
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from arena.models import LONGEST_REASON, Arena, Battle, Seat
from arena.verdicts import VERDICTS
from common.errors import DomainError, plain_text
from projects.models import Membership
from review.seats.refusals import reviewer_paused

SEATS: Final = 2
RESERVATION: Final = timedelta(minutes=30)


class VerdictInvalid(DomainError):
    code = "verdict_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class SeatExpired(DomainError):
    code = "seat_expired"
    detail = gettext_lazy("Your time for this pair is over. Take the next pair.")


class SeatJudged(DomainError):
    code = "seat_judged"
    detail = gettext_lazy("You have judged this pair already.")


class NothingToTakeBack(DomainError):
    code = "nothing_to_take_back"
    detail = gettext_lazy("You have judged no pair of this arena in the last 30 minutes.")


@transaction.atomic
def claim_battle(*, arena: Arena, person: User, now: datetime) -> Seat | None:
    """Give the person a sampled battle that has a free seat, or the one that they hold; None if none is left.

    A battle has SEATS seats. A seat is free again when its time is over without a verdict. Battles
    that somebody has judged come first, so that pairs of verdicts are there early. Calling again
    gives the same seat, for longer. Raises ReviewerPaused for a paused member who holds none.
    """
    # This write makes the second of two simultaneous callers wait for the first.
    Arena.objects.filter(pk=arena.pk).update(seed=F("seed"))
    until = now + RESERVATION
    held = Seat.objects.filter(
        battle__arena=arena, person=person, judged_at=None, reserved_until__gt=now
    )
    seat = held.order_by("pk").first()
    if seat is None:
        _refuse_paused(arena, person)
        battle = _next_battle(arena, person, now)
        if battle is None:
            return None
        is_swapped = random.Random(f"{arena.seed}/{battle.pk}/{person.pk}").random() < 0.5
        seat, _new = Seat.objects.get_or_create(
            battle=battle,
            person=person,
            defaults={"is_swapped": is_swapped, "reserved_until": until},
        )
    Seat.objects.filter(pk=seat.pk).update(reserved_until=until)
    rows = Seat.objects.select_related("battle__arena", "battle__release_item__revision")
    return rows.select_related("battle__first", "battle__second").get(pk=seat.pk)


@transaction.atomic
def judge_battle(*, seat: Seat, verdict: str, reason: str, now: datetime) -> Seat:
    """Store the person's verdict, as they saw the sides. The same again changes nothing.

    Raises VerdictInvalid, TextInvalid, SeatExpired, SeatJudged.
    """
    reason = plain_text(reason)
    _check(verdict, reason)
    rows = Seat.objects.filter(pk=seat.pk, judged_at=None, reserved_until__gt=now)
    is_stored = rows.update(verdict=verdict, reason=reason, judged_at=now)
    seat.refresh_from_db()
    if not is_stored and not seat.verdict:
        raise SeatExpired
    if (seat.verdict, seat.reason) != (verdict, reason):
        raise SeatJudged
    return seat


@transaction.atomic
def take_back_verdict(
    *, arena: Arena, person: User, now: datetime, seat: int | None = None
) -> Seat:
    """Empty the person's last verdict, of the last 30 minutes, and give them its pair again.

    With the number of a `seat`, it is that one's verdict, and the same call again changes nothing: a
    second click would take back the verdict before it. The pair that they hold is free for others.
    Figures that were counted with the verdict stay until the arena is counted again. Raises
    NothingToTakeBack.
    """
    Arena.objects.filter(pk=arena.pk).update(seed=F("seed"))  # as in claim_battle
    own = Seat.objects.filter(battle__arena=arena, person=person)
    named = own if seat is None else own.filter(pk=seat)
    if held := named.filter(judged_at=None, reserved_until__gt=now).first() if seat else None:
        return held
    last = _last_verdict(named, now=now)
    if last is None:
        raise NothingToTakeBack
    own.filter(judged_at=None, reserved_until__gt=now).update(reserved_until=now)
    own.filter(pk=last.pk).update(
        verdict="", reason="", judged_at=None, reserved_until=now + RESERVATION
    )
    last.refresh_from_db()
    return last


def verdict_to_take_back(arena: Arena, person: User, *, now: datetime) -> Seat | None:
    """Return the seat with the person's last verdict, if it may still be taken back."""
    return _last_verdict(Seat.objects.filter(battle__arena=arena, person=person), now=now)


def _last_verdict(seats: QuerySet[Seat], *, now: datetime) -> Seat | None:
    recent = seats.filter(judged_at__gt=now - RESERVATION)
    return recent.order_by("-judged_at", "-pk").first()


def _refuse_paused(arena: Arena, person: User) -> None:
    paused = Membership.objects.filter(project=arena.project_id, user=person, is_paused=True)
    message = paused.values_list("pause_message", flat=True).first()
    if message is not None:
        raise reviewer_paused(message)


def _next_battle(arena: Arena, person: User, now: datetime) -> Battle | None:
    is_taken = Q(seats__judged_at__isnull=False) | Q(seats__reserved_until__gt=now)
    rows = arena.battles.filter(is_sampled=True).exclude(
        pk__in=Seat.objects.filter(person=person, judged_at__isnull=False).values("battle")
    )
    rows = rows.annotate(taken=Count("seats", filter=is_taken & ~Q(seats__person=person)))
    found: Battle | None = rows.filter(taken__lt=SEATS).order_by("-taken", "pk").first()
    return found


def _check(verdict: str, reason: str) -> None:
    faults: dict[str, list[str]] = {}
    if verdict not in VERDICTS:
        faults["verdict"] = [_("Choose one of: %s.") % ", ".join(VERDICTS)]
    if len(reason) > LONGEST_REASON:
        faults["reason"] = [_("Enter at most %d characters.") % LONGEST_REASON]
    if faults:
        raise VerdictInvalid(fields=faults)
