"""Pages of webhooks: a project's list, and one with its deliveries."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.rules import current_user
from common.errors import DomainError
from common.pagination import listed_page
from projects.forms import show_refusal
from projects.selectors import project_for
from webhooks.actions import managing
from webhooks.actions.queueing import send_again
from webhooks.enums import WebhookState
from webhooks.forms import EventsForm, WebhookForm
from webhooks.models import Webhook
from webhooks.queries import deliveries_of, webhooks_of
from webhooks.selectors import CHANGE, delivery_for, webhook_for

SAFE_OR_POST = ["GET", "HEAD", "POST"]


@require_http_methods(SAFE_OR_POST)
def webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    """The webhooks of the project; the secret of a new one is on the answer alone."""
    user = current_user(request)
    project = project_for(user, slug, CHANGE)
    form, issued = WebhookForm(request.POST if request.method == "POST" else None), None
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        try:
            issued = managing.add_webhook(project=project, actor=user, now=timezone.now(), **values)
        except DomainError as error:
            show_refusal(form, error)
        else:
            form = WebhookForm()
    context = {
        "project": project,
        "section": "members",
        "form": form,
        "issued": issued,
        "webhooks": webhooks_of(project),
    }
    return render(request, "webhooks/list.html", context, status=400 if form.errors else 200)


@require_http_methods(SAFE_OR_POST)
def webhook(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What was sent, and when to send; posting chooses other events."""
    user = current_user(request)
    row = webhook_for(user, slug, pk)
    is_sent = request.method == "POST"
    form = EventsForm(request.POST if is_sent else None, initial={"events": list(row.events)})
    if is_sent and form.is_valid():
        managing.change_webhook(
            webhook=row, events=form.cleaned_data["events"], actor=user, now=timezone.now()
        )
        messages.success(request, _("Saved."))
        return redirect("webhooks:detail", slug, pk)
    return _page(request, row, form=form, status=400 if form.errors else 200)


@require_POST
def rotate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A new secret, which is on the answer alone."""
    user = current_user(request)
    row = webhook_for(user, slug, pk)
    issued = managing.rotate_secret(webhook=row, actor=user, now=timezone.now())
    return _page(request, issued.webhook, issued=issued)


@require_POST
def ping(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    managing.ping_webhook(webhook=webhook_for(user, slug, pk), actor=user, now=timezone.now())
    messages.success(request, _("A test is on its way. Reload this page in a few seconds."))
    return redirect("webhooks:detail", slug, pk)


@require_POST
def turn_on(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    managing.switch_on(webhook=webhook_for(user, slug, pk), actor=user, now=timezone.now())
    messages.success(
        request, _("The webhook is active again. The messages that waited are being sent now.")
    )
    return redirect("webhooks:detail", slug, pk)


@require_POST
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    managing.remove_webhook(webhook=webhook_for(user, slug, pk), actor=user, now=timezone.now())
    messages.success(request, _("The webhook is removed."))
    return redirect("webhooks:list", slug)


@require_POST
def again(request: HttpRequest, slug: str, pk: int, delivery: int) -> HttpResponse:
    user = current_user(request)
    row = delivery_for(user, slug, pk, delivery)
    send_again(delivery=row, actor=user, now=timezone.now())
    if row.webhook.state == WebhookState.FAILING:
        messages.info(request, _("It waits until you switch the webhook on again."))
    else:
        messages.success(
            request, _("It is sent within seconds. Reload this page to see the result.")
        )
    return redirect("webhooks:detail", slug, pk)


def _page(request: HttpRequest, row: Webhook, *, status: int = 200, **more: Any) -> HttpResponse:
    rows = deliveries_of(row)
    context = {
        "project": row.project,
        "section": "members",
        "webhook": row,
        "form": EventsForm(initial={"events": list(row.events)}),
        "page": listed_page(request, rows, order=["-pk"]),
        **more,
    }
    return render(request, "webhooks/detail.html", context, status=status)
