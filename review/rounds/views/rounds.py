"""Rounds: the list, one round's figures, opening, closing and discarding."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from accounts.models import User
from accounts.rules import current_user
from annotation.screening.queries import MOST_DOUBTED, most_doubted
from common.errors import DomainError
from common.htmx import render_page
from jobs.queries import is_worker_alive
from projects.forms import show_refusal
from projects.models import Project
from projects.selectors import project_for
from review.enums import RoundKind, RoundState, Selection
from review.figures.presenters import table_views
from review.models import Round
from review.report import labels
from review.report import selectors as report_selectors
from review.report.kept import kept_minutes
from review.report.queries import round_report, stage_name_of, stage_report
from review.report.tables import report_table
from review.report.views import REPORT_FORMATS
from review.rounds import labels as rounds_labels
from review.rounds import queries
from review.rounds.actions.rounds import (
    OPENED_AT_ONCE,
    close_round,
    discard_round,
    open_round,
    preview_of,
)
from review.rounds.actions.settings import RoundInvalid, check_settings
from review.rounds.forms import OpenRoundForm
from review.rounds.presenters import asked_words, preview_context
from review.seats.waiting import can_take_item, is_stuck
from review.selectors import round_for


@require_safe
def rounds(request: HttpRequest, slug: str) -> HttpResponse:
    """The stages so far, each with its round, and what to do."""
    user = current_user(request)
    project = project_for(user, slug, "review.view_rounds")
    report = stage_report(project, as_of=report_selectors.told_as_of(user, project))
    current = queries.unfinished_round_of(project)
    context = {
        "project": project,
        "section": "rounds",
        "current": current,
        "progress": queries.progress_told_to(user, current) if current else None,
        "tables": table_views(
            report_table(report, "stages"),
            [reverse("review:round", args=[slug, each.round]) for each in report.stages],
        ),
        "empty_rounds": queries.empty_rounds(project),
        "kept_minutes": kept_minutes(current),
        "report_formats": REPORT_FORMATS,
        "can_judge": _can_take(user, current),
        "can_open": user.has_perm("review.open_round", project),
    }
    return render(request, "review/rounds/rounds.html", context)


@require_safe
def round_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One round; while it is being opened, htmx asks for the part about its job."""
    user = current_user(request)
    round_ = round_for(user, slug, number, "review.view_rounds")
    context = _round_context(user, round_)
    if round_.state == RoundState.OPENING:
        return render_page(request, "review/rounds/round_opening.html", context, partial="job")
    if request.headers.get("HX-Request"):  # it was being opened when the page was shown
        return HttpResponseClientRefresh()
    return render(request, "review/rounds/round.html", context | _figures_context(user, round_))


def _round_context(user: User, round_: Round) -> dict[str, Any]:
    now, project = timezone.now(), round_.project
    can_change = user.has_perm("review.change_round", project)
    return {
        "project": project,
        "section": "rounds",
        "round": round_,
        "asked": asked_words(user, round_),
        "left_out_text": rounds_labels.left_out_text(round_.kind, round_.left_out_count),
        "progress": queries.progress_told_to(user, round_),
        "job": round_.job,
        "seconds_left": round_.job.seconds_left(now) if round_.job else None,
        "is_worker_alive": is_worker_alive(now=now),
        "can_judge": _can_take(user, round_),
        "can_pause": user.has_perm("review.pause_round", project),
        "can_change": can_change,
        "is_stuck": can_change and is_stuck(round_, now=now),
        "can_close": user.has_perm("review.close_round", project),
        "can_discard": not (round_.judged_count or round_.answered_count)
        and user.has_perm("review.discard_round", project),
        "can_settle": user.has_perm("review.view_disputes", project),
        "can_export": user.has_perm("review.close_round", project),
    }


def _figures_context(user: User, round_: Round) -> dict[str, Any]:
    if round_.kind != RoundKind.REVIEW:
        return {"stage": round_.get_kind_display()}
    name = labels.stage_name(stage_name_of(round_))
    if not round_.judged_count:
        return {"stage": name}
    if (
        round_.state == RoundState.OPEN
        and report_selectors.told_as_of(user, round_.project) is not None
    ):
        return {"stage": name, "figures_wait": True}
    found = round_report(round_)
    return {
        "stage": name,
        "tables": table_views(report_table(found, "stages")),
        "subjects": table_views(report_table(found, "subjects")),
        "report_formats": REPORT_FORMATS,
        "as_of": round_.number if round_.state == RoundState.CLOSED else None,
        "kept_minutes": kept_minutes(round_),
    }


def _can_take(user: User, round_: Round | None) -> bool:
    if round_ is None or round_.state != RoundState.OPEN:
        return False
    return can_take_item(user, round_, now=timezone.now())


@require_http_methods(["GET", "POST"])
def open_round_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The form, who may judge how much with what was chosen, and opening the round.

    While a round is open the page says so and links to it.
    """
    user = current_user(request)
    project = project_for(user, slug, "review.open_round")
    if request.method == "GET" and (current := queries.unfinished_round_of(project)):
        context = {"project": project, "section": "rounds", "current": current}
        return render(request, "review/rounds/open_round.html", context)
    counts = queries.selection_counts(project)
    form = _open_round_form(request, project, counts)
    is_opening = request.method == "POST" and "preview" not in request.POST
    if is_opening and form.is_valid() and (round_ := _opened(form, project, user)):
        return _to_opened(request, round_)
    context = _form_context(form, project, counts)
    context["current"] = queries.unfinished_round_of(project) if is_opening else None
    status = 400 if is_opening or form.errors else 200
    return render(request, "review/rounds/open_round.html", context, status=status)


def _form_context(form: OpenRoundForm, project: Project, counts: dict[str, int]) -> dict[str, Any]:
    return {
        "project": project,
        "section": "rounds",
        "form": form,
        "counts": counts,
        "preview": _preview(form, project, counts),
        "items_query": form["items_query"].value() or "",
    }


def _to_opened(request: HttpRequest, round_: Round) -> HttpResponse:
    if round_.state == RoundState.OPEN:
        messages.success(request, _("The round is open."))
    return redirect("review:round", round_.project.slug, round_.number)


def _open_round_form(
    request: HttpRequest, project: Project, counts: dict[str, int]
) -> OpenRoundForm:
    """The form as it was sent, or with the choice of items that the address makes."""
    if request.method == "POST":
        return OpenRoundForm(request.POST, request.FILES, project=project, counts=counts)
    query = request.GET.copy()
    chosen = query.pop("selection", [""])[-1]
    doubted = query.pop("doubted", [""])[-1]
    initial = {"items_query": query.urlencode()}
    if chosen in Selection.values:
        initial["selection"] = chosen
    if doubted.isdecimal() and 0 < int(doubted) <= MOST_DOUBTED:
        uids = most_doubted(project, int(doubted))
        initial |= {"selection": Selection.LIST, "uids": "\n".join(uids)}
    return OpenRoundForm(project=project, counts=counts, initial=initial)


def _opened(form: OpenRoundForm, project: Project, user: User) -> Round | None:
    """Open the round as asked for; otherwise the form says why not."""
    try:
        return open_round(
            project=project,
            settings=form.settings(),
            actor=user,
            now=timezone.now(),
            is_in_background=True,
            is_unfinishable_allowed=form.cleaned_data["is_unfinishable_allowed"],
        )
    except DomainError as error:
        show_refusal(form, error)
    return None


def _preview(
    form: OpenRoundForm, project: Project, counts: dict[str, int]
) -> dict[str, Any] | None:
    """Who may judge how much: of what was chosen, or at first of what the form proposes.

    Not made unasked where it would take long; the button makes it.
    """
    if form.is_bound and not form.is_valid() and form.errors.keys() - {NON_FIELD_ERRORS}:
        return None
    if not form.is_bound and counts["all"] > OPENED_AT_ONCE:
        return None
    try:
        settings = form.settings()
        check_settings(project, settings, now=timezone.now())
    except RoundInvalid as error:
        if form.is_bound:
            show_refusal(form, error)
        return None
    preview = preview_of(project, settings)
    return preview_context(project, preview, today=timezone.localdate(), due_on=settings.due_on)


@require_POST
def close_round_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    user = current_user(request)
    round_ = round_for(user, slug, number, "review.close_round")
    close_round(round_=round_, actor=user, now=timezone.now())
    messages.success(request, _("The round is closed. Its figures will not change any more."))
    return redirect("review:round", slug, number)


@require_POST
def discard_round_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    user = current_user(request)
    round_ = round_for(user, slug, number, "review.discard_round")
    discard_round(round_=round_, actor=user, now=timezone.now())
    messages.success(request, _("The round is discarded. Its items are as they were before."))
    return redirect("review:rounds", slug)
