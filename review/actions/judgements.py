"""Storing a judgement once, and acting on what the panel amounts to."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.actions.revisions import (
    RevisionStale,
    approve_translation,
    create_revision,
    reject_translation,
)
from annotation.enums import Origin
from annotation.models import Finding, Revision, Translation
from common.db import move
from common.errors import DomainError
from review.actions.seats import RoundClosed, SeatAlreadyJudged, SeatLost, renew_seat
from review.enums import (
    PANEL_TRANSITIONS,
    ErrorTag,
    PanelState,
    RoundState,
    SeatState,
    Verdict,
)
from review.models import Assignment, Judgement, Panel, Round
from review.outcomes import (
    Correction,
    Decision,
    PanelJudgement,
    ReasonCode,
    RuleWord,
    VerdictWord,
    decide,
    make_tally,
    normalise_correction,
    tally_token,
)

HIGHEST_RATING = 5
LONGEST_TEXT = 20_000
LONGEST_SECONDS = 24 * 3600


class JudgementInvalid(DomainError):
    code = "judgement_invalid"
    detail = _("The judgement is not complete.")
    status = 400


class IdempotencyKeyReused(DomainError):
    code = "idempotency_key_reused"
    detail = _("This idempotency key belongs to another judgement.")


class TextChanged(RevisionStale):
    detail = _(
        "The text was changed while you judged it, so this judgement cannot be stored. Skip the "
        "item: its new text is judged in the next round."
    )


class PanelNotOpen(DomainError):
    code = "panel_not_open"
    detail = _("This item is no longer being judged.")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementContent:
    """What a reviewer says of a revision; `correction` comes with *revise* and only with it."""

    verdict: str
    domain: int
    cultural: int
    tags: Sequence[str] = ()
    comment: str = ""
    correction: Correction | None = None
    active_seconds: int = 0


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

    The same idempotency key again returns the judgement stored first and changes nothing.
    In one transaction: seat → judged, judgement, the panel's tally and, when the panel is
    complete, its outcome: approved and rejected move the translation, revised makes a new
    revision by the first reviewer, disputed waits for a senior.

    Raises JudgementInvalid, IdempotencyKeyReused, SeatLost, SeatAlreadyJudged, RoundClosed,
    RevisionStale (its `current` holds the text as it is now).
    """
    try:
        with transaction.atomic():
            return _store(assignment, reviewer, revision_id, content, idempotency_key, now)
    except IntegrityError as error:  # the key was used for two seats at once
        _replayed(assignment, reviewer, idempotency_key)
        raise SeatAlreadyJudged from error


def submit_or_renew(
    *,
    assignment: Assignment,
    reviewer: User,
    revision_id: int,
    content: JudgementContent,
    idempotency_key: str,
    now: datetime,
) -> Judgement:
    """Store a judgement that may come late: a seat whose time ran out is taken again if it is free.

    Raises what `submit_judgement` and `renew_seat` raise; SeatTaken when somebody else has it.
    """
    said: dict[str, Any] = {
        "reviewer": reviewer,
        "revision_id": revision_id,
        "content": content,
        "idempotency_key": idempotency_key,
        "now": now,
    }
    try:
        return submit_judgement(assignment=assignment, **said)
    except SeatLost:
        seat = renew_seat(assignment=assignment, reviewer=reviewer, now=now)
        return submit_judgement(assignment=seat, **said)


def has_open_errors(revision_id: int) -> bool:
    """Whether a check found an error in the text that nobody set aside."""
    return Finding.objects.filter(revision_id=revision_id).open().errors().exists()


def current_text(revision: Revision) -> dict[str, Any]:
    """The text as a refusal shows it."""
    return {
        "revision": revision.pk,
        "question": revision.question,
        "options": list(revision.options),
    }


def check_correction(correction: Correction, revision: Revision, option_count: int) -> None:
    """Hold the invariants of an edit. Raises JudgementInvalid with the fields at fault."""
    faults: dict[str, list[str]] = {}
    if not correction.question.strip():
        faults["correction.question"] = [str(_("The question must not be empty."))]
    if len(correction.options) != option_count:
        faults["correction.options"] = [
            str(
                _("The item has %(count)s options; their number must stay.")
                % {"count": option_count}
            )
        ]
    for index, text in enumerate(correction.options):
        if not text.strip():
            faults[f"correction.options.{index}"] = [str(_("An option must not be empty."))]
    if sum(map(len, (correction.question, *correction.options))) > LONGEST_TEXT:
        faults["correction"] = [str(_("The text is too long."))]
    unchanged = (revision.question, tuple(revision.options))
    if not faults and unchanged == (correction.question, correction.options):
        faults["correction"] = [str(_("Nothing was changed. Approve the text, or correct it."))]
    if faults:
        raise JudgementInvalid(fields=faults)


def _replayed(assignment: Assignment, reviewer: User, key: str) -> Judgement | None:
    earlier = Judgement.objects.filter(reviewer=reviewer, idempotency_key=key).first()
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
    panel = (
        Panel.objects.select_for_update(of=("self",))
        .annotate(
            current_revision_id=F("revision__translation__current_revision"),
            panel_size=F("round__panel_size"),
        )
        .get(pk=assignment.panel_id)
    )
    if not _take_seat(assignment, reviewer, now):
        earlier = _replayed(assignment, reviewer, idempotency_key)
        if earlier:
            return earlier
        raise _why_not(panel, reviewer)
    if not revision_id == panel.revision_id == panel.current_revision_id:
        raise TextChanged(current=current_text(_current_revision(panel)))
    correction = _checked(content, panel)
    judgement = Judgement.objects.create(
        assignment=assignment,
        panel=panel,
        revision_id=panel.revision_id,
        reviewer=reviewer,
        verdict=content.verdict,
        domain=content.domain,
        cultural=content.cultural,
        tags=sorted(set(content.tags)),
        comment=content.comment,
        correction=_as_json(correction),
        active_seconds=min(content.active_seconds, LONGEST_SECONDS),
        idempotency_key=idempotency_key,
        receipt=uuid.uuid4(),
        submitted_at=now,
    )
    _count_in(panel, judgement, now)
    # Last, so that others wait for this row as short as can be.
    Round.objects.filter(pk=panel.round_id).update(judged_count=F("judged_count") + 1)
    return judgement


def _take_seat(assignment: Assignment, reviewer: User, now: datetime) -> bool:
    """Swap the seat from claimed to judged, if it is the reviewer's and its time is not over."""
    rows = Assignment.objects.filter(
        pk=assignment.pk, reviewer=reviewer, state=SeatState.CLAIMED, expires_at__gt=now
    )
    return bool(rows.update(state=SeatState.JUDGED, expires_at=None))


def _why_not(panel: Panel, reviewer: User) -> DomainError:
    current = current_text(_current_revision(panel))
    if panel.judgements.filter(reviewer=reviewer).exists():
        return SeatAlreadyJudged(current=current)
    if panel.round.state != RoundState.OPEN:
        return RoundClosed(current=current)
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
    for name in ("domain", "cultural"):
        if not 0 <= getattr(content, name) <= HIGHEST_RATING:
            faults[f"ratings.{name}"] = [str(_("Choose a rating from 0 to 5."))]
    unknown = sorted(set(content.tags) - set(ErrorTag.values))
    if unknown:
        faults["tags"] = [str(_("Unknown tag: %(tags)s.") % {"tags": ", ".join(unknown)})]
    if len(content.comment) > LONGEST_TEXT:
        faults["comment"] = [str(_("The text is too long."))]
    is_revise = content.verdict == Verdict.REVISE
    if is_revise and content.correction is None:
        faults["correction"] = [str(_("To revise, give the corrected text."))]
    if faults:
        raise JudgementInvalid(fields=faults)
    if not is_revise or content.correction is None:
        return None
    correction = normalise_correction(content.correction)
    check_correction(correction, panel.revision, len(panel.item.options))
    return correction


def _as_json(correction: Correction | None) -> dict[str, Any] | None:
    if correction is None:
        return None
    return {"question": correction.question, "options": list(correction.options)}


def _count_in(panel: Any, judgement: Judgement, now: datetime) -> None:
    """Bring the panel's tally up to date and, when it is complete, act on its outcome."""
    token = tally_token(judgement.verdict, judgement.domain, judgement.cultural)
    tokens = [*panel.tally.split(), token]
    tally = make_tally(tokens)
    if len(tokens) < panel.panel_size:
        Panel.objects.filter(pk=panel.pk).update(tally=tally)
        return
    judgements = list(panel.judgements.order_by("pk"))
    decision = _decide(panel, judgements)
    is_disputed = decision.outcome == "disputed"
    move(
        Panel.objects.filter(pk=panel.pk),
        to=PanelState.DISPUTED if is_disputed else PanelState.SETTLED,
        transitions={PanelState.JUDGING: PANEL_TRANSITIONS[PanelState.JUDGING]},
        refusal=PanelNotOpen,
        tally=tally,
        outcome=decision.outcome,
        reasons=[reason.as_json() for reason in decision.reasons],
        severity=dispute_severity(decision),
        decided_at=now,
        settled_at=None if is_disputed else now,
    )
    _act_on(decision, panel, judgements, now)


def _decide(panel: Panel, judgements: Sequence[Judgement]) -> Decision:
    return decide(
        [as_panel_judgement(judgement) for judgement in judgements],
        panel_size=panel.round.panel_size,
        verdict_rule=cast(RuleWord, panel.round.verdict_rule),
        score_gap=panel.round.score_gap,
        has_open_errors=has_open_errors(panel.revision_id),
    )


def as_panel_judgement(judgement: Judgement) -> PanelJudgement:
    """The part of a stored judgement that decides."""
    stored: Mapping[str, Any] | None = judgement.correction
    return PanelJudgement(
        verdict=cast(VerdictWord, judgement.verdict),
        domain=judgement.domain,
        cultural=judgement.cultural,
        tags=frozenset(judgement.tags),
        correction=Correction(stored["question"], tuple(stored["options"])) if stored else None,
    )


def dispute_severity(decision: Decision) -> int:
    """How far a panel is from agreement; the queue shows the worst first."""
    weights = {
        ReasonCode.KEY_CHALLENGED: 40,
        ReasonCode.VERDICT_SPLIT: 20,
        ReasonCode.FLAGGED: 10,
        ReasonCode.DIFFERENT_CORRECTIONS: 5,
    }
    gaps = sum((r.high or 0) - (r.low or 0) for r in decision.reasons)
    return gaps + sum(weights.get(reason.code, 0) for reason in decision.reasons)


def _act_on(
    decision: Decision, panel: Panel, judgements: Sequence[Judgement], now: datetime
) -> None:
    if decision.outcome == "approved":
        approve_translation(revision=panel.revision)
    elif decision.outcome == "rejected":
        reject_translation(revision=panel.revision)
    elif decision.outcome == "revised" and decision.correction is not None:
        author = next(j.reviewer for j in judgements if j.verdict == Verdict.REVISE)
        create_revision(
            base=panel.revision,
            question=decision.correction.question,
            options=decision.correction.options,
            origin=Origin.HUMAN,
            author=author,
            now=now,
        )
