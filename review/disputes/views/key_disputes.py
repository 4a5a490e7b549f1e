"""Settling a dispute about a key: what the experts answered, and whether the key stands."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.rules import current_user
from common.errors import DomainError
from projects.forms import show_refusal
from review.answers.answering import choices_of
from review.answers.queries import answers_about_key
from review.disputes.actions.key_disputes import NoKeyDispute, settle_key_dispute
from review.disputes.forms import KeyAdjudicationForm
from review.disputes.labels import reason_text
from review.disputes.queue import QueueFilter, next_after, queue_of
from review.disputes.selectors import panel_for
from review.enums import PanelState, RoundKind
from review.models import Panel


@require_http_methods(["GET", "POST"])
def key_dispute(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The item, the answers without names, and the decision; then the next dispute."""
    panel = panel_for(current_user(request), slug, pk)
    if panel.round.kind != RoundKind.SOLVING:
        raise NoKeyDispute
    if request.method == "GET" and panel.state != PanelState.DISPUTED:
        messages.info(request, _("This dispute is settled."))
        return redirect("review:disputes", slug)
    form = KeyAdjudicationForm(request.POST or None, item=panel.item)
    if request.method == "POST" and _is_settled(request, form, panel):
        return redirect(_after(request, panel))
    status = 400 if request.method == "POST" else 200
    return render(request, "review/disputes/key_dispute.html", _context(panel, form), status=status)


def _is_settled(request: HttpRequest, form: KeyAdjudicationForm, panel: Panel) -> bool:
    """Settle the dispute; otherwise the form says why not."""
    if not form.is_valid():
        return False
    try:
        settle_key_dispute(
            panel=panel, senior=current_user(request), now=timezone.now(), **form.cleaned_data
        )
    except DomainError as error:
        show_refusal(form, error)
        return False
    return True


def _after(request: HttpRequest, panel: Panel) -> str:
    """The next dispute of the filter in the address, else the list."""
    wanted = QueueFilter.of(request.GET.dict())
    project = panel.round.project
    rows = queue_of(project, current_user(request), wanted, now=timezone.now())
    coming = next_after(rows, panel, wanted)
    name = "review:dispute" if coming else "review:disputes"
    address = reverse(name, args=[project.slug, *([coming.pk] if coming else [])])
    return f"{address}?{wanted.query}" if wanted.query else address


def _context(panel: Panel, form: KeyAdjudicationForm) -> dict[str, Any]:
    answers = answers_about_key(panel)
    return {
        "project": panel.round.project,
        "section": "disputes",
        "panel": panel,
        "item": panel.item,
        "text": panel.revision,
        "choices": [(each, answers.choices.get(each.letter, 0)) for each in choices_of(panel)],
        "unsure": answers.unsure,
        "comments": answers.comments,
        "reasons": [reason_text(reason, panel.round.project.criteria) for reason in panel.reasons],
        "form": form,
    }
