"""Choosing which system's texts go on to the next round."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.rules import current_user
from annotation.items.forms import ItemFilterForm
from common.errors import DomainError
from projects.forms import show_refusal
from projects.models import Project
from projects.selectors import project_for
from review.actions.choosing import Chosen, choose_best_ranked, choose_system
from review.answer_forms import ChooseSystemForm
from review.choices import choice_options, chosen_words, compared_rounds
from review.forms import item_filter_of
from review.selectors import get_round


@require_http_methods(["GET", "POST"])
def choose(request: HttpRequest, slug: str) -> HttpResponse:
    """A system for all items or those of a filter in the address, or the best of a comparison."""
    user = current_user(request)
    project = project_for(user, slug, "review.choose_translation")
    query = request.GET.copy()
    initial = {"what": query.pop("best-of", [""])[-1]}
    form = ChooseSystemForm(request.POST or None, choices=choice_options(project), initial=initial)
    if request.method == "POST" and form.is_valid() and _is_done(request, form, project, query):
        return redirect("review:choose-translations", slug)
    context = _context(project, form, query)
    return render(request, "review/choosing.html", context, status=400 if form.errors else 200)


def _is_done(
    request: HttpRequest, form: ChooseSystemForm, project: Project, query: QueryDict
) -> bool:
    """Choose as asked for and say what became of the items; otherwise the form says why not."""
    try:
        done = _choose(form, project, query, current_user(request))
    except DomainError as error:
        show_refusal(form, error)
        return False
    for words in chosen_words(done):
        messages.success(request, words)
    return True


def _choose(form: ChooseSystemForm, project: Project, query: QueryDict, user: User) -> Chosen:
    kind, _colon, name = form.cleaned_data["what"].partition(":")
    how: dict[str, Any] = {
        "is_reviewed_included": form.cleaned_data["is_reviewed_included"],
        "actor": user,
        "now": timezone.now(),
    }
    if kind == "round":
        return choose_best_ranked(round_=get_round(project, int(name)), **how)
    wanted = item_filter_of(project, query.dict())
    return choose_system(project=project, system=name, item_filter=wanted, **how)


def _context(project: Project, form: ChooseSystemForm, query: QueryDict) -> dict[str, Any]:
    shown = ItemFilterForm(query, project=project)
    return {
        "project": project,
        "section": "rounds",
        "form": form,
        "has_choice": len(form.fields["what"].choices) > 1,  # type: ignore[attr-defined]
        "compared": compared_rounds(project),
        "chosen_filter": [(label, value) for _name, label, value in shown.chosen()]
        if shown.is_valid()
        else [],
        "filter_query": query.urlencode(),
        "page_title": _("Choose translations"),
    }
