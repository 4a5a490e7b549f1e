"""Limits on the size of a request, by its route, before anything of it is read.

Django reads a form as soon as its protection is checked, which is before it knows who sends it, and
puts what is large on the disk. So anybody could fill the disk through any address.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from io import BytesIO
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.handlers.wsgi import LimitedStream
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import AuthenticationFailed

from accounts.api.authentication import TokenAuthentication
from accounts.models import User
from common.api import BodyTooLarge
from common.htmx import wants_json
from jobs.selectors import job_for
from projects.selectors import project_for
from submissions.actions.tracing import MOST_LEAKED
from submissions.checking import MOST_BYTES

FORM_BYTES = 100_000
# The routes that take files, and the permission in their project that it takes to send one.
UPLOADS = {
    "annotation:import": "annotation.import_items",
    "api:imports": "annotation.import_items",
    "annotation:import-terms": "annotation.change_glossary",
    "api:import-terms": "annotation.change_glossary",
    "evaluation:import": "evaluation.import_run",
    "api:import-run": "evaluation.import_run",
    "submissions:leaks": "submissions.change_submissions",
    "api:leaks": "submissions.change_submissions",
}
# The bytes of those that are smaller than imports may be.
UPLOAD_BYTES = dict.fromkeys(("submissions:leaks", "api:leaks"), MOST_LEAKED)
# Those that take files for a job, from whoever may cancel it.
UPLOADS_FOR_JOBS = frozenset({"endpoints:batch-answers", "api:batch-answers"})
# Those that take a model's answers from whoever is signed in, and what a request may have: a form
# has fields besides the file, whose size it checks itself.
ANSWERS = {"api:submissions": MOST_BYTES, "submissions:part": MOST_BYTES + FORM_BYTES}


class UploadTooLarge(BodyTooLarge):
    detail = _(
        "These files are larger than %(limit)s MB together. Split them and upload the parts."
    )


class AnswersTooLarge(BodyTooLarge):
    detail = _(
        "Answers may have %(limit)s MB at most. Send fewer answers for each item, or JSON without "
        "line breaks and indentation."
    )


class UploadSignedOut(BodyTooLarge):
    detail = _("You are signed out, so the file was not uploaded. Sign in and upload it again.")


class LimitBodies:
    """Answers 413 to a request with more than BODY_BYTES.

    A file may be as large as its limits allow if a person sends it who may do so there, and a
    model's answers as large as theirs if somebody signed in sends them. A request that does not say
    its length (`Transfer-Encoding: chunked`) is read, but no further than that. Only requests above
    BODY_BYTES and those without a length cost a query.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, arguments: Any, names: dict[str, Any]
    ) -> HttpResponse | None:
        """Runs before that of CsrfViewMiddleware, which reads the form."""
        try:
            _check_length(request, names)
        except BodyTooLarge as error:
            if request.path.startswith("/api/") or wants_json(request):
                return JsonResponse(error.as_json(), status=error.status)
            return render(request, "refused.html", {"error": error}, status=error.status)
        return None


def _check_length(request: HttpRequest, names: Mapping[str, Any]) -> None:
    if "CONTENT_LENGTH" not in request.META and "HTTP_TRANSFER_ENCODING" in request.META:
        most = _answers_limit(request)
        _read_chunks(request, most if most and _person(request) else 0)
        return
    length = str(request.META.get("CONTENT_LENGTH") or "0")
    if not length.isdecimal() or int(length) > settings.BODY_BYTES:
        _check_upload(request, names, int(length) if length.isdecimal() else 0)


def _check_upload(request: HttpRequest, names: Mapping[str, Any], length: int) -> None:
    """Raise BodyTooLarge unless this is a file of that size by somebody who may send it."""
    route, most = _route(request), _answers_limit(request)
    if most and length > most:
        raise AnswersTooLarge(limit=MOST_BYTES // 1_000_000)
    if not most and route not in UPLOADS and route not in UPLOADS_FOR_JOBS:
        raise BodyTooLarge
    person = _person(request)
    if person is None:
        raise UploadSignedOut
    if most:
        return
    try:
        if route in UPLOADS:
            project_for(person, names["slug"], UPLOADS[route])
        else:
            job_for(person, names["pk"], "jobs.cancel_job")
    except (Http404, PermissionDenied) as error:
        raise BodyTooLarge from error
    limit = UPLOAD_BYTES.get(route, settings.IMPORT_LIMITS["file_bytes"])
    if length > limit + settings.BODY_BYTES:
        raise UploadTooLarge(limit=limit // 1_000_000)


def _person(request: HttpRequest) -> User | None:
    """Return the person who sends the request, by session or API token."""
    if isinstance(request.user, User):
        return request.user
    caller: Any = request
    with suppress(AuthenticationFailed):
        found = TokenAuthentication().authenticate(caller)
        return found[0] if found else None
    return None


def _route(request: HttpRequest) -> str:
    return request.resolver_match.view_name if request.resolver_match else ""


def _answers_limit(request: HttpRequest) -> int:
    """Return how large a request with a model's answers may be, 0 if it is none."""
    return ANSWERS.get(_route(request), 0)


def _read_chunks(request: HttpRequest, answers: int) -> None:
    """Read a body of unknown length, which Django would take for empty; `answers` may be so large.

    Raises BodyTooLarge.
    """
    limit: int = answers or settings.BODY_BYTES
    data = request.META["wsgi.input"].read(limit + 1)
    if len(data) > limit and answers:
        raise AnswersTooLarge(limit=MOST_BYTES // 1_000_000)
    if len(data) > limit:
        raise BodyTooLarge
    request.META["CONTENT_LENGTH"] = str(len(data))
    stream: Any = LimitedStream(BytesIO(data), len(data))
    request._stream = stream  # noqa: SLF001 - as WSGIRequest sets it where it knows the length
