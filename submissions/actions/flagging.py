"""Flag submissions that somebody should look at, and dismiss the flags that were read."""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError, plain_text
from submissions.actions.audit import record
from submissions.enums import FlagCode
from submissions.flags import Suspicion
from submissions.models import Submission, SubmissionFlag


class NoteMissing(DomainError):
    code = "note_missing"
    detail = _("Say why, so that the other managers of the project know.")
    status = 400


class NotFlagged(DomainError):
    code = "not_flagged"
    detail = _("This submission has no flag any more: somebody else has dismissed it.")


class FlagsChanged(DomainError):
    code = "flags_changed"
    detail = _(
        "The flags of this submission have changed since you read them. Read those that it has now, "
        "and dismiss them if they are explained too."
    )


def flag_submission(*, submission: Submission, note: str, actor: User, now: datetime) -> None:
    """Flag a submission with a manager's note, beside the flags that it has. Raises NoteMissing."""
    text = plain_text(note)
    if not text:
        raise NoteMissing(fields={"reason": [str(_("Enter what somebody should look at."))]})
    found = Suspicion(FlagCode.NOTE, {"text": text})
    store_flags(submission=submission, found=[found], actor=actor, now=now)


@transaction.atomic
def store_flags(
    *, submission: Submission, found: Sequence[Suspicion], actor: User | None, now: datetime
) -> None:
    """Store what was found as flags, in this order; one audit row if anything was.

    Each call adds flags, so whoever may run twice makes sure that only the first run calls it.
    """
    if not found:
        return
    flags = SubmissionFlag.objects.bulk_create(
        SubmissionFlag(
            submission=submission, code=each.code, params=dict(each.params), flagged_at=now
        )
        for each in found
    )
    data = {"flags": [flag.as_data() for flag in flags]}
    target, project = f"submission:{submission.pk}", submission.release.project
    record("submissions.flagged", target, project, data, actor, now)


@transaction.atomic
def dismiss_flags(
    *, submission: Submission, seen: Collection[int], reason: str, actor: User, now: datetime
) -> None:
    """Take away the flags with the ids `seen`, which are all that it has; the audit row keeps them.

    A flag that comes at the same moment stays. Raises NoteMissing, NotFlagged, and FlagsChanged with
    the flags of now.
    """
    text = plain_text(reason)
    if not text:
        raise NoteMissing(fields={"reason": [str(_("Enter a reason."))]})
    flags = list(submission.flags.order_by("pk"))
    if not flags:
        raise NotFlagged
    if {flag.pk for flag in flags} != set(seen):
        raise FlagsChanged(
            fields={"dismissed_flags": [flag.text for flag in flags]},
            current={"flags": [flag.as_json() for flag in flags]},
        )
    # Of two managers at once the second deletes fewer, and is told so.
    deleted, _by_model = SubmissionFlag.objects.filter(pk__in=[flag.pk for flag in flags]).delete()
    if deleted != len(flags):
        raise NotFlagged
    data = {"flags": [flag.as_data() for flag in flags], "reason": text}
    target, project = f"submission:{submission.pk}", submission.release.project
    record("submissions.flag_dismissed", target, project, data, actor, now)
