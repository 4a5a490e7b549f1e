"""Pages of raw responses, for managers: a list with filters, and one response."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.rules import current_user
from common.pagination import keyset_page
from evaluation.labels import KINDS, METHODS
from evaluation.models import Run
from evaluation.presenters import scores_by_method, shown_readings
from evaluation.queries.differences import methods_of
from evaluation.queries.responses import ResponseFilter, reading_of, responses_of
from evaluation.selectors import FilterUnknown, response_filter, response_of, run_for


@require_safe
def response_list(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = run_for(current_user(request), slug, pk, "evaluation.view_responses")
    wanted = _filter(request, run)
    page = keyset_page(responses_of(run, wanted), order=["pk"], cursor=request.GET.get("cursor"))
    shown = [wanted.method, wanted.differs] if wanted.differs else [wanted.method]
    context = {
        "project": run.release.project,
        "section": "runs",
        "run": run,
        "page": page,
        "rows": [(response, scores_by_method(response, shown)) for response in page.rows],
        "shown": [METHODS[name].short for name in shown],
        "kinds": KINDS.items(),
        "methods": [(name, METHODS[name].label) for name in methods_of(run)],
        "wanted": wanted,
    }
    return render(request, "evaluation/responses.html", context)


def _filter(request: HttpRequest, run: Run) -> ResponseFilter:
    """Read the filter from the URL; with an unknown name, list all responses."""
    names = {name: request.GET.get(name, "") for name in ("method", "kind", "differs")}
    try:
        return response_filter(run, **names)
    except FilterUnknown:
        return response_filter(run)


@require_safe
def response(request: HttpRequest, slug: str, pk: int, response_pk: int) -> HttpResponse:
    run = run_for(current_user(request), slug, pk, "evaluation.view_responses")
    found = response_of(run, response_pk)
    reading = reading_of(found)
    context = {
        "project": run.release.project,
        "section": "runs",
        "run": run,
        "response": found,
        "item": found.release_item,
        "reading": reading,
        "shown_readings": shown_readings(reading, found.release_item.key),
    }
    return render(request, "evaluation/response.html", context)
