"""Withdraw, hide, show, flag and verify submissions."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError, plain_text
from submissions.actions.audit import record
from submissions.actions.teams import ReasonMissing
from submissions.enums import SubmissionState, Visibility
from submissions.models import Submission


class NotWithdrawable(DomainError):
    code = "not_withdrawable"
    detail = _("Only a scored submission that is shown can be withdrawn.")


class NotFlagged(DomainError):
    code = "not_flagged"
    detail = _("This submission has no such flag any more. Load the page again.")


@transaction.atomic
def withdraw_submission(*, submission: Submission, actor: User, now: datetime) -> None:
    """Take a submission off the leaderboard for good; it stays listed there as withdrawn.

    It keeps its slot of the quota and its place on the ladder. Raises NotWithdrawable.
    """
    rows = Submission.objects.filter(
        pk=submission.pk, state=SubmissionState.SCORED, visibility=Visibility.SHOWN
    )
    if not rows.update(visibility=Visibility.WITHDRAWN):
        raise NotWithdrawable
    _record(submission, "submissions.withdrawn", {}, actor, now)


@transaction.atomic
def hide_submission(*, submission: Submission, reason: str, actor: User, now: datetime) -> None:
    """Take a submission off the leaderboard. Raises ReasonMissing."""
    if not plain_text(reason):
        raise ReasonMissing(fields={"reason": [str(_("Enter a reason."))]})
    values = {"visibility": Visibility.HIDDEN, "reason": plain_text(reason)}
    if Submission.objects.filter(pk=submission.pk, visibility=Visibility.SHOWN).update(**values):
        _record(submission, "submissions.hidden", {"reason": plain_text(reason)}, actor, now)


@transaction.atomic
def show_submission(*, submission: Submission, actor: User, now: datetime) -> None:
    """Show what a manager hid; what its team withdrew stays withdrawn."""
    rows = Submission.objects.filter(pk=submission.pk, visibility=Visibility.HIDDEN)
    if rows.update(visibility=Visibility.SHOWN, reason=""):
        _record(submission, "submissions.shown", {}, actor, now)


@transaction.atomic
def flag_submission(*, submission: Submission, flag: str, actor: User, now: datetime) -> None:
    """Note why somebody should look at a submission; an empty text takes the note away."""
    Submission.objects.filter(pk=submission.pk).update(flag=plain_text(flag))
    _record(submission, "submissions.flagged", {"flag": plain_text(flag)}, actor, now)


@transaction.atomic
def dismiss_flag(*, submission: Submission, reason: str, actor: User, now: datetime) -> None:
    """Take away the flag of a submission that was looked at; the audit row keeps it.

    Raises ReasonMissing, NotFlagged.
    """
    if not plain_text(reason):
        raise ReasonMissing(fields={"reason": [str(_("Enter a reason."))]})
    flag = submission.flag
    rows = Submission.objects.filter(pk=submission.pk, flag=flag).exclude(flag="")
    if not rows.update(flag=""):
        raise NotFlagged
    told: dict[str, object] = {"flag": flag, "reason": plain_text(reason)}
    _record(submission, "submissions.flag_dismissed", told, actor, now)


@transaction.atomic
def verify_submission(
    *, submission: Submission, is_verified: bool, actor: User, now: datetime
) -> None:
    """Say whether a manager has repeated the result with the model."""
    Submission.objects.filter(pk=submission.pk).update(is_verified=is_verified)
    _record(submission, "submissions.verified", {"is_verified": is_verified}, actor, now)


def _record(
    submission: Submission, verb: str, data: dict[str, object], actor: User, now: datetime
) -> None:
    record(verb, f"submission:{submission.pk}", submission.release.project, data, actor, now)
