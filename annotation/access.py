"""The way from a request's slug or number to a project or job, by the right that it takes."""

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import get_object_or_404

from accounts.models import User
from annotation.models import Project
from common.models import Job


def project_for(user: User, slug: str, permission: str) -> Project:
    """Return the project `slug` if `user` has `permission` in it.

    Raises Http404 to strangers, who should not learn that it exists, and PermissionDenied to
    members without the right.
    """
    project: Project | None = Project.objects.visible_to(user).filter(slug=slug).first()
    if project is None:
        raise Http404
    if not user.has_perm(permission, project):
        raise PermissionDenied
    return project


def job_for(user: User, pk: int, permission: str) -> tuple[Job, Project]:
    """The job and its project if `user` has `permission` on it; Http404 for strangers."""
    job = get_object_or_404(Job, pk=pk)
    project = project_for(user, job.scope, "annotation.view_project")
    if not user.has_perm(permission, job):
        raise PermissionDenied
    return job, project
