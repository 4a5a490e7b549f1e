"""The signed link that turns a person's digests off without signing in."""

from django.core import signing

from accounts.models import User

_SALT = "notifications.unsubscribe"


def unsubscribe_token(user: User) -> str:
    return signing.dumps(user.pk, salt=_SALT)


def user_of_token(token: str) -> User | None:
    """Whose link it is; None for what was not signed here."""
    try:
        pk = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        return None
    return User.objects.filter(pk=pk, is_active=True).first()
