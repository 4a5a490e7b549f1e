"""Finds jobs that ask models about items for requests, with permissions."""

from django.http import Http404

from accounts.models import User
from annotation.asking.kinds import AskingKind, Started
from annotation.asking.queries import jobs_of
from common.db import bounded_pk
from projects.selectors import project_for


def asking_job_for(
    kind: AskingKind[Started], user: User, slug: str, pk: int, permission: str = ""
) -> Started:
    """Return the job of an address, to see it or with another permission. Raises Http404, PermissionDenied."""
    project = project_for(user, slug, permission or kind.view)
    found = jobs_of(kind, project).filter(pk=bounded_pk(pk)).first()
    if found is None:
        raise Http404
    return found
