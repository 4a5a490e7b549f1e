"""Who may do what in a project: predicates on (person, project), by role."""

from typing import Any

import rules
from rules.predicates import Predicate

from accounts.models import User
from annotation.enums import Role
from annotation.models import Membership, Project
from common.models import Job


def role_in(user: User, project: Project) -> Role | None:
    """The role of `user` in `project`; None for strangers and the deactivated.

    Asked once for each project object, which lives as long as a request.
    """
    if not (user.is_authenticated and user.is_active):
        return None
    known: dict[int, Role | None] = project.__dict__.setdefault("_known_roles", {})
    if user.pk not in known:
        rows = Membership.objects.filter(project=project, user=user)
        known[user.pk] = next((Role(role) for role in rows.values_list("role", flat=True)), None)
    return known[user.pk]


def has_role(*roles: Role) -> Predicate:
    """A predicate: the person has one of `roles` in the project; a superuser has all."""

    def check(user: User, project: Project | None) -> bool:
        if project is None:
            return False
        return bool(user.is_active and user.is_superuser) or role_in(user, project) in roles

    return rules.predicate(check, name=f"has_role:{','.join(roles)}")


is_member = has_role(*Role)
is_manager = has_role(Role.MANAGER)
is_senior = has_role(Role.SENIOR)
can_lead = has_role(Role.MANAGER, Role.SENIOR)
can_read_items = has_role(Role.MANAGER, Role.SENIOR, Role.REVIEWER)


@rules.predicate
def is_staff(user: User) -> bool:
    """People whom the installation trusts to open projects, which lets them invite others."""
    return bool(user.is_active and (user.is_staff or user.is_superuser))


@rules.predicate
def can_see_job(user: User, job: Job | None) -> bool:
    return _tests_job(can_read_items, user, job)


@rules.predicate
def can_stop_job(user: User, job: Job | None) -> bool:
    return _tests_job(is_manager, user, job)


def _tests_job(predicate: Any, user: User, job: Job | None) -> bool:
    if job is None:
        return False
    project = Project.objects.filter(slug=job.scope).first()
    return bool(predicate(user, project))


rules.add_perm("annotation.create_project", is_staff)
rules.add_perm("annotation.view_project", is_member)
rules.add_perm("annotation.change_project", is_manager)
rules.add_perm("annotation.view_members", can_lead)
rules.add_perm("annotation.change_members", is_manager)
rules.add_perm("annotation.import_items", is_manager)
rules.add_perm("annotation.view_items", can_read_items)
rules.add_perm("annotation.change_item", is_manager)
rules.add_perm("annotation.view_findings", can_read_items)
rules.add_perm("annotation.dismiss_finding", can_lead)
rules.add_perm("annotation.view_duplicates", can_lead)
rules.add_perm("annotation.search_duplicates", is_manager)
rules.add_perm("annotation.decide_duplicate", can_lead)
rules.add_perm("annotation.view_job", can_see_job)
rules.add_perm("annotation.cancel_job", can_stop_job)
