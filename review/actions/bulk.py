"""Settling many disputes of one filter by the same decision."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from common.reasons import checked_reason
from projects.models import Project
from review.actions.adjudication import DecisionContent, adjudicate_panel
from review.dispute_queue import QueueFilter, queue_of
from review.enums import DecisionKind
from review.models import Panel

AT_ONCE = 200


class FilterMissing(DomainError):
    code = "filter_missing"
    detail = _("Choose at least one filter, so that you settle only disputes of one kind.")
    status = 400


@dataclass(frozen=True, slots=True)
class BulkResult:
    """How many were settled, how many were left out by the code of the refusal, how many remain."""

    settled: int
    skipped: Mapping[str, int]
    left: int


def bulk_disputes(
    project: Project, senior: User, wanted: QueueFilter, *, before: datetime, now: datetime
) -> QuerySet[Panel]:
    """The disputes of a filter that came up before somebody looked at the preview."""
    return queue_of(project, senior, wanted, now=now).filter(decided_at__lte=before)


def approve_disputes(
    *,
    project: Project,
    senior: User,
    wanted: QueueFilter,
    reason: str,
    before: datetime,
    now: datetime,
) -> BulkResult:
    """Approve the texts of up to AT_ONCE disputes of a filter as they stand, with one reason.

    Each is settled by `adjudicate_panel` in a transaction of its own, so a refusal leaves out
    only that one: another senior was faster, the text changed, or it has open errors. Doing it
    again goes on with what is left. Raises FilterMissing, ReasonMissing, ReasonTooLong,
    TextInvalid.
    """
    if not wanted.is_narrow:
        raise FilterMissing
    content = DecisionContent(kind=DecisionKind.APPROVE, reason=checked_reason(reason))
    rows = bulk_disputes(project, senior, wanted, before=before, now=now)
    panels = list(rows.select_related("revision__translation__current_revision")[:AT_ONCE])
    skipped: Counter[str] = Counter()
    for panel in panels:
        panel.round.project = project
        try:
            adjudicate_panel(panel=panel, senior=senior, content=content, now=now)
        except DomainError as refusal:
            skipped[refusal.code] += 1
    settled = len(panels) - skipped.total()
    return BulkResult(settled=settled, skipped=dict(skipped), left=rows.count())
