"""How the API knows the caller: a token, or the browser's session."""

from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from rest_framework import authentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.hashing import hash_secret
from accounts.models import ApiToken, User

USED_PRECISION = timedelta(minutes=5)
# Asked at every call of the API; written as SQL because the ORM takes longer to build it than
# the database to answer it.
CALLER_QUERY = """
SELECT person.*, token.id AS token_id,
       (token.last_used_at IS NULL OR token.last_used_at < %s) AS is_use_old
FROM accounts_apitoken AS token JOIN accounts_user AS person ON person.id = token.user_id
WHERE token.token_hash = %s AND token.revoked_at IS NULL AND person.is_active = %s
"""


class TokenAuthentication(authentication.BaseAuthentication):
    """`Authorization: Token <secret>`; when a token was last used is kept to five minutes."""

    keyword = "Token"

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        parts = authentication.get_authorization_header(request).split()
        if not parts or parts[0].lower() != b"token":
            return None
        if len(parts) != 2:
            raise AuthenticationFailed(_("The token header must be “Token <secret>”."))
        return self._user_of(parts[1])

    def authenticate_header(self, request: Request) -> str:
        return self.keyword

    def _user_of(self, secret: bytes) -> tuple[User, ApiToken]:
        now = timezone.now()
        values = [now - USED_PRECISION, hash_secret(secret.decode("latin-1")), True]
        found = list(User.objects.raw(CALLER_QUERY, values))
        if not found:
            raise AuthenticationFailed(_("This token is not known or has been revoked."))
        user: Any = found[0]
        token = ApiToken(pk=user.token_id, user=user)
        if user.is_use_old:
            ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
        return user, token


class SessionAuthentication(authentication.SessionAuthentication):
    """The browser's session, with CSRF; names a scheme so that a refusal is 401, not 403."""

    def authenticate_header(self, request: Request) -> str:
        return "Token"
