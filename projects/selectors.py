"""How requests and commands reach a project: by slug, within what the person may see."""

from collections.abc import Sequence
from copy import copy
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from projects.models import Contributor, Membership, Project, Subject
from projects.rules import may_see_keys


def project_for(user: User, slug: str, permission: str) -> Project:
    """Return the project `slug` if `user` has `permission` in it.

    Raises Http404 to strangers, who should not learn that it exists, and PermissionDenied to
    members without the right.
    """
    project = find_project(user, slug)
    if project is None:
        raise Http404
    check_right(user, project, permission)
    return project


def check_right(user: User, project: Project, permission: str) -> None:
    """Raise PermissionDenied, which says so where waiting helps, to who lacks the permission."""
    if not user.has_perm(permission, project):
        raise PermissionDenied(*_reason_to_wait(user, project, permission))


def _reason_to_wait(user: User, project: Project, permission: str) -> list[str]:
    """What to tell who lacks the permission only as long as a round is open.

    Why a review closes these pages is not told: its control items are silent.
    """
    later = copy(project)
    later.solving_audience, later.is_browsing_closed = None, False
    is_closed = project.solving_audience is not None or project.is_browsing_closed
    if not is_closed or not user.has_perm(permission, later):
        return []
    if project.is_browsing_closed:
        return [str(_("Reviewers can open this page again when the round is closed."))]
    return [str(KEYS_LATER)]


KEYS_LATER = _(
    "You are in a round in which people answer items without seeing the keys. You can open pages "
    "that show keys again when that round is closed."
)


def why_keys_are_closed(user: User, project: Project) -> str:
    """What to tell `user` of pages that show keys, while a round asks them for answers; else ""."""
    return "" if may_see_keys(user, project) else str(KEYS_LATER)


def check_reading(user: User, thing: Any, project: Project, permission: str) -> None:
    """Raise PermissionDenied as `check_right` does, for something of the project that shows keys."""
    if not user.has_perm(permission, thing):
        words = why_keys_are_closed(user, project)
        raise PermissionDenied(*[words] if words else [])


def find_project(user: User, slug: str) -> Project | None:
    """Return the project `slug` if `user` may know of it: the scope of our jobs."""
    project: Project | None = Project.objects.visible_to(user).filter(slug=slug).first()
    return project


def project_to_be_named_in(user: User, slug: str) -> Project:
    """Return the project `slug` if `user` may be named in its releases, or is going to be.

    So who has left it, or has another role now, can still take their name back. Raises as
    `project_for` does.
    """
    rows = Contributor.objects.filter(project__slug=slug, user=user).select_related("project")
    own: Contributor | None = rows.first()
    return own.project if own else project_for(user, slug, "projects.be_named")


class ProjectUnknown(DomainError):
    code = "project_unknown"
    detail = _("There is no project “%(slug)s”.")
    status = 404


def get_project(slug: str) -> Project:
    """Return the project `slug`. Raises ProjectUnknown."""
    project: Project | None = Project.objects.filter(slug=slug).first()
    if project is None:
        raise ProjectUnknown(slug=slug)
    return project


class MemberUnknown(DomainError):
    code = "member_unknown"
    detail = _("%(email)s is not a member of this project.")
    status = 404


def get_member(project: Project, user: User) -> Membership:
    """Return the place of `user` in the project. Raises MemberUnknown."""
    rows = Membership.objects.filter(project=project, user=user)
    membership: Membership | None = rows.select_related("user", "project").first()
    if membership is None:
        raise MemberUnknown(email=user.email)
    return membership


class SubjectUnknown(DomainError):
    code = "subject_unknown"
    detail = _("There is no subject “%(slug)s” in this project.")
    status = 404


def get_subjects(project: Project, slugs: Sequence[str]) -> list[Subject]:
    """Return the project's subjects with these slugs. Raises SubjectUnknown for the first missing."""
    found = {row.slug: row for row in Subject.objects.filter(project=project, slug__in=slugs)}
    for slug in slugs:
        if slug not in found:
            raise SubjectUnknown(slug=slug)
    return [found[slug] for slug in dict.fromkeys(slugs)]
