"""Finds responses, and reads the filters of their list."""

from collections.abc import Sequence

from django.http import Http404
from django.utils.translation import gettext_lazy as _

from common.db import bounded_pk
from common.errors import DomainError
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


class FilterUnknown(DomainError):
    code = "filter_unknown"
    detail = _("There is no %(name)s “%(value)s” to filter by. Choose one of: %(known)s.")
    status = 400


def response_filter(
    run: Run, *, method: str = "", kind: str = "", differs: str = ""
) -> ResponseFilter:
    """Return the filter for the given names; the default method is the headline method.

    Raises FilterUnknown.
    """
    methods = methods_of(run)
    _check_choice("method", method, methods)
    _check_choice("kind", kind, KINDS)
    _check_choice("differs", differs, methods)
    return ResponseFilter(method or next(iter(methods), ""), kind, differs)


def _check_choice(name: str, value: str, known: Sequence[str]) -> None:
    if value and value not in known:
        raise FilterUnknown(name=name, value=value, known=", ".join(known))
