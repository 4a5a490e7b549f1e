"""Permissions on models, runs and responses."""

import rules

from accounts.models import User
from evaluation.models import Run
from projects.rules import is_manager, is_member, may_see_keys


@rules.predicate
def can_see_run(user: User, run: Run | None) -> bool:
    """Members, but for those whom an open solving round asks: files of a run tell keys."""
    if run is None or not may_see_keys(user, run.release.project):
        return False
    return bool(is_member(user, run.release.project))


@rules.predicate
def can_manage_run(user: User, run: Run | None) -> bool:
    return run is not None and bool(is_manager(user, run.release.project))


rules.add_perm("evaluation.view_runs", is_member)
rules.add_perm("evaluation.view_run", can_see_run)
rules.add_perm("evaluation.view_responses", can_manage_run)
rules.add_perm("evaluation.start_run", is_manager)
rules.add_perm("evaluation.resume_run", can_manage_run)
rules.add_perm("evaluation.cancel_run", can_manage_run)
rules.add_perm("evaluation.change_models", is_manager)
