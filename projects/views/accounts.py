"""Pages of administrators: every account on this server, and who signed in from where.

They stand here and not in `accounts` because an account's page shows its projects.
"""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts import actions
from accounts.models import User
from accounts.queries import (
    SIGN_IN_COLUMNS,
    AccountFilter,
    sign_in_rows,
    sign_ins_of,
    tokens_of,
)
from accounts.queries import sign_ins as find_sign_ins
from accounts.rules import administrator, current_user
from common.downloads import csv_lines
from common.filters import refuse_filter_faults
from common.pagination import listed_page
from projects.forms import AccountFilterForm, SignInFilterForm
from projects.presenters import deactivation_words
from projects.queries import accounts_with_places, places_of, sole_places_of

VIEW = "accounts.view_accounts"
CHANGE = "accounts.change_accounts"
VIEW_SIGN_INS = "accounts.view_sign_ins"
RECENT = 10


@require_safe
def accounts(request: HttpRequest) -> HttpResponse:
    """Everybody who has an account, by e-mail address."""
    _check(request, VIEW)
    form = AccountFilterForm(request.GET)
    wanted = form.wanted() if form.is_valid() else AccountFilter()
    page = listed_page(request, accounts_with_places(wanted), filters=form.fields, order=["email"])
    context = {"form": form, "page": page, "is_filtered": wanted != AccountFilter()}
    return render(request, "projects/accounts.html", context, status=400 if form.errors else 200)


@require_safe
def account(request: HttpRequest, pk: int) -> HttpResponse:
    """One account: its projects, its recent sign-ins and what would stand still without it."""
    user = _check(request, VIEW)
    person = get_object_or_404(User, pk=pk)
    context = {
        "person": person,
        "is_own": person == user,
        "places": places_of(person),
        "sole_places": sole_places_of(person),
        "token_count": tokens_of(person).count(),
        "attempts": sign_ins_of(person, now=timezone.now())[:RECENT],
        "can_change": user.has_perm(CHANGE),
    }
    return render(request, "projects/account.html", context)


@require_POST
def deactivate_account(request: HttpRequest, pk: int) -> HttpResponse:
    user = _check(request, CHANGE)
    person = get_object_or_404(User, pk=pk)
    ended = actions.deactivate_account(user=person, actor=user, now=timezone.now())
    messages.success(request, deactivation_words(person, ended))
    return redirect("projects:account", pk)


@require_POST
def reactivate_account(request: HttpRequest, pk: int) -> HttpResponse:
    user = _check(request, CHANGE)
    person = get_object_or_404(User, pk=pk)
    actions.reactivate_account(user=person, actor=user, now=timezone.now())
    words = _("%(name)s can sign in again with their old password and roles.")
    messages.success(request, words % {"name": person})
    return redirect("projects:account", pk)


@require_POST
def make_administrator(request: HttpRequest, pk: int) -> HttpResponse:
    user = _check(request, CHANGE)
    person = get_object_or_404(User, pk=pk)
    actions.make_administrator(user=person, actor=user, now=timezone.now())
    messages.success(request, _("%(name)s is now an administrator.") % {"name": person})
    return redirect("projects:account", pk)


@require_POST
def remove_administrator(request: HttpRequest, pk: int) -> HttpResponse:
    user = _check(request, CHANGE)
    person = get_object_or_404(User, pk=pk)
    actions.remove_administrator(user=person, actor=user, now=timezone.now())
    messages.success(request, _("%(name)s is no longer an administrator.") % {"name": person})
    return redirect("projects:account", pk)


@require_safe
def sign_ins(request: HttpRequest) -> HttpResponse:
    """Who signed in or tried to, newest first."""
    _check(request, VIEW_SIGN_INS)
    form = SignInFilterForm(request.GET)
    is_valid = form.is_valid()
    found = find_sign_ins(form.wanted(), now=timezone.now())
    page = listed_page(request, found, filters=form.fields, order=["-pk"])
    query = request.GET.copy()
    query.pop("cursor", None)
    context: dict[str, Any] = {
        "form": form,
        "page": page,
        "days": settings.SIGN_IN_HISTORY_DAYS,
        "filter_query": query.urlencode(),
        "is_filtered": any(form.cleaned_data.values()),
    }
    return render(request, "projects/sign_ins.html", context, status=200 if is_valid else 400)


@require_safe
def sign_ins_csv(request: HttpRequest) -> StreamingHttpResponse:
    _check(request, VIEW_SIGN_INS)
    form = SignInFilterForm(request.GET)
    refuse_filter_faults(form)
    rows = sign_in_rows(find_sign_ins(form.wanted(), now=timezone.now()))
    lines = csv_lines(SIGN_IN_COLUMNS, rows)
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="sign-ins.csv"'
    return response


def _check(request: HttpRequest, permission: str) -> User:
    """The signed-in person, if they have the permission. Raises PermissionDenied."""
    return administrator(current_user(request), permission)
