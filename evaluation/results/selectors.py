"""Finds responses, and reads the filters of their list."""

from django.http import Http404

from common.db import bounded_pk
from common.filters import known_value
from evaluation.models import ModelResponse, Run
from evaluation.results.queries.differences import methods_of
from evaluation.results.queries.responses import KINDS, ResponseFilter


def response_of(run: Run, pk: int) -> ModelResponse:
    """Return a response of the run with what its page shows. Raises Http404."""
    rows = ModelResponse.objects.filter(run=run, pk=bounded_pk(pk)).select_related(
        "release_item__subject", "release_item__revision", "reused_from"
    )
    response = rows.first()
    if response is None:
        raise Http404
    response.run = run
    return response


def response_filter(
    run: Run, *, method: str = "", kind: str = "", differs: str = ""
) -> ResponseFilter:
    """Return the filter for the given names; the default method is the headline method.

    Raises FilterUnknown.
    """
    methods = methods_of(run)
    return ResponseFilter(
        known_value("method", method, methods) or next(iter(methods), ""),
        known_value("kind", kind, KINDS),
        known_value("differs", differs, methods),
    )
