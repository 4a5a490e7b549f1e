"""Settling many disputes of one filter by the same decision."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models import Finding
from common.errors import DomainError
from common.reasons import checked_reason
from projects.models import Project
from review.disputes.actions.adjudication import (
    DecisionContent,
    ErrorsOpen,
    KeyInDispute,
    adjudicate_panel,
)
from review.disputes.queue import QueueFilter, queue_of
from review.enums import DecisionKind, RoundKind
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


def approvable(rows: QuerySet[Panel]) -> QuerySet[Panel]:
    """Those that are about a text whose approval no open error forbids."""
    return rows.filter(round__kind=RoundKind.REVIEW).exclude(_has_errors())


def next_batch(rows: QuerySet[Panel]) -> QuerySet[Panel]:
    """Those of a filter that are settled at one go, in the order of the queue."""
    return approvable(rows)[:AT_ONCE]


def left_out(rows: QuerySet[Panel]) -> Counter[str]:
    """How many of a filter cannot be approved as they stand, by the code of the refusal."""
    about_keys = rows.exclude(round__kind=RoundKind.REVIEW).count()
    with_errors = rows.filter(_has_errors(), round__kind=RoundKind.REVIEW).count()
    # The unary plus drops what there is none of.
    return +Counter({KeyInDispute.code: about_keys, ErrorsOpen.code: with_errors})


def approve_disputes(
    *,
    project: Project,
    senior: User,
    wanted: QueueFilter,
    reason: str,
    before: datetime,
    now: datetime,
    without: Collection[int] = (),
) -> BulkResult:
    """Approve the texts of up to AT_ONCE disputes of a filter as they stand, with one reason.

    Each is settled by `adjudicate_panel` in a transaction of its own, so a refusal leaves out
    only that one: another senior was faster, or the text changed. Texts with open errors and
    disputes about keys are left out before, so that doing it again goes on with what is left; those
    `without` are left alone. People whose judgements it decides on are told once.
    Raises FilterMissing, ReasonMissing, ReasonTooLong, TextInvalid.
    """
    if not wanted.is_narrow:
        raise FilterMissing
    content = DecisionContent(kind=DecisionKind.APPROVE, reason=checked_reason(reason))
    found = bulk_disputes(project, senior, wanted, before=before, now=now)
    rows = found.exclude(pk__in=without)
    bulk = f"{senior.pk}-{now:%Y%m%d%H%M%S%f}"
    # Those left out still count among the first: nobody has seen what comes after them.
    shown = next_batch(found.select_related("revision__translation__current_revision"))
    panels = [panel for panel in shown if panel.pk not in without]
    skipped = left_out(rows)
    settled = 0
    for panel in panels:
        panel.round.project = project
        try:
            adjudicate_panel(panel=panel, senior=senior, content=content, now=now, bulk=bulk)
        except DomainError as refusal:
            skipped[refusal.code] += 1
        else:
            settled += 1
    return BulkResult(settled=settled, skipped=dict(skipped), left=rows.count())


def _has_errors() -> Exists:
    errors = Finding.objects.filter(revision=OuterRef("revision"))
    return Exists(errors.open().errors())
