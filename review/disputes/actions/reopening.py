"""Taking a decision back, as long as nobody has built on it."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.items.revisions import restore_revision
from common.db import move
from common.errors import DomainError
from common.reasons import checked_reason
from projects.locks import lock_project
from review.enums import PANEL_TRANSITIONS, PanelState
from review.models import Adjudication, KeyAdjudication, Panel, Reopening
from review.text_uses import is_used


class DisputeNotSettled(DomainError):
    code = "dispute_not_settled"
    detail = _("This dispute is open already.")


class KeyAdjudicationStands(DomainError):
    code = "key_adjudication_stands"
    detail = _(
        "An adjudication on a key cannot be reopened. If the key is wrong after all, correct it on the "
        "item's page."
    )


class DecisionOfAnother(DomainError):
    code = "decision_of_another"
    detail = _("Only the person who settled this dispute can reopen it.")
    status = 403


class DecisionInUse(DomainError):
    code = "decision_in_use"
    detail = _(
        "A later round or a release already uses this text, so the decision stands. Ask for the "
        "item to be judged again in the next round."
    )


@transaction.atomic
def reopen_dispute(*, panel: Panel, senior: User, reason: str, now: datetime) -> Reopening:
    """Withdraw the decision in force: the dispute is open again, with the text that was judged.

    The decision and the text that it made stay as rows; the next decision makes another text
    after it. In order: panel → disputed, the withdrawal, the current text, the audit row.
    Raises ReasonMissing, ReasonTooLong, TextInvalid, KeyAdjudicationStands, DisputeNotSettled,
    DecisionOfAnother, DecisionInUse, RevisionStale.
    """
    reason = checked_reason(reason)
    # Whoever opens a round looks again, with the same lock, whether its items are in dispute.
    lock_project(panel.item.project_id)
    decision = panel.adjudication
    if decision is None and KeyAdjudication.objects.filter(panel=panel).exists():
        raise KeyAdjudicationStands
    if decision is None:
        raise DisputeNotSettled
    if decision.senior_id != senior.pk:
        raise DecisionOfAnother
    move(
        Panel.objects.filter(pk=panel.pk, adjudication=decision),
        to=PanelState.DISPUTED,
        transitions={PanelState.SETTLED: PANEL_TRANSITIONS[PanelState.SETTLED]},
        refusal=DisputeNotSettled,
        settled_at=None,
        adjudication=None,
    )
    current = decision.resulting_revision or panel.revision
    if has_later_panel(panel) or is_used({panel.revision_id, current.pk}):
        raise DecisionInUse
    reopening = _store(decision, senior, reason, now)
    restore_revision(revision=panel.revision, current=current, actor=senior, now=now)
    record_event(
        actor=senior,
        verb="panel.reopened",
        target=f"panel:{panel.pk}",
        scope=panel.round.project.slug,
        data={"decision": decision.decision, "reason": reason},
        now=now,
    )
    return reopening


def has_later_panel(panel: Panel) -> bool:
    """Whether a later round has the item, judged or not."""
    later = Panel.objects.filter(item_id=panel.item_id, round__number__gt=panel.round.number)
    return later.exists()


def _store(decision: Adjudication, senior: User, reason: str, now: datetime) -> Reopening:
    try:
        with transaction.atomic():
            return Reopening.objects.create(
                adjudication=decision, senior=senior, reason=reason, reopened_at=now
            )
    except IntegrityError as error:
        raise DisputeNotSettled from error
