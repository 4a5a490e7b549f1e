"""Pages of item analysis, and of what it suggests to review."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.rules import current_user
from common.db import bounded_pk
from common.errors import DomainError
from common.pagination import listed_page
from evaluation.enums import SuggestionKind, SuggestionState
from evaluation.items.actions import dismiss_suggestion, send_suggestions, start_analysis
from evaluation.items.answers import finished_runs
from evaluation.items.forms import AnalysisForm, SendForm
from evaluation.items.labels import FILTER_LABELS, ORDER_LABELS, power_text
from evaluation.items.presenters import answers_to, option_chart, option_rows, suggestion_rows
from evaluation.items.queries import (
    KINDS,
    ORDERS,
    analysable_releases,
    analyses_seen_by,
    figures_seen_by,
    hit_rates,
    is_outdated,
    suggestions_of,
)
from evaluation.items.selectors import (
    analysis_of,
    figure_filter,
    reference_release,
    suggestion_filter,
    suggestion_of,
)
from evaluation.models import ItemAnalysis, ItemFigure
from projects.models import Project
from projects.selectors import project_for

VIEW = "evaluation.view_item_analysis"
ANALYSE = "evaluation.analyse_items"
DECIDE = "evaluation.decide_suggestions"


@require_safe
def item_analysis(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, VIEW)
    analysis = analysis_of(user, project, request.GET.get("release", ""))
    context: dict[str, Any] = {
        "project": project,
        "section": "runs",
        "analysis": analysis,
        "can_analyse": user.has_perm(ANALYSE, project),
        "can_decide": user.has_perm(DECIDE, project),
    }
    if analysis is not None:
        context["analyses"] = list(analyses_seen_by(user, project)[:50])
        context |= _figures_context(request, analysis)
    return render(request, "evaluation/items/analysis.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def analyse(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, ANALYSE)
    releases = analysable_releases(user, project)
    form = AnalysisForm(releases, request.POST or None, initial=request.GET.dict())
    status = 400 if form.is_bound else 200
    if form.is_bound and form.is_valid():
        source = form.cleaned_data["source_release"].strip()
        try:
            analysis = start_analysis(
                release=form.cleaned_data["release"],
                reference=reference_release(project, source, user=user) if source else None,
                actor=user,
                now=timezone.now(),
            )
            return redirect("jobs:job", analysis.job_id)
        except DomainError as error:
            form.add_error(None, str(error))
            status = error.status
    context = {"project": project, "section": "runs", "form": form, "has_runs": releases.exists()}
    return render(request, "evaluation/items/analyse.html", context, status=status)


@require_safe
def item_figure(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The figures of one released item, by the id of its row in the release."""
    user = current_user(request)
    project = project_for(user, slug, VIEW)
    figure = _figure(request, project, pk)
    rows = option_rows(figure)
    may_see_answers = user.has_perm("evaluation.start_run", project)
    runs = list(finished_runs(figure.analysis.release).order_by("-pk")[:50])
    context = {
        "project": project,
        "section": "runs",
        "figure": figure,
        "item": figure.placed,
        "options": rows,
        "chart": option_chart(rows),
        "answers": answers_to(figure, runs) if may_see_answers else [],
        "notes": power_text(figure.analysis.facts),
        "is_outdated": is_outdated(figure.analysis),
        "may_see_answers": may_see_answers,
    }
    return render(request, "evaluation/items/figure.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def suggestions(request: HttpRequest, slug: str) -> HttpResponse:
    """The queue; a POST opens a round on the selected suggestions."""
    user = current_user(request)
    project = project_for(user, slug, DECIDE)
    if request.method != "POST":
        return _queue(request, project, SendForm())
    if not user.has_perm("review.open_round", project):
        raise Http404
    form = SendForm(request.POST)
    if not form.is_valid():
        return _queue(request, project, form, status=400)
    try:
        round_ = send_suggestions(
            project=project,
            ids=form.cleaned_data["ids"],
            panel_size=form.cleaned_data["panel_size"],
            actor=user,
            now=timezone.now(),
        )
    except DomainError as error:
        form.add_error(None, error.in_full())
        return _queue(request, project, form, status=error.status)
    return redirect("review:round", slug, round_.number)


@require_POST
def dismiss(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, DECIDE)
    found = suggestion_of(project, pk)
    try:
        dismiss_suggestion(
            suggestion=found, reason=request.POST.get("reason", ""), actor=user, now=timezone.now()
        )
    except DomainError as error:
        return _queue(request, project, SendForm(), status=error.status, refusal=str(error))
    messages.success(request, _("Dismissed: %(uid)s.") % {"uid": found.placed.uid})
    return redirect("evaluation:suggestions", slug)


def _figures_context(request: HttpRequest, analysis: ItemAnalysis) -> dict[str, Any]:
    """The figures that the filter in the URL wants. Raises FilterUnknown."""
    wanted = figure_filter(kind=request.GET.get("filter", ""), sort=request.GET.get("sort", ""))
    rows = figures_seen_by(current_user(request), analysis).filter(KINDS[wanted.kind])
    parameters = ("release", "filter", "sort")
    return {
        "page": listed_page(request, rows, filters=parameters, order=ORDERS[wanted.sort]),
        "wanted": wanted,
        "kinds": FILTER_LABELS.items(),
        "orders": ORDER_LABELS.items(),
        "notes": power_text(analysis.facts),
        "is_outdated": is_outdated(analysis),
    }


def _figure(request: HttpRequest, project: Project, pk: int) -> ItemFigure:
    user = current_user(request)
    analysis = analyses_seen_by(user, project).filter(release__items=bounded_pk(pk)).first()
    if analysis is None:
        raise Http404
    found = figures_seen_by(user, analysis).filter(placed=bounded_pk(pk)).first()
    if found is None:
        raise Http404
    found.analysis = analysis
    return found


def _queue(
    request: HttpRequest, project: Project, form: SendForm, *, status: int = 200, refusal: str = ""
) -> HttpResponse:
    kind, state = suggestion_filter(
        kind=request.GET.get("kind", ""), state=request.GET.get("state", "")
    )
    rows = suggestions_of(project, state=state, kind=kind)
    page = listed_page(request, rows, filters=("kind", "state"), order=["-strength", "pk"])
    rates = hit_rates(project)
    context = {
        "project": project,
        "section": "runs",
        "form": form,
        "refusal": refusal,
        "page": page,
        "rows": suggestion_rows(page.rows),
        "kind": kind,
        "state": state,
        "kinds": SuggestionKind.choices,
        "states": SuggestionState.choices,
        "rates": rates,
        "has_simulated": any(each.simulated for each in rates),
    }
    return render(request, "evaluation/items/suggestions.html", context, status=status)
