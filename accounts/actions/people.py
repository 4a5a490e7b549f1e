"""Every write to people's accounts by themselves or by a command."""

from datetime import datetime

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.actions.audit import record_event
from accounts.actions.tokens import revoke_tokens_of
from accounts.models import User
from common.errors import DomainError


class EmailTaken(DomainError):
    code = "email_taken"
    detail = _("There is already an account with this e-mail address.")


class PersonInvalid(DomainError):
    code = "person_invalid"
    detail = _("This name or e-mail address cannot be used.")
    status = 400


class PasswordWeak(DomainError):
    code = "password_weak"
    detail = _("This password is not strong enough.")
    status = 400


class LanguageUnknown(DomainError):
    code = "language_unknown"
    detail = _("The pages are not translated into “%(language)s”. Choose a language from the menu.")
    status = 400


@transaction.atomic
def create_user(
    *, email: str, name: str, password: str | None, actor: User | None, now: datetime
) -> User:
    """Make an account; without a password it can only be entered by invitation.

    Without a name the part of the address before the @ stands in. Raises PersonInvalid,
    EmailTaken, PasswordWeak.
    """
    email = email.strip().lower()
    name = name.strip() or email.partition("@")[0]
    user = User(email=email, name=name, date_joined=now)
    check_person(user)
    if password is not None:
        check_password(password, user)
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError as error:
        raise EmailTaken from error
    record_event(actor=actor, verb="user.created", target=f"user:{user.pk}", now=now)
    return user


@transaction.atomic
def mark_simulated(*, user: User, actor: User | None, now: datetime) -> None:
    """Say that a program acts as `user`, for good. Doing so again changes nothing."""
    if User.objects.filter(pk=user.pk, is_simulated=False).update(is_simulated=True):
        user.is_simulated = True
        record_event(actor=actor, verb="user.simulated", target=f"user:{user.pk}", now=now)


@transaction.atomic
def change_profile(*, user: User, name: str, actor: User | None, now: datetime) -> None:
    """Raises PersonInvalid."""
    user.name = name.strip()
    check_person(user)
    user.save(update_fields=["name"])
    record_event(actor=actor, verb="user.changed", target=f"user:{user.pk}", now=now)


@transaction.atomic
def choose_language(*, user: User, language: str, actor: User | None, now: datetime) -> None:
    """Show `user` the pages in this language; empty means what the browser asks for.

    Raises LanguageUnknown.
    """
    if language and language not in dict(settings.LANGUAGES):
        raise LanguageUnknown(language=language)
    if User.objects.filter(pk=user.pk).exclude(language=language).update(language=language):
        data = {"language": language}
        record_event(actor=actor, verb="user.changed", target=f"user:{user.pk}", now=now, data=data)
    user.language = language


def mark_news_seen(*, user: User, now: datetime) -> None:
    """Take everything up to `now` as seen; an earlier moment changes nothing. No audit event."""
    unseen = Q(news_seen_at__isnull=True) | Q(news_seen_at__lt=now)
    if User.objects.filter(unseen, pk=user.pk).update(news_seen_at=now):
        user.news_seen_at = now


@transaction.atomic
def set_password(*, user: User, password: str, actor: User | None, now: datetime) -> int:
    """Give `user` a new password; return how many API tokens were revoked by it.

    Every session that they have open ends, and every API token: whoever knew the old password may
    have made one. Raises PasswordWeak.
    """
    check_password(password, user)
    user.set_password(password)
    user.save(update_fields=["password"])
    tokens = revoke_tokens_of(user=user, now=now)
    data = {"tokens": tokens}
    record_event(
        actor=actor, verb="user.password_set", target=f"user:{user.pk}", now=now, data=data
    )
    return tokens


def check_person(user: User) -> None:
    """Raise PersonInvalid, with the fields at fault, for what no account may be called."""
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as error:
        raise PersonInvalid(fields=error.message_dict) from error
    if "\0" in user.name:
        raise PersonInvalid(
            fields={"name": [str(_("The name contains a character that is not allowed."))]}
        )


def check_password(password: str, user: User) -> None:
    """Raise PasswordWeak with what is wrong with the password."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise PasswordWeak(fields={"password": list(error.messages)}) from error
