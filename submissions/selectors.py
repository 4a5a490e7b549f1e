"""How requests reach what outsiders may use; to everybody else it does not exist."""

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from releases.enums import HiddenPart, ReleaseState
from releases.models import Release
from submissions.enums import Admission
from submissions.models import KeyCopy, Participant, Submission, SubmissionPolicy, Team
from submissions.queries import participant_of, policy_of, takes_dictionaries


class TermsNotAccepted(DomainError):
    code = "terms_not_accepted"
    detail = _("Accept the current terms (version %(version)s) and name your team first.")
    status = 403


class NotAdmitted(DomainError):
    code = "team_not_admitted"
    detail = _("A manager of this benchmark must admit your team first.")
    status = 403


class EndpointsNotTaken(DomainError):
    code = "endpoints_not_taken"
    detail = _("This benchmark takes no endpoints. Send a file of answers instead.")
    status = 403


class SubmissionsClosed(DomainError):
    code = "submissions_closed"
    detail = _("This version takes no submissions any more. Its managers can say which one does.")
    status = 403


class VersionPassed(DomainError):
    code = "version_passed"
    detail = _(
        "Version %(version)s takes no submissions any more. Send them to version %(latest)s, at "
        "/submit/%(project)s/%(latest)s/."
    )
    status = 404


class TeamBanned(DomainError):
    code = "team_banned"
    detail = _("Your team may not send submissions to this benchmark: %(reason)s")
    status = 403


def taking_release(slug: str, version: str) -> tuple[Release, SubmissionPolicy]:
    """Return a release that takes submissions: the latest whose answers are withheld.

    If the project takes endpoints, one that is closed may be the latest. Versions share items, so
    each further one that took them would tell as much again. Raises VersionPassed for one that did
    before, Http404 for any other.
    """
    rows = Release.objects.filter(project__slug=slug, state=ReleaseState.PUBLISHED)
    found: list[Release] = list(rows.select_related("project"))
    policy = policy_of(found[0].project) if found else None
    if policy is None or not policy.is_open:
        raise Http404
    taking = [each for each in found if _takes_any(each, policy)]
    release = max(taking, key=lambda each: each.precedence, default=None)
    if release is None or version not in {each.version for each in taking}:
        raise Http404
    if release.version != version:
        raise VersionPassed(version=version, latest=release.version, project=slug)
    return release, policy


def taking_endpoints(slug: str, version: str) -> tuple[Release, SubmissionPolicy]:
    """Return a release whose hidden part endpoints are asked. Raises VersionPassed, Http404."""
    release, policy = taking_release(slug, version)
    if not policy.accepts_endpoints:
        raise Http404
    return release, policy


def is_taking(release: Release, policy: SubmissionPolicy) -> bool:
    """Return whether people may send submissions to it, by the `policy` of its project."""
    is_published = release.state == ReleaseState.PUBLISHED
    if not (policy.is_open and is_published and _takes_any(release, policy)):
        return False
    rows = Release.objects.filter(project=release.project_id, state=ReleaseState.PUBLISHED)
    taking = (each for each in rows.defer("quality", "facts") if _takes_any(each, policy))
    return all(each.precedence <= release.precedence for each in taking)


def _takes_any(release: Release, policy: SubmissionPolicy) -> bool:
    """Return whether the hidden part may be scored for outsiders; a closed one must have items."""
    if release.hidden_part == HiddenPart.WITHHELD:
        return True
    return policy.accepts_endpoints and bool(release.counts.get("black_box"))


def sender_for(user: User, release: Release, policy: SubmissionPolicy) -> Participant:
    """Return the person's place in a team that may send.

    Raises TermsNotAccepted, TeamBanned, NotAdmitted.
    """
    found = participant_of(release.project, user)
    if found is None or found.terms_version != policy.terms_version:
        raise TermsNotAccepted(version=policy.terms_version)
    _check_team(found.team, policy)
    return found


def check_allowed_still(release: Release, team: Team) -> None:
    """Lock release, policy and team, and check that endpoints of the team may be asked.

    What somebody withdraws at the same time waits, or was seen. Runs in a transaction. Raises
    EndpointsNotTaken, TeamBanned, NotAdmitted.
    """
    locked, policy, found = _locked(release, team)
    is_taken = policy.is_open and policy.accepts_endpoints
    if not is_taken or locked.state != ReleaseState.PUBLISHED:
        raise EndpointsNotTaken
    _check_team(found, policy)


def check_taken_still(release: Release, team: Team) -> None:
    """Do the same for answers that the team sends. Raises SubmissionsClosed, TeamBanned, NotAdmitted."""
    locked, policy, found = _locked(release, team)
    is_taken = policy.is_open and takes_dictionaries(locked, policy)
    if not is_taken or locked.state != ReleaseState.PUBLISHED:
        raise SubmissionsClosed
    _check_team(found, policy)


def _locked(release: Release, team: Team) -> tuple[Release, SubmissionPolicy, Team]:
    """Return them as they are now, locked until the transaction ends."""
    locked = Release.objects.select_for_update(no_key=True).get(pk=release.pk)
    policies = SubmissionPolicy.objects.filter(project=release.project_id)
    policy = policies.select_for_update(no_key=True).first() or SubmissionPolicy()
    return locked, policy, Team.objects.select_for_update(no_key=True).get(pk=team.pk)


def _check_team(team: Team, policy: SubmissionPolicy) -> None:
    """Raises TeamBanned, NotAdmitted."""
    if team.banned_at:
        raise TeamBanned(reason=team.ban_reason)
    if policy.admission == Admission.ADMITTED and not team.admitted_at:
        raise NotAdmitted


def submission_for(user: User, pk: int) -> Submission:
    """Return a submission of the person's team. Raises Http404."""
    rows = Submission.objects.select_related("release__project", "team", "twin", "job", "endpoint")
    found = rows.filter(pk=pk).first()
    if found is None or not user.has_perm("submissions.view_submission", found):
        raise Http404
    return found


def managed_submission(user: User, pk: int) -> Submission:
    """Return a submission to a project that the person manages. Raises Http404, PermissionDenied."""
    rows = Submission.objects.select_related("release__project", "team")
    found = rows.filter(pk=pk).first()
    if found is None or not user.has_perm("projects.view_project", found.release.project):
        raise Http404
    if not user.has_perm("submissions.change_submissions", found.release.project):
        raise PermissionDenied
    return found


def managed_team(user: User, pk: int) -> Team:
    """Return a team of a project that the person manages. Raises Http404, PermissionDenied."""
    found = Team.objects.select_related("project").filter(pk=pk).first()
    if found is None or not user.has_perm("projects.view_project", found.project):
        raise Http404
    if not user.has_perm("submissions.change_submissions", found.project):
        raise PermissionDenied
    return found


def key_copy_for(release: Release, number: int) -> KeyCopy:
    """Return a copy of the release's hidden keys. Raises Http404."""
    rows = KeyCopy.objects.select_related("release__project", "created_by")
    found = rows.filter(release=release, number=number).first()
    if found is None:
        raise Http404
    return found
