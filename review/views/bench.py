"""The workbench: take an item, judge it, go on."""

import uuid
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.middleware import wants_json
from accounts.rules import current_user
from annotation.access import project_for
from common.errors import DomainError
from common.markdown import to_html
from review.actions.judgements import JudgementInvalid, submit_or_renew
from review.actions.seats import (
    ReviewerNotWorking,
    RoundClosed,
    SkipInvalid,
    claim_seat,
    held_seat,
    skip_seat,
)
from review.enums import ErrorTag, SkipReason
from review.forms import JudgementForm, SkipForm
from review.models import Assignment, Round
from review.queries import reviewer_progress
from review.workbench import bench_rows, seat_with_texts, surplus_options

VIEW = "review.view_rounds"


@require_safe
def workbench(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the item that the reviewer holds. Taking one is a POST: looking changes nothing."""
    round_ = _round_to_judge(request, slug, number)
    held = held_seat(round_=round_, reviewer=current_user(request))
    seat = seat_with_texts(held.pk) if held else None
    return render(request, "review/workbench.html", _context(request, round_, seat))


@require_POST
def claim(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    round_ = _round_to_judge(request, slug, number)
    return _to_next(request, round_)


@require_POST
def submit(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Store the judgement and go on to the next item."""
    round_ = _round_to_judge(request, slug, number)
    form = JudgementForm(request.POST)
    seat = _seat(round_, request.POST.get("assignment", ""))
    if not form.is_valid():
        errors = {name: [str(e) for e in found] for name, found in form.errors.items()}
        return _refused(request, round_, seat, JudgementInvalid(fields=errors), status=400)
    try:
        submit_or_renew(
            assignment=seat,
            reviewer=current_user(request),
            revision_id=form.cleaned_data["revision"],
            content=form.content(),
            idempotency_key=form.cleaned_data["idempotency_key"],
            now=timezone.now(),
        )
    except DomainError as error:
        return _refused(request, round_, seat, error, status=error.status)
    return _to_next(request, round_)


@require_POST
def skip(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    round_ = _round_to_judge(request, slug, number)
    form = SkipForm(request.POST)
    if not form.is_valid():
        raise SkipInvalid(fields={n: [str(e) for e in found] for n, found in form.errors.items()})
    skip_seat(
        assignment=_seat(round_, str(form.cleaned_data["assignment"])),
        reviewer=current_user(request),
        reason=SkipReason(form.cleaned_data["reason"]),
        note=form.cleaned_data["note"],
        now=timezone.now(),
    )
    return _to_next(request, round_)


def _round_to_judge(request: HttpRequest, slug: str, number: int) -> Round:
    user = current_user(request)
    project = project_for(user, slug, VIEW)
    round_ = project.rounds.filter(number=min(number, 2**15)).select_related("guideline").first()
    if round_ is None:
        raise Http404
    round_.project = project
    if not user.has_perm("review.claim_seat", round_):
        raise PermissionDenied
    return round_


def _seat(round_: Round, value: str) -> Assignment:
    """A seat of this round; that it is the caller's the action finds out in its UPDATE."""
    pk = int(value) if value.isdecimal() and len(value) < 19 else 0
    seat = Assignment.objects.filter(pk=pk, round=round_).select_related("round__project").first()
    if seat is None:
        raise Http404
    return seat


def _to_next(request: HttpRequest, round_: Round) -> HttpResponse:
    """Take the next seat and show it; the page says so where there is none.

    What was sent before this has been stored, so nothing here may look like its refusal.
    """
    response = redirect("review:workbench", round_.project.slug, round_.number)
    try:
        seat = claim_seat(round_=round_, reviewer=current_user(request), now=timezone.now())
    except (RoundClosed, ReviewerNotWorking) as error:
        messages.warning(request, str(error))
    else:
        response["Location"] += "" if seat else "?nothing-left"
    response.status_code = 303
    return response


def _refused(
    request: HttpRequest, round_: Round, seat: Assignment, error: DomainError, *, status: int
) -> HttpResponse:
    """Say why in JSON to the script; without one, show the page again with all that was typed."""
    if wants_json(request):
        return JsonResponse(error.as_json(), status=status)
    context = _context(request, round_, seat_with_texts(seat.pk), typed=request.POST)
    context["conflict" if status == 409 else "errors"] = (
        error.as_json() if status == 409 else error.fields or {"": [str(error)]}
    )
    return render(request, "review/workbench.html", context, status=status)


def _context(
    request: HttpRequest, round_: Round, seat: Assignment | None, typed: Any = None
) -> dict[str, Any]:
    context = {
        "project": round_.project,
        "round": round_,
        "section": "rounds",
        "assignment": seat,
        "progress": reviewer_progress(round_, current_user(request)),
        "has_nothing_left": "nothing-left" in request.GET,
    }
    return context | _seat_context(round_, seat, typed) if seat else context


def _seat_context(round_: Round, seat: Assignment, typed: Any) -> dict[str, Any]:
    """What the page shows of the seat itself, with what was typed before a refusal."""
    panel = seat.panel
    return {
        "item": panel.item,
        "revision": panel.revision,
        "rows": bench_rows(panel, typed),
        "surplus": surplus_options(panel),
        "guideline": round_.guideline,
        "guideline_html": to_html(round_.guideline.text),
        "rubric": round_.guideline.rubric,
        "tags": ErrorTag.choices,
        "skip_reasons": SkipReason.choices,
        "expires_at": seat.expires_at,
        "idempotency_key": (typed and typed.get("idempotency_key")) or uuid.uuid4().hex,
        "values": _values(typed) if typed else {},
    }


def _values(typed: Any) -> dict[str, Any]:
    """What was typed, in the shape in which the page shows it again."""
    values: dict[str, Any] = {name: typed.get(name, "") for name in typed}
    values["tags"] = typed.getlist("tags")
    for name in ("domain", "cultural"):
        chosen = values.get(name, "")
        values[name] = int(chosen) if chosen.isdecimal() and len(chosen) == 1 else None
    return values
