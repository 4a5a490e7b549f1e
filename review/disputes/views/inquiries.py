"""Pages of second looks and further seats: the senior asks, the reviewer answers."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.rules import current_user
from common.errors import DomainError
from common.htmx import render_page, wants_json
from common.markdown import to_html
from common.pagination import listed_page
from projects.criteria import common_scale, names_of
from review.disputes.actions.inquiries import (
    answer_second_look,
    ask_further_judgement,
    ask_second_look,
    take_back_inquiry,
)
from review.disputes.selectors import panel_for, second_look_by_id
from review.disputes.views.disputes import to_next
from review.enums import InquiryState
from review.models import Inquiry, Panel
from review.seats.inquiries import asked_of
from review.workbench.actions.judgements import JudgementInvalid
from review.workbench.actions.numbers import NumbersUnconfirmed
from review.workbench.forms import JudgementForm
from review.workbench.labels import rating_fields, tag_fields, typed_rating
from review.workbench.presenters import again_values, surplus_options, workbench_rows


@require_POST
def ask_again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Ask the reviewer of one judgement to look again, with a note."""
    user = current_user(request)
    panel = panel_for(user, slug, pk)
    chosen = request.POST.get("judgement", "")
    number = int(chosen) if chosen.isdecimal() and len(chosen) < 19 else 0
    ask_second_look(
        panel=panel,
        judgement=panel.judgements.filter(pk=number).first(),
        note=request.POST.get("note", ""),
        actor=user,
        now=timezone.now(),
    )
    messages.success(request, _("The reviewer is asked. The dispute waits for the answer."))
    return to_next(request, panel.round.project, panel)


@require_POST
def further_seat(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Add a seat to the panel."""
    user = current_user(request)
    panel = panel_for(user, slug, pk)
    ask_further_judgement(panel=panel, actor=user, now=timezone.now())
    messages.success(request, _("One more judgement is asked for. The dispute waits for it."))
    return to_next(request, panel.round.project, panel)


@require_POST
def take_back(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Stop waiting, and show the dispute again."""
    user = current_user(request)
    take_back_inquiry(panel=panel_for(user, slug, pk), actor=user, now=timezone.now())
    messages.success(request, _("The request is taken back. You can settle the dispute."))
    return redirect("review:dispute", slug, pk)


@require_safe
def second_looks(request: HttpRequest) -> HttpResponse:
    """What one is asked to look at again."""
    rows = asked_of(current_user(request))
    page = listed_page(request, rows, order=["pk"], size=25)
    return render_page(request, "review/disputes/second_looks.html", {"page": page})


def second_look(request: HttpRequest, pk: int) -> HttpResponse:
    """The item with the senior's note and one's own first judgement, to judge it again."""
    inquiry = second_look_by_id(current_user(request), pk)
    if request.method != "POST":
        return _page(request, inquiry, {})
    form = JudgementForm(request.POST, criteria=inquiry.panel.round.project.criteria)
    try:
        if not form.is_valid():
            found = {name: [str(each) for each in e] for name, e in form.errors.items()}
            raise JudgementInvalid(fields=found)
        answer_second_look(
            inquiry=inquiry,
            reviewer=current_user(request),
            revision_id=form.cleaned_data["revision"],
            content=form.content(),
            idempotency_key=form.cleaned_data["idempotency_key"],
            now=timezone.now(),
        )
    except DomainError as error:
        if wants_json(request):
            return JsonResponse(error.as_json(), status=error.status)
        return _page(request, inquiry, _typed(request, inquiry), error)
    messages.success(request, _("Thank you. Your answer is with the senior."))
    return JsonResponse({"next": reverse("home")}) if wants_json(request) else redirect("home")


def _page(
    request: HttpRequest,
    inquiry: Inquiry,
    typed: dict[str, Any],
    error: DomainError | None = None,
) -> HttpResponse:
    values = typed or _first_values(inquiry)
    context = {
        **_judgement_fields(inquiry.panel, values),
        "inquiry": inquiry,
        "is_open": inquiry.state == InquiryState.OPEN,
        "assignment": inquiry.judgement.assignment if inquiry.judgement else None,
        "values": values,
        "asks_confirmation": isinstance(error, NumbersUnconfirmed)
        or bool(values.get("numbers_confirmed")),
        "idempotency_key": values.get("idempotency_key") or uuid.uuid4().hex,
        "errors": (error.fields or {"": [str(error)]}) if error else {},
    }
    return render(
        request, "review/disputes/second_look.html", context, status=error.status if error else 200
    )


def _judgement_fields(panel: Panel, values: dict[str, Any]) -> dict[str, Any]:
    """The texts and the form of a judgement, as on the workbench."""
    guideline, criteria = panel.round.guideline, panel.round.project.criteria
    return {
        "project": panel.round.project,
        "item": panel.item,
        "revision": panel.revision,
        "rows": workbench_rows(panel, values),
        "surplus": surplus_options(panel),
        "tags": tag_fields(),
        "criteria": criteria,
        "rating_keys": common_scale(criteria),
        "rating_fields": rating_fields(criteria, guideline.rubric, values),
        "guideline": guideline,
        "guideline_html": to_html(guideline.text),
    }


def _first_values(inquiry: Inquiry) -> dict[str, Any]:
    """What the reviewer said first, by the names of the form's fields."""
    if inquiry.judgement is None:
        return {}
    said = again_values(inquiry.judgement)
    first = {name: values[0] for name, values in said.items() if values}
    return _shown(first | {"tags": said["tags"]}, inquiry)


def _typed(request: HttpRequest, inquiry: Inquiry) -> dict[str, Any]:
    typed: dict[str, Any] = {name: request.POST.get(name, "") for name in request.POST}
    return _shown(typed | {"tags": request.POST.getlist("tags")}, inquiry)


def _shown(values: dict[str, Any], inquiry: Inquiry) -> dict[str, Any]:
    for name in names_of(inquiry.panel.round.project.criteria):
        values[name] = typed_rating(values.get(name, ""))
    return values
