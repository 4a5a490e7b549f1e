"""Pages of raw responses, for managers: the list by what became of them, and one response."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.rules import current_user
from common.pagination import keyset_page
from evaluation.access import response_for, run_for
from evaluation.labels import KINDS, METHODS, OUTCOMES, reason_text
from evaluation.queries.responses import reading_of, responses_of


@require_safe
def response_list(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = run_for(current_user(request), slug, pk, "evaluation.view_responses")
    method = request.GET.get("method", "")
    method = method if method in run.methods else run.methods[0]
    kind = request.GET.get("kind", "")
    kind = kind if kind in KINDS else ""
    rows = responses_of(run, kind=kind, method=method)
    context = {
        "project": run.release.project,
        "section": "runs",
        "run": run,
        "page": keyset_page(rows, order=["pk"], cursor=request.GET.get("cursor")),
        "kinds": KINDS.items(),
        "methods": [(name, METHODS[name].label) for name in run.methods],
        "kind": kind,
        "method": method,
    }
    return render(request, "evaluation/responses.html", context)


@require_safe
def response(request: HttpRequest, slug: str, pk: int, response_pk: int) -> HttpResponse:
    found = response_for(current_user(request), slug, pk, response_pk)
    reading = reading_of(found)
    key = found.release_item.item.key
    context = {
        "project": found.run.release.project,
        "section": "runs",
        "run": found.run,
        "response": found,
        "item": found.release_item.item,
        "messages_sent": reading.messages,
        "read_text": reading.read_text,
        "readings": [
            {
                "label": METHODS[scored.method].label,
                "rule": METHODS[scored.method].rule,
                "answer": scored.extraction.answer,
                "is_correct": scored.outcome == "correct",
                "outcome": OUTCOMES[scored.outcome],
                "reason": reason_text(scored, key),
            }
            for scored in reading.scores
        ],
    }
    return render(request, "evaluation/response.html", context)
