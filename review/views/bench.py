"""The workbench: take an item, judge it, go on.

A script asks for the next item alone (`Lotsawa-Fragment: next-item`) and gets the parts of the
page that differ from item to item; without scripts each form leads to the whole page by a 303.
"""

import uuid
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from common.db import bounded_pk
from common.errors import DomainError
from common.htmx import wants_json
from common.markdown import to_html
from common.unavailable import why_unavailable
from projects.rules import is_paused_in, remember_role, role_in
from review.actions.judgements import JudgementInvalid, submit_judgement
from review.actions.seats import (
    PausedWithSeat,
    ReviewerNotWorking,
    RoundNotOpen,
    SkipInvalid,
    claim_seat,
    held_seat,
    skip_seat,
    undo_skip,
)
from review.criteria import CRITERIA, NAMES
from review.enums import ErrorTag, RoundState, SkipReason
from review.forms import JudgementForm, SkipForm
from review.labels import rating_fields
from review.models import Assignment, Round
from review.queries import reviewer_progress
from review.seat_search import seat_in_round
from review.selectors import round_for
from review.workbench import bench_rows, seat_with_texts, surplus_options

VIEW = "review.view_rounds"


@require_safe
def workbench(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the item that the reviewer holds. Taking one is a POST: looking changes nothing."""
    round_ = _round_to_judge(request, slug, number)
    seat = held_seat(round_=round_, reviewer=current_user(request))
    context = _page_context(request, round_, seat)
    context["skipped"] = request.GET.get("skipped", "")
    return render(request, "review/workbench.html", context)


@require_POST
def claim(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    return _next_item(request, _round_to_judge(request, slug, number))


@require_POST
def submit(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Store the judgement and go on to the next item."""
    seat = _seat_to_judge(request, slug, number, request.POST.get("assignment", ""))
    form = JudgementForm(request.POST)
    if not form.is_valid():
        errors = {name: [str(e) for e in found] for name, found in form.errors.items()}
        return _refused(request, seat, JudgementInvalid(fields=errors))
    now = timezone.now()
    try:
        judgement = submit_judgement(
            assignment=seat,
            reviewer=current_user(request),
            revision_id=form.cleaned_data["revision"],
            content=form.content(),
            idempotency_key=form.cleaned_data["idempotency_key"],
            now=now,
        )
    except DomainError as error:
        return _refused(request, seat, error)
    receipt = {"judgement": judgement.pk, "receipt": str(judgement.receipt)}
    if wants_json(request) and not _wants_fragment(request):
        return JsonResponse(receipt)
    seat.round.judged_count += judgement.submitted_at == now  # read before it was stored
    return _go_on(request, seat.round, receipt)


@require_POST
def skip(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Give the seat back and go on to the next item; the answer offers to undo it."""
    round_ = _round_to_judge(request, slug, number)
    form = SkipForm(request.POST)
    if not form.is_valid():
        raise SkipInvalid(fields={n: [str(e) for e in found] for n, found in form.errors.items()})
    seat = _seat_to_judge(request, slug, number, str(form.cleaned_data["assignment"]))
    skip_seat(
        assignment=seat,
        reviewer=current_user(request),
        reason=SkipReason(form.cleaned_data["reason"]),
        note=form.cleaned_data["note"],
        now=timezone.now(),
    )
    return _go_on(request, round_, {"skipped": seat.pk}, skipped=seat)


@require_POST
def unskip(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Go back to an item that was skipped; the one on the screen is free again."""
    seat = _seat_to_judge(request, slug, number, request.POST.get("assignment", ""))
    again = undo_skip(assignment=seat, reviewer=current_user(request), now=timezone.now())
    if _wants_fragment(request):
        return _fragment(request, seat.round, again)
    return _see_other(seat.round)


def _round_to_judge(request: HttpRequest, slug: str, number: int) -> Round:
    """The round, for those who may judge in it. Strangers do not learn that it exists."""
    user = current_user(request)
    return _let_in(user, round_for(user, slug, number, VIEW))


def _seat_to_judge(request: HttpRequest, slug: str, number: int, value: str) -> Assignment:
    """A seat of the round, which comes with it; the action finds out whether it is the caller's."""
    user = current_user(request)
    pk = int(value) if value.isdecimal() and len(value) < 19 else 0
    found = seat_in_round(pk, slug, bounded_pk(number), user)
    if found is None:
        _round_to_judge(request, slug, number)
        raise Http404
    seat, role, is_paused = found
    remember_role(user, seat.round.project, role, is_paused=is_paused)
    _let_in(user, seat.round)
    return seat


def _let_in(user: User, round_: Round) -> Round:
    if not (user.is_superuser or role_in(user, round_.project)):
        raise Http404
    if not user.has_perm("review.claim_seat", round_):
        raise PermissionDenied
    return round_


def _go_on(
    request: HttpRequest,
    round_: Round,
    stored: dict[str, Any],
    skipped: Assignment | None = None,
) -> HttpResponse:
    """The next item; if taking one waits in vain, what was `stored`, and the page offers the next."""
    try:
        return _next_item(request, round_, skipped)
    except OperationalError as error:
        if not why_unavailable(error):
            raise
        return JsonResponse(stored) if wants_json(request) else _see_other(round_)


def _next_item(
    request: HttpRequest, round_: Round, skipped: Assignment | None = None
) -> HttpResponse:
    """Take the next seat and show it; say so where there is none.

    What was sent before this has been stored, so nothing here may look like its refusal.
    """
    seat, words = None, ""
    try:
        seat = claim_seat(round_=round_, reviewer=current_user(request), now=timezone.now())
    except PausedWithSeat as error:
        seat = error.held  # the page says beside it that it is the last one
    except (RoundNotOpen, ReviewerNotWorking) as error:
        words = str(error)
    if _wants_fragment(request):
        return _fragment(request, round_, seat, stopped=words)
    if words and round_.state == RoundState.OPEN:  # else the page says it in place of the button
        messages.warning(request, words)
    query = [] if seat or words else ["nothing-left"]
    return _see_other(round_, *query, *([f"skipped={skipped.pk}"] if skipped else []))


def _see_other(round_: Round, *query: str) -> HttpResponse:
    response = redirect("review:workbench", round_.project.slug, round_.number)
    response["Location"] += f"?{'&'.join(query)}" if query else ""
    response.status_code = 303
    return response


def _wants_fragment(request: HttpRequest) -> bool:
    return request.headers.get("Lotsawa-Fragment") == "next-item"


def _fragment(
    request: HttpRequest, round_: Round, seat: Assignment | None, stopped: str = ""
) -> HttpResponse:
    """The parts of the page that differ from item to item, without its frame."""
    context = {
        "project": round_.project,
        "round": round_,
        "judged": round_.judged_count,
        "total": round_.panel_count * round_.panel_size,
        "stopped": stopped,
        "has_nothing_left": not stopped,
    }
    if seat:
        context |= _seat_context(seat)
    name = "next_item" if seat else "no_item"
    return render(request, f"review/includes/{name}.html", context)


def _refused(request: HttpRequest, seat: Assignment, error: DomainError) -> HttpResponse:
    """Say why in JSON to the script; without one, show the page again with all that was typed."""
    if wants_json(request):
        return JsonResponse(error.as_json(), status=error.status)
    round_ = seat.round
    context = _page_context(request, round_, seat, typed=request.POST)
    is_conflict = error.status == 409
    context["conflict" if is_conflict else "errors"] = (
        error.as_json() if is_conflict else error.fields or {"": [str(error)]}
    )
    return render(request, "review/workbench.html", context, status=error.status)


def _page_context(
    request: HttpRequest, round_: Round, seat: Assignment | None, typed: Any = None
) -> dict[str, Any]:
    context = {
        "project": round_.project,
        "round": round_,
        "section": "rounds",
        "assignment": seat,
        "notice": PausedWithSeat.detail if _is_paused(request, round_) else "",
        "criteria": CRITERIA,
        "progress": reviewer_progress(round_, current_user(request)),
        "has_nothing_left": "nothing-left" in request.GET,
    }
    return context | _form_context(round_, typed) | _seat_context(seat, typed) if seat else context


def _is_paused(request: HttpRequest, round_: Round) -> bool:
    return is_paused_in(current_user(request), round_.project)


def _form_context(round_: Round, typed: Any) -> dict[str, Any]:
    """What the page shows beside every item of the round, with what was typed before a refusal."""
    values = _values(typed) if typed else {}
    return {
        "guideline": round_.guideline,
        "guideline_html": to_html(round_.guideline.text),
        "tags": ErrorTag.choices,
        "skip_reasons": SkipReason.choices,
        "values": values,
        "rating_fields": rating_fields(round_.guideline.rubric, values),
    }


def _seat_context(held: Assignment, typed: Any = None) -> dict[str, Any]:
    """What the page shows of the seat itself, with the texts that were typed before a refusal."""
    panel = seat_with_texts(held).panel
    return {
        "assignment": held,
        "item": panel.item,
        "revision": panel.revision,
        "rows": bench_rows(panel, typed),
        "surplus": surplus_options(panel),
        "expires_at": held.expires_at,
        "idempotency_key": (typed and typed.get("idempotency_key")) or uuid.uuid4().hex,
    }


def _values(typed: Any) -> dict[str, Any]:
    """What was typed, in the shape in which the page shows it again."""
    values: dict[str, Any] = {name: typed.get(name, "") for name in typed}
    values["tags"] = typed.getlist("tags")
    for name in NAMES:
        chosen = values.get(name, "")
        values[name] = int(chosen) if chosen.isdecimal() and len(chosen) == 1 else None
    return values
