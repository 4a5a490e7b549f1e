"""The pages of jobs that ask models about items, whatever they ask."""

from collections.abc import Callable, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.rules import current_user
from annotation.asking.actions import resume_asking
from annotation.asking.forms import AskingForm, ResumeForm, TaskPromptForm
from annotation.asking.kinds import AskingKind, Started, Task
from annotation.asking.queries import Estimate, Totals, expected_totals, jobs_of, retried_rows
from annotation.asking.selectors import asking_job_for
from common.errors import DomainError
from common.htmx import render_page
from common.pagination import listed_page
from endpoints.held.presenters import held_context
from endpoints.providers.base import Message
from endpoints.specs.queries import current_models
from jobs.actions import cancel_job
from jobs.enums import Queue
from jobs.queries import is_worker_alive
from projects.forms import show_refusal
from projects.models import Project
from prompts.models import PromptTemplate


def list_page(
    request: HttpRequest, kind: AskingKind[Any], project: Project, **more: object
) -> HttpResponse:
    page = listed_page(request, jobs_of(kind, project), order=["-pk"])
    context = {
        **_frame(kind, project),
        "page": page,
        "start_url": reverse(f"{kind.namespace}:start-{kind.name}", args=[project.slug]),
        "can_manage": current_user(request).has_perm(kind.manage, project),
        **more,
    }
    return render(request, f"{kind.templates}/list.html", context)


def start_page(
    request: HttpRequest,
    kind: AskingKind[Any],
    project: Project,
    form: AskingForm,
    *,
    start: Callable[..., Any],
    estimate: Callable[..., Any],
    **more: object,
) -> HttpResponse:
    """Show the form; posting it shows the dry run, and posting that with `confirm` starts the job."""
    status = 400 if form.is_bound else 200
    if request.method == "POST" and form.is_valid():
        asked = {"project": project, "settings": form.settings()}
        try:
            if request.POST.get("confirm"):
                started = start(**asked, actor=current_user(request), now=timezone.now())
                return redirect(kind.page, project.slug, started.pk)
            more |= _taken(estimate(**asked), form)
            status = 200
        except DomainError as error:
            show_refusal(form, error)
            status = error.status
    context = {**_frame(kind, project), "form": form, "has_model": current_models(project).exists()}
    return render(request, f"{kind.templates}/start.html", context | more, status=status)


def _taken(estimate: Estimate, form: AskingForm) -> dict[str, object]:
    """What a job takes, and how long with the calls at once that the form says."""
    return {"estimate": estimate, "seconds": estimate.seconds(form.settings().concurrency)}


def job_page(
    request: HttpRequest,
    kind: AskingKind[Started],
    started: Started,
    *,
    totals: Totals,
    **more: object,
) -> HttpResponse:
    can_resume = started.job.has_ended and retried_rows(kind, started).exists()
    shared = _job_context(request, kind, started)
    held = held_context(started.job, can_manage=bool(shared["can_manage"]))
    taken = {"totals": totals, "expected": expected_totals(totals, started.job)}
    context = {**shared, **held, **taken, "can_resume": can_resume, **more}
    return render(request, f"{kind.templates}/job.html", context)


@require_safe
def progress(request: HttpRequest, kind: AskingKind[Any], slug: str, pk: int) -> HttpResponse:
    """Show only the progress of a job; reload the page when it has ended."""
    started = asking_job_for(kind, current_user(request), slug, pk)
    if not getattr(request, "htmx", None):
        return redirect(kind.page, slug, pk)
    context = _job_context(request, kind, started)
    response = render_page(request, "annotation/asking/job.html", context, partial="job")
    if started.job.has_ended:
        response["HX-Refresh"] = "true"
    return response


@require_POST
def cancel(request: HttpRequest, kind: AskingKind[Any], slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    started = asking_job_for(kind, user, slug, pk, kind.manage)
    cancel_job(job=started.job, actor=user, now=timezone.now())
    return redirect(kind.page, slug, pk)


@require_POST
def resume(request: HttpRequest, kind: AskingKind[Any], slug: str, pk: int) -> HttpResponse:
    """Resume a job with the budget of the form."""
    user = current_user(request)
    started = asking_job_for(kind, user, slug, pk, kind.manage)
    form = ResumeForm(request.POST)
    if not form.is_valid():
        raise kind.invalid(fields={name: [*map(str, e)] for name, e in form.errors.items()})
    budget = form.cleaned_data["budget"]
    resume_asking(kind, started, actor=user, now=timezone.now(), budget=budget)
    return redirect(kind.page, slug, pk)


def task_prompt_page(
    request: HttpRequest,
    kind: AskingKind[Any],
    project: Project,
    task: Task,
    *,
    preview: Callable[[str], Sequence[Message]],
    **more: object,
) -> HttpResponse:
    """Show the prompt of a task with what `preview` makes of it; posting stores a new revision."""
    current = task.prompt_of(project, now=timezone.now())
    initial = {"frame": current.frame, "revision": current.revision}
    return prompt_page(
        request, kind, current, TaskPromptForm(request.POST or None, initial=initial),
        revise=task.revise, preview=preview(current.frame), **more,
    )  # fmt: skip


def prompt_page(
    request: HttpRequest,
    kind: AskingKind[Any],
    current: PromptTemplate,
    form: forms.Form,
    *,
    revise: Callable[..., PromptTemplate],
    **more: object,
) -> HttpResponse:
    """Show a prompt with a preview of a real item; posting stores a new revision with `revise`."""
    status = 400 if form.is_bound else 200
    if request.method == "POST" and form.is_valid():
        said = {"project": current.project, "actor": current_user(request), **form.cleaned_data}
        try:
            revised = revise(**said, now=timezone.now())
        except DomainError as error:
            form.add_error(None, str(error))
            status = error.status
        else:
            words = _("You have saved revision %d of the prompt.")
            messages.success(request, words % revised.revision)
            return redirect(request.path)
    context = {**_frame(kind, current.project), "form": form, "prompt": current, **more}
    return render(request, f"{kind.templates}/prompt.html", context, status=status)


def _job_context(
    request: HttpRequest, kind: AskingKind[Started], started: Started
) -> dict[str, object]:
    now, job, project = timezone.now(), started.job, started.project
    can_manage = current_user(request).has_perm(kind.manage, project)
    names = {"poll_url": f"{kind.namespace}:{kind.name}-progress"}
    if can_manage:
        names["cancel_url"] = f"{kind.namespace}:cancel-{kind.name}"
        names["resume_url"] = f"{kind.namespace}:resume-{kind.name}"
    is_waiting = not job.has_ended
    return {
        **_frame(kind, project),
        **{key: reverse(name, args=[project.slug, started.pk]) for key, name in names.items()},
        "started": started,
        "job": job,
        "seconds_left": job.seconds_left(now),
        "is_worker_alive": is_worker_alive(now=now, queue=Queue.CALLS) if is_waiting else None,
        "can_manage": can_manage,
    }


def _frame(kind: AskingKind[Any], project: Project) -> dict[str, object]:
    list_url = reverse(kind.page_list, args=[project.slug])
    return {"project": project, "section": "items", "kind": kind, "list_url": list_url}
