"""Refuses what a call of the API does not know: query parameters, and a body where it takes none.

What a call knows is what its schema says, so that no filter can be read without being documented.
Fields of a body that a call takes are refused by `StrictSerializer`.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from threading import RLock
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.generators import SchemaGenerator

from common.errors import DomainError

API = "/api/v1/"
WITH_BODY = {"post", "put", "patch"}
"""DELETE may have one too, of which OpenAPI says nothing."""
ONE_SCHEMA_AT_A_TIME = RLock()
"""The generator of schemas loads its classes as it goes, and cannot do so in two threads at once."""


class NamesUnknown(DomainError):
    """Has the code of every value that is refused; `fields` names what is not known."""

    code = "invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class BodyUnexpected(DomainError):
    code = "body_unexpected"
    detail = gettext_lazy("This address takes no body. Send none, or an empty JSON object.")
    status = 400


@dataclass(frozen=True, slots=True)
class Known:
    """What an operation takes."""

    parameters: frozenset[str]
    has_body: bool


class RefuseUnknownNames:
    """Answers 400, with the name, to a call with something that its schema does not have.

    A misspelt filter would otherwise answer with everything.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, arguments: Any, names: dict[str, Any]
    ) -> HttpResponse | None:
        if not request.path.startswith(API) or request.resolver_match is None:
            return None
        method = "get" if request.method == "HEAD" else str(request.method).lower()
        has_body = method in WITH_BODY and request.META.get("CONTENT_LENGTH") not in (None, "", "0")
        if not request.GET and not has_body:
            return None
        known = _known(request.resolver_match.route, view).get(method)
        try:
            if known:
                refuse_unknown(request.GET, known.parameters)
            if known and has_body and not known.has_body:
                _refuse_body(request)
        except DomainError as error:
            return JsonResponse(error.as_json(), status=error.status)
        return None


def refuse_unknown(query: Iterable[str], known: Collection[str]) -> None:
    """Raise NamesUnknown if `query` has a name that is not among `known`."""
    words = _("Unknown parameter. Choose from: %s.") % ", ".join(sorted(known))
    if not known:
        words = _("Unknown parameter. This address takes none.")
    if unknown := sorted(set(query) - set(known)):
        raise NamesUnknown(fields={name: [words] for name in unknown})


def _refuse_body(request: HttpRequest) -> None:
    """Raise NamesUnknown or BodyUnexpected unless the body is an empty object or form, or null."""
    try:
        sent = _sent_names(request)
    except (ValueError, RecursionError, SuspiciousOperation, MultiPartParserError) as error:
        raise BodyUnexpected from error
    if sent:
        raise NamesUnknown(fields={name: [_("Unknown field.")] for name in sorted(sent)})


def _sent_names(request: HttpRequest) -> Collection[str]:
    """Return the names of what the body holds. Raises BodyUnexpected if it cannot hold names."""
    if request.content_type in ("multipart/form-data", "application/x-www-form-urlencoded"):
        return {*request.POST, *request.FILES}
    sent = json.loads(request.body) if request.content_type == "application/json" else ...
    if sent is None or isinstance(sent, dict):
        return sent or {}
    raise BodyUnexpected


@cache
def _known(route: str, view: Any) -> Mapping[str, Known]:
    """What each method of an address takes, as the schema of this one address has it."""
    generator: Any = SchemaGenerator  # which has no types
    with ONE_SCHEMA_AT_A_TIME:
        schema = generator(patterns=[path(route, view)]).get_schema(public=True)
    return {
        method: Known(
            frozenset(
                each["name"] for each in operation.get("parameters", []) if each["in"] == "query"
            ),
            has_body="requestBody" in operation,
        )
        for operations in schema["paths"].values()
        for method, operation in operations.items()
    }
