"""Who is signed in, by a query that is built once: it runs at every request."""

from django.contrib.auth.backends import AllowAllUsersModelBackend
from django.db.models import QuerySet

from accounts.models import User
from common.prepared import prepared


class AccountBackend(AllowAllUsersModelBackend):
    """Django's backend of accounts and passwords.

    It hands a deactivated person with the right password to the sign-in form, which tells them
    why it refuses them. Out of a session nobody deactivated comes: from their next request on
    they are anonymous.
    """

    def get_user(self, user_id: int) -> User | None:
        user = _account.first(pk=user_id)
        return user if user is not None and user.is_active else None


@prepared(pk=int)
def _account(pk: int) -> QuerySet[User]:
    return User.objects.filter(pk=pk)
