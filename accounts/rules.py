"""Who may do what to accounts, and where a request comes from."""

import rules
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from accounts.models import ApiToken, User


@rules.predicate
def is_own_token(user: User, token: ApiToken | None) -> bool:
    return bool(user.is_active and token is not None and token.user_id == user.pk)


rules.add_perm("accounts.revoke_token", is_own_token)


def current_user(request: HttpRequest) -> User:
    """The signed-in user; `SignInMiddleware` lets nobody else through to a page."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def client_address(request: HttpRequest) -> str:
    """The peer's address; a proxy in front must set it, headers from outside are not believed."""
    return str(request.META.get("REMOTE_ADDR", ""))
