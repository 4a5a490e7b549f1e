"""Pages that list, start, show, cancel and resume runs."""

from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.rules import current_user
from annotation.asking.forms import ResumeForm
from common.api_exports import file_answer
from common.downloads import csv_lines, json_lines
from common.errors import DomainError
from common.htmx import render_page
from common.pagination import listed_page
from endpoints.held.presenters import held_context
from evaluation.models import Run
from evaluation.queries import shots_without_explanation
from evaluation.results.actions import start_scoring
from evaluation.runs.actions import RunInvalid, cancel_run, resume_run, start_run
from evaluation.runs.estimates import SAMPLED_ITEMS, Estimate, estimate_run
from evaluation.runs.forms import RunFilterForm, RunForm
from evaluation.runs.lists import FILE_COLUMNS, costs_by_model, file_rows, filtered_runs
from evaluation.runs.presenters import figures_context
from evaluation.selectors import run_for
from jobs.enums import Queue
from jobs.queries import is_worker_alive
from projects.models import Project
from projects.selectors import project_for, why_keys_are_closed
from prompts.actions import ensure_default_prompts
from prompts.selectors import get_prompt

VIEW = "evaluation.view_run"


@require_safe
def run_list(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "evaluation.view_runs")
    form = RunFilterForm(request.GET)
    is_valid = form.is_valid()
    rows = filtered_runs(user, project, form.wanted())
    page = listed_page(request, rows, filters=form.fields, order=form.order_by())
    context = {
        "form": form,
        "is_filtered": any(value not in ("", None) for value in form.cleaned_data.values()),
        "project": project,
        "section": "runs",
        "page": page,
        "closed": why_keys_are_closed(user, project),
        "can_start": user.has_perm("evaluation.start_run", project),
        "can_import": user.has_perm("evaluation.import_run", project),
        "can_analyse": user.has_perm("evaluation.view_item_analysis", project),
    }
    status = 200 if is_valid else 400
    return render(request, "evaluation/runs/list.html", context, status=status)


@require_safe
def list_file(request: HttpRequest, slug: str, extension: str) -> StreamingHttpResponse:
    """Download the runs of a filter as CSV or JSON lines."""
    user = current_user(request)
    project = project_for(user, slug, "evaluation.view_runs")
    form = RunFilterForm(request.GET)
    form.is_valid()
    rows = file_rows(filtered_runs(user, project, form.wanted()))
    lines = csv_lines(FILE_COLUMNS, rows) if extension == "csv" else json_lines(rows)
    return file_answer(lines, name=f"{slug}-runs.{extension}")


@require_safe
def costs(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "evaluation.view_runs")
    context = {"project": project, "section": "runs", "costs": costs_by_model(user, project)}
    return render(request, "evaluation/runs/costs.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form; posting it starts the run, or with `estimate` says what it would take."""
    user = current_user(request)
    project = project_for(user, slug, "evaluation.start_run")
    form = RunForm(user, project, request.POST or None, initial=request.GET.dict())
    if request.method != "POST" or not form.is_valid():
        return _start_page(request, project, form, status=400 if form.is_bound else 200)
    ensure_default_prompts(project=project, now=timezone.now())
    try:
        if request.POST.get("estimate"):
            found = estimate_run(**_parts(project, form), most=SAMPLED_ITEMS)
            return _start_page(request, project, form, status=200, estimate=found)
        bare = _unsaid_bare_shots(request, project, form)
        if bare is not None:
            return _start_page(request, project, form, status=200, bare=bare)
        run = start_run(**_parts(project, form), actor=user, now=timezone.now())
    except DomainError as error:
        form.add_error(None, error.in_full())
        return _start_page(request, project, form, status=error.status)
    return redirect("evaluation:run", slug, run.pk)


@require_safe
def detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = run_for(current_user(request), slug, pk, VIEW)
    shared = _run_context(request, run)
    can_hold = bool(shared["can_manage"]) and not run.imported_from
    context = {
        **shared,
        **held_context(run.job, can_manage=can_hold),
        **figures_context(run, request.GET.get("method", "")),
    }
    return render(request, "evaluation/runs/run.html", context)


@require_safe
def job(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show only the progress of a run; reload the page when the run has ended."""
    run = run_for(current_user(request), slug, pk, VIEW)
    if not getattr(request, "htmx", None):
        return redirect("evaluation:run", slug, pk)
    context = _run_context(request, run)
    response = render_page(request, "evaluation/runs/run.html", context, partial="job")
    if run.job.has_ended:
        response["HX-Refresh"] = "true"
    return response


@require_safe
def scoring_job(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show only the progress of scoring again; reload the page when that has ended."""
    run = run_for(current_user(request), slug, pk, VIEW)
    if not getattr(request, "htmx", None) or run.scoring_job is None:
        return redirect("evaluation:run", slug, pk)
    context = _run_context(request, run)
    response = render_page(request, "evaluation/runs/run.html", context, partial="scoring")
    if run.scoring_job.has_ended:
        response["HX-Refresh"] = "true"
    return response


@require_POST
def score(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    run = run_for(user, slug, pk, "evaluation.resume_run")
    methods = request.POST.getlist("methods")
    start_scoring(run=run, methods=methods, actor=user, now=timezone.now())
    return redirect("evaluation:run", slug, pk)


@require_POST
def cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    run = run_for(user, slug, pk, "evaluation.cancel_run")
    cancel_run(run=run, actor=user, now=timezone.now())
    return redirect("evaluation:run", slug, pk)


@require_POST
def resume(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    run = run_for(user, slug, pk, "evaluation.resume_run")
    form = ResumeForm(request.POST)
    if not form.is_valid():
        raise RunInvalid(fields={"budget": [str(text) for text in form.errors["budget"]]})
    budget = form.cleaned_data["budget"]
    resume_run(run=run, budget=budget, actor=user, now=timezone.now())
    return redirect("evaluation:run", slug, pk)


def _parts(project: Project, form: RunForm) -> dict[str, Any]:
    data = form.cleaned_data
    return {
        "release": data["release"],
        "model_spec": data["model"],
        "prompt": get_prompt(project, data["prompt"]),
        "settings": form.settings(),
    }


def _unsaid_bare_shots(
    request: HttpRequest, project: Project, form: RunForm
) -> tuple[int, int] | None:
    """Return the counts of examples and of those to be told of before the run starts, once."""
    if request.POST.get("bare_shots_told"):
        return None
    parts = _parts(project, form)
    run = Run(
        release=parts["release"], prompt_template=parts["prompt"], shots=form.settings().shots,
        methods=list(form.settings().methods),
    )  # fmt: skip
    shots, bare = shots_without_explanation(run)
    return (shots, bare) if bare else None


def _start_page(
    request: HttpRequest,
    project: Project,
    form: RunForm,
    *,
    status: int,
    estimate: Estimate | None = None,
    bare: tuple[int, int] | None = None,
) -> HttpResponse:
    context = {
        "project": project,
        "section": "runs",
        "form": form,
        "estimate": estimate,
        "bare": bare,
        "has_release": form.fields["release"].queryset.exists(),  # type: ignore[attr-defined]
        "has_model": form.fields["model"].queryset.exists(),  # type: ignore[attr-defined]
    }
    return render(request, "evaluation/runs/start.html", context, status=status)


def _run_context(request: HttpRequest, run: Run) -> dict[str, object]:
    now = timezone.now()
    is_scoring = run.scoring_job is not None and not run.scoring_job.has_ended
    is_waiting = is_scoring or not run.job.has_ended
    queue = Queue.DEFAULT if is_scoring else Queue.CALLS
    can_manage = current_user(request).has_perm("evaluation.resume_run", run)
    return {
        "project": run.release.project,
        "section": "runs",
        "run": run,
        "job": run.job,
        "seconds_left": run.job.seconds_left(now),
        "scoring_job": run.scoring_job,
        "is_scoring": is_scoring,
        "is_worker_alive": is_worker_alive(now=now, queue=queue) if is_waiting else None,
        "can_manage": can_manage,
        "can_read": current_user(request).has_perm("evaluation.view_responses", run),
    }
