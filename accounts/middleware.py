"""Every page asks for sign-in unless its view says otherwise, and nothing typed is lost by it."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django_structlog.middlewares import RequestMiddleware
from structlog.contextvars import bind_contextvars

from accounts.form_recovery import keep, seal
from accounts.forms import SignInForm
from accounts.rules import client_address
from common.htmx import wants_json

View = Callable[..., HttpResponseBase]
OPEN_VIEWS = frozenset({"help", "health", "styles-css", "metrics", "service-worker", "web-font"})


class LanguageMiddleware:
    """Show the pages in the language of the signed-in person, whatever the browser asks for.

    Without a choice of theirs what Django's LocaleMiddleware found holds: the cookie of this
    device, then `Accept-Language`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        chosen = getattr(request.user, "language", "")
        if chosen in dict(settings.LANGUAGES):
            translation.activate(chosen)
            request.LANGUAGE_CODE = chosen
        response = self.get_response(request)
        response.headers.setdefault("Content-Language", translation.get_language())
        return response


class LogMiddleware(RequestMiddleware):
    """Bind each line of the log to its request; the address is the one of the sign-in history.

    The base class believes whatever a visitor writes into X-Forwarded-For, and takes long to read
    every header that could name an address.
    """

    @classmethod
    def bind_ip(cls, request: HttpRequest) -> None:
        bind_contextvars(ip=client_address(request))


class SignInMiddleware(LoginRequiredMiddleware):
    """Answer a request of nobody's to a page that needs somebody.

    - A script (it accepts JSON, or is htmx) gets 401 with `{code: "signed_out", detail,
      sign_in_url}`; the page stays as it is and can open `sign_in_url` in a small window.
    - A page load goes to the sign-in page and from there back.
    - A posted form gets the sign-in page with what was typed sealed in it; after sign-in
      `accounts:send-again` shows it and sends it on.

    Views of our own opt out with Django's `login_not_required`; the API has its own check.
    """

    def process_view(
        self,
        request: HttpRequest,
        view_func: View,
        view_args: Any,
        view_kwargs: Any,
    ) -> HttpResponseBase | None:
        match = request.resolver_match
        if match is not None and match.view_name in OPEN_VIEWS:
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)

    def handle_no_permission(  # type: ignore[override]  # it need not be a redirect
        self, request: HttpRequest, view_func: View
    ) -> HttpResponse:
        if wants_json(request):
            return signed_out_json()
        if request.method in ("GET", "HEAD"):
            return super().handle_no_permission(request, view_func)
        return interrupted_page(request)


def signed_out_json() -> JsonResponse:
    body = {
        "code": "signed_out",
        "detail": _("You have been signed out. Sign in again; nothing is lost."),
        "sign_in_url": f"{reverse('accounts:sign-in')}?popup=1",
    }
    return JsonResponse(body, status=401)


def interrupted_page(request: HttpRequest) -> HttpResponse:
    """The sign-in page with the posted form sealed in it; status 401."""
    form = keep(request)
    context = {
        "form": SignInForm(request),
        "kept": seal(form) if form else "",
        "next": form.page if form else "",
        "is_interrupted": True,
    }
    return render(request, "accounts/sign_in.html", context, status=401)
