"""Opening disputes about keys with which most experts disagree."""

from datetime import datetime

from django.db.models import Count, F

from common.batches import batched
from review.enums import Outcome, PanelState
from review.models import Answer, Panel, Round
from review.outcomes import ReasonCode
from review.seats.actions.dispute_events import record_opened

AT_ONCE = 500
CODE = ReasonCode.EXPERTS_DISAGREE.value
BASE_SEVERITY = 40


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
