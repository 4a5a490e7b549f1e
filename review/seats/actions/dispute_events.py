"""Audit events of disputes that no person opens or ends: a panel's judgements or answers do.

They name nobody, because the last of several judgements is not what made the dispute, and they hold
nothing of what was said. Nothing is told of control items, which are never in dispute.
"""

from collections.abc import Sequence
from datetime import datetime

from accounts.actions import record_event, record_events
from review.models import Panel, Round

OPENED = "panel.disputed"
AGREED = "panel.agreed"


def record_turn(panel: Panel, *, was_disputed: bool, is_disputed: bool, now: datetime) -> None:
    """Note that a panel has become a dispute, or is none any more; nothing where neither is so.

    Part of the transaction that decides the panel. A panel comes to a state by compare-and-swap,
    so each turn is noted once.
    """
    if was_disputed == is_disputed:
        return
    record_event(
        actor=None,
        verb=OPENED if is_disputed else AGREED,
        target=f"panel:{panel.pk}",
        scope=panel.round.project.slug,
        data={"round": panel.round.number},
        now=now,
    )


def record_opened(round_: Round, panels: Sequence[Panel], now: datetime) -> None:
    """Note the disputes that the close of a solving round opens, in its transaction."""
    record_events(
        actor=None,
        verb=OPENED,
        targets={f"panel:{panel.pk}": {"round": round_.number} for panel in panels},
        scope=round_.project.slug,
        now=now,
    )
