"""Concluding a panel: its judgements are counted, decided, and their outcome acted upon."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from django.db.models import Exists, QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.enums import Origin
from annotation.items.revisions import (
    approve_text,
    create_revision,
    reject_translation,
    reopen_translation,
)
from annotation.models import Finding
from common.db import move, sources_of
from common.errors import DomainError
from common.prepared import Update, prepared, prepared_update
from projects.criteria import Criterion
from review.enums import (
    PANEL_TRANSITIONS,
    PanelState,
    Verdict,
)
from review.models import Judgement, Panel
from review.outcomes import (
    Correction,
    Decision,
    PanelJudgement,
    ReasonCode,
    RuleWord,
    VerdictWord,
    decide,
    later_tally,
    make_tally,
    tally_token,
    tokens_of,
)
from review.seats.actions.dispute_events import record_turn
from review.seats.actions.further_seats import add_seat_if_uncertain, answer_seat
from review.selection.actions import settle_control

_TURNS: dict[str, frozenset[str]] = {
    state: PANEL_TRANSITIONS[state] for state in (PanelState.JUDGING, PanelState.DISPUTED)
}


class PanelNotOpen(DomainError):
    code = "panel_not_open"
    detail = _("This item has already been decided.")


def count_in(panel: Any, judgement: Judgement, now: datetime) -> None:
    """Bring the panel's tally up to date and, when it is complete, act on its outcome."""
    criteria = panel.round.project.criteria
    token = tally_token(judgement.verdict, judgement.ratings, criteria)
    tokens = [*tokens_of(panel.tally), token]
    if panel.state == PanelState.DISPUTED:
        answer_seat(judgement, now)
        conclude(panel, tally=later_tally(panel.tally, tokens), now=now)
        return
    tally = make_tally(tokens)
    if len(tokens) < panel.round.panel_size:
        _store_tally(panel=panel.pk, tally=tally)
        return
    conclude(panel, tally=tally, now=now)


@prepared_update(panel=int, tally=str)
def _store_tally(panel: int, tally: str) -> Update:
    return Panel.with_controls.filter(pk=panel), {"tally": tally}


def conclude(panel: Any, *, tally: str, now: datetime) -> None:
    """Decide a complete panel, which is locked, for the first time or anew, and act on it.

    A dispute that opens, or ends without a senior, leaves an audit event.
    """
    judgements = _judgements_of(panel=panel.pk, revision=panel.revision_id)
    decision = _decide(panel, judgements)
    if panel.is_control:
        settle_control(panel, decision.outcome or "", tally=tally, now=now)
        return
    is_disputed = decision.outcome == "disputed"
    if is_disputed:
        _dispute(panel, decision, tally=tally, now=now)
    elif not _settle(panel=panel.pk, outcome=decision.outcome, tally=tally, now=now):
        raise PanelNotOpen
    _act_on(decision, panel, judgements, now)
    was_disputed = panel.state == PanelState.DISPUTED
    record_turn(panel, was_disputed=was_disputed, is_disputed=is_disputed, now=now)
    if is_disputed:
        add_seat_if_uncertain(panel, decision, now)


@prepared(panel=int, revision=int)
def _judgements_of(panel: int, revision: int) -> QuerySet[Any]:
    """All that was said of the panel, and each time whether its text has open errors."""
    errors = Exists(_open_errors(revision))
    rows = Judgement.with_controls.filter(panel=panel)
    return rows.annotate(has_open_errors=errors).order_by("pk")


def _dispute(panel: Panel, decision: Decision, *, tally: str, now: datetime) -> None:
    move(
        Panel.objects.filter(pk=panel.pk),
        to=PanelState.DISPUTED,
        transitions=_TURNS,
        refusal=PanelNotOpen,
        tally=tally,
        outcome=decision.outcome,
        reasons=[reason.as_json() for reason in decision.reasons],
        severity=dispute_severity(decision),
        decided_at=now,
        settled_at=None,
        **dispute_description(decision, panel),
    )


@prepared_update(panel=int, outcome=str, tally=str, now=datetime)
def _settle(panel: int, outcome: str, tally: str, now: datetime) -> Update:
    """Only a dispute has reasons and a severity."""
    rows = Panel.objects.filter(pk=panel, state__in=sources_of(PanelState.SETTLED, _TURNS))
    return rows, {
        "state": PanelState.SETTLED,
        "tally": tally,
        "outcome": outcome,
        "reasons": [],
        "reason_codes": "",
        "severity": 0,
        "decided_at": now,
        "settled_at": now,
    }


def _decide(panel: Panel, judgements: Sequence[Any]) -> Decision:
    return decide(
        [as_panel_judgement(each, panel.round.project.criteria) for each in judgements],
        panel_size=panel.round.panel_size,
        verdict_rule=cast(RuleWord, panel.round.verdict_rule),
        score_gap=panel.round.score_gap,
        has_open_errors=any(each.has_open_errors for each in judgements),
    )


def has_open_errors(revision_id: int) -> bool:
    """Whether a check found an error in the text that nobody set aside."""
    return _open_errors(revision_id).exists()


def _open_errors(revision_id: int) -> QuerySet[Finding]:
    return Finding.objects.filter(revision_id=revision_id).open().errors()


def as_panel_judgement(judgement: Judgement, criteria: Sequence[Criterion]) -> PanelJudgement:
    """The part of a stored judgement that decides."""
    stored = judgement.correction
    return PanelJudgement(
        verdict=cast(VerdictWord, judgement.verdict),
        ratings=judgement.ratings,
        tags=frozenset(judgement.tags),
        correction=Correction.from_json(stored) if stored else None,
        criteria=criteria,
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


def dispute_description(decision: Decision, panel: Panel) -> dict[str, str]:
    """The columns by which the queue of disputes is filtered and sorted."""
    codes = sorted({reason.code.value for reason in decision.reasons})
    return {"reason_codes": " ".join(codes), "uid_key": panel.item.uid_order}


def _act_on(
    decision: Decision, panel: Panel, judgements: Sequence[Judgement], now: datetime
) -> None:
    if decision.outcome == "approved":
        approve_text(panel.revision_id)
    elif decision.outcome == "rejected":
        reject_translation(revision=panel.revision)
    elif decision.outcome == "disputed":  # the text of an audit is no longer approved
        reopen_translation(revision=panel.revision)
    elif decision.outcome == "revised" and decision.correction is not None:
        first = next(j for j in judgements if j.verdict == Verdict.REVISE)
        create_revision(
            base=panel.revision,
            question=decision.correction.question,
            options=decision.correction.options,
            **dict(decision.correction.further()),
            origin=Origin.HUMAN,
            author=first.reviewer,
            now=now,
            numbers_confirmed=first.numbers_confirmed,
        )
