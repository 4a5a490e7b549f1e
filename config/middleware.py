"""Middleware that belongs to no app."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from http import HTTPStatus

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.middleware.gzip import GZipMiddleware
from django.urls import resolve

MONITORED_PATHS = frozenset({"/healthz", "/metrics"})


class AnswerMonitors:
    """Answers /healthz and /metrics before anything looks at `Host`, https, cookies or sessions.

    A container or a monitor asks by number or by an inner name, over plain http. Neither view
    uses the name, so ALLOWED_HOSTS protects nothing there.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info in MONITORED_PATHS:
            with suppress(Http404):
                answer: HttpResponseBase = resolve(request.path_info).func(request)
                return answer
            return HttpResponse("Not found.", status=404, content_type="text/plain")
        return self.get_response(request)


class KeepAnswersPrivate:
    """Keeps browsers and proxies from storing an answer, unless it says that it is public.

    Pages and files hold items, keys and names. Only static files and the style sheet of the
    languages call themselves public; what a view forgets to say is private.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if "public" not in response.get("Cache-Control", ""):
            response["Cache-Control"] = "private, no-store"
        return response


class CompressPages(GZipMiddleware):
    """Compresses pages and the styles and scripts that they load, but no other files and no API.

    On a server the static files lie there compressed already and pass through. The base class pads
    each answer by a random length, and the form token in a page is masked anew each time, so that
    the length of an answer tells nothing about what is in it (BREACH).
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        kind = response.get("Content-Type", "").partition(";")[0]
        if kind == "text/html" and not response.streaming:
            return super().process_response(request, response)
        if kind in ("text/css", "text/javascript") and response.status_code == HTTPStatus.OK:
            # The base class would weaken the tag, which WhiteNoise then never finds unchanged; it
            # compares the date where there is no tag.
            del response["ETag"]
            return super().process_response(request, response)
        return response


class AppendSlash(CommonMiddleware):
    """Redirects an address without its last slash, keeping method and body.

    The base class answers 301 to everything. Clients follow that with a GET, so a POST would come
    back as a page or a list and look done.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        is_missing = response.status_code == HTTPStatus.NOT_FOUND
        answer = super().process_response(request, response)
        is_redirected = is_missing and answer.status_code == HTTPStatus.MOVED_PERMANENTLY
        if is_redirected and request.method not in ("GET", "HEAD"):
            answer.status_code = HTTPStatus.PERMANENT_REDIRECT
        return answer


class SendPolicy(CSPMiddleware):
    """Sends the Content-Security-Policy of the settings, which is written once for all answers.

    The base class writes it anew each time; it still does where a view changes the policy.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        is_changed = any(name.startswith("_csp") for name in (*vars(request), *vars(response)))
        if is_changed:
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, _policy_of_settings())
        return response


@cache
def _policy_of_settings() -> str:
    return build_policy()
