"""Pages that add and revise prompts, with a preview of real items."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.rules import current_user
from common.errors import DomainError
from evaluation.prompting.forms import PromptForm, initial_of
from evaluation.prompting.queries import PromptPreview, preview_prompt
from projects.models import Project
from projects.selectors import project_for
from prompts.actions import create_prompt, revise_prompt
from prompts.models import PromptTemplate
from prompts.queries import template_of
from prompts.selectors import prompt_for
from prompts.starters import starter_named, starters_for

CHANGE = "prompts.change_prompts"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page of a prompt shows beside its form; `prompt` is None for a new one."""

    project: Project
    prompt: PromptTemplate | None = None
    previews: tuple[PromptPreview, ...] = ()
    status: int = 200


@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form, perhaps with the words of a starter; posting adds the prompt or previews it."""
    user = current_user(request)
    project = project_for(user, slug, CHANGE)
    starter = starter_named(request.GET.get("start", ""))
    initial = {"name": starter.name, **initial_of(starter.template)} if starter else {}
    form = PromptForm(project, request.POST or None, initial=initial)
    if request.method != "POST" or not form.is_valid():
        return _page(request, form, Shown(project, status=400 if form.is_bound else 200))
    try:
        if request.POST.get("preview"):
            return _page(request, form, Shown(project, previews=_previews(form)))
        prompt = create_prompt(
            project=project, name=form.cleaned_data["name"], template=form.template(), actor=user,
            now=timezone.now(),
        )  # fmt: skip
    except DomainError as error:
        form.add_error(None, str(error))
        return _page(request, form, Shown(project, status=error.status))
    messages.success(request, _("You have added the prompt %s.") % prompt.name)
    return redirect("prompts:list", slug)


@require_http_methods(["GET", "HEAD", "POST"])
def revise(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show the latest revision in the form; posting saves a new one or previews it."""
    user, now = current_user(request), timezone.now()
    prompt = prompt_for(user, slug, name, CHANGE, now=now)
    project = prompt.project
    form = _revision_form(request, prompt)
    if request.method != "POST" or not form.is_valid():
        status = 400 if form.is_bound else 200
        return _page(request, form, Shown(project, prompt, status=status))
    try:
        if request.POST.get("preview"):
            return _page(request, form, Shown(project, prompt, _previews(form)))
        revised = revise_prompt(
            prompt=prompt, revision=form.cleaned_data["revision"], template=form.template(),
            actor=user, now=now,
        )  # fmt: skip
    except DomainError as error:
        form.add_error(None, str(error))
        return _page(request, form, Shown(project, prompt, status=error.status))
    values = {"name": name, "revision": revised.revision}
    messages.success(
        request, _("You have saved revision %(revision)d of the prompt %(name)s.") % values
    )
    return redirect("prompts:list", slug)


def _revision_form(request: HttpRequest, prompt: PromptTemplate) -> PromptForm:
    """Return the form with the latest revision; the name of a prompt stays as it is."""
    values = initial_of(template_of(prompt))
    initial = {"name": prompt.name, "revision": prompt.revision, **values}
    form = PromptForm(prompt.project, request.POST or None, initial=initial)
    form.fields["name"].disabled = True
    form.fields["revision"].required = True
    return form


def _previews(form: PromptForm) -> tuple[PromptPreview, ...]:
    data = form.cleaned_data
    if data["release"] is None:
        return ()
    found = preview_prompt(
        data["release"], form.template(), shots=data["shots"], uid=data["uid"].strip()
    )
    return tuple(found)


def _page(request: HttpRequest, form: PromptForm, shown: Shown) -> HttpResponse:
    context = {
        "project": shown.project,
        "section": "runs",
        "form": form,
        "prompt": shown.prompt,
        "previews": shown.previews,
        "language": form["language"].value(),
        "starters": [] if shown.prompt else starters_for(shown.project.target_language),
    }
    return render(request, "evaluation/prompting/form.html", context, status=shown.status)
