"""Links for a new password: each ends with the password, the sessions or the account that it was made for."""

from typing import Any

from django.contrib.auth.tokens import PasswordResetTokenGenerator


class ResetTokens(PasswordResetTokenGenerator):
    """Django's, and used up as well when the account is deactivated or its sessions are ended."""

    key_salt = "accounts.reset_tokens"

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        state = f"{user.session_generation}:{user.is_active}"
        return f"{super()._make_hash_value(user, timestamp)}:{state}"


reset_tokens = ResetTokens()
