"""A senior's decision on a dispute."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.enums import Origin
from annotation.items.revisions import (
    RevisionStale,
    approve_translation,
    create_revision,
    reject_translation,
)
from annotation.models import Revision
from common.db import move
from common.errors import DomainError
from review.enums import (
    PANEL_TRANSITIONS,
    DecisionKind,
    InquiryState,
    PanelState,
    RoundKind,
    Verdict,
)
from review.idempotency import IdempotencyKeyReused
from review.models import Adjudication, Judgement, Panel
from review.outcomes import Correction
from review.rules import own_panels
from review.seats.actions.conclusions import has_open_errors
from review.seats.actions.further_seats import end_inquiry
from review.workbench.actions.judgements import check_correction, current_text
from review.workbench.actions.numbers import confirm_numbers


class DisputeSettled(DomainError):
    code = "dispute_settled"
    detail = _("This dispute was settled in the meantime. Your decision was not stored.")


class OwnJudgement(DomainError):
    code = "own_judgement"
    detail = _("You judged or wrote this text, so another senior must settle the dispute.")
    status = 403


class ReasonNeeded(DomainError):
    code = "reason_needed"
    detail = _("No reviewer chose this. Give a reason, so that they can understand it.")
    status = 400


class KeyInDispute(DomainError):
    code = "key_in_dispute"
    detail = _("This dispute is about the key. Say whether the key stands or correct it.")


class DecisionInvalid(DomainError):
    code = "decision_invalid"
    detail = _("The decision is not complete.")
    status = 400


class ErrorsOpen(DomainError):
    code = "errors_open"
    detail = _(
        "The checks found errors in this text, so it cannot be approved. Correct the text, or "
        "dismiss the findings with a reason."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionContent:
    """What a senior decides.

    *adopt* takes the correction of `judgement`, whole or only `fields` of it ("question",
    "options.0", …); adopting an approval or a rejection is that decision. *merge* takes
    `correction`; where that is a reviewer's text, it counts as adopted.
    """

    kind: str
    judgement: Judgement | None = None
    fields: Collection[str] = ()
    correction: Correction | None = None
    reason: str = ""
    citation: str = ""
    numbers_confirmed: bool = False


@transaction.atomic
def adjudicate_panel(
    *,
    panel: Panel,
    senior: User,
    content: DecisionContent,
    now: datetime,
    idempotency_key: str = "",
    bulk: str = "",
) -> Adjudication:
    """Settle a dispute: approve the text, give it a new revision, or reject it.

    In order: panel → settled, the translation's move or new revision (which waits for the next
    round), the decision, the audit row. What the dispute waited for ends. Of two seniors at once
    one is told DisputeSettled. The same idempotency key again returns the decision stored first,
    also when it was withdrawn since. `bulk` names the decision on many disputes that this one is
    part of: people are told of it once.
    Raises KeyInDispute, DisputeSettled, IdempotencyKeyReused, OwnJudgement, DecisionInvalid,
    NumbersUnconfirmed, ReasonNeeded, ErrorsOpen, RevisionStale.
    """
    if earlier := _replayed(panel, senior, idempotency_key):
        return earlier
    if panel.round.kind != RoundKind.REVIEW:
        raise KeyInDispute
    try:
        _settle(panel, now)
    except DisputeSettled:
        if earlier := _replayed(panel, senior, idempotency_key):  # sent twice at once
            return earlier
        raise
    adjudication = _store(panel, senior, content, idempotency_key, now)
    _record(adjudication, bulk, now)
    return adjudication


def _store(
    panel: Panel, senior: User, content: DecisionContent, idempotency_key: str, now: datetime
) -> Adjudication:
    """Check the decision on a panel that is settled by it, and store it.

    Who settles holds the panel, so that no judgement comes in between.
    """
    judgements = list(panel.judgements.select_related("reviewer").order_by("pk"))
    check_senior(panel, senior)
    content = _resolve(content, panel, judgements)
    _check_reason(content, judgements)
    content = replace(content, numbers_confirmed=_confirmed(content, panel, judgements))
    adjudication = Adjudication.objects.create(
        panel=panel,
        senior=senior,
        decision=content.kind,
        adopted=content.judgement,
        resulting_revision=_apply(content, panel, senior, now),
        reason=content.reason.strip(),
        citation=content.citation.strip(),
        numbers_confirmed=content.numbers_confirmed,
        decided_at=now,
        idempotency_key=idempotency_key,
    )
    Panel.objects.filter(pk=panel.pk).update(adjudication=adjudication)
    return adjudication


def _record(adjudication: Adjudication, bulk: str, now: datetime) -> None:
    panel = adjudication.panel
    data = {"decision": adjudication.decision, "reason": adjudication.reason}
    record_event(
        actor=adjudication.senior,
        verb="panel.adjudicated",
        target=f"panel:{panel.pk}",
        scope=panel.round.project.slug,
        data=data | ({"bulk": bulk} if bulk else {}),
        now=now,
    )


def _settle(panel: Panel, now: datetime) -> None:
    """Move the panel to settled and end what it waited for. Raises DisputeSettled, RevisionStale."""
    move(
        Panel.objects.filter(pk=panel.pk),
        to=PanelState.SETTLED,
        transitions={PanelState.DISPUTED: PANEL_TRANSITIONS[PanelState.DISPUTED]},
        refusal=DisputeSettled,
        settled_at=now,
    )
    end_inquiry(panel, InquiryState.ENDED, now)
    if panel.revision.translation.current_revision_id != panel.revision_id:
        current = cast(Revision, panel.revision.translation.current_revision)
        raise RevisionStale(current=current_text(current))


def _replayed(panel: Panel, senior: User, key: str) -> Adjudication | None:
    earlier = (
        Adjudication.objects.filter(senior=senior, idempotency_key=key).first() if key else None
    )
    if earlier and earlier.panel_id != panel.pk:
        raise IdempotencyKeyReused
    return earlier


def check_senior(panel: Panel, senior: User) -> None:
    """Refuse whoever judged, answered or wrote what the dispute is about. Raises OwnJudgement."""
    if Panel.objects.filter(own_panels(senior), pk=panel.pk).exists():
        raise OwnJudgement


def _resolve(
    content: DecisionContent, panel: Panel, judgements: Sequence[Judgement]
) -> DecisionContent:
    """Turn the choice into an approval, a rejection, or a complete new text."""
    if content.kind == DecisionKind.ADOPT:
        if content.judgement not in judgements or content.judgement is None:
            raise DecisionInvalid(fields={"judgement": [str(_("Choose a judgement to adopt."))]})
        return _resolve_adoption(content, content.judgement, panel)
    if content.kind == DecisionKind.MERGE:
        if content.correction is None:
            raise DecisionInvalid(fields={"correction": [str(_("Give the new text."))]})
        correction = content.correction.in_full(panel.revision)
        check_correction(correction, panel.revision, len(panel.item.options))
        given = _who_gave(correction, judgements)
        kind = DecisionKind.ADOPT if given else DecisionKind.MERGE
        return replace(content, kind=kind, judgement=given, correction=correction)
    if content.kind not in DecisionKind.values:
        raise DecisionInvalid(
            fields={"decision": [str(_("Choose approve, adopt, merge or reject."))]}
        )
    return replace(content, judgement=None, correction=None)


def _who_gave(correction: Correction, judgements: Sequence[Judgement]) -> Judgement | None:
    """The first judgement with exactly this text; taking it as one's own text is adopting it."""
    stored = correction.as_json()
    return next((each for each in judgements if each.correction == stored), None)


def _resolve_adoption(
    content: DecisionContent, judgement: Judgement, panel: Panel
) -> DecisionContent:
    if judgement.correction is None:
        is_approval = judgement.verdict == Verdict.APPROVE
        kind = DecisionKind.APPROVE if is_approval else DecisionKind.REJECT
        return replace(content, kind=kind, correction=None)
    corrected = Correction.from_json(judgement.correction)
    _check_fields(content.fields, corrected)
    correction = adopted_text(panel.revision, corrected, content.fields)
    check_correction(correction, panel.revision, len(panel.item.options))
    return replace(content, correction=correction)


def _check_fields(fields: Collection[str], correction: Correction) -> None:
    known = [field for field, _text in correction.texts()]
    if not set(fields) <= set(known):
        words = _("Choose from: %s.") % ", ".join(known)
        raise DecisionInvalid(fields={"fields_adopted": [str(words)]})


def adopted_text(revision: Revision, correction: Correction, fields: Collection[str]) -> Correction:
    """The current text with only `fields` of the correction, or the whole correction without any.

    If the text and the item have different numbers of options, all the options are taken.
    """
    if not fields:
        return correction
    is_whole = len(revision.options) == len(correction.options)
    current = revision.options if is_whole else correction.options
    options = tuple(
        new if f"options.{index}" in fields else old
        for index, (old, new) in enumerate(zip(current, correction.options, strict=True))
    )
    question = correction.question if "question" in fields else revision.question
    before = dict(Correction.of(revision).further())
    further = {
        name: (text if name in fields else before[name]) or None
        for name, text in correction.further()
    }
    return Correction(question, options, **further)


def _check_reason(content: DecisionContent, judgements: Sequence[Judgement]) -> None:
    """A decision that no reviewer of the panel chose needs a reason."""
    if content.reason.strip() or content.judgement is not None:
        return
    verdicts = {judgement.verdict for judgement in judgements}
    if content.kind == DecisionKind.APPROVE and Verdict.APPROVE in verdicts:
        return
    if content.kind == DecisionKind.REJECT and Verdict.REJECT in verdicts:
        return
    if content.kind == DecisionKind.MERGE and Verdict.REVISE in verdicts:
        return
    raise ReasonNeeded


def _confirmed(content: DecisionContent, panel: Panel, judgements: Sequence[Judgement]) -> bool:
    """Whether the text changes numbers; those that a reviewer confirmed are not asked for again."""
    known = [
        Correction.from_json(each.correction)
        for each in judgements
        if each.correction and each.numbers_confirmed
    ]
    return confirm_numbers(
        content.correction, panel, is_confirmed=content.numbers_confirmed, known=known
    )


def _apply(content: DecisionContent, panel: Panel, senior: User, now: datetime) -> Revision | None:
    if content.kind == DecisionKind.APPROVE:
        if has_open_errors(panel.revision_id):
            raise ErrorsOpen
        approve_translation(revision=panel.revision)
        return None
    if content.kind == DecisionKind.REJECT or content.correction is None:
        reject_translation(revision=panel.revision)
        return None
    return create_revision(
        base=panel.revision,
        question=content.correction.question,
        options=content.correction.options,
        **dict(content.correction.further()),
        origin=Origin.ADJUDICATED,
        author=senior,
        now=now,
        numbers_confirmed=content.numbers_confirmed,
    )
