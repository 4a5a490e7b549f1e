"""Withdraw, restore, hide, show and verify submissions."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from common.reasons import check_seen, checked_reason
from submissions.actions.audit import record
from submissions.enums import SubmissionState, Visibility
from submissions.models import Submission


class NotWithdrawable(DomainError):
    code = "not_withdrawable"
    detail = _("The leaderboard does not list this submission, so there is nothing to withdraw.")


class NotWithdrawn(DomainError):
    code = "not_withdrawn"
    detail = _("Only a submission that your team has withdrawn can be listed again.")


class NotShown(DomainError):
    code = "not_shown"
    detail = _(
        "This submission is not shown any more: its team has withdrawn it, or another manager has "
        "hidden it."
    )


class ResultMissing(DomainError):
    code = "result_missing"
    detail = _("This submission has no score, so there is no result that you could have repeated.")


@transaction.atomic
def withdraw_submission(*, submission: Submission, actor: User, now: datetime) -> None:
    """Take a submission's figures off the leaderboard, which lists it as withdrawn.

    It keeps its slot of the quota, its place on the ladder and its digest, so nothing can be sent or
    told once more by it. Raises NotWithdrawable.
    """
    rows = Submission.objects.filter(pk=submission.pk, is_told=True, visibility=Visibility.SHOWN)
    if not rows.update(visibility=Visibility.WITHDRAWN):
        raise NotWithdrawable
    _record(submission, "submissions.withdrawn", {}, actor, now)


@transaction.atomic
def restore_submission(*, submission: Submission, actor: User, now: datetime) -> None:
    """List what its team withdrew with its figures again; what a manager hid stays hidden.

    Raises NotWithdrawn.
    """
    rows = Submission.objects.filter(pk=submission.pk, visibility=Visibility.WITHDRAWN)
    if not rows.update(visibility=Visibility.SHOWN):
        raise NotWithdrawn
    _record(submission, "submissions.restored", {}, actor, now)


@transaction.atomic
def hide_submission(*, submission: Submission, reason: str, actor: User, now: datetime) -> None:
    """Take a submission off the leaderboard; again for the same reason does nothing.

    Raises ReasonMissing, ReasonTooLong, and NotShown rather than drop the reason.
    """
    told = checked_reason(reason)
    rows = Submission.objects.filter(pk=submission.pk)
    values = {"visibility": Visibility.HIDDEN, "reason": told}
    if rows.filter(visibility=Visibility.SHOWN).update(**values):
        _record(submission, "submissions.hidden", {"reason": told}, actor, now)
    elif not rows.filter(**values).exists():
        raise NotShown


@transaction.atomic
def show_submission(
    *, submission: Submission, seen_reason: str | None = None, actor: User, now: datetime
) -> None:
    """Show what a manager hid for the reason that was seen; what its team withdrew, it may restore itself.

    None says nothing about what was seen. Raises ReasonChanged.
    """
    rows = Submission.objects.filter(pk=submission.pk, visibility=Visibility.HIDDEN)
    hidden = rows.select_for_update(no_key=True).first()
    if hidden is None:
        return
    check_seen(seen_reason, hidden.reason)
    rows.update(visibility=Visibility.SHOWN, reason="")
    _record(submission, "submissions.shown", {}, actor, now)


@transaction.atomic
def verify_submission(
    *, submission: Submission, is_verified: bool, actor: User, now: datetime
) -> None:
    """Say whether a manager has repeated the result with the model. Raises ResultMissing."""
    rows = Submission.objects.filter(pk=submission.pk)
    if is_verified and not rows.filter(state=SubmissionState.SCORED).exists():
        raise ResultMissing
    if rows.exclude(is_verified=is_verified).update(is_verified=is_verified):
        _record(submission, "submissions.verified", {"is_verified": is_verified}, actor, now)


def _record(
    submission: Submission, verb: str, data: dict[str, object], actor: User, now: datetime
) -> None:
    record(verb, f"submission:{submission.pk}", submission.release.project, data, actor, now)
