"""What people type to get in and to manage their account."""

from typing import Any

from django import forms
from django.contrib.auth.forms import (
    AuthenticationForm,
    PasswordChangeForm,
    SetPasswordForm,
)
from django.contrib.auth.password_validation import (
    password_validators_help_text_html,
    validate_password,
)
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.actions import set_password
from accounts.models import User

NEW_PASSWORD = forms.PasswordInput(attrs={"autocomplete": "new-password"})


class SignInForm(AuthenticationForm):
    """E-mail and password; the address is lower-cased, so that its case does not count as another try."""

    username = forms.EmailField(
        label=_("E-mail"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    error_messages = {
        "invalid_login": _(
            "E-mail address and password do not match. After five failed attempts, sign-in "
            "is locked for 15 minutes."
        ),
        "inactive": _("This account is deactivated. Ask an administrator to reactivate it."),
    }

    def clean_username(self) -> str:
        return str(self.cleaned_data["username"]).lower()


class InvitationForm(forms.Form):
    name = forms.CharField(
        label=_("Your name"),
        max_length=150,
        help_text=_("As others in your projects will see it."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        max_length=1000,
        help_text=password_validators_help_text_html,
        widget=NEW_PASSWORD,
    )
    again = forms.CharField(
        label=_("Repeat the password"), strip=False, max_length=1000, widget=NEW_PASSWORD
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        self.user = user
        super().__init__(*args, **kwargs)

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        validate_password(password, self.user)
        return password

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        password, again = found.get("password"), found.get("again")
        if password and again and password != again:
            self.add_error("again", _("The two passwords are not the same."))
        return found


class ProfileForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=150,
        help_text=_("As others in your projects see it."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Name of the token"),
        max_length=100,
        help_text=_("What the token is for, so that you know which one to revoke later."),
    )


class ForgottenPasswordForm(forms.Form):
    """Whoever is asked for, the same rows are written; a worker finds out whether there is an account."""

    email = forms.EmailField(
        label=_("E-mail"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


class NewPasswordForm(SetPasswordForm):  # type: ignore[type-arg]
    """After a reset by mail; `revoked_tokens` counts what ended with the old password."""

    revoked_tokens = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["new_password2"].label = _("Repeat the new password")

    def save(self, commit: bool = True) -> User:
        """Store the password by our action; Django's view calls this with no arguments."""
        password = self.cleaned_data["new_password1"]
        user: User = self.user
        self.revoked_tokens = set_password(
            user=user, password=password, actor=user, now=timezone.now()
        )
        return user


class ChangePasswordForm(NewPasswordForm, PasswordChangeForm):
    """While signed in: asks for the old one first."""
