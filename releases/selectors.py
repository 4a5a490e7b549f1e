"""Find a release by its version among those that the person may see."""

from typing import Final

from django.http import Http404
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from projects.models import Project
from projects.selectors import check_reading, project_for
from releases.models import Release
from releases.queries import releases_seen_by
from releases.querysets import ReleaseQuerySet

MOST_NAMED: Final = 10


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


class ReleaseUnknown(DomainError):
    code = "release_unknown"
    detail = _("This project has no release %(version)s. It has: %(known)s.")
    status = 404


def get_release(
    project: Project, version: str, *, must_stand: bool = False, user: User | None = None
) -> Release:
    """Return the release `version` of the project, not a failed one if it `must_stand`.

    For a `user`, only one that they may see.

    Raises ReleaseUnknown, which names those that there are, the newest first.
    """
    seen = releases_seen_by(user, project) if user else Release.objects.filter(project=project)
    rows: ReleaseQuerySet = seen.filter(version=version)
    rows = rows.standing() if must_stand else rows
    release: Release | None = rows.select_related("project", "job").first()
    if release is None:
        raise ReleaseUnknown(version=version, known=_named(seen, must_stand=must_stand))
    return release


def _named(rows: ReleaseQuerySet, *, must_stand: bool) -> str:
    """The versions of the newest of these releases, with a sign that there are more."""
    found = rows.standing() if must_stand else rows
    newest = found.order_by("-created_at", "-pk").values_list("version", flat=True)
    versions = list(dict.fromkeys(newest[: MOST_NAMED + 1]))
    if len(versions) > MOST_NAMED:
        versions = [*versions[:MOST_NAMED], "…"]
    return ", ".join(versions) or gettext("none yet")
