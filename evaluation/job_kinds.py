"""The job kinds of this app: model runs, and scoring stored answers again."""

from django.utils.translation import gettext_lazy as _

from evaluation.actions.runs import RUN_KIND
from evaluation.actions.scores import SCORING_KIND
from evaluation.job_page import run_page, scoring_page
from jobs.kinds import JobKind, register_kind
from projects.selectors import find_project

register_kind(
    JobKind(
        name=RUN_KIND,
        title=_("Model run"),
        work="evaluation.actions.execution.perform_run",
        find_scope=find_project,
        view_permission="annotation.view_items",
        manage_permission="evaluation.start_run",
        section="runs",
        page=run_page,
    )
)
register_kind(
    JobKind(
        name=SCORING_KIND,
        title=_("Scoring of stored answers"),
        work="evaluation.actions.scores.perform_scoring",
        find_scope=find_project,
        view_permission="annotation.view_items",
        manage_permission="evaluation.start_run",
        section="runs",
        page=scoring_page,
    )
)
