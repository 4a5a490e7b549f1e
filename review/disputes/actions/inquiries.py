"""Asking the reviewers of a dispute: one of them to look again, or somebody for one more judgement."""

from datetime import datetime
from typing import cast

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.models import Revision
from common.errors import DomainError
from common.reasons import checked_reason
from projects.enums import JUDGES
from projects.models import Membership
from review.disputes.actions.adjudication import DisputeSettled, check_senior
from review.enums import InquiryKind, InquiryState, PanelState, RoundState, SeatState
from review.idempotency import IdempotencyKeyReused
from review.models import Inquiry, Judgement, Panel
from review.seats.actions.further_seats import (
    MOST_SEATS,
    add_seat,
    end_inquiry,
    move_inquiry,
    seats_in_force,
)
from review.seats.actions.seats import free_expired_seats, search_of_working
from review.seats.refusals import RoundClosed
from review.workbench.actions.judgements import (
    JudgementContent,
    TextChanged,
    current_text,
    replace_judgement,
)


class DisputeWaits(DomainError):
    code = "dispute_waits"
    detail = _("This dispute is already waiting for an answer. Take that request back first.")


class InquiryRoundClosed(RoundClosed):
    detail = _(
        "The round is closed and its figures are frozen, so reviewers can no longer be asked. "
        "For more opinions, settle the dispute by rejecting the text, with that as your reason: "
        "the next round of items that are not approved asks reviewers about it again."
    )


class ReviewerAway(DomainError):
    code = "reviewer_away"
    detail = _(
        "This reviewer is paused or has left, so they cannot look again. Ask for one more "
        "judgement instead, or settle the dispute."
    )


class JudgementUnknown(DomainError):
    code = "judgement_unknown"
    detail = _("Choose one of the judgements of this dispute.")
    status = 400


class PanelFull(DomainError):
    code = "panel_full"
    detail = _("This item has %(most)s seats already, which is the most that a panel can have.")


class NothingAsked(DomainError):
    code = "nothing_asked"
    detail = _("This dispute no longer waits for anybody.")


class SeatInUse(DomainError):
    code = "seat_in_use"
    detail = _(
        "Somebody is judging the item at this moment. Wait for their judgement, or settle the "
        "dispute without it."
    )


class InquiryOver(DomainError):
    code = "inquiry_over"
    detail = _(
        "The senior no longer waits for your second look: it was taken back or the item was "
        "decided. Your first judgement stands."
    )


class InquiryOfAnother(DomainError):
    code = "inquiry_of_another"
    detail = _("Somebody else was asked to look at this item again.")
    status = 403


@transaction.atomic
def ask_second_look(
    *, panel: Panel, judgement: Judgement | None, note: str, actor: User, now: datetime
) -> Inquiry:
    """Ask the reviewer of `judgement` to look again, with a note; the dispute waits meanwhile.

    Raises ReasonMissing, ReasonTooLong, TextInvalid, JudgementUnknown, ReviewerAway and what
    `_open_to_questions` does.
    """
    note = checked_reason(note)
    locked = _open_to_questions(panel, actor)
    found = (
        locked.judgements.filter(pk=judgement.pk).select_related("reviewer") if judgement else []
    )
    asked = next(iter(found), None)
    if asked is None:
        raise JudgementUnknown
    # Locked: whoever leaves at this moment is not asked, or finds the question and ends it.
    standing = _working(asked.reviewer, panel).select_related("user")
    if not standing.select_for_update(of=("self", "user"), no_key=True).first():
        raise ReviewerAway
    inquiry = Inquiry.objects.create(
        panel=panel,
        kind=InquiryKind.SECOND_LOOK,
        judgement=asked,
        reviewer=asked.reviewer,
        note=note,
        asked_by=actor,
        asked_at=now,
    )
    _record("panel.second-look-asked", inquiry, actor, now, note=note, reviewer=inquiry.reviewer_id)
    return inquiry


@transaction.atomic
def ask_further_judgement(*, panel: Panel, actor: User, now: datetime) -> Inquiry:
    """Add a seat to a dispute; it is offered as others are, and the dispute waits meanwhile.

    Raises PanelFull and what `_open_to_questions` does.
    """
    locked = _open_to_questions(panel, actor)
    if seats_in_force(locked) >= MOST_SEATS:
        raise PanelFull(most=MOST_SEATS)
    inquiry = add_seat(panel=locked, asked_by=actor, now=now)
    _record("panel.seat-added", inquiry, actor, now, seat=inquiry.seat.seat if inquiry.seat else 0)
    return inquiry


@transaction.atomic
def take_back_inquiry(*, panel: Panel, actor: User, now: datetime) -> Inquiry:
    """Stop waiting; a seat only while nobody holds it. Raises OwnJudgement, NothingAsked, SeatInUse."""
    check_senior(panel, actor)
    locked = Panel.objects.select_for_update(no_key=True).get(pk=panel.pk)
    inquiry = Inquiry.objects.filter(panel=panel, state=InquiryState.OPEN).first()
    if inquiry is None:
        raise NothingAsked
    if inquiry.kind == InquiryKind.FURTHER_SEAT:
        free_expired_seats(round_=locked.round, now=now)
        inquiry.refresh_from_db(fields=["seat"])
        if inquiry.seat and inquiry.seat.state == SeatState.CLAIMED:
            raise SeatInUse
    end_inquiry(locked, InquiryState.TAKEN_BACK, now)
    _record("panel.inquiry-taken-back", inquiry, actor, now, kind=inquiry.kind)
    return inquiry


@transaction.atomic
def answer_second_look(
    *,
    inquiry: Inquiry,
    reviewer: User,
    revision_id: int,
    content: JudgementContent,
    idempotency_key: str,
    now: datetime,
) -> Judgement:
    """Store the reviewer's further judgement in the place of their first, and decide anew.

    The first stays as a row and counts in statements of work. The same idempotency key again
    returns the judgement stored first. In order: panel locked, the first marked, the judgement,
    the panel's tally and outcome, the inquiry → answered.

    Raises InquiryOfAnother, InquiryOver, RevisionStale, JudgementInvalid, IdempotencyKeyReused,
    RoundClosed, NotMember, ReviewerPaused, LanguageNotRead.
    """
    if inquiry.judgement is None or inquiry.reviewer_id != reviewer.pk:
        raise InquiryOfAnother
    panel = Panel.objects.select_for_update(no_key=True).get(pk=inquiry.panel_id)
    inquiry.refresh_from_db(fields=["state", "answer"])
    if replayed := _replayed(inquiry, reviewer, idempotency_key):
        return replayed
    if inquiry.state != InquiryState.OPEN:
        raise InquiryOver
    search_of_working(panel.round, reviewer, is_new=False)
    _check_text(panel, revision_id)
    judgement = replace_judgement(
        panel=panel,
        earlier=inquiry.judgement,
        content=content,
        idempotency_key=idempotency_key,
        since=inquiry.asked_at,
        now=now,
    )
    rows = Inquiry.objects.filter(pk=inquiry.pk)
    move_inquiry(rows, InquiryState.ANSWERED, answer=judgement, ended_at=now)
    return judgement


def end_second_looks(reviewer: User, project_slug: str, now: datetime) -> int:
    """End what was asked of a person who may no longer work; return how many disputes that frees."""
    rows = Inquiry.objects.filter(reviewer=reviewer)
    if project_slug:
        rows = rows.filter(panel__round__project__slug=project_slug)
    return move_inquiry(rows, InquiryState.ENDED, ended_at=now)


def works(reviewer: User, panel: Panel) -> bool:
    """Whether the reviewer can judge in the panel's project now."""
    return _working(reviewer, panel).exists()


def _working(reviewer: User, panel: Panel) -> QuerySet[Membership]:
    rows = Membership.objects.filter(
        user=reviewer, project=panel.round.project_id, is_paused=False, user__is_active=True
    )
    found: QuerySet[Membership] = rows.in_role(*JUDGES)
    return found


def _open_to_questions(panel: Panel, actor: User) -> Panel:
    """The locked panel, if its reviewers can be asked.

    Raises OwnJudgement, DisputeSettled, DisputeWaits, InquiryRoundClosed, TextChanged.
    """
    check_senior(panel, actor)
    # The round is read after that: in the same query it would be as it was before the wait.
    locked = Panel.objects.select_for_update(no_key=True).get(pk=panel.pk)
    if locked.state != PanelState.DISPUTED:
        raise DisputeSettled
    if locked.round.state != RoundState.OPEN:
        raise InquiryRoundClosed
    if Inquiry.objects.filter(panel=panel, state=InquiryState.OPEN).exists():
        raise DisputeWaits
    _check_text(locked, locked.revision_id)
    return locked


def _check_text(panel: Panel, revision_id: int) -> None:
    current = cast(Revision, panel.revision.translation.current_revision)
    if not revision_id == panel.revision_id == current.pk:
        raise TextChanged(current=current_text(current))


def _replayed(inquiry: Inquiry, reviewer: User, key: str) -> Judgement | None:
    """The judgement that was stored with this key. Raises IdempotencyKeyReused."""
    earlier: Judgement | None = Judgement.all_rows.filter(
        reviewer=reviewer, idempotency_key=key
    ).first()
    if earlier and earlier.pk != inquiry.answer_id:
        raise IdempotencyKeyReused
    return earlier


def _record(verb: str, inquiry: Inquiry, actor: User, now: datetime, **data: object) -> None:
    panel = inquiry.panel
    record_event(
        actor=actor,
        verb=verb,
        target=f"panel:{panel.pk}",
        scope=panel.round.project.slug,
        data={"item": panel.item.uid, **data},
        now=now,
    )
