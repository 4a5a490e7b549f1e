"""Pages of raw responses, for managers, and the files with the figures of a run."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.rules import current_user
from common.pagination import listed_page
from evaluation.models import Run
from evaluation.request_building import answer_language
from evaluation.results.csv_files import run_files
from evaluation.results.labels import KINDS, METHODS, method_texts
from evaluation.results.presenters import quoted_body, scores_by_method, shown_readings
from evaluation.results.queries.differences import methods_of
from evaluation.results.queries.figures import run_results
from evaluation.results.queries.responses import ResponseFilter, reading_of, responses_of
from evaluation.results.selectors import response_filter, response_of
from evaluation.selectors import run_for
from evaluation.translation.queries import sentence_figures

FILTERS = ("method", "kind", "differs")


@require_safe
def response_list(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = run_for(current_user(request), slug, pk, "evaluation.view_responses")
    wanted = _filter(request, run)
    page = listed_page(request, responses_of(run, wanted), filters=FILTERS, order=["pk"])
    shown = [name for name in (wanted.method, wanted.differs) if name]
    context = {
        "project": run.release.project,
        "section": "runs",
        "run": run,
        "page": page,
        "rows": [(response, scores_by_method(response, shown)) for response in page.rows],
        "shown": [METHODS[name].short for name in shown],
        "kinds": KINDS.items(),
        "methods": [
            (name, method_texts(name, is_published=run.is_published).label)
            for name in methods_of(run)
        ],
        "wanted": wanted,
    }
    return render(request, "evaluation/results/responses.html", context)


def _filter(request: HttpRequest, run: Run) -> ResponseFilter:
    """Read the filter from the URL. Raises FilterUnknown."""
    return response_filter(run, **{name: request.GET.get(name, "") for name in FILTERS})


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
        "sentence": sentence_figures(found),
        "answer_language": answer_language(run, found.release_item),
        "reading": reading,
        "body": quoted_body(found),
        "shown_readings": shown_readings(
            reading, found.release_item.key, is_published=run.is_published
        ),
    }
    return render(request, "evaluation/results/response.html", context)


@require_safe
def file(request: HttpRequest, slug: str, pk: int, name: str) -> HttpResponse:
    """Download one of the CSV files, with the current figures."""
    run = run_for(current_user(request), slug, pk, "evaluation.view_run")
    text = dict(run_files(run_results(run))).get(name)
    if text is None:
        raise Http404
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name.rpartition("/")[2]}"'
    return response
