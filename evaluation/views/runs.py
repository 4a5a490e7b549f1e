"""Pages that list, start, show, cancel and resume runs, and download their tables."""

from itertools import chain

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from common.errors import DomainError
from common.htmx import render_page
from common.pagination import keyset_page
from evaluation.actions import (
    cancel_run,
    ensure_default_prompts,
    resume_run,
    start_run,
    start_scoring,
)
from evaluation.forms import RunForm
from evaluation.labels import METHODS, coverage_text, difference_text
from evaluation.models import Run
from evaluation.queries.results import RunResults, run_results
from evaluation.queries.runs import runs_seen_by, subjects_short_of_shots
from evaluation.results_csv import run_files
from evaluation.selectors import get_prompt, run_for
from evaluation.tables import method_table
from jobs.queries import is_worker_alive
from projects.models import Project
from projects.selectors import project_for, why_keys_are_closed

VIEW = "evaluation.view_run"


@require_safe
def run_list(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "evaluation.view_runs")
    page = keyset_page(runs_seen_by(user, project), order=["-pk"], cursor=request.GET.get("cursor"))
    context = {
        "project": project,
        "section": "runs",
        "page": page,
        "closed": why_keys_are_closed(user, project),
        "can_start": user.has_perm("evaluation.start_run", project),
    }
    return render(request, "evaluation/runs.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "evaluation.start_run")
    form = RunForm(project, request.POST or None, initial=request.GET.dict())
    if request.method != "POST" or not form.is_valid():
        return _start_page(request, project, form, status=400 if form.is_bound else 200)
    try:
        run = _start(project, form, user)
    except DomainError as error:
        faults = chain.from_iterable(error.fields.values())
        form.add_error(None, " ".join([str(error), *faults]))
        return _start_page(request, project, form, status=error.status)
    return redirect("evaluation:run", slug, run.pk)


@require_safe
def detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = run_for(current_user(request), slug, pk, VIEW)
    results = run_results(run)
    context = {
        **_run_context(request, run),
        "results": results,
        "gaps": _gaps(run, results),
        "differences": [(difference_text(one), one) for one in results.differences],
        "methods": [(METHODS[one.scorer.name], one) for one in results.methods],
        "table": method_table(results, request.GET.get("method", "")),
        "files": [name for name, _text in run_files(results)],
        "short_subjects": subjects_short_of_shots(run),
    }
    return render(request, "evaluation/run.html", context)


@require_safe
def job(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show only the progress of a run; reload the page when the run has ended."""
    run = run_for(current_user(request), slug, pk, VIEW)
    if not getattr(request, "htmx", None):
        return redirect("evaluation:run", slug, pk)
    context = _run_context(request, run)
    response = render_page(request, "evaluation/run.html", context, partial="job")
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
    response = render_page(request, "evaluation/run.html", context, partial="scoring")
    if run.scoring_job.has_ended:
        response["HX-Refresh"] = "true"
    return response


@require_POST
def score(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    run = run_for(user, slug, pk, "evaluation.resume_run")
    start_scoring(run=run, actor=user, now=timezone.now())
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
    resume_run(run=run, actor=user, now=timezone.now())
    return redirect("evaluation:run", slug, pk)


@require_safe
def file(request: HttpRequest, slug: str, pk: int, name: str) -> HttpResponse:
    """Download one of the CSV files, with the current figures."""
    run = run_for(current_user(request), slug, pk, VIEW)
    text = dict(run_files(run_results(run))).get(name)
    if text is None:
        raise Http404
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name.rpartition("/")[2]}"'
    return response


def _start(project: Project, form: RunForm, user: User) -> Run:
    now, data = timezone.now(), form.cleaned_data
    ensure_default_prompts(project=project, now=now)
    return start_run(
        release=data["release"],
        model_spec=data["model"],
        prompt=get_prompt(project, data["prompt"]),
        settings=form.settings(),
        actor=user,
        now=now,
    )


def _start_page(
    request: HttpRequest, project: Project, form: RunForm, *, status: int
) -> HttpResponse:
    context = {
        "project": project,
        "section": "runs",
        "form": form,
        "has_release": form.fields["release"].queryset.exists(),  # type: ignore[attr-defined]
        "has_model": form.fields["model"].queryset.exists(),  # type: ignore[attr-defined]
    }
    return render(request, "evaluation/start.html", context, status=status)


def _run_context(request: HttpRequest, run: Run) -> dict[str, object]:
    now = timezone.now()
    is_scoring = run.scoring_job is not None and not run.scoring_job.has_ended
    is_waiting = is_scoring or not run.job.has_ended
    return {
        "project": run.release.project,
        "section": "runs",
        "run": run,
        "job": run.job,
        "seconds_left": run.job.seconds_left(now),
        "scoring_job": run.scoring_job,
        "is_scoring": is_scoring,
        "is_worker_alive": is_worker_alive(now=now) if is_waiting else None,
        "can_manage": current_user(request).has_perm("evaluation.resume_run", run),
    }


def _gaps(run: Run, results: RunResults) -> list[str]:
    """Say what the figures leave out; while a run is in progress, that excludes its last answers."""
    is_old = [one for one in results.gaps if one.version not in {None, one.newest_version}]
    shown = results.gaps if run.job.has_ended else is_old
    return [coverage_text(one) for one in shown if one.answers]
