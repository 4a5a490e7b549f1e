"""Storing a judgement once, and acting on what the panel amounts to."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any, cast

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.items.revisions import (
    RevisionStale,
)
from annotation.models import Revision, Translation
from common.errors import DomainError
from common.prepared import Update, insert_prepared, prepared, prepared_update
from projects.criteria import Criterion, names_of
from review.enums import (
    ErrorTag,
    PanelState,
    RoundKind,
    RoundState,
    SeatState,
    Verdict,
)
from review.idempotency import IdempotencyKeyReused
from review.limits import LONGEST_SECONDS, LONGEST_TEXT
from review.models import Assignment, ExpiredClaim, Judgement, Panel, Round
from review.outcomes import (
    Correction,
    later_tally,
    tally_token,
)
from review.seats.actions.conclusions import PanelNotOpen, conclude, count_in
from review.seats.actions.seats import renew_seat
from review.seats.refusals import OtherKind, RoundClosed, SeatAlreadyJudged, SeatLost, SeatTaken
from review.selection.controls import as_shown
from review.workbench.actions.numbers import confirm_numbers
from review.workbench.queries import seconds_before_reveal


class JudgementInvalid(DomainError):
    code = "judgement_invalid"
    detail = _("The judgement is incomplete or contains invalid values.")
    status = 400


class TextChanged(RevisionStale):
    detail = _(
        "The text changed while you were judging it, so your judgement cannot be stored. Skip "
        "this item. The new text is judged in the next round."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementContent:
    """What a reviewer says of a revision; `correction` comes with *revise* and only with it.

    `revealed_after` is for rounds with a blind first reading; without it a stored `Reveal` counts.
    """

    verdict: str
    ratings: Mapping[str, int]
    tags: Sequence[str] = ()
    comment: str = ""
    correction: Correction | None = None
    active_seconds: int = 0
    revealed_after: int | None = None
    numbers_confirmed: bool = False


def submit_judgement(
    *,
    assignment: Assignment,
    reviewer: User,
    revision_id: int,
    content: JudgementContent,
    idempotency_key: str,
    now: datetime,
) -> Judgement:
    """Store the judgement of the seat's holder; with the last seat of a panel, act on its outcome.

    The same idempotency key again returns the judgement stored first and changes nothing, also
    when it was withdrawn since. A judgement that comes after the seat's time ran out is stored if
    nobody else has taken the seat.
    A reviewer who was paused meanwhile may finish, but not after the seat's time.
    In one transaction: seat → judged, judgement, the panel's tally and, when the panel is
    complete, its outcome: approved and rejected move the translation, revised makes a new
    revision by the first reviewer, disputed waits for a senior; a text that was approved before
    is not approved any more.

    Raises JudgementInvalid, NumbersUnconfirmed, IdempotencyKeyReused, SeatTaken,
    SeatAlreadyJudged, RoundNotOpen, ReviewerPaused, LanguageNotRead, RevisionStale; `current` of
    an error holds the text as it is now.
    """
    said = (reviewer, revision_id, content, idempotency_key, now)
    try:
        return _submit_once(assignment, *said)
    except SeatLost as lost:
        try:
            seat = renew_seat(assignment=assignment, reviewer=reviewer, now=now)
        except SeatTaken as error:
            raise SeatTaken(current=lost.current) from error
        return _submit_once(seat, *said)


def _submit_once(
    assignment: Assignment,
    reviewer: User,
    revision_id: int,
    content: JudgementContent,
    idempotency_key: str,
    now: datetime,
) -> Judgement:
    try:
        with transaction.atomic():
            return _store(assignment, reviewer, revision_id, content, idempotency_key, now)
    except IntegrityError as error:  # the key was used before: for another seat, or taken back
        earlier = _replayed(assignment, reviewer, idempotency_key)
        if earlier:
            return earlier
        raise SeatAlreadyJudged from error


def current_text(revision: Revision) -> dict[str, Any]:
    """The text as a refusal shows it."""
    return {
        "revision": revision.pk,
        "question": revision.question,
        "options": list(revision.options),
        **{name: text for name, text in Correction.of(revision).further() if text},
    }


def check_correction(correction: Correction, revision: Revision, option_count: int) -> None:
    """Hold the invariants of an edit. Raises JudgementInvalid with the fields at fault."""
    faults: dict[str, list[str]] = {}
    if not correction.question.strip():
        faults["correction.question"] = [str(_("The question must not be empty."))]
    if len(correction.options) != option_count:
        faults["correction.options"] = [
            str(
                _("Give exactly %(count)s options, as many as the item has.")
                % {"count": option_count}
            )
        ]
    for index, text in enumerate(correction.options):
        if not text.strip():
            faults[f"correction.options.{index}"] = [str(_("An option must not be empty."))]
    if revision.answer and not correction.answer:
        faults["correction.answer"] = [str(_("The answer must not be empty."))]
    if sum(len(text) for _field, text in correction.texts()) > LONGEST_TEXT:
        faults["correction"] = [str(_("The text is too long."))]
    if not faults and Correction.of(revision) == correction:
        faults["correction"] = [
            str(_("You chose revise but did not change the text. Approve it or correct it."))
        ]
    if faults:
        raise JudgementInvalid(fields=faults)


def _replayed(assignment: Assignment, reviewer: User, key: str) -> Judgement | None:
    earlier: Judgement | None = Judgement.all_rows.filter(
        reviewer=reviewer, idempotency_key=key
    ).first()
    if earlier and earlier.assignment_id != assignment.pk:
        raise IdempotencyKeyReused
    return earlier


def _store(
    assignment: Assignment,
    reviewer: User,
    revision_id: int,
    content: JudgementContent,
    idempotency_key: str,
    now: datetime,
) -> Judgement:
    # Panels are judged by several at once: the lock makes the last one see all the others, and
    # the same judgement sent twice at once find itself stored.
    panel: Any = _locked_panel.first(
        panel=assignment.panel_id, seat=assignment.pk, reviewer=reviewer.pk
    )
    if panel is None:  # the round was discarded since the seat was read
        raise RoundClosed
    panel.round = assignment.round
    if panel.round.kind != RoundKind.REVIEW:
        raise OtherKind(kind=RoundKind(panel.round.kind).label)
    if not _take_seat(assignment, reviewer, now):
        earlier = _replayed(assignment, reviewer, idempotency_key)
        if earlier:
            return earlier
        raise _why_not(panel, reviewer)
    current = panel.revision_id if panel.is_control else panel.current_revision_id
    if not revision_id == panel.revision_id == current:
        raise TextChanged(current=current_text(_current_revision(panel)))
    judgement = _insert(
        content,
        panel,
        assignment=assignment.pk,
        reviewer=reviewer.pk,
        key=idempotency_key,
        now=now,
        active_seconds=_within(content.active_seconds, panel.claimed_at, now),
        revealed_after=_revealed_after(content, panel, reviewer, now),
    )
    count_in(panel, judgement, now)
    # Last, so that others wait for this row as short as can be.
    count = _count_control if panel.is_control else _count_judged
    count(round_=panel.round_id)
    return judgement


def _insert(
    content: JudgementContent,
    panel: Any,
    *,
    assignment: int,
    reviewer: int,
    key: str,
    now: datetime,
    active_seconds: int,
    revealed_after: int | None,
) -> Judgement:
    """Check what was said and insert its row. Raises JudgementInvalid, NumbersUnconfirmed."""
    correction = _checked(content, panel)
    confirmed = confirm_numbers(correction, panel, is_confirmed=content.numbers_confirmed)
    judgement = Judgement(
        assignment_id=assignment,
        panel=panel,
        revision_id=panel.revision_id,
        reviewer_id=reviewer,
        verdict=content.verdict,
        ratings={each.name: content.ratings[each.name] for each in panel.round.project.criteria},
        tags=sorted(set(content.tags)),
        comment=content.comment,
        correction=correction.as_json() if correction else None,
        numbers_confirmed=confirmed,
        active_seconds=active_seconds,
        revealed_after=revealed_after,
        idempotency_key=key,
        receipt=uuid.uuid4(),
        submitted_at=now,
        is_control=panel.is_control,
    )
    return insert_prepared(judgement)


@prepared(panel=int, seat=int, reviewer=int)
def _locked_panel(panel: int, seat: int, reviewer: int) -> QuerySet[Any]:
    """The panel with the revision that its translation has now, locked.

    `claimed_at` is when the reviewer took the seat, the first time if its time ran out meanwhile.
    """
    rows = Panel.with_controls.select_for_update(of=("self",), no_key=True)
    current = F("revision__translation__current_revision")
    now_held = Assignment.objects.filter(pk=seat).values("claimed_at")
    held_before = ExpiredClaim.objects.filter(assignment=seat, reviewer=reviewer)
    claimed_at = Coalesce(Subquery(held_before.values("claimed_at")[:1]), Subquery(now_held))
    return rows.annotate(current_revision_id=current, claimed_at=claimed_at).filter(pk=panel)


def _within(seconds: int, claimed_at: datetime | None, now: datetime) -> int:
    """The browser's measure, but never more than passed between claim and judgement.

    A second that has begun counts whole.
    """
    most = LONGEST_SECONDS
    if claimed_at is not None:
        most = min(most, max(0, ceil((now - claimed_at).total_seconds())))
    return min(seconds, most)


def _revealed_after(
    content: JudgementContent, panel: Any, reviewer: User, now: datetime
) -> int | None:
    """When the source was shown, where the round asks for a blind first reading.

    Raises JudgementInvalid if it was not: nobody judges a translation without its source.
    """
    if not panel.round.has_blind_reading:
        return None
    seconds = content.revealed_after
    if seconds is None:
        seconds = seconds_before_reveal(panel.pk, reviewer.pk, panel.claimed_at)
    if seconds is None:
        words = _("Show the source and the key before you send your judgement.")
        raise JudgementInvalid(fields={"revealed_after": [str(words)]})
    return _within(seconds, panel.claimed_at, now)


@prepared_update(round_=int)
def _count_judged(round_: int) -> Update:
    return Round.objects.filter(pk=round_), {"judged_count": F("judged_count") + 1}


@prepared_update(round_=int)
def _count_control(round_: int) -> Update:
    return Round.objects.filter(pk=round_), {"control_judged_count": F("control_judged_count") + 1}


@prepared_update(seat=int, reviewer=int, now=datetime)
def _take_claimed(seat: int, reviewer: int, now: datetime) -> Update:
    rows = Assignment.objects.filter(
        pk=seat, reviewer_id=reviewer, state=SeatState.CLAIMED, expires_at__gt=now
    )
    return rows, {"state": SeatState.JUDGED, "expires_at": None}


def _take_seat(assignment: Assignment, reviewer: User, now: datetime) -> bool:
    """Swap the seat from claimed to judged, if it is the reviewer's and its time is not over."""
    return bool(_take_claimed(seat=assignment.pk, reviewer=reviewer.pk, now=now))


def _why_not(panel: Panel, reviewer: User) -> DomainError:
    current = current_text(_current_revision(panel))
    if Judgement.with_controls.filter(panel=panel.pk, reviewer=reviewer).exists():
        return SeatAlreadyJudged(current=current)
    # Asked anew: the round that came with the seat was read before the panel was locked.
    if not Round.objects.filter(pk=panel.round_id, state=RoundState.OPEN).exists():
        return RoundClosed(current=current)
    if panel.state == PanelState.SETTLED:
        return PanelNotOpen(current=current)
    return SeatLost(current=current)


def _current_revision(panel: Panel) -> Revision:
    translation = Translation.objects.select_related("current_revision").get(
        pk=panel.revision.translation_id
    )
    return cast(Revision, translation.current_revision)


def _checked(content: JudgementContent, panel: Panel) -> Correction | None:
    """Return the correction in its stored form. Raises JudgementInvalid."""
    faults: dict[str, list[str]] = {}
    if content.verdict not in Verdict.values:
        faults["verdict"] = [str(_("Choose approve, revise or reject."))]
    faults.update(rating_faults(content.ratings, panel.round.project.criteria))
    unknown = sorted(set(content.tags) - set(ErrorTag.values))
    if unknown:
        faults["tags"] = [str(_("Unknown tag: %(tags)s.") % {"tags": ", ".join(unknown)})]
    if len(content.comment) > LONGEST_TEXT:
        faults["comment"] = [str(_("The text is too long."))]
    is_revise = content.verdict == Verdict.REVISE
    if is_revise and content.correction is None:
        faults["correction"] = [str(_("Give the corrected text when you choose revise."))]
    if faults:
        raise JudgementInvalid(fields=faults)
    if not is_revise or content.correction is None:
        return None
    shown = as_shown(panel).revision
    correction = content.correction.in_full(shown)
    check_correction(correction, shown, len(panel.item.options))
    return correction


def rating_faults(
    ratings: Mapping[str, int], criteria: Sequence[Criterion], place: str = "ratings"
) -> dict[str, list[str]]:
    """What is wrong with ratings by the project's criteria, by field."""
    words = _("Choose a rating from %(lowest)s to %(highest)s.")
    faults = {
        f"{place}.{each.name}": [str(words % {"lowest": each.lowest, "highest": each.highest})]
        for each in criteria
        if ratings.get(each.name) not in each.scale
    }
    for name in sorted(set(ratings) - set(names_of(criteria))):
        known = ", ".join(names_of(criteria))
        faults[f"{place}.{name}"] = [str(_("This project rates: %(names)s.") % {"names": known})]
    return faults


def replace_judgement(
    *,
    panel: Any,
    earlier: Judgement,
    content: JudgementContent,
    idempotency_key: str,
    since: datetime,
    now: datetime,
) -> Judgement:
    """Store a further judgement in the place of `earlier`, and decide the disputed panel anew.

    The panel is locked and has its round, and the text is still the one that was judged. `since`
    is when the reviewer was asked. Raises JudgementInvalid, NumbersUnconfirmed.
    """
    Judgement.objects.filter(pk=earlier.pk).update(is_withdrawn=True)
    judgement = _insert(
        content,
        panel,
        assignment=earlier.assignment_id,
        reviewer=earlier.reviewer_id,
        key=idempotency_key,
        now=now,
        active_seconds=_within(content.active_seconds, since, now),
        revealed_after=earlier.revealed_after,
    )
    said = panel.judgements.order_by("pk").values_list("verdict", "ratings")
    criteria = panel.round.project.criteria
    tokens = [tally_token(verdict, ratings, criteria) for verdict, ratings in said]
    conclude(panel, tally=later_tally(panel.tally, tokens), now=now)
    return judgement
