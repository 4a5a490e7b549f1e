"""What the server cannot do just now, though nothing is wrong with the request: said in words.

A write that waited in vain for the database and a database that cannot be reached answer 503 with
`Retry-After`, and so does a domain error of that status; a full disk answers 507. Other faults of the
database stay faults of ours (500).
"""

import errno
import sqlite3
import sys
from collections.abc import Callable
from typing import Final

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.log import log_response
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from common.errors import NOT_NOW, DomainError
from common.errors import server_error as fault_of_ours
from common.htmx import wants_json

RETRY_SECONDS: Final = 3

# SQLite: somebody else holds the lock. The codes' lowest byte is the kind of error.
_SQLITE_WAITED: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
# PostgreSQL, https://www.postgresql.org/docs/current/errcodes-appendix.html: no lock in time,
# deadlock, serialization failure, too many connections; and classes 08 (the connection is lost)
# and 57P (the server is starting or stopping).
_POSTGRESQL_WAITED: Final = ("55P03", "40P01", "40001", "53300", "08", "57P")
_POSTGRESQL_FULL: Final = "53100"
_DISK_FULL: Final = {errno.ENOSPC, errno.EDQUOT}


class DatabaseBusy(DomainError):
    code = "busy"
    detail = _(
        "The server is busy, so what you sent was not stored. Wait a few seconds and send it again."
    )
    status = NOT_NOW


class DiskFull(DomainError):
    code = "disk_full"
    detail = _(
        "The server’s disk is full, so what you sent was not stored. Tell your administrator, and "
        "send it again when there is space."
    )
    status = 507


class UnavailableMiddleware:
    """Answers 503 or 507 where a page finds the database busy, out of reach or its disk full.

    It stands before whatever reads the person's session: a database that is out of reach shows
    there first, and Django hands over only what views raise.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            bool(request.user)
        except (OperationalError, InterfaceError) as error:
            if reason := why_unavailable(error):
                return answer_unavailable(request, reason, error)
            raise
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        reason = why_unavailable(exception)
        return answer_unavailable(request, reason, exception) if reason else None


def server_error(request: HttpRequest) -> HttpResponse:
    """The handler of status 500: what middlewares raise comes here, so it may be another status."""
    error = sys.exception()
    reason = why_unavailable(error) if error else None
    if error and reason:
        return answer_unavailable(request, reason, error)
    return fault_of_ours(request)


def why_unavailable(error: BaseException) -> DomainError | None:
    """Return what to say of an exception that only means "not now"; None for any other."""
    if isinstance(error, DomainError):
        return error if error.status == NOT_NOW else None
    if isinstance(error, OSError):
        return DiskFull() if error.errno in _DISK_FULL else None
    if not isinstance(error, OperationalError | InterfaceError):
        return None
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return _why_sqlite(cause)
    return _why_postgresql(cause)


def answer_unavailable(
    request: HttpRequest, reason: DomainError, error: BaseException
) -> HttpResponse:
    """Say it as a page, or as JSON to the API's callers and scripts; one line goes to the log."""
    answer = _json(reason) if _wants_json(request) else _page(request, reason)
    for name, value in reason.headers().items():
        answer[name] = value
    log_unavailable(request, answer, error)
    return answer


def log_unavailable(request: HttpRequest, answer: HttpResponse, error: BaseException) -> None:
    """A warning without a traceback, in the place of the error that Django would log."""
    log_response(
        "%s: %s",
        request.path,
        str(error).strip(),
        response=answer,
        request=request,
        level="warning",
    )


def _why_sqlite(cause: sqlite3.Error) -> DomainError | None:
    kind = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    if kind == sqlite3.SQLITE_FULL:
        return DiskFull()
    return _busy() if kind in _SQLITE_WAITED else None


def _why_postgresql(cause: BaseException | None) -> DomainError | None:
    """Without a state, psycopg tells of the connection: it could not be made or is gone."""
    if cause is None or not type(cause).__module__.startswith("psycopg"):
        return None
    state = getattr(cause, "sqlstate", None)
    if state == _POSTGRESQL_FULL:
        return DiskFull()
    return _busy() if state is None or state.startswith(_POSTGRESQL_WAITED) else None


def _busy() -> DatabaseBusy:
    return DatabaseBusy(retry_after_seconds=RETRY_SECONDS)


def _wants_json(request: HttpRequest) -> bool:
    return request.path.startswith("/api/") or wants_json(request)


def _json(reason: DomainError) -> HttpResponse:
    return JsonResponse(reason.as_json(), status=reason.status)


def _page(request: HttpRequest, reason: DomainError) -> HttpResponse:
    """Rendered without the request, whose processors would ask the database for the person."""
    context = {
        "error": reason,
        "is_disk_full": isinstance(reason, DiskFull),
        "is_read": request.method in ("GET", "HEAD"),
        "LANGUAGE_CODE": get_language(),
    }
    return HttpResponse(render_to_string("unavailable.html", context), status=reason.status)
