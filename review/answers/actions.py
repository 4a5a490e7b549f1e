"""Storing what people give in comparisons and in solving rounds, and taking it back (ADR 0034)."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from languages.letters import letters_of
from projects.criteria import Criterion
from review.answers.comparing import candidates_for
from review.enums import PanelState, RoundKind, RoundState, SeatState
from review.idempotency import IdempotencyKeyReused
from review.limits import LONGEST_SECONDS, LONGEST_TEXT
from review.models import Answer, Assignment, ComparedText, Panel, Round, StatedAnswer
from review.seats.actions.seats import renew_seat, search_of_working
from review.seats.refusals import RoundClosed, SeatAlreadyJudged, SeatLost, SeatTaken
from review.workbench.actions.judgements import rating_faults
from review.workbench.actions.withdrawals import UndoTimeOver, refuse_paid, reopen_seat

MOST_TEXTS = 99


class AnswerInvalid(DomainError):
    code = "answer_invalid"
    detail = _("The answer is incomplete or contains invalid values.")
    status = 400


class TextsChanged(DomainError):
    code = "texts_changed"
    detail = _(
        "The texts of this item have changed since you opened it. Look at them again; nothing "
        "has been stored."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TextOpinion:
    """What somebody says of one text; `rank` is 1 for the best, None where they rank nothing."""

    is_approved: bool | None
    ratings: Mapping[str, int]
    rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerContent:
    """What somebody gives in a seat.

    In a solving round `choice` is a letter, or empty for "I cannot say". In a comparison
    `opinions` has one for each text by its number, and `token` says which texts were seen.
    """

    choice: str = ""
    opinions: Mapping[int, TextOpinion] | None = None
    token: str = ""
    comment: str = ""
    active_seconds: int = 0


def submit_answer(
    *,
    assignment: Assignment,
    reviewer: User,
    content: AnswerContent,
    idempotency_key: str,
    now: datetime,
) -> Answer:
    """Store the answer of the seat's holder.

    The same idempotency key again returns the answer stored first and changes nothing. An answer
    that comes after the seat's time ran out is stored if nobody else has taken the seat. In one
    transaction: seat → judged, the answer, what it says of each text, the round's count.

    Raises AnswerInvalid, TextsChanged, IdempotencyKeyReused, SeatTaken, SeatAlreadyJudged,
    RoundNotOpen, ReviewerPaused, LanguageNotRead.
    """
    said = (reviewer, content, idempotency_key, now)
    try:
        return _submit_once(assignment, *said)
    except SeatLost:
        seat = renew_seat(assignment=assignment, reviewer=reviewer, now=now)
        return _submit_once(seat, *said)


@transaction.atomic
def withdraw_answer(*, answer: Answer, reviewer: User, now: datetime) -> Assignment:
    """Give `reviewer` the seat of their answer again, as if they had not answered.

    Possible while the round is open and the project's `undo_minutes` are not over: nobody has
    seen the answer before the round is closed. The answer stays as a row, with the time of its
    withdrawal. Doing so again returns the seat while it is held.

    Raises JudgementPaid, UndoTimeOver, TooManyHeld, SeatTaken, RoundClosed, NotMember,
    ReviewerPaused, LanguageNotRead.
    """
    round_ = Round.objects.select_related("project").get(panels=answer.panel_id)
    search_of_working(round_, reviewer, is_new=False, kind=RoundKind(round_.kind))
    stated = StatedAnswer.objects.filter(answer=answer)
    refuse_paid(stated, round_, submitted_at=answer.submitted_at, now=now)
    # In the order of an answer, so that the two never wait for each other: panel, seat, round.
    panel = Panel.objects.select_for_update(no_key=True).get(pk=answer.panel_id)
    seat = Assignment.objects.get(pk=answer.assignment_id)
    seat.round = round_
    if Answer.all_rows.filter(pk=answer.pk, withdrawn_at__isnull=False).exists():
        if seat.state == SeatState.CLAIMED and seat.reviewer_id == reviewer.pk:
            return seat
        raise SeatTaken
    if panel.state != PanelState.JUDGING:  # the round was closed since it was read
        raise RoundClosed
    minutes = round_.project.undo_minutes
    if now - answer.submitted_at > timedelta(minutes=minutes):
        raise UndoTimeOver(minutes=minutes)
    reopen_seat(seat, reviewer, now)
    Answer.objects.filter(pk=answer.pk).update(withdrawn_at=now)
    Round.objects.filter(pk=round_.pk).update(answered_count=F("answered_count") - 1)
    seat.refresh_from_db(fields=["state", "slot", "expires_at"])
    return seat


def _submit_once(
    assignment: Assignment,
    reviewer: User,
    content: AnswerContent,
    idempotency_key: str,
    now: datetime,
) -> Answer:
    try:
        with transaction.atomic():
            return _store(assignment, reviewer, content, idempotency_key, now)
    except IntegrityError as error:  # the key was used before: for another seat, or taken back
        earlier = _replayed(assignment, reviewer, idempotency_key)
        if earlier:
            return earlier
        raise SeatAlreadyJudged from error


def _store(
    assignment: Assignment, reviewer: User, content: AnswerContent, key: str, now: datetime
) -> Answer:
    panels = Panel.objects.select_for_update(of=("self",), no_key=True).select_related("item")
    panel = panels.filter(pk=assignment.panel_id).first()
    if panel is None:  # the round was discarded since the seat was read
        raise RoundClosed
    since = _claimed_at(assignment)
    if not _take_seat(assignment, reviewer, now):
        earlier = _replayed(assignment, reviewer, key)
        if earlier:
            return earlier
        raise _why_not(panel, reviewer)
    is_comparison = assignment.round.kind == RoundKind.COMPARISON
    texts = (
        _checked_texts(panel, assignment.round, reviewer, content)
        if is_comparison
        else _checked_choice(panel, content)
    )
    _check_comment(content.comment)
    answer = Answer.objects.create(
        assignment=assignment,
        panel=panel,
        reviewer=reviewer,
        choice="" if is_comparison else content.choice,
        comment=content.comment,
        active_seconds=_active_seconds(content, since, now),
        idempotency_key=key,
        receipt=uuid.uuid4(),
        submitted_at=now,
    )
    ComparedText.objects.bulk_create(ComparedText(answer=answer, **fields) for fields in texts)
    # Last, so that others wait for this row as short as can be.
    Round.objects.filter(pk=panel.round_id).update(answered_count=F("answered_count") + 1)
    return answer


def _claimed_at(assignment: Assignment) -> datetime | None:
    """When the seat was taken, the first time if its time ran out meanwhile."""
    earlier = assignment.expired_claims.order_by("pk").values_list("claimed_at", flat=True)
    held = Assignment.objects.filter(pk=assignment.pk).values_list("claimed_at", flat=True)
    first: datetime | None = earlier.filter(reviewer=assignment.reviewer_id).first()
    return first or held.first()


def _take_seat(assignment: Assignment, reviewer: User, now: datetime) -> bool:
    rows = Assignment.objects.filter(
        pk=assignment.pk, reviewer=reviewer, state=SeatState.CLAIMED, expires_at__gt=now
    )
    return bool(rows.update(state=SeatState.JUDGED, expires_at=None))


def _replayed(assignment: Assignment, reviewer: User, key: str) -> Answer | None:
    rows = Answer.all_rows.filter(reviewer=reviewer, idempotency_key=key)
    earlier: Answer | None = rows.first()
    if earlier and earlier.assignment_id != assignment.pk:
        raise IdempotencyKeyReused
    return earlier


def _why_not(panel: Panel, reviewer: User) -> DomainError:
    if Answer.objects.filter(panel=panel, reviewer=reviewer).exists():
        return SeatAlreadyJudged()
    if not Round.objects.filter(pk=panel.round_id, state=RoundState.OPEN).exists():
        return RoundClosed()
    return SeatLost()


def _checked_choice(panel: Panel, content: AnswerContent) -> list[dict[str, Any]]:
    letters = letters_of(len(panel.item.options))
    if content.choice and content.choice not in set(letters):
        words = _("Choose one of the options, or say that you cannot answer.")
        raise AnswerInvalid(fields={"choice": [str(words)]})
    return []


def _checked_texts(
    panel: Panel, round_: Round, reviewer: User, content: AnswerContent
) -> list[dict[str, Any]]:
    """The columns of what is said of each system's text. Raises TextsChanged, AnswerInvalid."""
    shown = candidates_for(panel, round_, reviewer.pk)
    if content.token != shown.token:
        raise TextsChanged
    opinions = content.opinions or {}
    criteria = round_.project.criteria
    faults: dict[str, list[str]] = {}
    for text in shown.texts:
        faults |= _opinion_faults(
            text.number, opinions.get(text.number), len(shown.texts), criteria
        )
    ranked = [each for each in opinions.values() if each.rank is not None]
    if ranked and len(ranked) < len(shown.texts):
        faults["rank"] = [str(_("Rank all texts, or none."))]
    if set(opinions) - {text.number for text in shown.texts}:
        most = {"count": len(shown.texts)}
        faults["texts"] = [str(_("This item has only %(count)s texts.") % most)]
    if faults:
        raise AnswerInvalid(fields=faults)
    return [
        {
            "revision_id": revision,
            "is_approved": opinions[text.number].is_approved,
            "ratings": {each.name: opinions[text.number].ratings[each.name] for each in criteria},
            "rank": opinions[text.number].rank,
            "place": text.number - 1,
        }
        for text in shown.texts
        for revision in text.revisions
    ]


def _opinion_faults(
    number: int, said: TextOpinion | None, texts: int, criteria: Sequence[Criterion]
) -> dict[str, list[str]]:
    if said is None or said.is_approved is None:
        return {f"texts.{number}": [str(_("Say whether you approve the text."))]}
    faults = rating_faults(said.ratings, criteria, f"texts.{number}")
    if said.rank is not None and said.rank not in range(1, texts + 1):
        faults[f"texts.{number}.rank"] = [
            str(_("Choose a rank from 1 to %(count)s.") % {"count": texts})
        ]
    return faults


def _check_comment(comment: str) -> None:
    if len(comment) > LONGEST_TEXT:
        raise AnswerInvalid(fields={"comment": [str(_("The text is too long."))]})


def _active_seconds(content: AnswerContent, since: datetime | None, now: datetime) -> int:
    """The browser's measure, but never more than passed between claim and answer."""
    most = LONGEST_SECONDS
    if since is not None:
        most = min(most, max(0, ceil((now - since).total_seconds())))
    return min(content.active_seconds, most)
