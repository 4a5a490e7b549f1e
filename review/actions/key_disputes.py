"""Disputes about keys with which most experts disagree: opening them, and a senior's ruling."""

from datetime import datetime

from django.db import transaction
from django.db.models import Count, F
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.items.keys import KeyStale, correct_key
from common.batches import batched
from common.db import move
from common.errors import DomainError
from common.reasons import checked_reason
from projects.locks import lock_project
from review.actions.adjudication import DisputeSettled, check_senior
from review.actions.dispute_events import record_opened
from review.enums import PANEL_TRANSITIONS, Outcome, PanelState, RoundKind
from review.models import Answer, KeyRuling, Panel, Round
from review.outcomes import ReasonCode

AT_ONCE = 500
CODE = ReasonCode.EXPERTS_DISAGREE.value
BASE_SEVERITY = 40


class NoKeyDispute(DomainError):
    code = "no_key_dispute"
    detail = _("This dispute is not about a key.")


def open_key_disputes(*, round_: Round, now: datetime) -> int:
    """Put in dispute the items of a solving round whose key most of their experts disagree with.

    More than half of an item's seats must have chosen another option; "I cannot say" is no
    choice. Part of closing the round, in its transaction, which has locked the panels: an answer
    under way is counted or finds the round closed. Each leaves an audit event. Returns how many
    there are.
    """
    found = _disagreeing(round_)
    for some in batched(found.items(), AT_ONCE):
        _dispute(round_, dict(some), now)
    return len(found)


@transaction.atomic
def settle_key_dispute(
    *, panel: Panel, senior: User, key: str, seen_key: str, reason: str, now: datetime
) -> KeyRuling:
    """Settle a dispute about a key: `key` is the item's key from now on, the same one if it stands.

    In order: panel → settled, the correction of the key if it changes, the ruling, the audit row.
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
    ruling = KeyRuling.objects.create(
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
    return ruling


def _disagreeing(round_: Round) -> dict[int, int]:
    """By panel how many chose another option than the key, where that is most of the panel."""
    rows = Answer.objects.filter(panel__round=round_, panel__state=PanelState.JUDGING)
    against = rows.exclude(choice="").exclude(choice=F("panel__item__key"))
    counted = against.order_by().values("panel").annotate(n=Count("pk"))
    most = counted.filter(n__gte=round_.panel_size // 2 + 1)
    return dict(most.order_by("panel").values_list("panel", "n"))


def _dispute(round_: Round, against: dict[int, int], now: datetime) -> None:
    rows = Answer.objects.filter(panel__in=against).order_by().values("panel")
    answers = dict(rows.annotate(n=Count("pk")).values_list("panel", "n"))
    panels = list(Panel.objects.filter(pk__in=against).select_related("item").order_by("pk"))
    for panel in panels:
        reason = {"code": CODE, "against": against[panel.pk], "answers": answers[panel.pk]}
        panel.state, panel.outcome = PanelState.DISPUTED, Outcome.DISPUTED
        panel.reasons, panel.reason_codes = [reason], CODE
        panel.severity = BASE_SEVERITY + against[panel.pk]
        panel.uid_key, panel.decided_at = panel.item.uid_order, now
    fields = ["state", "outcome", "reasons", "reason_codes", "severity", "uid_key", "decided_at"]
    Panel.objects.bulk_update(panels, fields)
    record_opened(round_, panels, now)
