"""The list behind the bell, and turning digests on and off."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.actions import choose_digest
from accounts.enums import DigestChoice
from accounts.rules import current_user
from common.db import bounded_pk
from common.pagination import listed_page
from notifications.actions.reading import mark_all_read, mark_read
from notifications.presenters import present
from notifications.queries import notifications_for, shown
from notifications.unsubscribing import user_of_token

ORDER = ("-created_at", "-pk")


@require_safe
def notifications(request: HttpRequest) -> HttpResponse:
    """What the person was told, newest first."""
    user = current_user(request)
    rows = notifications_for(user)
    page = listed_page(request, rows, order=ORDER)
    lines = [present(row) for row in shown(page.rows)]
    return render(request, "notifications/list.html", {"page": page, "lines": lines})


@require_POST
def follow(request: HttpRequest, pk: int) -> HttpResponse:
    """Mark one as read and go where it leads."""
    user = current_user(request)
    row = get_object_or_404(notifications_for(user), pk=bounded_pk(pk))
    if not shown([row]):
        raise Http404
    mark_read(user=user, ids=[row.pk], now=timezone.now())
    return redirect(present(row).link)


@require_POST
def read_all(request: HttpRequest) -> HttpResponse:
    mark_all_read(user=current_user(request), now=timezone.now())
    return redirect("notifications:list")


@require_POST
def digest(request: HttpRequest) -> HttpResponse:
    """Choose how often notifications come by e-mail; part of the account page."""
    user = current_user(request)
    chosen = request.POST.get("digest", "")
    choose_digest(user=user, digest=chosen, actor=user, now=timezone.now())
    messages.success(request, _("Saved."))
    return redirect("accounts:profile")


@csrf_exempt  # mail programs post here on their own: the signed link is what counts
@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Turn the digests of whose link it is off. Looking changes nothing: scanners follow links."""
    user = user_of_token(token)
    if user is None:
        raise Http404
    if request.method == "POST":
        choose_digest(user=user, digest=DigestChoice.OFF, actor=user, now=timezone.now())
    context = {"is_off": user.digest == DigestChoice.OFF}
    return render(request, "notifications/unsubscribe.html", context)
