"""Pausing, resuming and changing a round that is open."""

from dataclasses import asdict

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.rules import current_user
from common.errors import DomainError
from projects.forms import show_refusal
from review.models import Round
from review.rounds.actions.running import RoundChanges, change_round, pause_round, resume_round
from review.rounds.forms import PauseForm, WhoAndWhenForm
from review.selectors import round_for


@require_http_methods(["GET", "POST"])
def pause_round_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The form with the reason, and pausing."""
    user = current_user(request)
    round_ = round_for(user, slug, number, "review.pause_round")
    form = PauseForm(_typed(request))
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]
        pause_round(round_=round_, reason=reason, actor=user, now=timezone.now())
        messages.success(request, _("The round is paused. Nobody gets another item."))
        return redirect("review:round", slug, number)
    return _form_page(request, round_, form, "review/rounds/pause_round.html")


@require_POST
def resume_round_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    user = current_user(request)
    round_ = round_for(user, slug, number, "review.pause_round")
    resume_round(round_=round_, actor=user, now=timezone.now())
    messages.success(request, _("The round is resumed."))
    return redirect("review:round", slug, number)


@require_http_methods(["GET", "POST"])
def change_round_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The form with the due date, the cap and whom the round asks, and changing them."""
    user = current_user(request)
    round_ = round_for(user, slug, number, "review.change_round")
    form = WhoAndWhenForm(
        _typed(request),
        project=round_.project,
        kind=round_.kind,
        initial=asdict(RoundChanges.of(round_)),
    )
    if request.method == "POST" and form.is_valid():
        try:
            change_round(round_=round_, changes=form.changes(), actor=user, now=timezone.now())
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(request, _("The changes apply from the next item that anybody takes."))
            return redirect("review:round", slug, number)
    return _form_page(request, round_, form, "review/rounds/change_round.html")


def _typed(request: HttpRequest) -> QueryDict | None:
    """What was sent, also if all of it was left empty."""
    return request.POST if request.method == "POST" else None


def _form_page(
    request: HttpRequest, round_: Round, form: forms.Form, template: str
) -> HttpResponse:
    slug = round_.project.slug
    context = {
        "project": round_.project,
        "section": "rounds",
        "round": round_,
        "form": form,
        "cancel_url": reverse("review:round", args=[slug, round_.number]),
    }
    return render(request, template, context, status=400 if form.errors else 200)
