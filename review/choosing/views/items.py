"""Choosing item by item whose text goes on, the best-rated of a comparison, and undoing it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.rules import current_user
from annotation.models import Item, Translation
from common.errors import DomainError
from common.pagination import listed_page
from jobs.models import Job
from projects.models import Project
from projects.selectors import project_for
from review.choosing.actions.choosing import Chosen, choose_text
from review.choosing.actions.jobs import choose_or_queue, choose_wanted, undo_or_queue
from review.choosing.choices import chosen_words, given_back_words
from review.choosing.forms import BestRankedForm, ChoiceFilterForm
from review.choosing.selectors import choice_of
from review.choosing.text_choices import PAGE_SIZE, choice_rows, items_to_choose, latest_choices
from review.choosing.views.choosing import answer_to_choice
from review.rounds.actions.choosing_guard import running_choice

RIGHT = "review.choose_translation"


@require_safe
def choose_items(request: HttpRequest, slug: str) -> HttpResponse:
    """Items with the texts of their systems side by side, and what experts said of each."""
    project = project_for(current_user(request), slug, RIGHT)
    return _page(request, project)


@require_POST
def choose_best(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the best-rated text of each item that a comparison has; `preview` says what would change."""
    project = project_for(current_user(request), slug, RIGHT)
    form = BestRankedForm(request.POST, project=project)
    if not form.is_valid():
        return _page(request, project, best=form, status=400)
    how: dict[str, Any] = {
        "project": project,
        "wanted": form.wanted(),
        "actor": current_user(request),
        "now": timezone.now(),
    }
    try:
        if "preview" in request.POST:
            would = choose_wanted(**how, is_preview=True)
            return _page(request, project, best=form, preview=would)
        done = choose_or_queue(**how)
    except DomainError as error:
        form.add_error(None, str(error))
        return _page(request, project, best=form, status=error.status)
    return answer_to_choice(request, done, _address(slug, request.GET))


@require_POST
def choose_one(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Let one text of an item go on; the answer is the page at this item."""
    user = current_user(request)
    project = project_for(user, slug, RIGHT)
    item = get_object_or_404(Item.objects.select_related("project"), project=project, pk=pk)
    sent = request.POST
    try:
        choose_text(
            item=item,
            translation=get_object_or_404(
                Translation, item=item, pk=_number(sent.get("translation", ""))
            ),
            seen=_number(sent.get("seen", "")) or None,
            is_reviewed_included="is_reviewed_included" in sent,
            actor=user,
            now=timezone.now(),
        )
    except DomainError as error:
        messages.error(request, f"{item.uid}: {error}")
    return redirect(f"{_address(slug, request.GET)}#item-{item.pk}")


@require_POST
def undo(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Give the items of a choice their texts of before."""
    user = current_user(request)
    project = project_for(user, slug, RIGHT)
    choice = choice_of(project, pk)
    try:
        done = undo_or_queue(choice=choice, actor=user, now=timezone.now())
    except DomainError as error:
        messages.error(request, str(error))
    else:
        if isinstance(done, Job):
            return redirect("jobs:job", done.pk)
        messages.success(request, given_back_words(done))
    return redirect(_address(slug, request.GET))


def _page(
    request: HttpRequest,
    project: Project,
    *,
    best: BestRankedForm | None = None,
    preview: Chosen | None = None,
    status: int = 200,
) -> HttpResponse:
    listed = _listed(request, project)
    context: dict[str, Any] = listed | {
        "project": project,
        "section": "rounds",
        "best": best or BestRankedForm(project=project, initial={"round": listed["round"]}),
        "preview": chosen_words(preview) if preview else (),
        "running": running_choice(project),
        "choices": latest_choices(project),
        "page_title": _("Choose item by item"),
    }
    return render(request, "review/choosing/choose_items.html", context, status=status)


def _listed(request: HttpRequest, project: Project) -> dict[str, Any]:
    """The items of this page of the list, and the filter that they meet."""
    filters = ChoiceFilterForm(request.GET, project=project)
    wanted = filters.wanted()
    page = listed_page(
        request,
        items_to_choose(project, wanted),
        filters=filters.fields,
        order=["uid_order", "pk"],
        size=PAGE_SIZE,
    )
    return {
        "filters": filters,
        "is_filtered": any(filters.data.get(name) for name in filters.fields),
        "page": page,
        "rows": choice_rows(page.rows, wanted.round),
        "round": wanted.round,
        "query": request.GET.urlencode(),
    }


def _address(slug: str, query: QueryDict) -> str:
    url = reverse("review:choose-items", args=[slug])
    return f"{url}?{query.urlencode()}" if query else url


def _number(text: str) -> int:
    """0 for what is no id."""
    return int(text) if text.isdecimal() and len(text) < 19 else 0
