"""The workbench: take an item, judge it, go on.

A script asks for items alone (`Lotsawa-Fragment: items`) and gets those that the caller holds and
the script lacks (`Lotsawa-Have` names the seats that it has), as the parts of the page that differ
from item to item. So the next item is on the device before it is needed. Without scripts each form
leads to the whole page by a 303.
"""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from common.build import build_id
from common.db import bounded_pk
from common.errors import DomainError
from common.htmx import wants_json
from common.unavailable import why_unavailable
from projects.rules import remember_role, role_in
from review.enums import RoundKind, RoundState, SkipReason
from review.models import Assignment, Judgement, Round
from review.seats.actions.seats import (
    claim_seat,
    held_seats,
    reserve_seats,
    skip_seat,
    undo_skip,
)
from review.seats.inquiries import asked_of
from review.seats.refusals import (
    PausedWithSeat,
    ReviewerNotWorking,
    RoundNotOpen,
    SkipInvalid,
)
from review.seats.search import seat_in_round
from review.selectors import round_for
from review.workbench.actions.judgements import JudgementInvalid, submit_judgement
from review.workbench.actions.reveals import reveal_source
from review.workbench.actions.suggestions import SuggestionInvalid, keep_suggestion
from review.workbench.actions.withdrawals import withdraw_judgement
from review.workbench.contexts import (
    form_context,
    page_context,
    round_context,
    seat_context,
    without_item,
)
from review.workbench.forms import JudgementForm, SkipForm, SuggestionForm, TextsMixin
from review.workbench.item_parts import item_part
from review.workbench.presenters import (
    again_values,
    held_seconds,
    said_before,
    seat_with_texts,
)
from review.workbench.proposals import proposals_of
from review.workbench.selectors import judgement_with_key, own_judgement
from review.workbench.text_checks import as_json, check_panel_text

VIEW = "review.view_rounds"


@require_safe
def workbench(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the item that the reviewer holds. Taking one is a POST: looking changes nothing."""
    round_ = _round_to_judge(request, slug, number)
    if round_.kind != RoundKind.REVIEW:
        return redirect("review:answer", slug, number)
    held = held_seats(round_=round_, reviewer=current_user(request))
    asked = _id_in(request.GET.get("seat", ""))
    seat = next((each for each in held if each.pk == asked), next(iter(held), None))
    is_asked = seat is not None and seat.pk == asked
    context = page_context(request, round_, seat, said_before(seat) if seat and is_asked else None)
    if seat is None:
        context |= without_item(request, round_)
    context["second_look"] = asked_of(current_user(request)).first()
    context["skipped"] = request.GET.get("skipped", "")
    context["judged_last"] = request.GET.get("judged", "")
    return render(request, "review/workbench/workbench.html", context)


@require_safe
def shell(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The workbench without an item, which a device keeps to show its own items offline."""
    round_ = _round_to_judge(request, slug, number)
    context = page_context(request, round_, None) | form_context(round_, None)
    return render(request, "review/workbench/workbench.html", context | {"is_shell": True})


@require_safe
def old_address(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Lead on from where the workbench was before 0.4: letters and bookmarks name that address."""
    _round_to_judge(request, slug, number)
    return redirect("review:workbench", slug, number)


@require_POST
def claim(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    return _next_item(request, _round_to_judge(request, slug, number))


@require_POST
def submit(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Store the judgement and go on to the next item."""
    seat = _seat_to_judge(request, slug, number, request.POST.get("assignment", ""))
    form = JudgementForm(request.POST, criteria=seat.round.project.criteria)
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
    if judgement.submitted_at == now:  # read before it was stored
        seat.round.judged_count += 1
    receipt = {"judgement": judgement.pk, "receipt": str(judgement.receipt)}
    return _go_on(request, seat.round, receipt, f"judged={judgement.pk}")


@require_POST
def check(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What the checks say of a text that the holder of the seat has typed; nothing is stored."""
    seat = _seat_to_judge(request, slug, number, request.POST.get("assignment", ""))
    form = TextsMixin(request.POST)
    if seat.reviewer_id != current_user(request).pk or not form.is_valid():
        raise Http404
    checked = check_panel_text(seat_with_texts(seat).panel, form.correction(), seat.round.project)
    return JsonResponse(as_json(checked))


@require_POST
def proposals(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Other translations for the holder of the seat, by the names of the fields that they fill."""
    seat = _seat_to_judge(request, slug, number, request.POST.get("assignment", ""))
    if seat.reviewer_id != current_user(request).pk:
        raise Http404
    found = [
        {"question": each.question}
        | {f"option_{n}": text for n, text in enumerate(each.options)}
        | dict(each.further())
        for each in proposals_of(seat)
    ]
    words = {"title": _("Other translations"), "use": _("Start from this one")}
    return JsonResponse({**words, "proposals": found})


@require_POST
def undo(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Take back one's own judgement; its item comes first again, with what was said of it.

    A device that lost the answer names the key under which it sent the judgement, if that ever came.
    """
    round_ = _round_to_judge(request, slug, number)
    judgement = _judgement_to_undo(request)
    if judgement is None:
        return JsonResponse({"judgement": None})
    seat = withdraw_judgement(
        judgement=judgement, reviewer=current_user(request), now=timezone.now()
    )
    if _wants_items(request):
        round_.judged_count = seat.round.judged_count
        round_.control_judged_count = seat.round.control_judged_count
        return _items(request, round_, again=judgement)
    if wants_json(request):
        return JsonResponse({"judgement": judgement.pk})
    return _see_other(round_, f"seat={seat.pk}")


@require_POST
def reserve(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Fill up what the caller holds and keep it reserved; a page asks while somebody works on it."""
    return _items(request, _round_to_judge(request, slug, number))


@require_POST
def suggest(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Keep as a suggestion what came too late for a judgement."""
    seat = _seat_to_judge(request, slug, number, request.POST.get("assignment", ""))
    form = SuggestionForm(request.POST)
    if not form.is_valid():
        raise SuggestionInvalid(fields={n: [str(e) for e in f] for n, f in form.errors.items()})
    suggestion = keep_suggestion(
        assignment=seat,
        reviewer=current_user(request),
        now=timezone.now(),
        **form.content(),
    )
    if wants_json(request):
        return JsonResponse({"suggestion": suggestion.pk})
    messages.success(request, _("Your text is kept as a suggestion for the senior."))
    return _see_other(seat.round)


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
    return _go_on(request, round_, {"skipped": seat.pk}, f"skipped={seat.pk}")


@require_POST
def reveal(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """End the blind first reading without a script; the page keeps all that was typed."""
    seat = _seat_to_judge(request, slug, number, request.POST.get("assignment", ""))
    reveal_source(assignment=seat, reviewer=current_user(request), now=timezone.now())
    typed = request.POST.copy()
    typed.pop("revealed_after", None)
    return render(
        request,
        "review/workbench/workbench.html",
        page_context(request, seat.round, seat, typed=typed),
    )


@require_POST
def unskip(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Go back to an item that was skipped; the one on the screen stays reserved."""
    seat = _seat_to_judge(request, slug, number, request.POST.get("assignment", ""))
    undo_skip(assignment=seat, reviewer=current_user(request), now=timezone.now())
    if _wants_items(request):
        return _items(request, seat.round)
    if wants_json(request):
        return JsonResponse({"assignment": seat.pk})
    return _see_other(seat.round, f"seat={seat.pk}")


def _judgement_to_undo(request: HttpRequest) -> Judgement | None:
    """The judgement with that id, else 404; or the one sent with that key, else None."""
    user, key = current_user(request), request.POST.get("key")
    if key is not None:
        return judgement_with_key(user, key)
    return own_judgement(user, _id_in(request.POST.get("judgement", "")))


def _round_to_judge(request: HttpRequest, slug: str, number: int) -> Round:
    """The round, for those who may judge in it. Strangers do not learn that it exists."""
    user = current_user(request)
    return _let_in(user, round_for(user, slug, number, VIEW))


def _seat_to_judge(request: HttpRequest, slug: str, number: int, value: str) -> Assignment:
    """A seat of the round, which comes with it; the action finds out whether it is the caller's."""
    user = current_user(request)
    found = seat_in_round(_id_in(value), slug, bounded_pk(number), user)
    if found is None:
        _round_to_judge(request, slug, number)
        raise Http404
    seat, role, is_paused = found
    remember_role(user, seat.round.project, role, is_paused=is_paused)
    _let_in(user, seat.round)
    return seat


def _id_in(value: str) -> int:
    """The id that was sent, or 0, which no row has."""
    return int(value) if value.isdecimal() and len(value) < 19 else 0


def _let_in(user: User, round_: Round) -> Round:
    if not (user.is_superuser or role_in(user, round_.project)):
        raise Http404
    if not user.has_perm("review.claim_seat", round_):
        raise PermissionDenied
    return round_


def _go_on(request: HttpRequest, round_: Round, stored: dict[str, Any], query: str) -> HttpResponse:
    """The next item; if taking one waits in vain, what was `stored`, and the page offers the next."""
    if wants_json(request) and not _wants_items(request):
        return JsonResponse(stored)
    try:
        return (
            _items(request, round_, stored=stored)
            if _wants_items(request)
            else _next_item(request, round_, query)
        )
    except OperationalError as error:
        if not why_unavailable(error):
            raise
        return JsonResponse(stored) if wants_json(request) else _see_other(round_)


def _next_item(request: HttpRequest, round_: Round, query: str = "") -> HttpResponse:
    """Take the next seat and lead to it; say so where there is none.

    What was sent before this has been stored, so nothing here may look like its refusal.
    """
    seat, words = None, ""
    try:
        seat = claim_seat(round_=round_, reviewer=current_user(request), now=timezone.now())
    except PausedWithSeat as error:
        seat = error.held  # the page says beside it that it is the last one
    except (RoundNotOpen, ReviewerNotWorking) as error:
        words = str(error)
    if words and round_.state == RoundState.OPEN:  # else the page says it in place of the button
        messages.warning(request, words)
    return _see_other(round_, *([] if seat or words else ["nothing-left"]), *filter(None, [query]))


def _see_other(round_: Round, *query: str) -> HttpResponse:
    response = redirect("review:workbench", round_.project.slug, round_.number)
    response["Location"] += f"?{'&'.join(query)}" if query else ""
    response.status_code = 303
    return response


def _wants_items(request: HttpRequest) -> bool:
    return request.headers.get("Lotsawa-Fragment") == "items"


def _items(
    request: HttpRequest,
    round_: Round,
    stored: dict[str, Any] | None = None,
    again: Judgement | None = None,
) -> HttpResponse:
    """The items that the caller holds and their device lacks, without the frame of the page.

    What was `stored` before comes with them, and what was said in a judgement taken back (`again`).
    """
    held, notice, stopped = _held(request, round_)
    taken_back = _taken_back(again)
    fresh = _unknown(request, held, taken_back["again_seat"])
    context = {
        **round_context(round_),
        **taken_back,
        "held": held_seconds(held, timezone.now()),
        "fresh": [_parts(round_, seat) for seat in fresh],
        "stored": stored or {},
        "notice": notice,
        "build": build_id(),
    }
    if not held:
        context["no_item"] = _no_item(request, round_, stopped)
    return HttpResponse(item_part("items", context))


def _no_item(request: HttpRequest, round_: Round, stopped: str) -> SafeString:
    """What the page shows in place of an item; `stopped` is why the person gets none now."""
    context = {
        **round_context(round_),
        **without_item(request, round_),
        "stopped": stopped,
        "has_nothing_left": not stopped,
    }
    return render_to_string("review/workbench/includes/no_item.html", context, request)


def _taken_back(again: Judgement | None) -> dict[str, Any]:
    """The seat of a judgement that was taken back, and what was said in it."""
    if again is None:
        return {"again_seat": None, "again": None}
    return {"again_seat": again.assignment_id, "again": again_values(again)}


def _unknown(
    request: HttpRequest, held: Sequence[Assignment], again_seat: int | None
) -> list[Assignment]:
    """The seats that the device does not have, or not with what was said before."""
    known = set(request.headers.get("Lotsawa-Have", "").split(","))
    return [seat for seat in held if str(seat.pk) not in known or seat.pk == again_seat]


def _parts(round_: Round, seat: Assignment) -> tuple[int, str, str]:
    """A seat, the uid of its item and the parts of the page that show it."""
    context = seat_context(seat)
    parts = item_part("item_parts", {"project": round_.project, **context})
    return seat.pk, context["item"].uid, parts


def _held(request: HttpRequest, round_: Round) -> tuple[list[Assignment], str, str]:
    """The seats that the caller holds, filled up; a notice beside them, or why there are none."""
    try:
        user = current_user(request)
        return reserve_seats(round_=round_, reviewer=user, now=timezone.now()), "", ""
    except PausedWithSeat as error:
        return held_seats(round_=round_, reviewer=user), str(error), ""
    except (RoundNotOpen, ReviewerNotWorking) as error:
        return [], "", str(error)


def _refused(request: HttpRequest, seat: Assignment, error: DomainError) -> HttpResponse:
    """Say why in JSON to the script; without one, show the page again with all that was typed."""
    if wants_json(request):
        return JsonResponse(error.as_json(), status=error.status)
    round_ = seat.round
    context = page_context(request, round_, seat, typed=request.POST)
    is_conflict = error.status == 409
    context["conflict" if is_conflict else "errors"] = (
        error.as_json() if is_conflict else error.fields or {"": [str(error)]}
    )
    return render(request, "review/workbench/workbench.html", context, status=error.status)
