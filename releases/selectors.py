"""How requests and commands find a release by its version, among those the person may see."""

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from projects.models import Project
from projects.selectors import check_reading, project_for
from releases.models import ProblemReport, Release
from releases.queries import problem_reports, releases_seen_by
from releases.querysets import ReleaseQuerySet


def release_for(user: User, slug: str, version: str, permission: str) -> Release:
    """Return the release if `user` has `permission` on it, with project, job and maker.

    Raises Http404 to strangers and for releases that the user can't see yet, PermissionDenied
    to members without the right.
    """
    project = project_for(user, slug, "releases.view_releases")
    rows = releases_seen_by(user, project).select_related("project", "job", "created_by")
    release: Release | None = rows.filter(version=version).first()
    if release is None:
        raise Http404
    check_reading(user, release, project, permission)
    return release


def release_for_everybody(slug: str, version: str) -> Release:
    """Return the release that anybody may read, with its project. Raises Http404."""
    found = find_for_everybody(slug, version)
    if found is None:
        raise Http404
    return found


def find_for_everybody(slug: str, version: str) -> Release | None:
    rows = Release.objects.for_everybody().select_related("project")
    found: Release | None = rows.filter(project__slug=slug, version=version).first()
    return found


def problem_for(user: User, slug: str, pk: int) -> ProblemReport:
    """Return the report if `user` may decide it. Raises Http404, PermissionDenied."""
    project = project_for(user, slug, "releases.decide_problem")
    found: ProblemReport = get_object_or_404(problem_reports(project), pk=pk)
    return found


class ReleaseUnknown(DomainError):
    code = "release_unknown"
    detail = _("This project has no release %(version)s.")
    status = 404


class NoEarlierRelease(DomainError):
    code = "no_earlier_release"
    detail = _("There is no release %(old)s before %(version)s to compare it with.")
    status = 404


class NotFrozen(DomainError):
    code = "release_not_frozen"
    detail = _("The items of release %(version)s are not chosen yet.")


def get_release(project: Project, version: str, *, must_stand: bool = False) -> Release:
    """Return the release `version` of the project, not a failed one if it `must_stand`.

    Raises ReleaseUnknown.
    """
    rows: ReleaseQuerySet = Release.objects.filter(project=project, version=version)
    rows = rows.standing() if must_stand else rows
    release: Release | None = rows.select_related("project", "job").first()
    if release is None:
        raise ReleaseUnknown(version=version)
    return release
