"""Policies of projects, and the people and teams that send submissions."""

import json
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import invite_user
from accounts.actions.emails import queue_account
from accounts.models import User
from common.errors import DomainError, plain_text
from common.names import fold_name
from common.reasons import check_seen, checked_reason
from jobs.actions import JobNotCancellable, cancel_job
from jobs.models import Job
from projects.models import Project
from releases.models import Release
from submissions.actions.audit import record
from submissions.enums import Admission, SubmissionState
from submissions.models import (
    FEWEST_AT_CONTACT,
    FEWEST_IN_CATEGORY,
    MOST_A_DAY,
    MOST_A_MONTH,
    MOST_AT_CONTACT,
    MOST_IN_CATEGORY,
    Participant,
    Submission,
    SubmissionPolicy,
    Team,
)
from submissions.queries import policy_of
from submissions.selectors import check_outsider


class PolicyInvalid(DomainError):
    code = "policy_invalid"
    detail = _("Correct the fields below.")
    status = 400


class PolicyChanged(DomainError):
    code = "policy_changed"
    detail = _(
        "Another manager has changed the rules since you opened this page. Open it again, read the rules "
        "of now and make your changes there."
    )


class TermsChanged(DomainError):
    code = "terms_changed"
    detail = _(
        "The terms have changed since you read them. Read version %(version)s and accept it."
    )


class TeamInvalid(DomainError):
    code = "team_invalid"
    detail = _("Correct the fields below.")
    status = 400


class AlreadyBanned(DomainError):
    code = "already_banned"
    detail = _(
        "This team is banned already. Lift the ban first if you want to give another reason than this: "
        "%(reason)s"
    )


@dataclass(frozen=True, slots=True)
class PolicyContent:
    is_open: bool
    admission: str
    is_board_public: bool
    terms: str
    per_day: int
    per_month: int
    fewest_in_category: int
    accepts_dictionaries: bool = True
    accepts_endpoints: bool = False
    first_contact: int = 0


def content_of(policy: SubmissionPolicy) -> PolicyContent:
    return PolicyContent(**{name: getattr(policy, name) for name in PolicyContent.__slots__})


def policy_digest(policy: SubmissionPolicy) -> str:
    """Return what tells these rules from others, by which a form says what it showed."""
    return sha256(json.dumps(asdict(content_of(policy))).encode()).hexdigest()[:16]


@transaction.atomic
def change_policy(
    *,
    project: Project,
    content: PolicyContent,
    seen: str | None = None,
    actor: User | None,
    now: datetime,
) -> SubmissionPolicy:
    """Store the policy; other terms are a new version, which everybody must accept anew.

    `seen` is the digest of the rules that were read; None says nothing about that. Raises
    PolicyInvalid, PolicyChanged.
    """
    _check(content)
    rows = SubmissionPolicy.objects.filter(project=project)
    before = rows.select_for_update(no_key=True).first() or SubmissionPolicy(project=project)
    if seen is not None and seen != policy_digest(before):
        raise PolicyChanged
    values = {**asdict(content), "terms": plain_text(content.terms)}
    version = before.terms_version + bool(before.pk and before.terms != values["terms"])
    policy, _new = SubmissionPolicy.objects.update_or_create(
        project=project, defaults={**values, "terms_version": version}
    )
    told = {name: value for name, value in values.items() if name != "terms"}
    record(
        "submissions.policy_changed",
        f"project:{project.pk}",
        project,
        told | {"terms_version": version},
        actor,
        now,
    )
    return policy


@transaction.atomic
def join_team(
    *,
    project: Project,
    user: User,
    team: str,
    code: str,
    affiliation: str,
    terms_version: int,
    now: datetime,
) -> Participant:
    """Accept the terms in a version, in a new team named `team` or in the one that `code` opens.

    Somebody who has a team keeps it and accepts the terms anew. Raises SenderIsMember, TermsChanged,
    TeamInvalid.
    """
    check_outsider(user, project)
    policy = policy_of(project)
    if terms_version != policy.terms_version:
        raise TermsChanged(version=policy.terms_version)
    if not plain_text(affiliation):
        raise TeamInvalid(fields={"affiliation": [str(_("Enter your affiliation."))]})
    accepted = {
        "terms_version": terms_version,
        "terms_accepted_at": now,
        "affiliation": plain_text(affiliation),
    }
    rows = Participant.objects.filter(project=project, user=user)
    if not rows.update(**accepted):
        found = _team(project, plain_text(team), plain_text(code), now)
        _join(project, user, found, accepted)
    participant = rows.select_related("team", "project").get()
    data = {"team": participant.team_id, "terms_version": terms_version}
    record("submissions.terms_accepted", f"team:{participant.team_id}", project, data, user, now)
    return participant


@transaction.atomic
def request_account(*, release: Release, email: str, name: str, now: datetime) -> None:
    """Send somebody a link to an account, and from there to the page where they send submissions.

    Nothing happens if the address has an account already.

    The caller must not tell which. Raises PersonInvalid.
    """
    if User.objects.filter(email__iexact=email.strip(), is_active=False).exists():
        return
    issued = invite_user(email=email, name=name, actor=None, now=now)
    if issued:
        queue_account(invitation=issued.invitation, release=release.pk, now=now)


@transaction.atomic
def admit_team(*, team: Team, actor: User, now: datetime) -> None:
    if Team.objects.filter(pk=team.pk, admitted_at=None).update(admitted_at=now):
        record("submissions.team_admitted", f"team:{team.pk}", team.project, {}, actor, now)


@transaction.atomic
def trust_team(*, team: Team, is_trusted: bool, actor: User, now: datetime) -> None:
    """Say whether the team's endpoints are asked all questions without a first contact; audit row."""
    rows = Team.objects.filter(pk=team.pk, trusted_at__isnull=is_trusted)
    if rows.update(trusted_at=now if is_trusted else None):
        data = {"is_trusted": is_trusted}
        record("submissions.team_trusted", f"team:{team.pk}", team.project, data, actor, now)


@transaction.atomic
def ban_team(*, team: Team, reason: str, actor: User, now: datetime) -> None:
    """Let a team send nothing more; its results leave the leaderboard, what waits is cancelled.

    Again for the same reason does nothing. Raises ReasonMissing, ReasonTooLong, and AlreadyBanned rather than put
    another reason in place of what a manager wrote.
    """
    text = checked_reason(reason)
    rows = Team.objects.filter(pk=team.pk)
    if not rows.filter(banned_at=None).update(banned_at=now, ban_reason=text):
        before = rows.values_list("ban_reason", flat=True).get()
        if before != text:
            raise AlreadyBanned(reason=before)
        return
    _stop_waiting(team, actor, now)
    data = {"reason": text}
    record("submissions.team_banned", f"team:{team.pk}", team.project, data, actor, now)


@transaction.atomic
def lift_ban(*, team: Team, seen_reason: str | None = None, actor: User, now: datetime) -> None:
    """Let a team send again that was banned for the reason that was seen.

    None says nothing about what was seen. Raises ReasonChanged.
    """
    rows = Team.objects.filter(pk=team.pk, banned_at__isnull=False)
    banned = rows.select_for_update(no_key=True).first()
    if banned is None:
        return
    check_seen(seen_reason, banned.ban_reason)
    rows.update(banned_at=None, ban_reason="")
    record("submissions.ban_lifted", f"team:{team.pk}", team.project, {}, actor, now)


def _stop_waiting(team: Team, actor: User, now: datetime) -> None:
    """Cancel what waits to be scored and the questions to an endpoint, unless they have just ended."""
    waiting = Submission.objects.filter(team=team, state=SubmissionState.QUEUED)
    for job in Job.objects.filter(pk__in=waiting.values("job")):
        with suppress(JobNotCancellable):
            cancel_job(job=job, actor=actor, now=now)


def _check(content: PolicyContent) -> None:
    fields = {}
    bounds = {"per_day": MOST_A_DAY, "per_month": MOST_A_MONTH}
    for name, most in bounds.items():
        if not 1 <= getattr(content, name) <= most:
            fields[name] = [str(_("Enter a number from 1 to %d.") % most)]
    if not FEWEST_IN_CATEGORY <= content.fewest_in_category <= MOST_IN_CATEGORY:
        words = _("Enter a number from %(least)d to %(most)d.") % {
            "least": FEWEST_IN_CATEGORY,
            "most": MOST_IN_CATEGORY,
        }
        fields["fewest_in_category"] = [str(words)]
    if content.first_contact and not FEWEST_AT_CONTACT <= content.first_contact <= MOST_AT_CONTACT:
        words = _("Enter a number from %(least)d to %(most)d, or 0.") % {
            "least": FEWEST_AT_CONTACT,
            "most": MOST_AT_CONTACT,
        }
        fields["first_contact"] = [str(words)]
    if content.admission not in Admission.values:
        fields["admission"] = [str(_("Choose one of: %s.") % ", ".join(Admission.values))]
    if content.is_open and not (content.accepts_dictionaries or content.accepts_endpoints):
        fields["accepts_dictionaries"] = [
            str(_("Take files of answers, endpoints or both, or take no submissions."))
        ]
    if content.is_open and not plain_text(content.terms):
        fields["terms"] = [str(_("Write the terms that people accept before they send anything."))]
    if fields:
        raise PolicyInvalid(fields=fields)


def _team(project: Project, name: str, code: str, now: datetime) -> Team:
    if code:
        found = Team.objects.filter(project=project, code=code).first()
        if found is None:
            words = _("No team has this code. Ask its members for it, or name a new team.")
            raise TeamInvalid(fields={"code": [str(words)]})
        return found
    if not fold_name(name) or not name.isprintable():
        raise TeamInvalid(fields={"team": [str(_("Enter a name for your team."))]})
    if fold_name(name) in map(fold_name, project.teams.values_list("name", flat=True)):
        raise _name_taken()
    try:
        with transaction.atomic():
            return Team.objects.create(
                project=project, name=name[:100], code=secrets.token_urlsafe(12), created_at=now
            )
    except IntegrityError as error:
        raise _name_taken() from error


def _name_taken() -> TeamInvalid:
    words = _("Another team has this name. Ask its members for the code, or choose another name.")
    return TeamInvalid(fields={"team": [str(words)]})


def _join(project: Project, user: User, team: Team, accepted: dict[str, object]) -> None:
    """Add the person; of two requests at once, the second accepts the terms for the first."""
    rows = Participant.objects.filter(project=project, user=user)
    try:
        with transaction.atomic():
            Participant.objects.create(project=project, user=user, team=team, **accepted)
    except IntegrityError:
        rows.update(**accepted)
