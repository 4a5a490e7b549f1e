"""Pages of findings: counts by check, those of one check, the dismissed ones, dismissing, reopening."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from annotation.checks.actions import dismiss_finding, reopen_finding
from annotation.checks.catalogue.labels import KINDS
from annotation.checks.presenters import finding_rows
from annotation.checks.queries import (
    DISMISSED,
    OPEN,
    FindingFilter,
    explanation_of,
    family_of,
    filtered_findings,
    findings_by_code,
    systems_of,
    title_of,
)
from annotation.checks.recheck import has_new_texts, last_whole_set, start_recheck
from annotation.models import Finding
from annotation.querysets import FindingQuerySet
from common.filters import known_value, refuse_unknown_names
from common.markdown import to_html
from common.pagination import bounded_total, listed_page
from common.redirects import next_address
from projects.models import Project
from projects.selectors import project_for

VIEW_FINDINGS = "annotation.view_findings"
CHECK = "annotation.import_items"
DISMISS = "annotation.dismiss_finding"
EDIT = "annotation.edit_text"


@require_safe
def findings(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, VIEW_FINDINGS)
    context = _context(request, project)
    counts = findings_by_code(project, context["system"])
    context |= {
        "counts": counts,
        "errors": sum(c.finding_count for c in counts if c.severity == "error"),
        "warnings": sum(c.finding_count for c in counts if c.severity == "warning"),
        "check_count": len({c.code for c in counts}),
        "can_check": (can_check := user.has_perm(CHECK, project)),
        "has_new_texts": can_check and has_new_texts(project),
        "can_repair": user.has_perm(EDIT, project),
    }
    if last := last_whole_set(project):
        context |= {"whole_set": last[1], "checked_at": last[0].finished_at}
    return render(request, "annotation/findings.html", context)


@require_POST
def check_again(request: HttpRequest, slug: str) -> HttpResponse:
    """Queue a job that checks every text again, and show it."""
    user = current_user(request)
    project = project_for(user, slug, CHECK)
    job = start_recheck(project=project, actor=user, now=timezone.now())
    return redirect("jobs:job", job.pk)


@require_safe
def dismissed_findings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show dismissed findings, newest first: who, when and why, with a button to reopen each."""
    user = current_user(request)
    project = project_for(user, slug, VIEW_FINDINGS)
    context = _context(request, project)
    wanted = FindingFilter(state=DISMISSED, system=context["system"])
    context |= _rows(request, filtered_findings(project, wanted), order=["-dismissed_at", "pk"])
    context["can_dismiss"] = user.has_perm(DISMISS, project)
    return render(request, "annotation/findings_dismissed.html", context)


@require_safe
def finding_code(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The findings of one check beside what the check is for and how to fix them."""
    user = current_user(request)
    project = project_for(user, slug, VIEW_FINDINGS)
    if code not in KINDS:
        raise Http404
    context = _context(request, project)
    wanted = FindingFilter(code=code, state=OPEN, system=context["system"])
    context |= _rows(request, filtered_findings(project, wanted), order=["pk"]) | {
        "code": code,
        "title": title_of(code),
        "family": family_of(code),
        "explanation": to_html(explanation_of(code, level=1)),  # it puts headings one level down
        "can_dismiss": user.has_perm(DISMISS, project),
        "can_repair": user.has_perm(EDIT, project),
    }
    return render(request, "annotation/finding_code.html", context)


@require_POST
def dismiss(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Dismiss a finding with the reason that was typed, then go back to the page of the form."""
    user = current_user(request)
    finding = _finding(user, slug, pk)
    reason = request.POST.get("reason", "")
    dismiss_finding(finding=finding, reason=reason, actor=user, now=timezone.now())
    messages.success(request, _("The finding is dismissed."))
    return _back(request, slug, finding)


@require_POST
def reopen(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Undo a dismissal, then go back to the page of the button."""
    user = current_user(request)
    finding = _finding(user, slug, pk)
    reopen_finding(finding=finding, actor=user, now=timezone.now())
    messages.success(request, _("The finding is open again."))
    return _back(request, slug, finding)


def _finding(user: User, slug: str, pk: int) -> Finding:
    project = project_for(user, slug, DISMISS)
    rows = Finding.objects.filter(revision__translation__item__project=project)
    found: Finding = get_object_or_404(
        rows.select_related("revision__translation__item__project"), pk=pk
    )
    return found


def _back(request: HttpRequest, slug: str, finding: Finding) -> HttpResponse:
    item = finding.revision.translation.item_id
    return redirect(next_address(request) or reverse("annotation:item", args=[slug, item]))


def _rows(request: HttpRequest, findings: FindingQuerySet, order: list[str]) -> dict[str, Any]:
    page = listed_page(request, findings, filters=["system"], order=order)
    return {
        "page": page,
        "rows": finding_rows(page.rows),
        "total": bounded_total(findings, order=order),
    }


def _context(request: HttpRequest, project: Project) -> dict[str, Any]:
    """Return what all pages of findings show. Raises ListRefused, FilterUnknown."""
    refuse_unknown_names(request.GET, ["system"])
    systems = systems_of(project)
    return {
        "project": project,
        "section": "findings",
        "systems": systems,
        "system": known_value("system", request.GET.get("system", ""), systems),
    }
