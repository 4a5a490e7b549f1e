"""Take a team's endpoint instead of its answers, and end it: its key is gone by then."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.db import IntegrityError, transaction
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.actions.emails import queue_submission_ended
from common.db import move
from common.errors import DomainError, plain_text
from common.names import one_line
from endpoints.actions import EndpointInvalid, EndpointNotPublic, outside_address
from endpoints.parameters import find_fault
from jobs.actions import create_job
from jobs.enums import JobState
from jobs.models import Job
from prompts.actions import ensure_default_prompts
from prompts.enums import PromptStyle
from prompts.models import PromptTemplate
from prompts.selectors import get_prompt
from releases.models import Release
from submissions.actions.audit import record
from submissions.actions.sending import (
    Declared,
    ModelMissing,
    NothingAsked,
    SubmissionEnded,
    check_leak,
    store_in_free_slots,
)
from submissions.enums import SUBMISSION_TRANSITIONS, SubmissionState
from submissions.models import Participant, Submission, SubmittedEndpoint, Team
from submissions.queries import asked_of, policy_of
from submissions.quotas import takes_slot
from submissions.sealing import seal
from submissions.selectors import EndpointsNotTaken, TeamBanned, check_allowed_still, check_outsider

ENDPOINT_KIND = "endpoint_submission"
STANDARD_PROMPT = str(PromptStyle.DIRECT)
"""The name of the prompt that every endpoint is asked with, in its latest revision."""
LARGEST_SEED = 2_147_483_647
KEY = re.compile(r"([!-~]{8,500})?")
"""Shorter ones are not told from words that an endpoint says, so they could not be hidden."""


class AddressNotPublic(DomainError):
    code = "endpoint_not_public"
    detail = _("%(host)s is not a public address. Enter one that everybody can reach.")
    status = 403


class EndpointUnderway(DomainError):
    code = "endpoint_underway"
    detail = _(
        "Your team's endpoint is being asked already. Wait until that submission has ended, or "
        "cancel it."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamEndpoint:
    """Where a team's model answers. Without a `seed` the order of the questions is drawn."""

    base_url: str
    key: str = field(default="", repr=False)
    parameters: Mapping[str, object] = field(default_factory=dict)
    seed: int | None = None


def send_endpoint(
    *,
    release: Release,
    sender: Participant,
    declared: Declared,
    endpoint: TeamEndpoint,
    now: datetime,
) -> Submission:
    """Take the quota, seal the key and queue the questions; audit rows; the worker wakes on commit.

    A team has one endpoint that is being asked, which the database holds. Raises EndpointsNotTaken,
    NothingAsked, ModelMissing, EndpointInvalid, EndpointNotAllowed, AddressNotPublic,
    EndpointUnderway, LeakSpent, LeakReserved, QuotaUsed, and SenderIsMember, TeamBanned or NotAdmitted
    if a manager was faster.
    """
    if not policy_of(release.project).accepts_endpoints:
        raise EndpointsNotTaken
    if not asked_of(release).option_counts:
        raise NothingAsked
    if not one_line(plain_text(declared.model)):
        raise ModelMissing(fields={"model": [str(ModelMissing.detail)]})
    _check_values(endpoint)
    try:
        address = outside_address(endpoint.base_url)
    except EndpointNotPublic as error:
        raise AddressNotPublic(**error.params) from error
    ensure_default_prompts(project=release.project, now=now)
    return _take(release, sender, declared, endpoint, address, now)


def end_by_their_fault(*, submission: Submission, fault: str, now: datetime) -> None:
    """End a submission whose endpoint failed: wipe its key, count a part of it, tell its sender.

    Raises SubmissionEnded.
    """
    _end(submission, SubmissionState.FAULTY, now, is_part=True, fault=fault)


@transaction.atomic
def end_by_withdrawal(*, submission: Submission, reason: str, now: datetime) -> None:
    """Cancel a submission that is no longer allowed; nothing of it counts. Audit row.

    `reason` is the code of what would refuse it now. Raises SubmissionEnded.
    """
    _end(submission, SubmissionState.CANCELLED, now, is_part=False, error_code=reason)
    target, project = f"submission:{submission.pk}", submission.release.project
    record("submissions.endpoint_stopped", target, project, {}, None, now)


def end_endpoint_submission_of(job: Job) -> None:
    """End the submission of a job that failed or was cancelled, and wipe its key.

    What failed on our side takes nothing of the quota. What was cancelled counts as a part if the
    work had begun, unless a ban cancelled it. The work may have ended it already.
    """
    job.refresh_from_db()
    rows = Submission.objects.select_related("team", "release__project", "endpoint")
    now = job.finished_at or job.queued_at
    for submission in rows.filter(job=job, state=SubmissionState.QUEUED):
        if job.state == JobState.CANCELLED:
            is_asked = submission.endpoint.started_at is not None
            is_banned = submission.team.banned_at is not None
            reason = TeamBanned.code if is_banned else ""
            is_part = is_asked and not is_banned
            _end(submission, SubmissionState.CANCELLED, now, is_part=is_part, error_code=reason)
        else:
            code = job.error_code
            _end(submission, SubmissionState.FAILED, now, is_part=False, error_code=code)


def wipe_key(submission: Submission, now: datetime, **changes: Any) -> None:
    """Forget the key of a submission that ends, in the same transaction."""
    rows = SubmittedEndpoint.objects.filter(submission=submission)
    rows.update(sealed_key="", ended_at=now, **changes)


def _check_values(endpoint: TeamEndpoint) -> None:
    fields = {}
    if not KEY.fullmatch(endpoint.key):
        fields["key"] = [
            gettext("Enter 8 to 500 letters, digits and signs without spaces, or nothing.")
        ]
    if find_fault(endpoint.parameters):
        fields["parameters"] = [
            gettext(
                "Enter decoding parameters such as temperature or max_tokens, within their "
                "limits and without keys."
            )
        ]
    if endpoint.seed is not None and not 0 <= endpoint.seed <= LARGEST_SEED:
        fields["seed"] = [gettext("Enter a whole number from 0 to 2,147,483,647.")]
    if fields:
        raise EndpointInvalid(fields=fields)


@transaction.atomic
def _take(
    release: Release,
    sender: Participant,
    declared: Declared,
    endpoint: TeamEndpoint,
    address: str,
    now: datetime,
) -> Submission:
    check_outsider(sender.user, release.project)
    check_allowed_still(release, sender.team)
    team, policy = sender.team, policy_of(release.project)
    if SubmittedEndpoint.objects.filter(team=team, ended_at=None).exists():
        raise EndpointUnderway
    check_leak(team, release, contacts=1)
    prompt, digest = get_prompt(release.project, STANDARD_PROMPT), secrets.token_hex(32)
    told = replace(declared, prompt=f"{prompt.name}, {prompt.revision}")
    submission = store_in_free_slots(release, sender, policy, told, [], digest, now)
    _store_endpoint(submission, endpoint, address, prompt)
    job = create_job(
        kind=ENDPOINT_KIND,
        scope=release.project.slug,
        params={"submission": submission.pk},
        actor=None,  # as for dictionaries
        now=now,
    )
    Submission.objects.filter(pk=submission.pk).update(job=job)
    submission.job = job
    data = {
        "version": release.version,
        "team": team.pk,
        "model": submission.model,
        "host": urlsplit(address).hostname,
    }
    target = f"submission:{submission.pk}"
    record("submissions.endpoint_sent", target, release.project, data, sender.user, now)
    return submission


def _store_endpoint(
    submission: Submission, endpoint: TeamEndpoint, address: str, prompt: PromptTemplate
) -> None:
    """Raises EndpointUnderway if another request of the team was faster."""
    seed = secrets.randbelow(LARGEST_SEED) if endpoint.seed is None else endpoint.seed
    try:
        with transaction.atomic():
            SubmittedEndpoint.objects.create(
                submission=submission,
                team=submission.team,
                base_url=address,
                sealed_key=seal(endpoint.key, address=address),
                parameters=dict(endpoint.parameters),
                seed=seed,
                prompt_template=prompt,
            )
    except IntegrityError as error:
        raise EndpointUnderway from error


@transaction.atomic
def _end(
    submission: Submission,
    state: SubmissionState,
    now: datetime,
    *,
    is_part: bool,
    fault: str = "",
    error_code: str = "",
) -> None:
    keeps = is_part and _fills_slot(submission)
    changes: dict[str, object] = {} if keeps else {"day_slot": None, "month_slot": None}
    move(
        Submission.objects.filter(pk=submission.pk),
        to=state,
        transitions=SUBMISSION_TRANSITIONS,
        refusal=SubmissionEnded,
        ended_at=now,
        error_code=error_code,
        **changes,
    )
    wipe_key(submission, now, fault=fault, is_part_counted=is_part)
    if fault:
        target, project = f"submission:{submission.pk}", submission.release.project
        record("submissions.endpoint_failed", target, project, {"fault": fault}, None, now)
    queue_submission_ended(submission=submission.pk, now=now)


def _fills_slot(submission: Submission) -> bool:
    """Return whether the parts of the team's month make one; its row is locked for the count."""
    Team.objects.select_for_update(no_key=True).get(pk=submission.team_id)
    parts = SubmittedEndpoint.objects.filter(
        team=submission.team_id, submission__month=submission.month, is_part_counted=True
    )
    return takes_slot(parts.count())
