"""Pages about duplicates: searching, comparing pair by pair, deciding, downloading."""

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.rules import current_user
from annotation.duplicates import actions
from annotation.duplicates.forms import DecisionForm, PairFilterForm, ReopenForm, SearchForm
from annotation.duplicates.presenters import make_card
from annotation.duplicates.queries import (
    LOUDEST,
    PAIR_COLUMNS,
    PairFilter,
    open_pairs_with,
    pair_lines,
    pair_page,
    pairs_of,
    searches_of,
    twins_of,
)
from annotation.models import DuplicatePair, DuplicateSearch, Item
from common.downloads import csv_lines, json_lines
from common.errors import DomainError, TextInvalid
from common.filters import ListRefused, refuse_filter_faults, refuse_unknown_names
from common.redirects import next_address
from jobs.enums import Queue
from jobs.queries import is_worker_alive
from projects.models import Project
from projects.selectors import project_for

VIEW = "annotation.view_duplicates"
SEARCH = "annotation.search_duplicates"
DECIDE = "annotation.decide_duplicate"


@require_safe
def duplicates(request: HttpRequest, slug: str) -> HttpResponse:
    """Open pairs by cluster, loudest first."""
    user = current_user(request)
    project = project_for(user, slug, VIEW)
    form = PairFilterForm(request.GET)
    refuse_unknown_names(request.GET, form.fields)
    wanted = _wanted(form)
    page = pair_page(project, wanted, cursor=request.GET.get("cursor"))
    search = searches_of(project).first()
    can_search = user.has_perm(SEARCH, project)
    context = _search_context(search, project) | {
        "page": page,
        "clusters": [(cluster, map(make_card, cluster.pairs)) for cluster in page.rows],
        "filters": form,
        "is_filtered": wanted != PairFilter(),
        "search_form": SearchForm(),
        "can_search": can_search,
        "can_start": can_search and (search is None or search.job.has_ended),
        "can_decide": user.has_perm(DECIDE, project),
        "here": request.get_full_path(),
    }
    return render(request, "annotation/duplicates.html", context)


@require_POST
def start_search(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, SEARCH)
    form = SearchForm(request.POST)
    methods = form.cleaned_data["methods"] if form.is_valid() else []
    actions.start_search(project=project, methods=methods, actor=user, now=timezone.now())
    return redirect("annotation:duplicates", slug)


@require_safe
def search_progress(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Answer with the progress of a search, as a part of the page."""
    user = current_user(request)
    project = project_for(user, slug, VIEW)
    context = _search_context(_search(project, pk), project)
    context["can_search"] = user.has_perm(SEARCH, project)
    return render(request, "annotation/includes/duplicate_search.html", context)


@require_POST
def cancel_search(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    search = _search(project_for(user, slug, SEARCH), pk)
    actions.cancel_search(search=search, actor=user, now=timezone.now())
    return redirect("annotation:duplicates", slug)


@require_POST
def resume_search(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    search = _search(project_for(user, slug, SEARCH), pk)
    actions.resume_search(search=search, actor=user, now=timezone.now())
    return redirect("annotation:duplicates", slug)


@require_POST
def decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, DECIDE)
    pair = _pair(project, pk)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        raise _refusal_of(form)
    decided = form.decided(pair)
    try:
        actions.decide_pair(pair=pair, actor=user, now=timezone.now(), **decided)
    except DomainError as refusal:
        return _refused(request, pair, refusal)
    dropped: Item | None = decided["dropped"]
    said = _("Dropped %(uid)s.") % {"uid": dropped} if dropped else _("Kept both items.")
    return _answer(request, pair, affected=dropped, said=said)


@require_POST
def reopen(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, DECIDE)
    pair = _pair(project, pk)
    form = ReopenForm(request.POST)
    if not form.is_valid():
        raise _refusal_of(form)
    reason = form.reason_or_usual()
    try:
        reopened = actions.reopen_pair(pair=pair, reason=reason, actor=user, now=timezone.now())
    except DomainError as refusal:
        return _refused(request, pair, refusal)
    return _answer(request, pair, affected=reopened.restored, said=_("Reopened the pair."))


@require_safe
def download_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The filtered pairs as a table."""
    lines = csv_lines(PAIR_COLUMNS, _lines(request, slug))
    return _file(lines, "text/csv; charset=utf-8", f"{slug}-duplicates.csv")


@require_safe
def download_jsonl(request: HttpRequest, slug: str) -> HttpResponse:
    lines = json_lines(_lines(request, slug))
    return _file(lines, "application/jsonl; charset=utf-8", f"{slug}-duplicates.jsonl")


def _wanted(form: PairFilterForm) -> PairFilter:
    if not form.is_valid():
        raise ListRefused(fields=_errors(form))
    return form.wanted()


def _errors(form: Any) -> dict[str, list[str]]:
    return {name: [str(word) for word in words] for name, words in form.errors.items()}


def _refusal_of(form: DecisionForm | ReopenForm) -> DomainError:
    """Return why the form says nothing: without a decision, or with a text that no database takes."""
    return TextInvalid() if "reason" in form.errors else actions.DecisionUnknown()


def _search(project: Project, pk: int) -> DuplicateSearch:
    return get_object_or_404(searches_of(project), pk=pk)


def _pair(project: Project, pk: int) -> DuplicatePair:
    rows = DuplicatePair.objects.filter(project=project).select_related("a", "b", "project")
    return get_object_or_404(rows, pk=pk)


def _search_context(search: DuplicateSearch | None, project: Project) -> dict[str, Any]:
    context: dict[str, Any] = {"project": project, "section": "duplicates", "search": search}
    if search and not search.job.has_ended:
        now = timezone.now()
        context["is_worker_alive"] = is_worker_alive(now=now, queue=Queue.EMBED)
        context["seconds_left"] = search.job.seconds_left(now)
    return context


def _answer(
    request: HttpRequest, pair: DuplicatePair, *, affected: Item | None, said: str
) -> HttpResponse:
    """Answer with the foot of the pair's card, and of others with an item that left or came back."""
    if not request.htmx:  # type: ignore[attr-defined]
        messages.success(request, said)
        return redirect(_back(request, pair))
    others = open_pairs_with(affected, besides=pair) if affected else []
    return _feet(request, pair, {"others": others})


def _refused(request: HttpRequest, pair: DuplicatePair, refusal: DomainError) -> HttpResponse:
    """Refuse in words; with htmx, in the card's foot as the pair now stands."""
    if not request.htmx:  # type: ignore[attr-defined]
        raise refusal
    return _feet(request, pair, {"refusal": refusal})


def _feet(request: HttpRequest, pair: DuplicatePair, context: dict[str, Any]) -> HttpResponse:
    context |= {
        "pair": twins_of(pair)[0],
        "project": pair.project,
        "can_decide": True,
        "here": next_address(request),
    }
    return render(request, "annotation/includes/pair_feet.html", context)


def _back(request: HttpRequest, pair: DuplicatePair) -> str:
    return next_address(request) or f"/projects/{pair.project.slug}/duplicates/"


def _lines(request: HttpRequest, slug: str) -> Iterator[dict[str, Any]]:
    project = project_for(current_user(request), slug, VIEW)
    form = PairFilterForm(request.GET)
    refuse_filter_faults(form)
    return pair_lines(pairs_of(project, form.wanted()).order_by(*LOUDEST))


def _file(lines: Iterator[str], content_type: str, name: str) -> HttpResponse:
    response = StreamingHttpResponse(lines, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response  # type: ignore[return-value]
