"""Declares the kinds of job that can wait for batch files, and those that store the answers."""

from django.utils.translation import gettext_lazy as _

from endpoints.held.job_page import answers_page
from endpoints.held.kinds import ANSWERS, declare_work
from jobs.kinds import JobKind, register_kind


def register_held(kind: JobKind, *, work: str) -> None:
    """Let jobs of a kind wait for batch files, and declare the kind that stores the answers.

    `work` is the path of a function that returns the `HeldWork` of a job.
    """
    declare_work(kind.name, work)
    register_kind(
        JobKind(
            name=f"{kind.name}{ANSWERS}",
            title=_("Answers of batch files"),
            work="endpoints.held.taking.perform_taking",
            find_scope=kind.find_scope,
            view_permission=kind.manage_permission,
            manage_permission=kind.manage_permission,
            notes={"reading": _("Reading the file"), "storing": _("Storing the answers")},
            final_errors=frozenset({"batch_file_invalid", "batch_answers_unknown"}),
            section=kind.section,
            template="endpoints/includes/batch_answers.html",
            page=answers_page,
        )
    )
