"""The way from a request's slug and version to a release, by the right that it takes."""

from django.core.exceptions import PermissionDenied
from django.http import Http404

from accounts.models import User
from annotation.access import project_for
from releases.models import Release
from releases.queries import releases_seen_by


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
    if not user.has_perm(permission, release):
        raise PermissionDenied
    return release
