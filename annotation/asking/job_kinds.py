"""Declares the kinds of job that ask models about items, and what their page adds to that of a job."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.asking.actions import refuse_resuming
from annotation.asking.kinds import AskingKind
from endpoints.budgets import BudgetUnmeasured
from endpoints.held.job_kinds import register_held
from jobs.enums import Queue
from jobs.kinds import JobKind, JobPage, Link, register_kind
from jobs.models import Job
from projects.models import Project
from projects.selectors import find_project

NO_NOTES: Final[Mapping[str, str | Promise]] = MappingProxyType({})


def register_asking(
    kind: AskingKind[Any],
    *,
    work: str,
    link: Promise,
    left: Promise,
    held: str = "",
    notes: Mapping[str, str | Promise] = NO_NOTES,
) -> None:
    """Declare a kind. Its jobs link to their page with `link`; `left` says that a budget ended one.

    `notes` are words for what the work does besides asking. Jobs of a kind with the path of its `held`
    work can wait for batch files.
    """
    declared = register_kind(
        JobKind(
            name=kind.name,
            title=kind.title,
            queue=Queue.CALLS,
            work=work,
            find_scope=find_project,
            view_permission=kind.view,
            manage_permission=kind.manage,
            on_resume=partial(refuse_resuming, kind),
            final_errors=frozenset({BudgetUnmeasured.code}),
            section="items",
            notes=notes,
            page=partial(_page, kind, link, left),
        )
    )
    if held:
        register_held(declared, work=held)


def _page(
    kind: AskingKind[Any], link: Promise, left: Promise, _user: User, job: Job, project: Project
) -> JobPage:
    started = kind.jobs.filter(job=job).first()
    if started is None:
        return JobPage()
    warning = None
    if job.result.get("is_budget_spent"):
        warning = _("The budget is spent."), str(left) % {"open": job.result["open"]}
    url = reverse(kind.page, args=[project.slug, started.pk])
    return JobPage(links=[Link(str(link), url)], warning=warning)
