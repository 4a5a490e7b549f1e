"""Answering in rounds that compare systems or solve items: one item, one form, then the next."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from common.errors import DomainError
from common.markdown import to_html
from projects.rules import role_in
from review.answers.actions import AnswerInvalid, submit_answer, withdraw_answer
from review.answers.answering import (
    choices_of,
    compared_rows,
    panel_to_compare,
    panel_to_solve,
    shown_texts,
    typed_values,
)
from review.answers.comparing import candidates_for
from review.answers.forms import AnswerForm
from review.answers.selectors import own_answer, seat_to_answer
from review.enums import RoundKind, RoundState, SkipReason
from review.models import Assignment, Round
from review.rounds.queries import reviewer_progress
from review.seats.actions.seats import claim_seat, has_reached_cap, held_seat, skip_seat
from review.seats.refusals import PausedWithSeat, ReviewerNotWorking, RoundNotOpen, SkipInvalid
from review.selectors import round_for
from review.workbench.forms import SkipForm

TEMPLATES = {
    RoundKind.COMPARISON: "review/answers/comparing.html",
    RoundKind.SOLVING: "review/answers/solving.html",
}


@require_safe
def answer(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the item that the person holds. Taking one is a POST: looking changes nothing."""
    round_ = _round(request, slug, number)
    seat = held_seat(round_=round_, reviewer=current_user(request))
    is_full = has_reached_cap(round_, current_user(request))
    context = {
        "has_nothing_left": round_.gives_seats and (is_full or "nothing-left" in request.GET),
        "has_reached_cap": is_full,
        "sent": _id_in(request.GET.get("sent", "")),
    }
    return _page(request, round_, seat, context, _typed_again(request, seat))


@require_POST
def take(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    return _next(request, _round(request, slug, number))


@require_POST
def send(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Store the answer and go on to the next item; a refusal shows all that was typed."""
    round_ = _round(request, slug, number)
    seat = _seat(request, round_)
    form = AnswerForm(request.POST, criteria=round_.project.criteria)
    try:
        if not form.is_valid():
            raise AnswerInvalid(fields={n: [str(e) for e in f] for n, f in form.errors.items()})
        stored = submit_answer(
            assignment=seat,
            reviewer=current_user(request),
            content=form.content(is_comparison=round_.kind == RoundKind.COMPARISON),
            idempotency_key=form.cleaned_data["idempotency_key"],
            now=timezone.now(),
        )
    except DomainError as error:
        return _refused(request, round_, seat, error)
    return _next(request, round_, f"sent={stored.pk}")


@require_POST
def skip(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Give the seat back with a reason and go on to the next item."""
    round_ = _round(request, slug, number)
    form = SkipForm(request.POST)
    if not form.is_valid():
        raise SkipInvalid(fields={n: [str(e) for e in found] for n, found in form.errors.items()})
    skip_seat(
        assignment=_seat(request, round_),
        reviewer=current_user(request),
        reason=SkipReason(form.cleaned_data["reason"]),
        note=form.cleaned_data["note"],
        now=timezone.now(),
    )
    return _next(request, round_)


@require_POST
def undo(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Take back one's own answer; its item comes again with what was said."""
    round_ = _round(request, slug, number)
    user = current_user(request)
    given = own_answer(user, _id_in(request.POST.get("answer", "")))
    withdraw_answer(answer=given, reviewer=user, now=timezone.now())
    return _see_other(round_, f"again={given.pk}")


def _round(request: HttpRequest, slug: str, number: int) -> Round:
    """The round, for those who may answer in it. Strangers do not learn that it exists."""
    user = current_user(request)
    round_ = round_for(user, slug, number, "review.view_rounds")
    if not (user.is_superuser or role_in(user, round_.project)):
        raise Http404
    if not user.has_perm("review.claim_seat", round_):
        raise PermissionDenied
    if round_.kind == RoundKind.REVIEW:
        raise Http404
    return round_


def _seat(request: HttpRequest, round_: Round) -> Assignment:
    """The seat that the form names; that it is the caller's the action finds out."""
    seat = seat_to_answer(current_user(request), _id_in(request.POST.get("assignment", "")))
    if seat.round_id != round_.pk:
        raise Http404
    seat.round = round_
    return seat


def _id_in(value: str) -> int:
    """The id that was sent, or 0, which no row has."""
    return int(value) if value.isdecimal() and value.isascii() and len(value) < 19 else 0


def _next(request: HttpRequest, round_: Round, query: str = "") -> HttpResponse:
    """Take the next seat and lead to it; say so where there is none."""
    left = [query] if query else []
    try:
        seat = claim_seat(
            round_=round_,
            reviewer=current_user(request),
            now=timezone.now(),
            kind=RoundKind(round_.kind),
        )
    except PausedWithSeat as error:
        messages.warning(request, str(error))
        return _see_other(round_, *left)
    except (RoundNotOpen, ReviewerNotWorking) as error:
        if round_.state == RoundState.OPEN:  # else the page says it in place of the button
            messages.warning(request, str(error))
        return _see_other(round_, *left)
    return _see_other(round_, *([] if seat else ["nothing-left"]), *left)


def _see_other(round_: Round, *query: str) -> HttpResponse:
    response = redirect("review:answer", round_.project.slug, round_.number)
    response["Location"] += f"?{'&'.join(query)}" if query else ""
    response.status_code = 303
    return response


def _typed_again(request: HttpRequest, seat: Assignment | None) -> dict[str, str]:
    """What was given in an answer of this seat that its author took back."""
    asked = _id_in(request.GET.get("again", ""))
    if not asked or seat is None:
        return {}
    given = own_answer(current_user(request), asked)
    return typed_values(given) if given.assignment_id == seat.pk else {}


def _refused(
    request: HttpRequest, round_: Round, seat: Assignment, error: DomainError
) -> HttpResponse:
    """The page again with all that was typed, if the seat is still the caller's."""
    user: User = current_user(request)
    held = held_seat(round_=round_, reviewer=user)
    is_held = held is not None and held.pk == seat.pk
    context = {"refusal": error, "has_lost": not is_held}
    typed = request.POST.dict() if is_held else {}
    typed_texts: Mapping[str, str] = {name: str(value) for name, value in typed.items()}
    return _page(request, round_, held, context, typed_texts, status=error.status)


def _page(
    request: HttpRequest,
    round_: Round,
    seat: Assignment | None,
    more: dict[str, Any],
    typed: Mapping[str, str],
    status: int = 200,
) -> HttpResponse:
    context = {
        "project": round_.project,
        "round": round_,
        "section": "rounds",
        "assignment": seat,
        "guideline_html": to_html(round_.guideline.text),
        "skip_reasons": SkipReason.choices,
        "progress": reviewer_progress(round_, current_user(request)),
        "values": typed,
        "idempotency_key": uuid.uuid4().hex,
        **more,
    }
    if seat:
        context |= _texts(round_, seat, typed)
    return render(request, TEMPLATES[RoundKind(round_.kind)], context, status=status)


def _texts(round_: Round, seat: Assignment, typed: Mapping[str, str]) -> dict[str, Any]:
    if round_.kind == RoundKind.SOLVING:
        panel = panel_to_solve(seat)
        return {"item": panel.item, "text": panel.revision, "choices": choices_of(panel)}
    panel = panel_to_compare(seat)
    item, shown = panel.item, candidates_for(panel, round_, seat.reviewer_id or 0)
    criteria, rubric = round_.project.criteria, round_.guideline.rubric
    return {
        "item": item,
        "token": shown.token,
        "texts": shown_texts(shown.texts, criteria, rubric, typed),
        "rows": compared_rows(item, shown.texts),
        "criteria": criteria,
    }
