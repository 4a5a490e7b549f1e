"""The queue of disputes and the page where one is settled.

Filter and order stand in the query string of every page, so that they last from item to item.
"""

import uuid
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from annotation.checks.presenters import open_findings
from annotation.items.presenters import key_correction
from common.errors import DomainError
from common.htmx import render_page, wants_json
from common.markdown import to_html
from common.pagination import listed_page
from projects.models import Project
from projects.selectors import project_for
from review.disputes import presenters as disputes
from review.disputes import queries
from review.disputes.actions.adjudication import DecisionInvalid, adjudicate_panel
from review.disputes.actions.bulk import approvable
from review.disputes.actions.visits import visit_dispute
from review.disputes.forms import AdjudicationForm
from review.disputes.labels import ReasonText
from review.disputes.queue import (
    QueueFilter,
    left_in,
    next_after,
    queue_counts,
    queue_of,
    waiting_count,
)
from review.disputes.queue_presenters import queue_fields, sort_choices
from review.disputes.selectors import panel_for, panel_to_read
from review.disputes.substitution import blocked_disputes
from review.enums import PanelState, RoundKind
from review.models import Panel
from review.screening.opinions import opinions_in_dispute
from review.seats.inquiries import answered_looks, inquiry_of
from review.workbench.actions.numbers import NumbersUnconfirmed
from review.workbench.forms import TextsMixin
from review.workbench.presenters import suggestions_on, surplus_options
from review.workbench.text_checks import as_json, check_panel_text

VIEW = "review.view_disputes"
NAME = "review.name_substitute"
QUEUE_FILTERS = [each.name for each in fields(QueueFilter)]


@require_safe
def queue(request: HttpRequest, slug: str) -> HttpResponse:
    """Open disputes with why, as filtered and sorted."""
    user, now = current_user(request), timezone.now()
    project = project_for(user, slug, VIEW)
    wanted = _wanted(request)
    rows = queue_of(project, user, wanted, now=now)
    page = listed_page(request, rows, filters=QUEUE_FILTERS, order=wanted.order, size=25)
    counts = queue_counts(project, user)
    context = {
        "project": project,
        "section": "disputes",
        "page": page,
        "rows": _rows(page.rows, user, now),
        "can_settle_all": user.has_perm("review.adjudicate_disputes", project)
        and wanted.is_narrow
        and approvable(rows).exists(),
        "wanted": wanted,
        "found": left_in(rows, wanted) if wanted.is_narrow else None,
        "counts": counts,
        "fields": queue_fields(project, counts, wanted),
        "sorts": sort_choices(wanted),
        "waiting": waiting_count(project, user),
        "blocked": blocked_disputes(project).count() if user.has_perm(NAME, project) else 0,
    }
    return render_page(request, "review/disputes/disputes.html", context)


def _rows(
    panels: Sequence[Panel], user: User, now: datetime
) -> list[tuple[Panel, list[ReasonText], Sequence[str]]]:
    """Each dispute with why it is one and who else has it open."""
    visitors = queries.visitors_of([panel.pk for panel in panels], but=user, now=now)
    return [(panel, disputes.reasons(panel), visitors.get(panel.pk, ())) for panel in panels]


@require_safe
def dispute(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    panel, can_settle = panel_to_read(current_user(request), slug, pk)
    project = panel.round.project
    if not can_settle:
        return render(
            request, "review/disputes/dispute_read.html", _read_context(request, project, panel)
        )
    if panel.state != PanelState.DISPUTED:
        messages.info(request, _("This dispute is settled."))
        return redirect(_address("review:disputes", slug, wanted=_wanted(request)))
    if panel.round.kind != RoundKind.REVIEW:
        return redirect(_address("review:key-dispute", slug, pk, wanted=_wanted(request)))
    template = "review/disputes/dispute.html"
    if request.headers.get("Lotsawa-Fragment") == "dispute":
        template = "review/disputes/includes/dispute_parts.html"
    response = render(request, template, _context(request, project, panel))
    patch_vary_headers(response, ["Lotsawa-Fragment"])
    return response


@require_safe
def offline(request: HttpRequest, slug: str) -> HttpResponse:
    """What a device shows in the place of a dispute that it cannot load."""
    project = project_for(current_user(request), slug, VIEW)
    return render(request, "review/disputes/disputes_offline.html", {"project": project})


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
            idempotency_key=form.cleaned_data["idempotency_key"],
        )
    except DomainError as error:
        return _refused(request, project, panel, error, status=error.status)
    return to_next(request, project, panel)


@require_POST
def check(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What the checks say of a final text that is being typed; nothing is stored."""
    project, panel = _panel(request, slug, pk)
    form = TextsMixin(request.POST)
    if not form.is_valid():
        raise Http404
    return JsonResponse(as_json(check_panel_text(panel, form.correction(), project)))


@require_POST
def visit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Say that the page is open, and who else has it open."""
    _project, panel = _panel(request, slug, pk)
    others = visit_dispute(panel=panel, visitor=current_user(request), now=timezone.now())
    return JsonResponse({"others": others})


def _wanted(request: HttpRequest) -> QueueFilter:
    return QueueFilter.refusing(request.GET.dict())


def _address(name: str, *arguments: object, wanted: QueueFilter) -> str:
    address = reverse(name, args=arguments)
    return f"{address}?{wanted.query}" if wanted.query else address


def _panel(request: HttpRequest, slug: str, pk: int) -> tuple[Project, Panel]:
    panel = panel_for(current_user(request), slug, pk)
    return panel.round.project, panel


def to_next(request: HttpRequest, project: Project, panel: Panel) -> HttpResponse:
    """Lead to the dispute that follows `panel` in the queue as filtered, or to the queue."""
    wanted = _wanted(request)
    rows = queue_of(project, current_user(request), wanted, now=timezone.now())
    coming = next_after(rows, panel, wanted)
    if wants_json(request):
        left = {"left": left_in(rows, wanted), "wanted": wanted}
        words = render_to_string("review/disputes/includes/dispute_left.html", left)
        next_address = _next_address(project, coming, wanted)
        answer = {"next": next_address, "left": " ".join(words.split()), "done": ""}
        if coming:  # the queue is a page of its own, which says it itself
            answer["done"] = " ".join(map(str, messages.get_messages(request)))
        return JsonResponse(answer)
    if coming is None:
        all_settled = _("No more disputes wait for you.")
        messages.success(
            request,
            _("No more disputes that match this filter wait for you.")
            if wanted.is_narrow
            else all_settled,
        )
        return redirect(_address("review:disputes", project.slug, wanted=wanted))
    return redirect(_next_address(project, coming, wanted))


def _next_address(project: Project, coming: Panel | None, wanted: QueueFilter) -> str:
    if coming is None:
        return _address("review:disputes", project.slug, wanted=wanted)
    return _address("review:dispute", project.slug, coming.pk, wanted=wanted)


def _refused(
    request: HttpRequest, project: Project, panel: Panel, error: DomainError, *, status: int
) -> HttpResponse:
    if wants_json(request):
        return JsonResponse(error.as_json(), status=status)
    typed = {name: request.POST.get(name, "") for name in request.POST}
    context = _context(request, project, panel, typed) | {
        "errors": error.fields or {"": [str(error)]},
        "values": _values(typed),
        "numbers": [words for found in error.fields.values() for words in found]
        if isinstance(error, NumbersUnconfirmed)
        else [],
    }
    return render(request, "review/disputes/dispute.html", context, status=status)


def _values(typed: dict[str, str]) -> dict[str, Any]:
    chosen = typed.get("judgement", "")
    is_number = chosen.isdecimal() and len(chosen) < 19
    return {**typed, "judgement": int(chosen) if is_number else None}


def _context(
    request: HttpRequest, project: Project, panel: Panel, typed: dict[str, str] | None = None
) -> dict[str, Any]:
    user = current_user(request)
    judgements = list(panel.judgements.all())
    return {
        "project": project,
        "section": "disputes",
        "panel": panel,
        "item": panel.item,
        "matrix": disputes.matrix(panel, judgements, typed),
        "surplus": surplus_options(panel),
        "reasons": disputes.reasons(panel),
        "idempotency_key": (typed or {}).get("idempotency_key") or uuid.uuid4().hex,
        "can_settle": True,
        "can_open_round": user.has_perm("review.open_round", project),
        "askable": disputes.askable(panel, judgements),
        **_place_in_queue(request, project, panel),
        **_beside(panel, project, user),
    }


def _place_in_queue(request: HttpRequest, project: Project, panel: Panel) -> dict[str, Any]:
    """Where the dispute stands in the queue as filtered, and who else has it open."""
    user, now, wanted = current_user(request), timezone.now(), _wanted(request)
    rows = queue_of(project, user, wanted, now=now)
    coming = next_after(rows, panel, wanted)
    return {
        "wanted": wanted,
        "left": left_in(rows, wanted),
        "next_url": _next_address(project, coming, wanted) if coming else "",
        "queue_url": _address("review:disputes", project.slug, wanted=wanted),
        "here": _address("review:dispute", project.slug, panel.pk, wanted=wanted),
        "others": queries.visitors_of([panel.pk], but=user, now=now).get(panel.pk, ()),
    }


def _beside(panel: Panel, project: Project, user: User) -> dict[str, Any]:
    """What helps to decide: findings, the guideline, the key, and what was said and decided before."""
    findings = open_findings(panel.revision_id)
    guideline = panel.round.guideline
    can_correct = user.has_perm("annotation.correct_key", project)
    return {
        "findings": findings,
        "error_count": sum(finding.severity == "error" for finding in findings),
        "can_dismiss": user.has_perm("annotation.dismiss_finding", project),
        "guideline": guideline,
        "guideline_html": to_html(guideline.text),
        "key_correction": key_correction(panel.item, can_correct=can_correct, shows_authors=False),
        "suggestions": suggestions_on(panel),
        "opinions": opinions_in_dispute(panel),
        "history": disputes.history(panel),
        "adjudications": queries.adjudications_like(panel),
        "inquiry": inquiry_of(panel),
        "answered": answered_looks(panel),
    }


def _read_context(request: HttpRequest, project: Project, panel: Panel) -> dict[str, Any]:
    """The same dispute for those who do not settle it: without anything to press."""
    told = {"can_settle": False, "can_dismiss": False}
    key = key_correction(panel.item, can_correct=False, shows_authors=False)
    return _context(request, project, panel) | told | {"key_correction": key}
