"""Who sees arenas, who judges in them, and who changes them.

Prompts of an arena may be hidden items, so only those who may read the project's items judge.
"""

import rules

from accounts.models import User
from arena.models import Arena
from projects.enums import Role
from projects.rules import has_role, is_manager, is_member, may_see_keys, works_on_texts


@rules.predicate
def can_see_arena(user: User, arena: Arena | None) -> bool:
    if arena is None or not may_see_keys(user, arena.project):
        return False
    return bool(is_member(user, arena.project))


@rules.predicate
def can_judge(user: User, arena: Arena | None) -> bool:
    if arena is None or not may_see_keys(user, arena.project):
        return False
    return bool(works_on_texts(user, arena.project))


@rules.predicate
def can_see_battles(user: User, arena: Arena | None) -> bool:
    """Not those who may judge, for they would learn what others thought of a pair; nor evaluators."""
    if arena is None or not can_see_arena(user, arena):
        return False
    return bool(has_role(Role.MANAGER, Role.VIEWER)(user, arena.project))


@rules.predicate
def can_change_arena(user: User, arena: Arena | None) -> bool:
    return arena is not None and bool(is_manager(user, arena.project))


rules.add_perm("arena.view_arenas", is_member)
rules.add_perm("arena.view_arena", can_see_arena)
rules.add_perm("arena.view_battles", can_see_battles)
rules.add_perm("arena.judge_battles", can_judge)
rules.add_perm("arena.create_arena", is_manager)
rules.add_perm("arena.change_arena", can_change_arena)
