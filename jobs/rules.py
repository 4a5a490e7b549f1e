"""Who may look at a job and who may cancel or resume it: whoever its kind says."""

import rules

from accounts.models import User
from jobs.kinds import JobKind, find_kind
from jobs.models import Job


@rules.predicate
def can_view_job(user: User, job: Job | None) -> bool:
    kind = _kind_of(job)
    return kind is not None and _is_allowed(user, job, kind, kind.view_permission)


@rules.predicate
def can_manage_job(user: User, job: Job | None) -> bool:
    kind = _kind_of(job)
    return kind is not None and _is_allowed(user, job, kind, kind.manage_permission)


def _kind_of(job: Job | None) -> JobKind | None:
    return find_kind(job.kind) if job else None


def _is_allowed(user: User, job: Job | None, kind: JobKind, permission: str) -> bool:
    if job is None or not user.is_active:  # an anonymous visitor is not active
        return False
    scope = kind.find_scope(user, job.scope)
    return scope is not None and user.has_perm(permission, scope)


rules.add_perm("jobs.view_job", can_view_job)
rules.add_perm("jobs.cancel_job", can_manage_job)
