"""Pages around the queue of disputes: what one has settled, settling many, naming substitutes."""

from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from common.db import bounded_pk
from common.errors import DomainError
from common.htmx import render_page
from common.pagination import listed_page
from projects.models import Project
from projects.selectors import project_for
from review.disputes import presenters as disputes
from review.disputes import queries
from review.disputes.actions.bulk import (
    BulkResult,
    approvable,
    approve_disputes,
    bulk_disputes,
    left_out,
    next_batch,
)
from review.disputes.actions.reopening import reopen_dispute
from review.disputes.actions.substitutes import name_substitute, name_substitutes
from review.disputes.labels import refusal_name
from review.disputes.queue import QueueFilter
from review.disputes.queue_presenters import chosen_labels
from review.disputes.selectors import panel_for
from review.disputes.substitution import (
    blocked_by_round,
    blocked_disputes,
    candidates_for,
)
from review.eligibility import possible_substitutes, working_seniors
from review.selectors import round_for

SETTLE = "review.adjudicate_disputes"
NAME = "review.name_substitute"


@require_safe
def settled(request: HttpRequest, slug: str) -> HttpResponse:
    """What this person has settled, the latest first, to be reopened."""
    user = current_user(request)
    project = project_for(user, slug, "review.view_disputes")
    rows = queries.panels_settled_by(user, project)
    order = ["-settled_at", "pk"]
    page = listed_page(request, rows, order=order, size=25)
    context = {"project": project, "section": "disputes", "page": page}
    return render_page(request, "review/disputes/disputes_settled.html", context)


@require_POST
def reopen(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take one's decision back and show the dispute again."""
    user = current_user(request)
    panel = panel_for(user, slug, pk)
    reason = request.POST.get("reason", "")
    reopen_dispute(panel=panel, senior=user, reason=reason, now=timezone.now())
    messages.success(request, _("The dispute is open again."))
    return redirect("review:dispute", slug, panel.pk)


def bulk(request: HttpRequest, slug: str) -> HttpResponse:
    """Preview the disputes of a filter, then approve their texts with one reason."""
    project = project_for(current_user(request), slug, SETTLE)
    wanted = QueueFilter.of(request.GET.dict())
    if request.method == "POST":
        return _approve_all(request, project, wanted)
    if not wanted.is_narrow:
        messages.info(
            request,
            _("Filter the queue first. Then you can settle all disputes that match the filter."),
        )
        return redirect("review:disputes", slug)
    return _bulk_page(request, project, wanted)


@require_safe
def blocked(request: HttpRequest, slug: str) -> HttpResponse:
    """Disputes that no senior may settle, with who could be asked instead."""
    project = project_for(current_user(request), slug, NAME)
    order = ["-severity", "pk"]
    page = listed_page(request, blocked_disputes(project), order=order, size=25)
    candidates = candidates_for(project, page.rows)
    context = {
        "project": project,
        "section": "disputes",
        "page": page,
        "rows": [(panel, candidates[panel.pk]) for panel in page.rows],
        "seniors": [senior.name for senior in working_seniors(project)],
        "rounds": blocked_by_round(project),
        "people": possible_substitutes(project),
    }
    return render_page(request, "review/disputes/disputes_blocked.html", context)


@require_POST
def substitute(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, NAME)
    panel = get_object_or_404(queries.disputes(project), pk=bounded_pk(pk))
    panel.round.project = project
    chosen = request.POST.get("user", "")
    person = User.objects.filter(pk=int(chosen)).first() if _is_id(chosen) else None
    named = name_substitute(
        panel=panel,
        user=person or User(),
        note=request.POST.get("note", ""),
        actor=user,
        now=timezone.now(),
    )
    words = _("%(name)s can now settle %(item)s.")
    messages.success(request, words % {"name": named.user.name, "item": panel.item.uid})
    return redirect("review:blocked-disputes", slug)


@require_POST
def substitutes(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Name one person for all disputes of a round that no senior may settle."""
    user = current_user(request)
    round_ = round_for(user, slug, number, NAME)
    chosen = request.POST.get("user", "")
    person = User.objects.filter(pk=int(chosen)).first() if _is_id(chosen) else None
    done = name_substitutes(
        round_=round_,
        user=person or User(),
        note=request.POST.get("note", ""),
        actor=user,
        now=timezone.now(),
    )
    words = _("Disputes that %(name)s can now settle: %(named)s. Still without a senior: %(left)s.")
    told = {"name": person, "named": done.named, "left": done.left}
    messages.success(request, words % told)
    return redirect("review:blocked-disputes", slug)


def _approve_all(request: HttpRequest, project: Project, wanted: QueueFilter) -> HttpResponse:
    """Approve the disputes that the preview showed; later ones are left in the queue."""
    now = timezone.now()
    try:
        done = approve_disputes(
            project=project,
            senior=current_user(request),
            wanted=wanted,
            reason=request.POST.get("reason", ""),
            before=_previewed_at(request) or now,
            now=now,
            without=[int(chosen) for chosen in request.POST.getlist("without") if _is_id(chosen)],
        )
    except DomainError as error:
        return _bulk_page(request, project, wanted, error)
    messages.success(request, _bulk_words(done))
    return redirect(f"{reverse('review:disputes', args=[project.slug])}?{wanted.query}")


def _bulk_page(
    request: HttpRequest, project: Project, wanted: QueueFilter, error: DomainError | None = None
) -> HttpResponse:
    context = {
        **_bulk_preview(request, project, wanted),
        "project": project,
        "section": "disputes",
        "wanted": wanted,
        "chosen": chosen_labels(project, wanted),
        "error": error,
        "reason": request.POST.get("reason", ""),
        "without": request.POST.getlist("without"),
    }
    status = error.status if error else 200
    return render(request, "review/disputes/disputes_bulk.html", context, status=status)


def _bulk_preview(request: HttpRequest, project: Project, wanted: QueueFilter) -> dict[str, object]:
    """Return which disputes would be approved at once, and how many are left out for what."""
    now = timezone.now()
    before = _previewed_at(request) or now
    found = bulk_disputes(project, current_user(request), wanted, before=before, now=now)
    rows = list(next_batch(found))
    return {
        "count": approvable(found).count(),
        "now": len(rows),
        "left_out": [(refusal_name(code), count) for code, count in left_out(found).items()],
        "before": before.isoformat(),
        "rows": [(panel, disputes.reasons(panel)) for panel in rows],
    }


def _previewed_at(request: HttpRequest) -> datetime | None:
    return _time(request.POST.get("before", ""))


def _is_id(text: str) -> bool:
    return text.isdecimal() and len(text) < 19


def _time(text: str) -> datetime | None:
    try:
        found = parse_datetime(text)
    except ValueError:
        return None
    return found if found and found.tzinfo else None


def _bulk_words(done: BulkResult) -> str:
    parts = [_("Settled: %(count)s.") % {"count": done.settled}]
    for code, count in sorted(done.skipped.items()):
        parts.append(_("%(why)s: %(count)s.") % {"why": refusal_name(code), "count": count})
    if done.left:
        parts.append(_("Still open in this filter: %(count)s.") % {"count": done.left})
    return " ".join(parts)
