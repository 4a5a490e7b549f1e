"""Pages of the extraction audit of a run: its figures, and the responses that people read."""

import secrets

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.rules import current_user
from common.api_exports import ROW_FORMATS, file_answer
from common.downloads import csv_lines, json_lines
from common.errors import DomainError
from evaluation.audits.actions import start_audit, store_reading
from evaluation.audits.forms import AuditForm, ReadingForm
from evaluation.audits.presenters import method_rows, readable_response
from evaluation.audits.queries import (
    EXPORT_COLUMNS,
    audit_figures,
    audit_of,
    export_rows,
    left_for,
    next_for,
)
from evaluation.audits.selectors import audited_for, get_audit
from evaluation.models import AuditedResponse, Run
from evaluation.selectors import run_for
from review.figures.labels import simulated_text

VIEW, START, READ = "evaluation.view_run", "evaluation.start_audit", "evaluation.read_for_audit"
EXPORT = "evaluation.view_responses"


@require_http_methods(["GET", "HEAD", "POST"])
def audit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the figures, or the form that starts an audit; posting it does."""
    user = current_user(request)
    run = run_for(user, slug, pk, START if request.method == "POST" else VIEW)
    form = AuditForm(request.POST or None)
    if not form.is_valid():
        return _audit_page(request, run, form, status=400 if form.is_bound else 200)
    seed = secrets.randbelow(2**31)
    try:
        start_audit(run=run, **form.cleaned_data, seed=seed, actor=user, now=timezone.now())
    except DomainError as error:
        form.add_error(None, str(error))
        return _audit_page(request, run, form, status=error.status)
    return redirect("evaluation:audit", slug, pk)


@require_http_methods(["GET", "HEAD", "POST"])
def read(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the next response to read; posting a reading stores it."""
    user = current_user(request)
    run = run_for(user, slug, pk, READ)
    found = get_audit(run)
    if request.method != "POST":
        return _reading_page(request, run, next_for(found, user))
    form = ReadingForm(request.POST)
    if not form.is_valid():
        return redirect("evaluation:read-for-audit", slug, pk)
    audited = audited_for(user, found, form.cleaned_data["response"])
    try:
        store_reading(audited=audited, answer=form.answer_read(), actor=user, now=timezone.now())
    except DomainError as error:
        return _reading_page(request, run, audited, refusal=str(error), status=error.status)
    return redirect("evaluation:read-for-audit", slug, pk)


@require_safe
def export(request: HttpRequest, slug: str, pk: int, extension: str) -> StreamingHttpResponse:
    """Download what people and methods read, as CSV or JSON lines."""
    run = run_for(current_user(request), slug, pk, EXPORT)
    if extension not in ROW_FORMATS:
        raise Http404
    rows = export_rows(get_audit(run))
    lines = csv_lines(EXPORT_COLUMNS, rows) if extension == "csv" else json_lines(rows)
    return file_answer(lines, name=f"{slug}-run-{pk}-audit.{extension}")


def _audit_page(request: HttpRequest, run: Run, form: AuditForm, *, status: int) -> HttpResponse:
    user = current_user(request)
    found = audit_of(run)
    figures = audit_figures(found) if found and found.populations else None
    can_read = user.has_perm(READ, run)
    context = {
        "project": run.release.project,
        "section": "runs",
        "run": run,
        "audit": found,
        "form": form,
        "figures": figures,
        "simulated_mark": simulated_text(figures.simulated)
        if figures and figures.simulated
        else "",
        "method_rows": method_rows(figures, run) if figures else [],
        "left": left_for(found, user).count() if found and can_read else 0,
        "can_start": user.has_perm(START, run),
        "can_read": can_read,
        "can_export": user.has_perm(EXPORT, run),
    }
    return render(request, "evaluation/audits/audit.html", context, status=status)


def _reading_page(
    request: HttpRequest,
    run: Run,
    audited: AuditedResponse | None,
    *,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        "project": run.release.project,
        "section": "runs",
        "run": run,
        "shown": readable_response(audited, run) if audited else None,
        "refusal": refusal,
    }
    return render(request, "evaluation/audits/read.html", context, status=status)
