"""Refusals in words: one exception for the domain, and how pages show it."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views import defaults

from common.htmx import wants_json

NOT_NOW: Final = 503
"""The status of refusals that only say "not now", which `common.unavailable` shows."""

# So that an error can be stored as its code and params and put into words when it is shown.
_class_of_code: dict[str, "type[DomainError]"] = {}


class DomainError(Exception):
    """Something the domain refuses; `code` is for programs, `detail` for people.

    Subclasses set `code`, `detail` (a lazy translation, with %(name)s for `params`) and
    `status`, and stand beside the action that raises them. `way_on` is the address and the name
    of the page that has what was looked for, if there is one.
    """

    code = "refused"
    detail: str | Promise = _("This cannot be done.")
    status = 409
    way_on: tuple[str, str | Promise] | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _class_of_code.setdefault(cls.code, cls)

    def __init__(
        self,
        *,
        fields: Mapping[str, list[str]] | None = None,
        current: Mapping[str, Any] | None = None,
        **params: Any,
    ) -> None:
        self.params = params
        self.fields = dict(fields or {})
        self.current = dict(current or {})
        super().__init__(self.code)

    def __str__(self) -> str:
        text = str(self.detail)
        return text % self.params if self.params else text

    def in_full(self) -> str:
        """The sentence, and behind it the faults of all fields, for forms that tell them in one place."""
        return " ".join([str(self), *map(str, chain.from_iterable(self.fields.values()))])

    def as_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"code": self.code, "detail": str(self)}
        if self.fields:
            body["fields"] = self.fields
        if self.current:
            body["current"] = self.current
        return body

    def headers(self) -> dict[str, str]:
        """What is said beside the words: when to come again."""
        seconds = self.params.get("retry_after_seconds")
        return {"Retry-After": str(seconds)} if seconds else {}


def error_text(code: str, params: Mapping[str, Any]) -> str:
    """Put a stored error into words, in the language of whoever reads it now."""
    error_class = _class_of_code.get(code)
    if error_class is not None:
        with suppress(KeyError, TypeError, ValueError):  # stored by another version
            return str(error_class(**params))
    return _("It failed with the error code “%(code)s”.") % {"code": code}


class TextInvalid(DomainError):
    code = "text_invalid"
    detail = _(
        "The text contains a null character, which cannot be stored. Remove it and try again."
    )
    status = 400


def plain_text(text: str) -> str:
    """Return what was typed without outer blanks. Raises TextInvalid where no database takes it."""
    if "\0" in text:
        raise TextInvalid
    return text.strip()


class DomainErrorMiddleware:
    """Show a domain error that a page view let through: as a page, to scripts of ours as JSON."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path:  # no address holds one, and PostgreSQL refuses to look it up
            return not_found(request)
        response = self.get_response(request)
        is_bare = isinstance(response, HttpResponseNotAllowed) and not response.content
        return _with_words(request, response) if is_bare else response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, DomainError) or exception.status == NOT_NOW:
            return None
        answer = (
            JsonResponse(exception.as_json(), status=exception.status)
            if wants_json(request)
            else render(request, "refused.html", {"error": exception}, status=exception.status)
        )
        for name, value in exception.headers().items():
            answer[name] = value
        return answer


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """What stands where nothing is: a page, or the API's own words, for scripts of ours too."""
    if _is_api(request) or wants_json(request):
        return JsonResponse({"code": "not_found", "detail": str(_("Not found."))}, status=404)
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """What is said of a fault of ours; its particulars are in the log alone."""
    if not _is_api(request):
        return defaults.server_error(request)
    words = _(
        "Something went wrong on our side. Try again. If it keeps happening, tell your "
        "administrator."
    )
    return JsonResponse({"code": "internal", "detail": str(words)}, status=500)


def _with_words(request: HttpRequest, refusal: HttpResponse) -> HttpResponse:
    """The same refusal of a method with a page to read, for whoever opens a button's address."""
    if _is_api(request) or wants_json(request):
        return refusal
    page = render(request, "405.html", status=refusal.status_code)
    page["Allow"] = refusal["Allow"]
    return page


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")
