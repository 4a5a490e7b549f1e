"""Pages that start, list, show, cancel and resume translation jobs, and edit their prompt."""

from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.rules import current_user
from annotation.asking import views as asking
from annotation.asking.selectors import asking_job_for
from annotation.models import Item
from annotation.translating.actions import (
    TRANSLATION,
    allow_hidden_items,
    estimate_translation,
    start_translation,
)
from annotation.translating.briefs import brief_of
from annotation.translating.catalogue import STRATEGIES
from annotation.translating.forms import PromptForm, TranslationForm
from annotation.translating.prompting import ask_translation
from annotation.translating.results import results_of, results_of_system
from common.db import bounded_pk
from endpoints.models import Endpoint
from endpoints.providers.base import Message
from projects.models import Project
from projects.selectors import project_for
from prompts.actions import revise_translation_prompt
from prompts.models import PromptTemplate
from prompts.queries import translation_prompt


@require_safe
def job_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_for(current_user(request), slug, TRANSLATION.view)
    usable = Endpoint.objects.usable_in(project).order_by("name", "pk")
    allowed = set(usable.filter(hidden_item_projects=project).values_list("pk", flat=True))
    endpoints = [(endpoint, endpoint.pk in allowed) for endpoint in usable]
    return asking.list_page(request, TRANSLATION, project, endpoints=endpoints)


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_for(current_user(request), slug, TRANSLATION.manage)
    form = TranslationForm(project, request.POST or None)
    return asking.start_page(
        request, TRANSLATION, project, form, start=start_translation, estimate=estimate_translation
    )


@require_safe
def detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    started = asking_job_for(TRANSLATION, current_user(request), slug, pk)
    results = results_of(started)
    return asking.job_page(
        request, TRANSLATION, started, results=results, totals=results.totals,
        citation=STRATEGIES[started.strategy].citation,
    )  # fmt: skip


@require_safe
def system(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what came of all jobs of the system that `system` names."""
    project = project_for(current_user(request), slug, TRANSLATION.view)
    name = request.GET.get("system", "")
    results = results_of_system(project, name)
    if results is None:
        raise Http404
    context = {"project": project, "section": "items", "system": name, "results": results}
    return render(request, "annotation/translating/system.html", context)


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
    project = project_for(current_user(request), slug, TRANSLATION.manage)
    current = translation_prompt(project, now=timezone.now())
    initial = {"system": current.system, "frame": current.frame, "revision": current.revision}
    return asking.prompt_page(
        request, TRANSLATION, current, PromptForm(request.POST or None, initial=initial),
        revise=revise_translation_prompt, preview=_preview(project, current),
    )  # fmt: skip


def _preview(project: Project, current: PromptTemplate) -> Sequence[Message]:
    """Return the messages about the first item, as they would be sent; none without an item."""
    rows = Item.objects.filter(project=project).select_related("subject", "project")
    item = rows.order_by("uid_order", "pk").first()
    return ask_translation(brief_of(item, current, without=())).messages if item else ()
