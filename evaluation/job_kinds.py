"""The job kinds of this app: runs, imports, scoring, judges, Min-k %, audits, analyses of items."""

from django.utils.translation import gettext_lazy as _

from endpoints.held.job_kinds import register_held
from evaluation.audits.actions import AUDIT_KIND
from evaluation.audits.job_page import audit_page
from evaluation.contamination.actions import MIN_K_KIND, ProbabilitiesMissing
from evaluation.contamination.actions import refuse_resuming as refuse_min_k
from evaluation.contamination.job_page import min_k_page
from evaluation.items.actions import ANALYSIS_KIND
from evaluation.items.job_page import analysis_page
from evaluation.judging.actions import JUDGING_KIND
from evaluation.judging.actions import refuse_resuming as refuse_judging
from evaluation.judging.job_page import judging_page
from evaluation.outside.actions import KIND as OUTSIDE
from evaluation.outside.actions import (
    AnswersRefused,
    ModelNameMissing,
    NothingJoined,
    TooManyEpochs,
)
from evaluation.results.actions import SCORING_KIND
from evaluation.runs.actions import RUN_KIND, refuse_resuming
from evaluation.runs.job_page import run_page, scoring_page
from jobs.enums import Queue
from jobs.kinds import JobKind, register_kind
from projects.selectors import find_project

RUNS = register_kind(
    JobKind(
        name=RUN_KIND,
        title=_("Model run"),
        work="evaluation.runs.execution.perform_run",
        queue=Queue.CALLS,
        find_scope=find_project,
        view_permission="evaluation.view_runs",
        manage_permission="evaluation.start_run",
        final_errors=frozenset({"budget_unmeasured"}),
        section="runs",
        page=run_page,
        on_resume=refuse_resuming,
    )
)
register_held(RUNS, work="evaluation.runs.held.held_run")
register_kind(
    JobKind(
        name=SCORING_KIND,
        title=_("Scoring of stored answers"),
        work="evaluation.results.actions.perform_scoring",
        find_scope=find_project,
        view_permission="evaluation.view_runs",
        manage_permission="evaluation.start_run",
        section="runs",
        page=scoring_page,
    )
)
register_kind(
    JobKind(
        name=OUTSIDE,
        title=_("Import of answers"),
        work="evaluation.outside.actions.perform_run_import",
        find_scope=find_project,
        view_permission="evaluation.import_run",
        manage_permission="evaluation.import_run",
        notes={"reading": _("Reading the file"), "scoring": _("Scoring the answers")},
        final_errors=frozenset(
            each.code for each in (AnswersRefused, NothingJoined, TooManyEpochs, ModelNameMissing)
        ),
        section="runs",
        page=run_page,
    )
)
register_kind(
    JobKind(
        name=JUDGING_KIND,
        title=_("Judging of answers"),
        work="evaluation.judging.execution.perform_judging",
        queue=Queue.CALLS,
        find_scope=find_project,
        view_permission="evaluation.view_runs",
        manage_permission="evaluation.import_run",
        final_errors=frozenset({"budget_unmeasured"}),
        section="runs",
        page=judging_page,
        on_resume=refuse_judging,
    )
)
register_kind(
    JobKind(
        name=MIN_K_KIND,
        title=_("Min-k % test"),
        work="evaluation.contamination.execution.perform_min_k",
        queue=Queue.CALLS,
        find_scope=find_project,
        view_permission="evaluation.view_runs",
        manage_permission="evaluation.import_run",
        final_errors=frozenset({"budget_unmeasured", ProbabilitiesMissing.code}),
        section="runs",
        page=min_k_page,
        on_resume=refuse_min_k,
    )
)
register_kind(
    JobKind(
        name=ANALYSIS_KIND,
        title=_("Analysis of items"),
        work="evaluation.items.analysis.perform_analysis",
        find_scope=find_project,
        view_permission="annotation.view_items",
        manage_permission="evaluation.analyse_items",
        section="runs",
        page=analysis_page,
    )
)
register_kind(
    JobKind(
        name=AUDIT_KIND,
        title=_("Extraction audit"),
        work="evaluation.audits.actions.perform_audit",
        find_scope=find_project,
        view_permission="annotation.view_items",
        manage_permission="evaluation.import_run",
        section="runs",
        page=audit_page,
    )
)
