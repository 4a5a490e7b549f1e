"""Pages that start, list, show, cancel and resume screening jobs, and list their opinions."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.rules import current_user
from annotation.enums import OpinionState, Screen
from annotation.models import Opinion, ScreeningJob
from annotation.screening.actions import (
    ScreeningInvalid,
    cancel_screening,
    estimate_of,
    resume_screening,
    start_screening,
)
from annotation.screening.forms import OpinionFilterForm, ScreeningForm, ScreenPromptForm
from annotation.screening.labels import words_of
from annotation.screening.queries import (
    OpinionFilter,
    opinions_of,
    retried_opinions,
    screen_counts,
    screening_jobs,
    thresholds,
    totals_of,
)
from annotation.screening.screens import QUESTIONS
from annotation.screening.selectors import MANAGE, VIEW, preview_of, prompt_of, screening_for
from annotation.translating.forms import ResumeForm
from common.errors import DomainError
from common.htmx import render_page
from common.pagination import keyset_page
from endpoints.specs.queries import current_models
from jobs.enums import Queue
from jobs.queries import is_worker_alive
from projects.forms import show_refusal
from projects.selectors import project_for
from prompts.actions import revise_screening_prompt
from prompts.models import PromptTemplate


@dataclass(frozen=True, slots=True)
class OpinionRow:
    """An opinion as the list shows it; `is_below` says that it does not reach the threshold."""

    opinion: Opinion
    words: str
    is_below: bool


@require_safe
def job_list(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, VIEW)
    context = {
        "project": project,
        "section": "items",
        "page": keyset_page(
            screening_jobs(project), order=["-pk"], cursor=request.GET.get("cursor")
        ),
        "can_manage": user.has_perm(MANAGE, project),
    }
    return render(request, "annotation/screening/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form; posting it shows the dry run, and posting that with `confirm` starts the job."""
    user = current_user(request)
    project = project_for(user, slug, MANAGE)
    form = ScreeningForm(project, request.POST or None)
    context = {
        "project": project,
        "section": "items",
        "form": form,
        "has_model": current_models(project).exists(),
    }
    if request.method != "POST" or not form.is_valid():
        return _start_page(request, context, status=400 if form.is_bound else 200)
    try:
        if request.POST.get("confirm"):
            started = start_screening(
                project=project, settings=form.settings(), actor=user, now=timezone.now()
            )
            return redirect("annotation:screening", slug, started.pk)
        context["estimate"] = estimate_of(project=project, settings=form.settings())
    except DomainError as error:
        show_refusal(form, error)
        return _start_page(request, context, status=error.status)
    return _start_page(request, context, status=200)


@require_safe
def detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    started = screening_for(current_user(request), slug, pk)
    context = {
        **_job_context(request, started),
        "counts": [(Screen(each.screen).label, each) for each in screen_counts(started)],
        "totals": totals_of(started),
        "can_resume": started.job.has_ended and retried_opinions(started).exists(),
    }
    return render(request, "annotation/screening/job.html", context)


@require_safe
def progress(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show only the progress of a job; reload the page when it has ended."""
    started = screening_for(current_user(request), slug, pk)
    if not getattr(request, "htmx", None):
        return redirect("annotation:screening", slug, pk)
    context = _job_context(request, started)
    response = render_page(request, "annotation/screening/job.html", context, partial="job")
    if started.job.has_ended:
        response["HX-Refresh"] = "true"
    return response


@require_safe
def opinions(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """List the opinions of a job, the surest first."""
    started = screening_for(current_user(request), slug, pk)
    form = OpinionFilterForm(request.GET)
    is_valid = form.is_valid()
    wanted = form.wanted() if is_valid else OpinionFilter()
    is_read = wanted.state in (OpinionState.DOUBT, OpinionState.FINE)
    page = keyset_page(
        opinions_of(started, wanted),
        order=["-confidence", "-pk"] if is_read else ["-pk"],
        cursor=request.GET.get("cursor"),
    )
    context = {
        "project": started.project,
        "section": "items",
        "started": started,
        "form": form,
        "page": page,
        "rows": _rows(page.rows, thresholds(started.project)),
    }
    return render(
        request, "annotation/screening/opinions.html", context, status=200 if is_valid else 400
    )


@require_POST
def cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    started = screening_for(user, slug, pk, MANAGE)
    cancel_screening(screening_job=started, actor=user, now=timezone.now())
    return redirect("annotation:screening", slug, pk)


@require_POST
def resume(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    started = screening_for(user, slug, pk, MANAGE)
    form = ResumeForm(request.POST)
    if not form.is_valid():
        faults = {name: [str(word) for word in said] for name, said in form.errors.items()}
        raise ScreeningInvalid(fields=faults)
    budget = form.cleaned_data["budget"]
    resume_screening(screening_job=started, actor=user, now=timezone.now(), budget=budget)
    return redirect("annotation:screening", slug, pk)


@require_http_methods(["GET", "HEAD", "POST"])
def prompt(request: HttpRequest, slug: str, screen: str) -> HttpResponse:
    """Show the prompt of a screen with a preview of a real item; posting stores a new revision."""
    user = current_user(request)
    project = project_for(user, slug, MANAGE)
    current = prompt_of(project, screen, now=timezone.now())
    initial = {"frame": current.frame, "revision": current.revision}
    form = ScreenPromptForm(request.POST or None, initial=initial)
    if request.method != "POST" or not form.is_valid():
        return _prompt_page(request, screen, form, current, 400 if form.is_bound else 200)
    try:
        revised = revise_screening_prompt(
            project=project, screen=screen, builtin=QUESTIONS[screen], actor=user,
            now=timezone.now(), **form.cleaned_data,
        )  # fmt: skip
    except DomainError as error:
        form.add_error(None, str(error))
        return _prompt_page(request, screen, form, current, error.status)
    messages.success(request, _("You have saved revision %d of the prompt.") % revised.revision)
    return redirect("annotation:screening-prompt", slug, screen)


def _prompt_page(
    request: HttpRequest, screen: str, form: ScreenPromptForm, current: PromptTemplate, status: int
) -> HttpResponse:
    context = {
        "project": current.project,
        "section": "items",
        "form": form,
        "prompt": current,
        "screen": screen,
        "screens": Screen.choices,
        "preview": preview_of(current.project, screen, current.frame),
    }
    return render(request, "annotation/screening/prompt.html", context, status=status)


def _rows(found: Iterable[Opinion], chosen: dict[str, float]) -> list[OpinionRow]:
    return [
        OpinionRow(
            opinion,
            words_of(opinion),
            opinion.state == OpinionState.DOUBT
            and (opinion.confidence or 0.0) < chosen.get(opinion.screen, 0.0),
        )
        for opinion in found
    ]


def _start_page(request: HttpRequest, context: dict[str, object], *, status: int) -> HttpResponse:
    return render(request, "annotation/screening/start.html", context, status=status)


def _job_context(request: HttpRequest, started: ScreeningJob) -> dict[str, object]:
    now = timezone.now()
    is_waiting = not started.job.has_ended
    return {
        "project": started.project,
        "section": "items",
        "started": started,
        "job": started.job,
        "seconds_left": started.job.seconds_left(now),
        "is_worker_alive": is_worker_alive(now=now, queue=Queue.CALLS) if is_waiting else None,
        "can_manage": current_user(request).has_perm(MANAGE, started.project),
    }
