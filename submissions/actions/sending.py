"""Send a submission, cancel it, and end it when its job stops."""

import hashlib
import json
import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from accounts.actions.emails import queue_submission_ended
from accounts.models import User
from common.db import move
from common.errors import DomainError, plain_text
from common.months import month_of
from common.names import one_line
from jobs.actions import JobNotCancellable, cancel_job, create_job
from jobs.enums import JobState
from jobs.models import Job
from releases.models import Release
from submissions.actions.audit import record
from submissions.checking import MOST_EPOCHS, Faults, Pairs, TooManyEpochs, check
from submissions.enums import SUBMISSION_TRANSITIONS, SubmissionState
from submissions.models import Participant, Submission, SubmissionPolicy, Team
from submissions.queries import (
    account_of,
    asked_of,
    option_counts,
    policy_of,
    slots_taken,
    takes_dictionaries,
)
from submissions.quotas import day_of, free_slot, next_day
from submissions.selectors import TeamBanned, check_outsider, check_taken_still

SUBMISSION_KIND = "submission"


class AnswersInvalid(DomainError):
    """Nothing was scored and nothing of the quota is used; `current` has the lists."""

    code = "answers_invalid"
    detail = _(
        "Nothing was scored and your quota is untouched. Unknown ids: %(unknown)s, missing: "
        "%(missing)s, sent twice: %(doubled)s, answers that are no option: %(no_option)s, with "
        "another number of answers than the others: %(uneven)s."
    )
    status = 422


class DictionariesNotTaken(DomainError):
    code = "dictionaries_not_taken"
    detail = _("This part takes endpoints only: this server asks your model the questions.")
    status = 403


class TooManyAnswers(DomainError):
    code = "too_many_answers"
    detail = _("You sent %(sent)s answers, but there are only %(asked)s items.")
    status = 422


class EpochsNotTaken(DomainError):
    code = "epochs_not_taken"
    detail = _(
        "You sent %(sent)s answers for each item, but at most %(most)s are taken. Nothing was scored "
        "and your quota is untouched."
    )
    status = 422


class NothingAsked(DomainError):
    code = "nothing_asked"
    detail = _("This release has no items whose answers can be scored.")


class ModelMissing(DomainError):
    code = "model_missing"
    detail = _("Name the model that gave the answers.")
    status = 400


class QuotaUsed(DomainError):
    code = "quota_used"
    detail = _("Your team has used up its submissions. You can send the next one at %(next_at)s.")
    status = 429


class AlreadySent(DomainError):
    code = "already_sent"
    detail = _("Your team has sent exactly these answers before, as submission %(submission)s.")


class LeakSpent(DomainError):
    code = "leak_spent"
    detail = _(
        "Your team has been told as much about this part as anybody may learn. Send answers to a "
        "later version."
    )


class LeakReserved(DomainError):
    code = "leak_reserved"
    detail = _(
        "What your team has sent may be told all the scores that are left for it in this version. "
        "Wait until those submissions are scored."
    )


class SubmissionEnded(DomainError):
    code = "submission_ended"
    detail = _("This submission has already ended.")


@dataclass(frozen=True, slots=True)
class Declared:
    """What a team says about its model; `has_open_weights` is None if it does not say it."""

    model: str
    size: str = ""
    prompt: str = ""
    cutoff: str = ""
    has_open_weights: bool | None = None


def send_submission(
    *, release: Release, sender: Participant, declared: Declared, pairs: Pairs, now: datetime
) -> Submission:
    """Check all answers, take the quota and queue the scoring; audit rows; the worker wakes on commit.

    The keys of the database are (team, day, slot), (team, month, slot) and (team, release, answers),
    so of many requests at once no more than the quota get through. Raises DictionariesNotTaken,
    NothingAsked, TooManyAnswers, ModelMissing, EpochsNotTaken, AnswersInvalid, AlreadySent,
    LeakSpent, LeakReserved, QuotaUsed, and SenderIsMember, SubmissionsClosed, TeamBanned or
    NotAdmitted if a manager was faster.
    """
    if not takes_dictionaries(release, policy_of(release.project)):
        raise DictionariesNotTaken
    asked = asked_of(release)
    if not asked.option_counts:
        raise NothingAsked
    if len(pairs) > 2 * len(asked.option_counts) + len(asked.unscored):
        raise TooManyAnswers(sent=len(pairs), asked=len(asked.option_counts))
    if not one_line(plain_text(declared.model)):
        raise ModelMissing(fields={"model": [str(ModelMissing.detail)]})
    try:
        answers, faults = check(pairs, asked)
    except TooManyEpochs as error:
        raise EpochsNotTaken(sent=error.epochs, most=MOST_EPOCHS) from error
    if faults:
        raise _invalid(faults)
    epochs = len(answers) // len(asked.option_counts)
    return _take(release, sender, declared, answers, epochs, now)


def cancel_submission(*, submission: Submission, actor: User, now: datetime) -> None:
    """Cancel what is not scored yet; it takes nothing of the quota if nobody was asked anything.

    Raises SubmissionEnded.
    """
    if submission.job is None:
        raise SubmissionEnded
    try:
        cancel_job(job=submission.job, actor=actor, now=now)
    except JobNotCancellable as error:
        raise SubmissionEnded from error


def end_submission_of(job: Job) -> None:
    """Give back the quota of a submission whose job failed or was cancelled; tell its sender.

    The work may have ended it already.
    """
    job.refresh_from_db()
    is_cancelled = job.state == JobState.CANCELLED
    rows = Submission.objects.select_related("team")
    for submission in rows.filter(job=job, state=SubmissionState.QUEUED):
        is_banned = submission.team.banned_at is not None
        reason = TeamBanned.code if is_banned else ""
        move(
            Submission.objects.filter(pk=submission.pk),
            to=SubmissionState.CANCELLED if is_cancelled else SubmissionState.FAILED,
            transitions=SUBMISSION_TRANSITIONS,
            refusal=SubmissionEnded,
            day_slot=None,
            month_slot=None,
            error_code=reason if is_cancelled else job.error_code,
            ended_at=job.finished_at,
        )
        queue_submission_ended(submission=submission.pk, now=job.finished_at or job.queued_at)


def _invalid(faults: Faults) -> AnswersInvalid:
    names = ("unknown", "missing", "doubled", "no_option", "uneven")
    current = {name: list(getattr(faults, name)) for name in names}
    counts: dict[str, Any] = {**faults.counts}
    return AnswersInvalid(current=current, **counts)


@transaction.atomic
def _take(
    release: Release,
    sender: Participant,
    declared: Declared,
    answers: list[str],
    epochs: int,
    now: datetime,
) -> Submission:
    check_outsider(sender.user, release.project)
    check_taken_still(release, sender.team)
    team, policy = sender.team, policy_of(release.project)
    digest = hashlib.sha256(json.dumps(answers).encode()).hexdigest()
    _check_sent(team, release, digest)
    check_leak(team, release)
    submission = store_in_free_slots(
        release, sender, policy, declared, answers, digest, now, epochs=epochs
    )
    job = create_job(
        kind=SUBMISSION_KIND,
        scope=release.project.slug,
        params={"submission": submission.pk},
        actor=None,  # else they were notified of a job whose page is for managers
        now=now,
    )
    Submission.objects.filter(pk=submission.pk).update(job=job)
    submission.job = job
    data = {
        "version": release.version,
        "team": team.pk,
        "model": submission.model,
        "digest": digest,
    }
    record(
        "submissions.sent", f"submission:{submission.pk}", release.project, data, sender.user, now
    )
    return submission


def _check_sent(team: Team, release: Release, digest: str) -> None:
    rows = Submission.objects.filter(team=team, release=release, digest=digest)
    found = rows.filter(day_slot__isnull=False).first()
    if found:
        raise AlreadySent(submission=found.pk, current={"submission": found.pk})


def check_leak(team: Team, release: Release, *, contacts: int = 0) -> None:
    """Raise LeakSpent if the team was told as much of the part as its submissions may tell.

    The next one may be told a score, and an endpoint's whether it passed its first contact. What
    waits may tell as much as it can before it is scored: LeakReserved.
    """
    account = account_of(team, release, counts=option_counts(release))
    if account.scores_left(contacts):
        return
    is_spent = not replace(account, waiting=0, contacts=0).scores_left(contacts)
    raise LeakSpent if is_spent else LeakReserved


def store_in_free_slots(
    release: Release,
    sender: Participant,
    policy: SubmissionPolicy,
    declared: Declared,
    answers: list[str],
    digest: str,
    now: datetime,
    *,
    epochs: int = 1,
) -> Submission:
    """Insert the row in the lowest free slots; whoever loses a slot to another takes the next."""
    while True:
        slots = _free_slots(sender.team, policy, now)
        try:
            with transaction.atomic():
                return Submission.objects.create(
                    release=release,
                    team=sender.team,
                    sent_by=sender.user,
                    model=one_line(plain_text(declared.model))[:200],
                    size=one_line(plain_text(declared.size))[:50],
                    prompt=plain_text(declared.prompt)[:10_000],
                    cutoff=one_line(plain_text(declared.cutoff))[:20],
                    has_open_weights=declared.has_open_weights,
                    answers=answers,
                    epochs=epochs,
                    digest=digest,
                    day=day_of(now),
                    month=str(month_of(now)),
                    day_slot=slots[0],
                    month_slot=slots[1],
                    sent_at=now,
                )
        except IntegrityError:
            _check_sent(sender.team, release, digest)


def _free_slots(team: Team, policy: SubmissionPolicy, now: datetime) -> tuple[int, int]:
    """Raises QuotaUsed, with the time of the next try."""
    today = free_slot(slots_taken(team, day=day_of(now)), policy.per_day)
    month = free_slot(slots_taken(team, month=str(month_of(now))), policy.per_month)
    if today is None or month is None:
        at = month_of(now).end if month is None else next_day(now)
        seconds = math.ceil((at - now).total_seconds())
        words = date_format(at.astimezone(UTC), "DATETIME_FORMAT")
        raise QuotaUsed(next_at=words, retry_after_seconds=seconds)
    return today, month
