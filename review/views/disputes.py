"""The queue of disputes and the page where one is settled."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.rules import current_user
from common.errors import DomainError
from common.htmx import render_page
from common.pagination import keyset_page
from projects.models import Project
from projects.selectors import project_for
from review import disputes, queries
from review.actions.adjudication import DecisionInvalid, adjudicate_panel
from review.enums import PanelState
from review.forms import AdjudicationForm
from review.models import Panel
from review.selectors import panel_for
from review.workbench import surplus_options

VIEW = "review.view_disputes"


@require_safe
def queue(request: HttpRequest, slug: str) -> HttpResponse:
    """Open disputes, worst agreement first, with why."""
    user = current_user(request)
    project = project_for(user, slug, VIEW)
    rows = queries.disputes_for(project, user)
    if subject := request.GET.get("subject", "").replace("\x00", ""):
        rows = rows.filter(item__subject__slug=subject)
    page = keyset_page(rows, order=["-severity", "pk"], cursor=request.GET.get("cursor"), size=25)
    context = {
        "project": project,
        "section": "disputes",
        "page": page,
        "rows": [(panel, disputes.reasons(panel)) for panel in page.rows],
        "subjects": project.subjects.order_by("slug"),
        "subject": subject,
        "can_settle": user.has_perm("review.adjudicate_disputes", project),
    }
    return render_page(request, "review/disputes.html", context)


@require_safe
def dispute(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project, panel = _panel(request, slug, pk)
    if panel.state != PanelState.DISPUTED:
        messages.info(request, _("This dispute is settled."))
        return redirect("review:disputes", slug)
    return render(request, "review/dispute.html", _context(project, panel))


@require_POST
def adjudicate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Settle the dispute and show the next one."""
    project, panel = _panel(request, slug, pk)
    form = AdjudicationForm(request.POST)
    if not form.is_valid():
        errors = {name: [str(e) for e in found] for name, found in form.errors.items()}
        return _refused(request, project, panel, DecisionInvalid(fields=errors), status=400)
    chosen = form.cleaned_data["judgement"]
    try:
        adjudicate_panel(
            panel=panel,
            senior=current_user(request),
            content=form.content(
                panel.judgements.filter(pk=chosen).first() if chosen else None,
                request.POST.getlist("fields"),
            ),
            now=timezone.now(),
        )
    except DomainError as error:
        return _refused(request, project, panel, error, status=error.status)
    return _to_next(request, project)


def _panel(request: HttpRequest, slug: str, pk: int) -> tuple[Project, Panel]:
    panel = panel_for(current_user(request), slug, pk)
    return panel.round.project, panel


def _to_next(request: HttpRequest, project: Project) -> HttpResponse:
    following = queries.disputes_for(project, current_user(request)).first()
    if following is None:
        messages.success(request, _("All disputes are settled."))
        return redirect("review:disputes", project.slug)
    return redirect("review:dispute", project.slug, following.pk)


def _refused(
    request: HttpRequest, project: Project, panel: Panel, error: DomainError, *, status: int
) -> HttpResponse:
    typed = {name: request.POST.get(name, "") for name in request.POST}
    context = _context(project, panel, typed) | {
        "errors": error.fields or {"": [str(error)]},
        "values": _values(typed),
    }
    return render(request, "review/dispute.html", context, status=status)


def _values(typed: dict[str, str]) -> dict[str, Any]:
    chosen = typed.get("judgement", "")
    is_number = chosen.isdecimal() and len(chosen) < 19
    return {**typed, "judgement": int(chosen) if is_number else None}


def _context(project: Project, panel: Panel, typed: dict[str, str] | None = None) -> dict[str, Any]:
    return {
        "project": project,
        "section": "disputes",
        "panel": panel,
        "item": panel.item,
        "matrix": disputes.matrix(panel, list(panel.judgements.all()), typed),
        "surplus": surplus_options(panel),
        "reasons": disputes.reasons(panel),
        "progress": queries.dispute_progress(panel.round),
    }
