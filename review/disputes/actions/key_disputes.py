"""A senior's adjudication in a dispute about a key."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.items.keys import KeyStale, correct_key
from common.db import move
from common.errors import DomainError
from common.reasons import checked_reason
from projects.locks import lock_project
from review.disputes.actions.adjudication import DisputeSettled, check_senior
from review.enums import PANEL_TRANSITIONS, PanelState, RoundKind
from review.models import KeyAdjudication, Panel


class NoKeyDispute(DomainError):
    code = "no_key_dispute"
    detail = _("This dispute is not about a key.")


@transaction.atomic
def settle_key_dispute(
    *, panel: Panel, senior: User, key: str, seen_key: str, reason: str, now: datetime
) -> KeyAdjudication:
    """Settle a dispute about a key: `key` is the item's key from now on, the same one if it stands.

    In order: panel → settled, the correction of the key if it changes, the adjudication, the audit row.
    The text of the item and its approval stay as they are. `seen_key` is the key that the senior
    saw. Raises NoKeyDispute, DisputeSettled, OwnJudgement, KeyStale, KeyUnknown, ReasonMissing,
    ReasonTooLong, TextInvalid.
    """
    if panel.round.kind != RoundKind.SOLVING:
        raise NoKeyDispute
    reason = checked_reason(reason)
    lock_project(panel.item.project_id)
    check_senior(panel, senior)
    move(
        Panel.objects.filter(pk=panel.pk),
        to=PanelState.SETTLED,
        transitions={PanelState.DISPUTED: PANEL_TRANSITIONS[PanelState.DISPUTED]},
        refusal=DisputeSettled,
        settled_at=now,
    )
    item = panel.item
    item.refresh_from_db(fields=["key"])
    if item.key != seen_key:
        raise KeyStale
    change = None
    if key != item.key:
        change = correct_key(item=item, key=key, reason=reason, actor=senior, now=now)
    adjudication = KeyAdjudication.objects.create(
        panel=panel, senior=senior, change=change, reason=reason, decided_at=now
    )
    record_event(
        actor=senior,
        verb="panel.key_settled",
        target=f"panel:{panel.pk}",
        scope=panel.round.project.slug,
        data={"uid": item.uid, "key": item.key, "is_corrected": change is not None},
        now=now,
    )
    return adjudication
