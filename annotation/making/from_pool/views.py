"""Pages that start, list, show, cancel and resume sampling jobs, and edit their prompt."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from accounts.rules import current_user
from annotation.asking import views as asking
from annotation.asking.queries import state_counts
from annotation.asking.selectors import asking_job_for
from annotation.making.actions import SHOWN
from annotation.making.base import fault_text
from annotation.making.from_pool.actions import SAMPLING, SCORES, estimate_of, start_sampling
from annotation.making.from_pool.forms import SamplingForm
from annotation.making.from_pool.prompting import ask_for_scores
from annotation.making.from_pool.queries import (
    choose_prompts,
    failed_prompts,
    sample_of,
    totals_of,
    words_of,
)
from common.pagination import listed_page
from projects.selectors import project_for

EXAMPLE = "Explain to a ten-year-old why the moon has phases."


@require_safe
def job_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_for(current_user(request), slug, SAMPLING.view)
    return asking.list_page(request, SAMPLING, project)


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_for(current_user(request), slug, SAMPLING.manage)
    form = SamplingForm(project, request.POST or None)
    faults = choose_prompts(project, form.cleaned_data["pool"]).faults if form.is_valid() else []
    return asking.start_page(
        request, SAMPLING, project, form, start=start_sampling, estimate=estimate_of,
        faults=[(fault.line, fault_text(fault, gettext)) for fault in faults[:SHOWN]],
        fault_count=len(faults), embedding_model=settings.EMBEDDING_MODEL,
    )  # fmt: skip


@require_safe
def detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show what a job has drawn; the first prompts without scores are listed with the reason."""
    started = asking_job_for(SAMPLING, current_user(request), slug, pk)
    failed = failed_prompts(started).order_by("pk")[:SHOWN]
    return asking.job_page(
        request, SAMPLING, started, counts=state_counts(started.prompts.all()),
        totals=totals_of(started), drawn=sample_of(started).count(),
        page=listed_page(request, sample_of(started), order=["place"]),
        failed=[(row, words_of(row)) for row in failed],
    )  # fmt: skip


@require_http_methods(["GET", "HEAD", "POST"])
def prompt(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_for(current_user(request), slug, SAMPLING.manage)
    return asking.task_prompt_page(
        request, SAMPLING, project, SCORES,
        preview=lambda frame: ask_for_scores(frame, text=EXAMPLE).messages,
    )  # fmt: skip
