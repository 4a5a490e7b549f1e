"""How requests and commands reach a job: by number, within what the person may see."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from jobs.kinds import find_kind
from jobs.models import Job


class JobUnknown(DomainError):
    code = "job_unknown"
    detail = _("There is no job %(job)s. The command “jobs” lists them.")
    status = 404


def job_for(user: User, pk: int, permission: str) -> tuple[Job, Any]:
    """The job and what it belongs to, if `user` has `permission` on it.

    Raises Http404 to strangers, who should not learn that it exists, and PermissionDenied to
    people who may know of it and lack the right.
    """
    job = Job.objects.filter(pk=pk).first()
    kind = find_kind(job.kind) if job else None
    scope = kind.find_scope(user, job.scope) if kind and job else None
    if job is None or scope is None:
        raise Http404
    if not user.has_perm(permission, job):
        raise PermissionDenied
    return job, scope


def get_job(pk: int) -> Job:
    """Return the job `pk`. Raises JobUnknown."""
    job = Job.objects.filter(pk=pk).first()
    if job is None:
        raise JobUnknown(job=pk)
    return job
