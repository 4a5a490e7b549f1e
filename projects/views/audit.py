"""Pages of audit events: a project's for its managers, all of them for administrators."""

from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.audit import (
    AUDIT_COLUMNS,
    AuditFilter,
    audit_events,
    audit_rows,
    told_data,
    verb_label,
)
from accounts.models import AuditEvent
from accounts.rules import administrator, current_user
from common.downloads import csv_lines
from common.filters import refuse_filter_faults
from common.pagination import listed_page
from projects.forms import AuditFilterForm
from projects.models import Project
from projects.selectors import project_for

VIEW = "projects.view_audit_events"


@require_safe
def project_audit(request: HttpRequest, slug: str) -> HttpResponse:
    """What happened in a project, newest first."""
    project = project_for(current_user(request), slug, VIEW)
    context = {"project": project, "section": "members"}
    return _page(request, AuditFilter(project=project.slug), context)


@require_safe
def project_audit_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    project: Project = project_for(current_user(request), slug, VIEW)
    return _csv(request, AuditFilter(project=project.slug), f"{slug}-audit.csv")


@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """What happened anywhere on this server, newest first."""
    _check_administrator(request)
    return _page(request, AuditFilter(), {})


@require_safe
def audit_csv(request: HttpRequest) -> StreamingHttpResponse:
    _check_administrator(request)
    return _csv(request, AuditFilter(), "audit.csv")


def _check_administrator(request: HttpRequest) -> None:
    administrator(current_user(request), "accounts.view_audit_events")


def _page(request: HttpRequest, scope: AuditFilter, context: dict[str, Any]) -> HttpResponse:
    form = AuditFilterForm(request.GET, scope=scope)
    is_valid = form.is_valid()
    page = listed_page(request, audit_events(form.wanted()), filters=form.fields, order=["-pk"])
    query = request.GET.copy()
    query.pop("cursor", None)
    context |= {
        "form": form,
        "page": page,
        "rows": [(event, verb_label(event.verb), _details(event)) for event in page.rows],
        "filter_query": query.urlencode(),
        "is_filtered": any(form.cleaned_data.values()),
    }
    return render(request, "projects/audit.html", context, status=200 if is_valid else 400)


def _csv(request: HttpRequest, scope: AuditFilter, name: str) -> StreamingHttpResponse:
    form = AuditFilterForm(request.GET, scope=scope)
    refuse_filter_faults(form)
    lines = csv_lines(AUDIT_COLUMNS, audit_rows(audit_events(form.wanted())))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _details(event: AuditEvent) -> list[tuple[str, str]]:
    """The event's data as (name, value) to print beside it; what has words of its own one by one."""
    return [
        (name, text)
        for name, value in told_data(event).items()
        if value not in ("", None, [], {})
        for text in (_texts(value) or [_as_text(value)])
    ]


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list):
        return []
    return [each["text"] for each in value if isinstance(each, dict) and "text" in each]


def _as_text(value: Any) -> str:
    if isinstance(value, dict) and set(value) == {"from", "to"}:
        return f"{_as_text(value['from'])} → {_as_text(value['to'])}"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    return str(value)
