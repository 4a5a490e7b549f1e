"""Pages of findings: counts by check, the findings of one check, and dismissing one."""

import re
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.rules import current_user
from annotation.access import project_for
from annotation.actions.findings import dismiss_finding
from annotation.checks.messages import MESSAGES, describe
from annotation.models import Finding, Project
from annotation.queries.findings import (
    FAMILY_OF,
    explanation_of,
    findings_by_code,
    findings_under_review,
    title_of,
)
from common.markdown import to_html
from common.pagination import KeysetPage, keyset_page

VIEW_FINDINGS = "annotation.view_findings"
DISMISS = "annotation.dismiss_finding"
# Its page has the first level; `to_html` puts headings one level down.
_HEADING = re.compile(r"^##", re.MULTILINE)


@require_safe
def findings(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, VIEW_FINDINGS)
    counts = findings_by_code(project)
    context = _context(project) | {
        "counts": counts,
        "errors": sum(c.finding_count for c in counts if c.severity == "error"),
        "warnings": sum(c.finding_count for c in counts if c.severity == "warning"),
        "most": max((c.finding_count for c in counts), default=0),
    }
    return render(request, "annotation/findings.html", context)


@require_safe
def finding_code(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The findings of one check beside what the check is for and how to fix them."""
    user = current_user(request)
    project = project_for(user, slug, VIEW_FINDINGS)
    if code not in MESSAGES:
        raise Http404
    page = _page_of(project, code, request.GET.get("cursor"))
    context = _context(project) | {
        "code": code,
        "title": title_of(code),
        "family": FAMILY_OF.get(code, ""),
        "page": page,
        "rows": [(finding, describe(code, finding.data, _)) for finding in page.rows],
        "explanation": _explanation(code),
        "can_dismiss": user.has_perm(DISMISS, project),
    }
    return render(request, "annotation/finding_code.html", context)


@require_POST
def dismiss(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Set a finding aside with the reason that was typed, then go back where that was."""
    user = current_user(request)
    project = project_for(user, slug, DISMISS)
    rows = Finding.objects.filter(revision__translation__item__project=project)
    finding = get_object_or_404(rows.select_related("revision__translation__item__project"), pk=pk)
    reason = request.POST.get("reason", "")
    dismiss_finding(finding=finding, reason=reason, actor=user, now=timezone.now())
    messages.success(request, _("The finding is dismissed."))
    back = request.POST.get("next", "")
    if back.startswith("/") and url_has_allowed_host_and_scheme(back, {request.get_host()}):
        return redirect(back)
    return redirect("annotation:item", slug, finding.revision.translation.item_id)


def _page_of(project: Project, code: str, cursor: str | None) -> KeysetPage:
    rows = findings_under_review(project).filter(code=code, dismissed_at__isnull=True)
    rows = rows.select_related("revision__translation__item__subject")
    return keyset_page(rows, order=["pk"], cursor=cursor)


def _explanation(code: str) -> str:
    """The check's page without its title and code line, as HTML with headings from level 2 on."""
    _title, slash, body = explanation_of(code).partition("\n## ")
    return to_html(_HEADING.sub("#", f"## {body}")) if slash else ""


def _context(project: Project) -> dict[str, Any]:
    return {"project": project, "section": "findings"}
