"""Who may do what in a project: predicates on (person, project), by role."""

import rules
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext_lazy as _
from rules.predicates import Predicate

from accounts.models import User
from projects.enums import JUDGES, TEXT_ROLES, Role
from projects.models import Membership, Project
from projects.solving import is_asked_by


def role_in(user: User, project: Project) -> Role | None:
    """The role of `user` in `project`; None for strangers and the deactivated.

    Asked once for each project object, which lives as long as a request: a role that is changed
    or taken away counts from the next request on.
    """
    return _place_in(user, project)[0]


def is_paused_in(user: User, project: Project) -> bool:
    """Whether a manager has paused `user` in `project`; costs nothing after `role_in`."""
    return _place_in(user, project)[1]


def remember_role(user: User, project: Project, role: Role | None, *, is_paused: bool) -> None:
    """Spare `role_in` its query where the membership came with the project."""
    project.__dict__.setdefault("_known_places", {})[user.pk] = (role, is_paused)


def _place_in(user: User, project: Project) -> tuple[Role | None, bool]:
    if not (user.is_authenticated and user.is_active):
        return None, False
    known: dict[int, tuple[Role | None, bool]] = project.__dict__.setdefault("_known_places", {})
    if user.pk not in known:
        rows = Membership.objects.filter(project=project, user=user)
        places = rows.values_list("role", "is_paused")
        known[user.pk] = next(((Role(role), paused) for role, paused in places), (None, False))
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


@rules.predicate
def is_browsing_open(_user: User, project: Project | None) -> bool:
    """Whether reviewers may look items up; not while control items are hidden among them."""
    return project is not None and not project.is_browsing_closed


@rules.predicate
def may_see_keys(user: User, project: Project | None) -> bool:
    """Whether keys are told to `user`: not to those whom an open solving round asks for answers.

    It covers every item of the project, also those that the round left out.
    """
    if project is None or project.solving_audience is None:
        return True
    known: dict[int, bool] = project.__dict__.setdefault("_may_see_keys", {})
    if user.pk not in known:
        known[user.pk] = not _is_asked_to_solve(user, project)
    return known[user.pk]


def _is_asked_to_solve(user: User, project: Project) -> bool:
    role = role_in(user, project)
    if role not in JUDGES or user.is_superuser:
        return False
    languages = Membership.objects.values_list("languages", flat=True).get(
        project=project, user=user
    )
    audience = project.solving_audience or {}
    return is_asked_by(audience, user=user.pk, role=role, languages=languages)


works_on_texts = has_role(*TEXT_ROLES)
leads_with_keys = can_lead & may_see_keys
can_read_items = leads_with_keys | (has_role(Role.REVIEWER) & is_browsing_open & may_see_keys)


@rules.predicate
def can_create_project(user: User) -> bool:
    """Staff, and whoever manages a project already: both may invite people as it is.

    `LOTSAWA_PROJECT_CREATION=staff` keeps it to staff.
    """
    if not user.is_active:
        return False
    if user.is_staff or user.is_superuser:
        return True
    return settings.PROJECT_CREATION == "managers" and _manages_something(user)


def creator_of_projects(user: User) -> User:
    """`user`, if they may create projects. Raises PermissionDenied, which says what to do."""
    if not user.has_perm("projects.create_project"):
        words = _(
            "You cannot create projects on this server. Ask an administrator to do it, or sign in "
            "with an account that can."
        )
        raise PermissionDenied(str(words))
    return user


def _manages_something(user: User) -> bool:
    rows = Membership.objects.filter(user=user, is_paused=False)
    return bool(rows.in_role(Role.MANAGER).exists())


rules.add_perm("projects.be_named", works_on_texts)
rules.add_perm("projects.create_project", can_create_project)
rules.add_perm("projects.view_project", is_member)
rules.add_perm("projects.change_project", is_manager)
rules.add_perm("projects.view_members", can_lead)
rules.add_perm("projects.change_members", is_manager)
rules.add_perm("projects.change_pay", is_manager)
rules.add_perm("projects.view_audit_events", is_manager)
