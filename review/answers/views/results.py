"""What comparisons and solving rounds came to: the page, its files, and every answer as a file."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.rules import current_user
from common.figure_tables import TableFile, table_file
from common.filters import refuse_unknown_filters
from review.answers.rows import ANSWER_FORMATS
from review.answers.selectors import NoResults, round_with_results
from review.answers.tables import results_json, results_of, results_stem, results_table
from review.enums import RoundKind, RoundState
from review.figures.presenters import table_views
from review.models import Round
from review.report.views import REPORT_FORMATS
from review.selectors import round_for

VIEW = "review.view_report"


@require_safe
def results(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The results of a closed round; of an open one how far it is. Raises NoResults."""
    user = current_user(request)
    round_ = round_for(user, slug, number, VIEW)
    if round_.kind == RoundKind.REVIEW:
        raise NoResults(round_)
    context: dict[str, Any] = {
        "project": round_.project,
        "section": "rounds",
        "round": round_,
        "report_formats": REPORT_FORMATS,
        "can_choose": user.has_perm("review.choose_translation", round_.project),
        "can_export": user.has_perm("review.export_answers", round_.project),
        "is_comparison": round_.kind == RoundKind.COMPARISON,
    }
    if round_.state == RoundState.CLOSED:
        table = results_table(results_of(round_with_results(round_)))
        context |= {"tables": table_views(table), "note": table.note, "now": timezone.now()}
    return render(request, "review/answers/results.html", context)


@require_safe
def results_file(request: HttpRequest, slug: str, number: str, name: str) -> HttpResponse:
    """The results as a file, the same numbers as on the page."""
    round_ = _closed(request, slug, number, VIEW)
    refuse_unknown_filters(request.GET)
    if name == "json":
        text = json.dumps(results_json(round_), ensure_ascii=False)
        file = TableFile(text, "application/json", f"{results_stem(round_)}.json")
    else:
        file = table_file([results_table(results_of(round_))], name, stem=results_stem(round_))
    response = HttpResponse(file.text, content_type=f"{file.media_type}; charset=utf-8")
    _name(response, file.name)
    return response


@require_safe
def answers_file(request: HttpRequest, slug: str, number: str, name: str) -> StreamingHttpResponse:
    """Every answer of a closed round, for managers."""
    round_ = _closed(request, slug, number, "review.export_answers")
    refuse_unknown_filters(request.GET)
    write, media_type = ANSWER_FORMATS[name]
    response = StreamingHttpResponse(write(round_), content_type=f"{media_type}; charset=utf-8")
    _name(response, f"{slug}-round-{number}-answers.{name}")
    return response


def _closed(request: HttpRequest, slug: str, number: str, permission: str) -> Round:
    round_ = round_for(current_user(request), slug, int(number), permission)
    return round_with_results(round_)


def _name(response: HttpResponseBase, name: str) -> None:
    response["Content-Disposition"] = f'attachment; filename="{name}"'
