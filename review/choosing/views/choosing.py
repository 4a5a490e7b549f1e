"""Choosing which system's texts go on to the next round."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.rules import current_user
from annotation.items.forms import ItemFilterForm
from common.errors import DomainError
from jobs.models import Job
from projects.forms import show_refusal
from projects.models import Project
from projects.selectors import project_for
from review.choosing.actions.choosing import Chosen
from review.choosing.actions.jobs import WantedTexts, choose_or_queue
from review.choosing.choices import choice_options, chosen_words, compared_rounds
from review.choosing.forms import ChooseSystemForm
from review.rounds.actions.choosing_guard import running_choice
from review.rounds.forms import item_filter_of
from review.selectors import get_round


@require_http_methods(["GET", "POST"])
def choose(request: HttpRequest, slug: str) -> HttpResponse:
    """A system for all items or those of a filter in the address, or the best of a comparison."""
    user = current_user(request)
    project = project_for(user, slug, "review.choose_translation")
    query = request.GET.copy()
    initial = {"what": query.pop("best-of", [""])[-1]}
    form = ChooseSystemForm(request.POST or None, choices=choice_options(project), initial=initial)
    if request.method == "POST" and form.is_valid():
        done = _choose(form, project, query, user)
        if done is not None:
            return answer_to_choice(
                request, done, reverse("review:choose-translations", args=[slug])
            )
    context = _context(project, form, query)
    return render(
        request, "review/choosing/choosing.html", context, status=400 if form.errors else 200
    )


def answer_to_choice(request: HttpRequest, done: Chosen | Job, back: str) -> HttpResponse:
    """The page `back` with what became of the items, or that of the job that sees to them."""
    if isinstance(done, Job):
        return redirect("jobs:job", done.pk)
    for words in chosen_words(done):
        messages.success(request, words)
    return redirect(back)


def _choose(
    form: ChooseSystemForm, project: Project, query: QueryDict, user: User
) -> Chosen | Job | None:
    """Choose as asked for; otherwise the form says why not."""
    try:
        wanted = _wanted(form, project, query)
        return choose_or_queue(project=project, wanted=wanted, actor=user, now=timezone.now())
    except DomainError as error:
        show_refusal(form, error)
    return None


def _wanted(form: ChooseSystemForm, project: Project, query: QueryDict) -> WantedTexts:
    kind, _colon, name = form.cleaned_data["what"].partition(":")
    is_reviewed_included = form.cleaned_data["is_reviewed_included"]
    if kind == "round":
        best_of = get_round(project, int(name))
        return WantedTexts(best_of=best_of, is_reviewed_included=is_reviewed_included)
    return WantedTexts(
        system=name,
        item_filter=item_filter_of(project, query.dict()),
        is_reviewed_included=is_reviewed_included,
    )


def _context(project: Project, form: ChooseSystemForm, query: QueryDict) -> dict[str, Any]:
    shown = ItemFilterForm(query, project=project)
    return {
        "project": project,
        "section": "rounds",
        "form": form,
        "running": running_choice(project),
        "has_choice": len(form.fields["what"].choices) > 1,  # type: ignore[attr-defined]
        "compared": compared_rounds(project),
        "chosen_filter": [(label, value) for _name, label, value in shown.chosen()]
        if shown.is_valid()
        else [],
        "filter_query": query.urlencode(),
        "page_title": _("Choose translations"),
    }
