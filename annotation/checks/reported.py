"""The finding that an item has while somebody should look at what readers reported of it."""

from contextlib import suppress
from datetime import datetime

from accounts.models import User
from annotation.checks.actions import FindingAlreadyDismissed, FindingGone, dismiss_finding
from annotation.checks.catalogue.labels import REPORTED
from annotation.enums import Severity
from annotation.index import lock_items, refresh_finding_flags
from annotation.models import Finding, Item
from annotation.querysets import FindingQuerySet


def mark_reported(*, item: Item, kind: str, now: datetime) -> None:
    """Give the item's current text the finding that a reader reports `kind`, open again if it was dismissed.

    Keyed by (revision, code): of several reports it names the latest. Runs in the caller's
    transaction.
    """
    translation = item.working_translation
    if translation is None or translation.current_revision_id is None:
        return
    lock_items([item.pk])
    Finding.objects.update_or_create(
        revision_id=translation.current_revision_id,
        code=REPORTED,
        field="item",
        start=0,
        end=0,
        defaults={
            "severity": Severity.WARNING,
            "data": {"reason": f"reported_{kind}"},
            "dismissed_at": None,
            "dismissed_by": None,
            "dismissal_reason": "",
        },
        create_defaults={
            "severity": Severity.WARNING,
            "data": {"reason": f"reported_{kind}"},
            "created_at": now,
        },
    )
    refresh_finding_flags([item.pk])


def dismiss_reported(*, item: Item, reason: str, actor: User, now: datetime) -> None:
    """Dismiss what readers reported of the item, where that is still open."""
    rows: FindingQuerySet = Finding.objects.filter(
        revision__translation__item=item, code=REPORTED
    ).open()
    for finding in rows.select_related("revision__translation__item__project"):
        with suppress(FindingAlreadyDismissed, FindingGone):  # by somebody else at this moment
            dismiss_finding(finding=finding, reason=reason, actor=actor, now=now)
