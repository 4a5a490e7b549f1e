"""Pages that start, list, show, cancel and resume translation jobs, and edit their prompt."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.rules import current_user
from annotation.models import Item, TranslationJob
from annotation.translating.actions import (
    TranslationInvalid,
    allow_hidden_items,
    cancel_translation,
    estimate_translation,
    resume_translation,
    start_translation,
)
from annotation.translating.briefs import brief_of
from annotation.translating.catalogue import STRATEGIES
from annotation.translating.forms import PromptForm, ResumeForm, TranslationForm
from annotation.translating.prompting import Prompt, ask_translation
from annotation.translating.queries import retried_items, translation_jobs
from annotation.translating.results import results_of, results_of_system
from annotation.translating.selectors import MANAGE, VIEW, translation_job_for
from common.db import bounded_pk
from common.errors import DomainError
from common.htmx import render_page
from common.pagination import keyset_page
from endpoints.models import Endpoint
from endpoints.specs.queries import current_models
from jobs.enums import Queue
from jobs.queries import is_worker_alive
from projects.forms import show_refusal
from projects.models import Project
from projects.selectors import project_for
from prompts.actions import revise_translation_prompt
from prompts.models import PromptTemplate
from prompts.queries import translation_prompt


@require_safe
def job_list(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, VIEW)
    usable = Endpoint.objects.usable_in(project).order_by("name", "pk")
    allowed = set(usable.filter(hidden_item_projects=project).values_list("pk", flat=True))
    context = {
        "project": project,
        "section": "items",
        "page": keyset_page(
            translation_jobs(project), order=["-pk"], cursor=request.GET.get("cursor")
        ),
        "can_manage": user.has_perm(MANAGE, project),
        "endpoints": [(endpoint, endpoint.pk in allowed) for endpoint in usable],
    }
    return render(request, "annotation/translating/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form; posting it shows the dry run, and posting that with `confirm` starts the job."""
    user = current_user(request)
    project = project_for(user, slug, MANAGE)
    form = TranslationForm(project, request.POST or None)
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
            started = start_translation(
                project=project, settings=form.settings(), actor=user, now=timezone.now()
            )
            return redirect("annotation:translation-job", slug, started.pk)
        context["estimate"] = estimate_translation(project=project, settings=form.settings())
    except DomainError as error:
        show_refusal(form, error)
        return _start_page(request, context, status=error.status)
    return _start_page(request, context, status=200)


@require_safe
def detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    started = translation_job_for(current_user(request), slug, pk)
    context = {
        **_job_context(request, started),
        "results": results_of(started),
        "citation": STRATEGIES[started.strategy].citation,
        "can_resume": started.job.has_ended and retried_items(started).exists(),
    }
    return render(request, "annotation/translating/job.html", context)


@require_safe
def system(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what came of all jobs of the system that `system` names."""
    project = project_for(current_user(request), slug, VIEW)
    name = request.GET.get("system", "")
    results = results_of_system(project, name)
    if results is None:
        raise Http404
    context = {"project": project, "section": "items", "system": name, "results": results}
    return render(request, "annotation/translating/system.html", context)


@require_safe
def progress(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show only the progress of a job; reload the page when it has ended."""
    started = translation_job_for(current_user(request), slug, pk)
    if not getattr(request, "htmx", None):
        return redirect("annotation:translation-job", slug, pk)
    context = _job_context(request, started)
    response = render_page(request, "annotation/translating/job.html", context, partial="job")
    if started.job.has_ended:
        response["HX-Refresh"] = "true"
    return response


@require_POST
def cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    started = translation_job_for(user, slug, pk, MANAGE)
    cancel_translation(translation_job=started, actor=user, now=timezone.now())
    return redirect("annotation:translation-job", slug, pk)


@require_POST
def resume(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    started = translation_job_for(user, slug, pk, MANAGE)
    form = ResumeForm(request.POST)
    if not form.is_valid():
        faults = {name: [str(word) for word in said] for name, said in form.errors.items()}
        raise TranslationInvalid(fields=faults)
    budget = form.cleaned_data["budget"]
    resume_translation(translation_job=started, actor=user, now=timezone.now(), budget=budget)
    return redirect("annotation:translation-job", slug, pk)


@require_POST
def allow_hidden(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "annotation.allow_hidden_items")
    endpoint = get_object_or_404(Endpoint.objects.usable_in(project), pk=bounded_pk(pk))
    allow_hidden_items(
        endpoint=endpoint, project=project, is_allowed=request.POST.get("allowed") == "yes",
        actor=user, now=timezone.now(),
    )  # fmt: skip
    return redirect("annotation:translation-jobs", slug)


@require_http_methods(["GET", "HEAD", "POST"])
def prompt(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the prompt with a preview of a real item; posting stores a new revision."""
    user = current_user(request)
    project = project_for(user, slug, MANAGE)
    current = translation_prompt(project, now=timezone.now())
    initial = {"system": current.system, "frame": current.frame, "revision": current.revision}
    form = PromptForm(request.POST or None, initial=initial)
    if request.method != "POST" or not form.is_valid():
        return _prompt_page(request, project, form, current, 400 if form.is_bound else 200)
    try:
        revised = revise_translation_prompt(
            project=project, actor=user, now=timezone.now(), **form.cleaned_data
        )
    except DomainError as error:
        form.add_error(None, str(error))
        return _prompt_page(request, project, form, current, error.status)
    messages.success(request, _("You have saved revision %d of the prompt.") % revised.revision)
    return redirect("annotation:translation-prompt", slug)


def _prompt_page(
    request: HttpRequest, project: Project, form: PromptForm, current: PromptTemplate, status: int
) -> HttpResponse:
    context = {
        "project": project,
        "section": "items",
        "form": form,
        "prompt": current,
        "preview": _preview(project, current),
    }
    return render(request, "annotation/translating/prompt.html", context, status=status)


def _preview(project: Project, current: PromptTemplate) -> Prompt | None:
    """Return the prompt of the first item, as it would be sent."""
    rows = Item.objects.filter(project=project).select_related("subject", "project")
    item = rows.order_by("uid_order", "pk").first()
    return ask_translation(brief_of(item, current, without=())) if item else None


def _start_page(request: HttpRequest, context: dict[str, object], *, status: int) -> HttpResponse:
    return render(request, "annotation/translating/start.html", context, status=status)


def _job_context(request: HttpRequest, started: TranslationJob) -> dict[str, object]:
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
