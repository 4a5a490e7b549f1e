"""Pages for getting in and out and for one's own account."""

from typing import Any

from axes.helpers import get_cool_off
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.middleware.csrf import REASON_NO_CSRF_COOKIE, get_token
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts import kept_forms
from accounts.actions import accept_invitation, change_profile, create_token, revoke_token
from accounts.forms import (
    ChangePasswordForm,
    ForgottenPasswordForm,
    InvitationForm,
    NewPasswordForm,
    ProfileForm,
    SignInForm,
    TokenForm,
)
from accounts.middleware import interrupted_page, signed_out_json, wants_json
from accounts.models import ApiToken
from accounts.queries import open_invitations, tokens_of
from accounts.rules import current_user
from accounts.tries import INVITATION_LINK, RESET_LINK, check_tries, count_try, letters_to

BACKEND = "django.contrib.auth.backends.ModelBackend"


@method_decorator(login_not_required, name="dispatch")
class SignIn(auth.LoginView):
    """E-mail and password; with `?popup=1` in a small window, with `kept` a form to send again."""

    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if request.user.is_authenticated:
            return self._go_on()
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        login(self.request, form.get_user(), backend=BACKEND)
        return self._go_on()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | sign_in_context(self.request)

    def _go_on(self) -> HttpResponse:
        kept = kept_forms.unseal(self.request.POST.get("kept", ""))
        if kept:
            kept_forms.put_in_session(self.request, kept)
            return redirect("accounts:send-again")
        if is_popup(self.request):
            return redirect("accounts:signed-in")
        return HttpResponseRedirect(self.get_success_url())


def is_popup(request: HttpRequest) -> bool:
    return "1" in (request.GET.get("popup"), request.POST.get("popup"))


def sign_in_context(request: HttpRequest) -> dict[str, Any]:
    """What the sign-in page must carry on through a wrong password."""
    kept = request.POST.get("kept", "")
    return {
        "kept": kept if kept_forms.unseal(kept) else "",
        "is_popup": is_popup(request),
    }


def locked_out(
    request: HttpRequest, _response: HttpResponse | None, _credentials: Any
) -> HttpResponse:
    """The sign-in page after too many wrong tries; says when to try again. Status 429."""
    wait = get_cool_off(request)
    seconds = int(wait.total_seconds()) if wait else 0
    context = sign_in_context(request) | {
        "form": SignInForm(request),
        "next": request.POST.get("next", ""),
        "minutes": -(-seconds // 60),
        "locked_until": timezone.now() + wait if wait else None,
    }
    response = render(request, "accounts/sign_in.html", context, status=429)
    response["Retry-After"] = str(seconds)
    return response


@login_not_required
def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose protection no longer fits: kept if it came from our own page, else refused.

    That happens to a page that was open while its user signed in again elsewhere. The browser's
    Origin header tells it from a form on a foreign site, which gets nothing.
    """
    is_ours = request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"
    if not is_ours or reason == REASON_NO_CSRF_COOKIE:
        return render(request, "403_csrf.html", status=403)
    if wants_json(request):
        return stale_form_json(request) if request.user.is_authenticated else signed_out_json()
    sealed = kept_forms.unseal(request.POST.get("kept", ""))
    if request.path == reverse("accounts:sign-in") and not sealed:
        return redirect(request.get_full_path())
    if not request.user.is_authenticated:
        return interrupted_page(request)
    kept = sealed or kept_forms.keep(request)
    return _send_again_page(request, kept, status=403)


def stale_form_json(request: HttpRequest) -> JsonResponse:
    """Tell a script of ours the token that fits now, so that it can send again by itself."""
    body = {
        "code": "stale_form",
        "detail": _("You signed in again elsewhere. Send this once more."),
        "csrf_token": get_token(request),
    }
    return JsonResponse(body, status=403)


def signed_in(request: HttpRequest) -> HttpResponse:
    """The end of a sign-in in a small window."""
    return render(request, "accounts/signed_in.html")


@never_cache
@require_http_methods(["GET", "POST"])
def send_again(request: HttpRequest) -> HttpResponse:
    """Show what was typed before sign-in; POST sends it on to where it was meant to go, once."""
    kept = kept_forms.read_from_session(request)
    if kept is None:
        return redirect("annotation:home")
    if request.method == "GET":
        return _send_again_page(request, kept)
    kept_forms.drop_from_session(request)
    if "discard" in request.POST:
        return redirect(kept.page or "annotation:home")
    # 307 makes the browser post the same fields to the new address.
    return HttpResponse(status=307, headers={"Location": kept.path})


def _send_again_page(
    request: HttpRequest, kept: kept_forms.KeptForm | None, status: int = 200
) -> HttpResponse:
    if kept:
        kept_forms.put_in_session(request, kept)
    return render(request, "accounts/send_again.html", {"kept": kept}, status=status)


@login_not_required
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Let an invited person choose name and password; then they are signed in."""
    found = open_invitations(secret=secret, now=timezone.now()).first()
    if found is None:
        check_tries(request, INVITATION_LINK)
        count_try(request, INVITATION_LINK)
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
        messages.success(request, _("Welcome! Your account is ready."))
        return redirect("annotation:home")
    return render(request, "accounts/invitation.html", {"form": form, "invitation": found})


@require_http_methods(["GET", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    user = current_user(request)
    form = ProfileForm(request.POST or None, initial={"name": user.name})
    if request.method == "POST" and form.is_valid():
        change_profile(user=user, actor=user, now=timezone.now(), **form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("accounts:profile")
    return render(request, "accounts/profile.html", {"form": form})


@never_cache
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
        messages.success(self.request, _("Your password has been changed."))
        return super().form_valid(form)


class ResetPassword(auth.PasswordResetView):
    template_name = "accounts/password_reset.html"
    form_class = ForgottenPasswordForm
    success_url = reverse_lazy("accounts:password-reset-sent")
    subject_template_name = "emails/password_reset_subject.txt"
    email_template_name = "emails/password_reset.txt"
    html_email_template_name = "emails/password_reset.html"

    def form_valid(self, form: Any) -> HttpResponse:
        kind = letters_to(form.cleaned_data["email"])
        check_tries(self.request, kind)
        count_try(self.request, kind)
        return super().form_valid(form)


class ResetPasswordSent(auth.PasswordResetDoneView):
    template_name = "accounts/password_reset_sent.html"


@method_decorator(login_not_required, name="dispatch")
class ResetPasswordConfirm(auth.PasswordResetConfirmView):
    template_name = "accounts/password_reset_confirm.html"
    form_class = NewPasswordForm
    success_url = reverse_lazy("accounts:sign-in")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        response = super().dispatch(request, *args, **kwargs)
        if not self.validlink and response.status_code == 200:
            check_tries(request, RESET_LINK)
            count_try(request, RESET_LINK)
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(self.request, _("Your password has been changed. Sign in with it."))
        return super().form_valid(form)
