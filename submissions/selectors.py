"""How requests reach what outsiders may use; to everybody else it does not exist."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from projects.models import Project
from releases.enums import HiddenPart, ReleaseState
from releases.models import Release
from submissions.enums import Admission
from submissions.models import KeyCopy, Participant, Submission, SubmissionPolicy, Team
from submissions.queries import (
    hidden_count,
    is_inside,
    participant_of,
    policy_of,
    takes_dictionaries,
)


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


class SenderIsMember(DomainError):
    code = "sender_is_member"
    detail = _(
        "You are a member of this project, and its members send it nothing: they may have seen its "
        "keys. Have a manager run your model as a run of the project, or send it from a team of which "
        "nobody is in the project."
    )
    status = 403


class TeamBanned(DomainError):
    code = "team_banned"
    detail = _("Your team may not send submissions to this benchmark: %(reason)s")
    status = 403


@dataclass(frozen=True, slots=True)
class Part:
    """A release as somebody finds it who may send to it, or who reads what their team sent.

    `latest` is the version that takes submissions now, empty if none does.
    """

    release: Release
    policy: SubmissionPolicy
    is_taking: bool
    latest: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A project that somebody sends to: `latest` as in `Part`, `earlier` versions that got anything."""

    project: Project
    team: Team
    is_waiting: bool
    latest: str
    earlier: tuple[str, ...]


def part_for(user: User, slug: str, version: str) -> Part:
    """Return a part that takes submissions, or one to which the person's team has sent some.

    Those stay readable after a newer version, after closing and after yanking. Raises VersionPassed,
    Http404.
    """
    try:
        release, policy = taking_release(slug, version)
    except (Http404, VersionPassed):
        rows = Release.objects.filter(project__slug=slug, version=version)
        rows = rows.filter(submissions__team__participants__user=user.pk)
        found = rows.select_related("project").first()
        if found is None:
            raise
        policy = policy_of(found.project)
        newer = _newest(_taking(_published([found.project.pk]), policy))
        return Part(found, policy, is_taking=False, latest=newer)
    return Part(release, policy, is_taking=True, latest=version)


def benchmarks_of(user: User) -> list[Benchmark]:
    """Return what the person sends to, by name; the number of queries is fixed."""
    places = Participant.objects.filter(user=user.pk).select_related("project", "team")
    found = list(places.order_by("project__name", "pk"))
    if not found:
        return []
    projects = [place.project_id for place in found]
    policies = {
        each.project_id: each for each in SubmissionPolicy.objects.filter(project__in=projects)
    }
    published = defaultdict(list)
    for release in _published(projects):
        published[release.project_id].append(release)
    sent = _versions_sent_to([place.team_id for place in found])
    benchmarks = []
    for place in found:
        policy = policies.get(place.project_id) or SubmissionPolicy()
        latest = _newest(_taking(published[place.project_id], policy))
        earlier = tuple(version for version in sent[place.project_id] if version != latest)
        is_waiting = waits_for_admission(place.team, policy)
        benchmarks.append(Benchmark(place.project, place.team, is_waiting, latest, earlier))
    return benchmarks


def _versions_sent_to(teams: Collection[int]) -> Mapping[int, list[str]]:
    """Return by project the versions to which the teams have sent anything, the newest first."""
    found = defaultdict(list)
    rows = Release.objects.filter(submissions__team__in=teams).distinct().order_by("-pk")
    for project, version in rows.values_list("project", "version"):
        found[project].append(version)
    return found


def taking_release(slug: str, version: str) -> tuple[Release, SubmissionPolicy]:
    """Return a release that takes submissions: the latest whose answers are withheld.

    If the project takes endpoints, one that is closed may be the latest. Versions share items, so
    each further one that took them would tell as much again. Raises VersionPassed for one that did
    before, Http404 for any other.
    """
    project = Project.objects.filter(slug=slug).first()
    policy = policy_of(project) if project else None
    if project is None or policy is None:
        raise Http404
    taking = _taking(_published([project.pk]), policy)
    found = next((each for each in taking if each.version == version), None)
    if found is None:
        raise Http404
    if version != (latest := _newest(taking)):
        raise VersionPassed(version=version, latest=latest, project=slug)
    return found, policy


def _published(projects: Collection[int]) -> list[Release]:
    rows = Release.objects.filter(project__in=projects, state=ReleaseState.PUBLISHED)
    return list(rows.select_related("project").order_by("pk"))


def _taking(published: Iterable[Release], policy: SubmissionPolicy) -> list[Release]:
    """Return the releases of a project that would take submissions if none were later."""
    return [each for each in published if policy.is_open and _takes_any(each, policy)]


def _newest(taking: Iterable[Release]) -> str:
    """Return the latest version, empty if there is none."""
    found = max(taking, key=lambda each: each.precedence, default=None)
    return found.version if found else ""


def taking_endpoints(slug: str, version: str) -> tuple[Release, SubmissionPolicy]:
    """Return a release whose hidden part endpoints are asked. Raises VersionPassed, Http404."""
    release, policy = taking_release(slug, version)
    if not policy.accepts_endpoints:
        raise Http404
    return release, policy


def is_taking(release: Release) -> bool:
    """Return whether people may send submissions to it."""
    try:
        taking_release(release.project.slug, release.version)
    except (Http404, VersionPassed):
        return False
    return True


def _takes_any(release: Release, policy: SubmissionPolicy) -> bool:
    """Return whether the hidden part may be scored for outsiders; a closed one must have items."""
    if release.hidden_part == HiddenPart.WITHHELD:
        return True
    return policy.accepts_endpoints and bool(hidden_count(release))


def sender_for(user: User, release: Release, policy: SubmissionPolicy) -> Participant:
    """Return the person's place in a team that may send.

    Raises SenderIsMember, TermsNotAccepted, TeamBanned, NotAdmitted.
    """
    check_outsider(user, release.project)
    found = participant_of(release.project, user)
    if found is None or found.terms_version != policy.terms_version:
        raise TermsNotAccepted(version=policy.terms_version)
    _check_team(found.team, policy)
    return found


def check_outsider(user: User, project: Project) -> None:
    """Raise SenderIsMember for whoever has a role in the project, and for those who have every role."""
    if is_inside(user, project):
        raise SenderIsMember


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


def waits_for_admission(team: Team, policy: SubmissionPolicy) -> bool:
    """Return whether a manager must admit the team before it may send."""
    return policy.admission == Admission.ADMITTED and not team.admitted_at and not team.banned_at


def may_send(user: User, place: Participant | None, policy: SubmissionPolicy) -> bool:
    """Return whether an outsider has accepted the terms in a team that is admitted and not banned."""
    if place is None or place.terms_version != policy.terms_version or place.team.banned_at:
        return False
    return not waits_for_admission(place.team, policy) and not is_inside(user, place.project)


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
    if waits_for_admission(team, policy):
        raise NotAdmitted


def submission_for(user: User, pk: int) -> Submission:
    """Return a submission of the person's team. Raises Http404."""
    rows = Submission.objects.select_related("release__project", "team", "twin", "job", "endpoint")
    found = rows.filter(pk=pk).first()
    if found is None or not user.has_perm("submissions.view_submission", found):
        raise Http404
    return found


def managed_submission(user: User, pk: int, *, slug: str = "") -> Submission:
    """Return a submission to a project that the person manages, to that of `slug` if one is named.

    Raises Http404, PermissionDenied.
    """
    rows = Submission.objects.select_related("release__project", "team")
    found = rows.filter(pk=pk).first()
    if found is None or not user.has_perm("projects.view_project", found.release.project):
        raise Http404
    if slug and found.release.project.slug != slug:
        raise Http404
    if not user.has_perm("submissions.change_submissions", found.release.project):
        raise PermissionDenied
    return found


def managed_team(user: User, pk: int, *, slug: str = "") -> Team:
    """Return a team of a project that the person manages, of that of `slug` if one is named.

    Raises Http404, PermissionDenied.
    """
    found = Team.objects.select_related("project").filter(pk=pk).first()
    if found is None or not user.has_perm("projects.view_project", found.project):
        raise Http404
    if slug and found.project.slug != slug:
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
