"""The pages of statements of work: the months of a project, one of them, its file, and closing it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.rules import current_user
from common.downloads import csv_lines
from common.errors import DomainError
from common.filters import refuse_unknown_filters
from common.months import month_of
from projects.models import Project
from projects.queries import members_among
from projects.selectors import project_for
from review.people.actions import close_statement
from review.people.labels import duration_text
from review.people.statement_rows import COLUMNS, line_row, statement_json
from review.people.statements import (
    Line,
    Statement,
    first_open,
    last_closed,
    statement_months,
    statement_of,
)
from review.selectors import month_at

VIEW = "review.view_statements"


@require_safe
def statements(request: HttpRequest, slug: str) -> HttpResponse:
    """The months with work, newest first."""
    project = project_for(current_user(request), slug, VIEW)
    context = {"project": project, "section": "members", "months": statement_months(project)}
    return render(request, "review/people/statements.html", context)


@require_safe
def statement(request: HttpRequest, slug: str, month: str) -> HttpResponse:
    """Who judged how much in a month; made to be printed."""
    user = current_user(request)
    project = project_for(user, slug, VIEW)
    found = statement_of(project, month_at(month))
    first = None if found.closed_at else first_open(project, last_closed(project)) or found.month
    unpaid = [line for line in found.lines if line.amount is None]
    context = {
        "project": project,
        "section": "members",
        "statement": found,
        "lines": [(line, duration_text(line.active_seconds)) for line in found.lines],
        "time": duration_text(found.active_seconds),
        "is_running": found.month >= month_of(timezone.now()),
        "open_before": first if first and first < found.month else None,
        "unpaid": unpaid,
        "rates_url": _rates_url(project, found, unpaid) if unpaid else "",
        "can_close": first == found.month and user.has_perm("review.close_statement", project),
    }
    return render(request, "review/people/statement.html", context)


@require_safe
def statement_file(request: HttpRequest, slug: str, month: str, name: str) -> HttpResponseBase:
    project = project_for(current_user(request), slug, VIEW)
    refuse_unknown_filters(request.GET)
    found = statement_of(project, month_at(month))
    file = f'attachment; filename="{slug}-work-{month}.{name}"'
    if name == "json":
        return JsonResponse(statement_json(found), headers={"Content-Disposition": file})
    lines = csv_lines(COLUMNS, map(line_row, found.lines))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = file
    return response


@require_POST
def close(request: HttpRequest, slug: str, month: str) -> HttpResponse:
    """Close the month and show it; a refusal is told on its page."""
    user = current_user(request)
    project = project_for(user, slug, "review.close_statement")
    wanted = month_at(month)
    try:
        close_statement(project=project, month=wanted, actor=user, now=timezone.now())
    except DomainError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The statement is closed."))
    return redirect("review:statement", slug, str(wanted))


def _rates_url(project: Project, found: Statement, unpaid: list[Line]) -> str:
    """Where a rate is set for people without one; the list of members where all of them left."""
    member = members_among(project, [line.person for line in unpaid]).first()
    if member is None:
        return reverse("projects:members", args=[project.slug])
    return reverse("projects:pay", args=[project.slug, member.pk]) + f"?month={found.month}"
