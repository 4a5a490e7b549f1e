"""Pages for getting in and out and for one's own account."""

import math
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from axes.helpers import get_cool_off
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.middleware.csrf import REASON_NO_CSRF_COOKIE, get_token
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import Resolver404, resolve, reverse, reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST
from django.views.i18n import set_language

from accounts import form_recovery
from accounts.actions import (
    accept_invitation,
    change_profile,
    choose_language,
    create_token,
    queue_password_reset,
    record_sign_in,
    revoke_token,
)
from accounts.enums import FAILED_SIGN_INS, SignInOutcome
from accounts.forms import (
    ChangePasswordForm,
    ForgottenPasswordForm,
    InvitationForm,
    NewPasswordForm,
    ProfileForm,
    SignInForm,
    TokenForm,
)
from accounts.middleware import interrupted_page, signed_out_json
from accounts.models import ApiToken, User
from accounts.offers import offer_lines
from accounts.queries import open_invitations, sign_ins_of, tokens_of
from accounts.reset_tokens import reset_tokens
from accounts.rules import client_address, current_user
from accounts.selectors import find_user
from accounts.throttling import (
    INVITATION_LINK,
    RESET_LINK,
    check_attempts,
    check_network,
    count_attempt,
    emails_to,
    network_wait,
)
from common.htmx import wants_json
from common.redirects import own_address

BACKEND = "accounts.backends.AccountBackend"
RECENT_SIGN_INS = 10
OUTSIDE_PAGES = ("submissions:part", "submissions:endpoint", "submissions:texts")
"""Pages of people who are in no project and get an account without an invitation."""


@method_decorator(login_not_required, name="dispatch")
class SignIn(auth.LoginView):
    """E-mail and password; with `?popup=1` in a small window, with `kept` a form to send again."""

    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if request.user.is_authenticated:
            return self._go_on()
        return super().dispatch(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        wait = network_wait(request, FAILED_SIGN_INS, timezone.now())
        return locked_page(request, wait) if wait else super().post(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        user = form.get_user()
        login(self.request, user, backend=BACKEND)
        note_attempt(self.request, user, SignInOutcome.SIGNED_IN)
        return self._go_on()

    def form_invalid(self, form: Any) -> HttpResponse:
        if form.non_field_errors():  # else nothing was tried: a field was empty
            person = find_user(form.cleaned_data["username"])
            note_attempt(self.request, person, _failure(self.request, form))
        return super().form_invalid(form)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | sign_in_context(self.request)

    def _go_on(self) -> HttpResponse:
        kept = form_recovery.unseal(self.request.POST.get("kept", ""))
        if kept:
            form_recovery.put_in_session(self.request, kept)
            return redirect("accounts:send-again")
        if is_popup(self.request):
            return redirect("accounts:signed-in")
        return HttpResponseRedirect(self.get_success_url())


def note_attempt(request: HttpRequest, user: User | None, outcome: SignInOutcome) -> None:
    """Write an attempt to sign in down in the history."""
    address = client_address(request)
    record_sign_in(user=user, address=address, outcome=outcome, now=timezone.now())


def _failure(request: HttpRequest, form: SignInForm) -> SignInOutcome:
    if form.has_error(NON_FIELD_ERRORS, code="inactive"):
        return SignInOutcome.DEACTIVATED
    is_locked = getattr(request, "axes_locked_out", False)
    return SignInOutcome.LOCKED if is_locked else SignInOutcome.WRONG_PASSWORD


def is_popup(request: HttpRequest) -> bool:
    return "1" in (request.GET.get("popup"), request.POST.get("popup"))


def sign_in_context(request: HttpRequest) -> dict[str, Any]:
    """What the sign-in page must carry on through a wrong password."""
    kept = request.POST.get("kept", "")
    return {
        "kept": kept if form_recovery.unseal(kept) else "",
        "is_popup": is_popup(request),
        "account_url": _account_address(request.POST.get("next") or request.GET.get("next", "")),
    }


def _account_address(after: str) -> str:
    """Return where outsiders ask for an account whom the page `after` would take, else ""."""
    try:
        match = resolve(urlsplit(after).path)
        outside = {name: match.kwargs[name] for name in ("slug", "version")}
    except (KeyError, ValueError, Resolver404):
        return ""
    if match.view_name not in OUTSIDE_PAGES:
        return ""
    return reverse("submissions:ask-account", kwargs=outside)


def locked_out(
    request: HttpRequest, _response: HttpResponse | None, _credentials: Any
) -> HttpResponse:
    """What axes shows to a person who failed too often."""
    return locked_page(request, get_cool_off(request) or timedelta())


def locked_page(request: HttpRequest, wait: timedelta) -> HttpResponse:
    """The sign-in page after too many failed attempts; it says when to try again. Status 429."""
    seconds = math.ceil(wait.total_seconds())
    context = sign_in_context(request) | {
        "form": SignInForm(request),
        "next": request.POST.get("next", ""),
        "minutes": math.ceil(seconds / 60),
        "locked_until": timezone.now() + wait,
    }
    response = render(request, "accounts/sign_in.html", context, status=429)
    response["Retry-After"] = str(seconds)
    return response


@login_not_required
def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose protection no longer fits: kept if it came from our own page, else refused.

    That happens to a page that was open while its user signed in again elsewhere. The browser's
    Origin header tells it from a form on a foreign site, which gets nothing. A script of ours gets
    a new cookie where the old one is gone; a page would be sent again and again where none is kept.
    """
    is_ours = request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"
    if is_ours and wants_json(request):
        return stale_form_json(request) if request.user.is_authenticated else signed_out_json()
    if not is_ours or reason == REASON_NO_CSRF_COOKIE:
        return render(request, "403_csrf.html", status=403)
    sealed = form_recovery.unseal(request.POST.get("kept", ""))
    if request.path == reverse("accounts:sign-in") and not sealed:
        return redirect(request.get_full_path())
    if not request.user.is_authenticated:
        return interrupted_page(request)
    kept = sealed or form_recovery.keep(request)
    return _send_again_page(request, kept, status=403)


def stale_form_json(request: HttpRequest) -> JsonResponse:
    """Tell a script of ours the token that fits now, so that it can send again by itself."""
    body = {
        "code": "stale_form",
        "detail": _("You signed in again in another window. Send this form once more."),
        "csrf_token": get_token(request),
    }
    return JsonResponse(body, status=403)


def signed_in(request: HttpRequest) -> HttpResponse:
    """The end of a sign-in in a small window."""
    return render(request, "accounts/signed_in.html")


class SignOut(auth.LogoutView):
    """Sign out, and have the browser remove what this site has stored on the device.

    `keep` leaves its storage alone: work waits there that a person wants to send later.
    """

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        answer: HttpResponse = super().post(request, *args, **kwargs)
        is_kept = bool(request.POST.get("keep"))
        answer["Clear-Site-Data"] = '"cache"' if is_kept else '"cache", "storage"'
        return answer


@require_http_methods(["GET", "POST"])
def send_again(request: HttpRequest) -> HttpResponse:
    """Show what was typed before sign-in; POST sends it on to where it was meant to go, once."""
    kept = form_recovery.read_from_session(request)
    if kept is None:
        return redirect("home")
    if request.method == "GET":
        return _send_again_page(request, kept)
    form_recovery.drop_from_session(request)
    if "discard" in request.POST:
        return redirect(kept.page or "home")
    # 307 makes the browser post the same fields to the new address.
    return HttpResponse(status=307, headers={"Location": kept.path})


def _send_again_page(
    request: HttpRequest, kept: form_recovery.KeptForm | None, status: int = 200
) -> HttpResponse:
    if kept:
        form_recovery.put_in_session(request, kept)
    return render(request, "accounts/send_again.html", {"kept": kept}, status=status)


@login_not_required
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Let an invited person choose name and password; then they are signed in."""
    found = open_invitations(secret=secret, now=timezone.now()).first()
    if found is None:
        check_attempts(request, INVITATION_LINK)
        count_attempt(request, INVITATION_LINK)
        return render(request, "accounts/invitation_over.html", status=410)
    form = InvitationForm(request.POST or None, user=found.user, initial={"name": found.user.name})
    if request.method == "POST" and form.is_valid():
        user = accept_invitation(
            secret=secret,
            name=form.cleaned_data["name"],
            password=form.cleaned_data["password"],
            now=timezone.now(),
        )
        login(request, user, backend=BACKEND)
        note_attempt(request, user, SignInOutcome.SIGNED_IN)
        messages.success(request, _("Welcome! Your account is ready."))
        return redirect(own_address(request.GET.get("next", "")) or "home")
    context = {"form": form, "invitation": found, "lines": offer_lines(found.offer)}
    return render(request, "accounts/invitation.html", context)


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Show the pages in another language: for good to who is signed in, else on this device."""
    chosen = request.POST.get("language", "")
    if isinstance(request.user, User):
        choose_language(user=request.user, language=chosen, actor=request.user, now=timezone.now())
    return set_language(request)


@require_http_methods(["GET", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    user = current_user(request)
    form = ProfileForm(request.POST or None, initial={"name": user.name})
    if request.method == "POST" and form.is_valid():
        change_profile(user=user, actor=user, now=timezone.now(), **form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("accounts:profile")
    attempts = sign_ins_of(user, now=timezone.now())[:RECENT_SIGN_INS]
    return render(request, "accounts/profile.html", {"form": form, "attempts": attempts})


@require_http_methods(["GET", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """The tokens of the signed-in person; a new one's secret is on the answer alone."""
    user = current_user(request)
    form, issued = TokenForm(request.POST or None), None
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["name"]
        issued = create_token(user=user, name=name, actor=user, now=timezone.now())
        form = TokenForm()
    context = {"form": form, "issued": issued, "tokens": tokens_of(user)}
    return render(request, "accounts/tokens.html", context)


@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    user = current_user(request)
    token = get_object_or_404(ApiToken, pk=pk)
    if not user.has_perm("accounts.revoke_token", token):
        raise Http404
    revoke_token(token=token, actor=user, now=timezone.now())
    messages.success(request, _("The token no longer works."))
    return redirect("accounts:tokens")


class ChangePassword(auth.PasswordChangeView):
    template_name = "accounts/password.html"
    form_class = ChangePasswordForm
    success_url = reverse_lazy("accounts:profile")

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        words = [_("Your password has been changed."), *revoked_words(form.revoked_tokens)]
        messages.success(self.request, " ".join(words))
        return response


@login_not_required
@require_http_methods(["GET", "POST"])
def reset_password(request: HttpRequest) -> HttpResponse:
    """Ask for a link by e-mail; an address without an account gets the same answer by the same work."""
    form = ForgottenPasswordForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        email = form.cleaned_data["email"]
        kind = emails_to(email)
        check_network(request, [SignInOutcome.RESET_ASKED], timezone.now())
        check_attempts(request, kind)
        count_attempt(request, kind)
        queue_password_reset(email=email, now=timezone.now())
        note_attempt(request, find_user(email), SignInOutcome.RESET_ASKED)
        return redirect("accounts:password-reset-sent")
    return render(request, "accounts/password_reset.html", {"form": form})


class ResetPasswordSent(auth.PasswordResetDoneView):
    template_name = "accounts/password_reset_sent.html"


@method_decorator(login_not_required, name="dispatch")
class ResetPasswordConfirm(auth.PasswordResetConfirmView):
    template_name = "accounts/password_reset_confirm.html"
    token_generator = reset_tokens
    form_class = NewPasswordForm
    success_url = reverse_lazy("accounts:sign-in")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        response = super().dispatch(request, *args, **kwargs)
        if not self.validlink and response.status_code == 200:
            check_attempts(request, RESET_LINK)
            count_attempt(request, RESET_LINK)
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        words = [
            _("Your password has been changed. Sign in with it."),
            *revoked_words(form.revoked_tokens),
        ]
        messages.success(self.request, " ".join(words))
        return response


def revoked_words(count: int) -> list[str]:
    """What to add when a new password has revoked API tokens."""
    words = ngettext(
        "This also revoked %(count)s API token.",
        "This also revoked all your %(count)s API tokens.",
        count,
    )
    return [words % {"count": count}] if count else []
