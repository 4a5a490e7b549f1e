"""Who may do what to accounts, and where a request comes from."""

from ipaddress import ip_address

import rules
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.models import ApiToken, User


@rules.predicate
def is_own_token(user: User, token: ApiToken | None) -> bool:
    return bool(user.is_active and token is not None and token.user_id == user.pk)


@rules.predicate
def is_administrator(user: User) -> bool:
    return bool(user.is_active and user.is_superuser)


rules.add_perm("accounts.revoke_token", is_own_token)
rules.add_perm("accounts.view_audit_events", is_administrator)
rules.add_perm("accounts.view_accounts", is_administrator)
rules.add_perm("accounts.change_accounts", is_administrator)
rules.add_perm("accounts.view_sign_ins", is_administrator)


def administrator(user: User, permission: str) -> User:
    """`user`, if they have a permission that is the administrators' of this server.

    Raises PermissionDenied, which says what to do: no role in a project helps.
    """
    if not user.has_perm(permission):
        words = _("Only administrators of this server can do this. If you are one, sign in as one.")
        raise PermissionDenied(str(words))
    return user


def current_user(request: HttpRequest) -> User:
    """The signed-in user; `SignInMiddleware` lets nobody else through to a page."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def client_address(request: HttpRequest) -> str:
    """Where a request comes from: the peer, or whom the outermost of TRUSTED_PROXIES saw.

    Each proxy adds its peer to the right of X-Forwarded-For; what stands further left was written
    by the visitor and is not believed. Without a usable entry it is the peer.
    """
    peer = str(request.META.get("REMOTE_ADDR", ""))
    hops = request.headers.get("X-Forwarded-For", "").split(",")
    count: int = settings.TRUSTED_PROXIES
    if not 0 < count <= len(hops):
        return peer
    try:
        return str(ip_address(hops[-count].strip()))
    except ValueError:
        return peer
