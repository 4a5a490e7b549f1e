"""How requests and commands reach an arena."""

from django.http import Http404
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from arena.models import Arena, Judge, Seat
from arena.queries import arenas_seen_by
from common.db import bounded_pk
from common.errors import DomainError
from projects.models import Project
from projects.selectors import check_reading, project_for


class ArenaUnknown(DomainError):
    code = "arena_unknown"
    detail = _("There is no arena “%(name)s” in this project.")
    status = 404


def arena_for(user: User, slug: str, pk: int, permission: str) -> Arena:
    """Return the arena if `user` has `permission` on it. Raises Http404, PermissionDenied."""
    project = project_for(user, slug, "arena.view_arenas")
    found = arenas_seen_by(user, project).filter(pk=bounded_pk(pk)).first()
    if found is None:
        raise Http404
    check_reading(user, found, project, permission)
    return found


def arena_by_id(user: User, pk: int, permission: str) -> Arena:
    """Do the same as `arena_for` without knowing the project, for the API."""
    project = Project.objects.visible_to(user).filter(arenas=bounded_pk(pk)).first()
    if project is None:
        raise Http404
    return arena_for(user, project.slug, pk, permission)


def seat_for(user: User, pk: int) -> Seat:
    """Return a seat of the person, who may still judge there. Raises Http404, PermissionDenied."""
    rows = Seat.objects.filter(person=user, pk=bounded_pk(pk)).select_related("battle")
    seat = rows.first()
    if seat is None:
        raise Http404
    arena_by_id(user, seat.battle.arena_id, "arena.judge_battles")
    return seat


def get_arena(project: Project, name: str) -> Arena:
    """Return the arena of that name. Raises ArenaUnknown."""
    rows = Arena.objects.select_related("project", "release", "job")
    found = rows.filter(project=project, name=name).first()
    if found is None:
        raise ArenaUnknown(name=name)
    return found


class JudgeUnknown(DomainError):
    code = "judge_unknown"
    detail = _("There is no judge “%(name)s” in this arena.")
    status = 404


def get_judge(arena: Arena, name: str) -> Judge:
    """Return the judge of that name. Raises JudgeUnknown."""
    found = arena.judges.select_related("arena__project").filter(name=name).first()
    if found is None:
        raise JudgeUnknown(name=name)
    return found


def judge_by_id(arena: Arena, pk: int) -> Judge:
    """Return a judge of the arena. Raises Http404."""
    found = arena.judges.select_related("arena__project").filter(pk=bounded_pk(pk)).first()
    if found is None:
        raise Http404
    return found
