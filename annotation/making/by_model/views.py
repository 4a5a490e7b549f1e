"""Pages that start, list, show, cancel and resume making jobs, and edit their prompt."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from accounts.rules import current_user
from annotation.asking import views as asking
from annotation.asking.queries import state_counts
from annotation.asking.selectors import asking_job_for
from annotation.making.actions import SHOWN
from annotation.making.base import fault_text
from annotation.making.by_model.actions import (
    DISTRACTORS,
    MAKING,
    estimate_of,
    start_making_job,
)
from annotation.making.by_model.forms import MakingJobForm
from annotation.making.by_model.queries import choose_pairs, failed_pairs, totals_of, words_of
from annotation.making.prompting import ask_for_wrong
from common.pagination import listed_page
from projects.selectors import project_for

EXAMPLE = {"question": "6 × 7 = ?", "answer": "42"}


@require_safe
def job_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_for(current_user(request), slug, MAKING.view)
    return asking.list_page(request, MAKING, project)


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_for(current_user(request), slug, MAKING.manage)
    form = MakingJobForm(project, request.POST or None)
    faults = choose_pairs(project, form.cleaned_data["pairs"]).faults if form.is_valid() else []
    return asking.start_page(
        request, MAKING, project, form, start=start_making_job, estimate=estimate_of,
        faults=[(fault.line, fault_text(fault, gettext)) for fault in faults[:SHOWN]],
        fault_count=len(faults),
    )  # fmt: skip


@require_safe
def detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show what came of a job; pairs without an item are listed with the reason."""
    started = asking_job_for(MAKING, current_user(request), slug, pk)
    page = listed_page(request, failed_pairs(started), order=["pk"])
    return asking.job_page(
        request, MAKING, started, counts=state_counts(started.pairs.all()),
        totals=totals_of(started), page=page, failed=[(row, words_of(row)) for row in page.rows],
    )  # fmt: skip


@require_http_methods(["GET", "HEAD", "POST"])
def prompt(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_for(current_user(request), slug, MAKING.manage)
    return asking.task_prompt_page(
        request, MAKING, project, DISTRACTORS,
        preview=lambda frame: ask_for_wrong(frame, **EXAMPLE).messages,
    )  # fmt: skip
