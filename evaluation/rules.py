"""Permissions on runs, responses, audits, analyses of items and suggestions to review.

Evaluators start runs and read their figures. They read no response and import no answers: either
would tell them hidden items or their keys.
"""

import rules

from accounts.models import User
from evaluation.models import Run
from projects.enums import Role
from projects.rules import has_role, is_manager, is_member, leads_with_keys, may_see_keys

runs_models = has_role(Role.MANAGER, Role.EVALUATOR)


@rules.predicate
def can_see_run(user: User, run: Run | None) -> bool:
    """Members, but for those whom an open solving round asks: files of a run tell keys."""
    if run is None or not may_see_keys(user, run.release.project):
        return False
    return bool(is_member(user, run.release.project))


@rules.predicate
def can_manage_run(user: User, run: Run | None) -> bool:
    return run is not None and bool(is_manager(user, run.release.project))


@rules.predicate
def can_continue_run(user: User, run: Run | None) -> bool:
    return run is not None and bool(runs_models(user, run.release.project))


@rules.predicate
def can_read_for_audit(user: User, run: Run | None) -> bool:
    """Managers and seniors; answers of models would lead those whom an open solving round asks."""
    return run is not None and bool(leads_with_keys(user, run.release.project))


rules.add_perm("evaluation.view_runs", is_member)
rules.add_perm("evaluation.view_run", can_see_run)
rules.add_perm("evaluation.view_responses", can_manage_run)
rules.add_perm("evaluation.start_run", runs_models)
rules.add_perm("evaluation.import_run", is_manager)
rules.add_perm("evaluation.resume_run", can_continue_run)
rules.add_perm("evaluation.cancel_run", can_continue_run)
# Not for evaluators: what a judge is told has keys in it.
rules.add_perm("evaluation.judge_run", can_manage_run)
rules.add_perm("evaluation.test_min_k", can_manage_run)
rules.add_perm("evaluation.start_audit", can_manage_run)
rules.add_perm("evaluation.read_for_audit", can_read_for_audit)
# Not for those who judge: how models answer an item would lead them.
rules.add_perm("evaluation.view_item_analysis", has_role(Role.MANAGER, Role.VIEWER) & may_see_keys)
rules.add_perm("evaluation.view_hidden_figures", is_manager)
rules.add_perm("evaluation.analyse_items", is_manager)
rules.add_perm("evaluation.decide_suggestions", is_manager)
