"""The states of accounts, the kinds of e-mails and how attempts to sign in end."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class AccountState(TextChoices):
    """Follows from the columns: invited is who has no password yet."""

    ACTIVE = "active", _("active")
    INVITED = "invited", _("invited")
    DEACTIVATED = "deactivated", _("deactivated")


class EmailKind(TextChoices):
    INVITATION = "invitation", _("invitation")
    PASSWORD_RESET = "password_reset", _("link for a new password")
    DIGEST = "digest", _("digest of notifications")
    ACCOUNT = "account", _("account for sending submissions")
    SUBMISSION = "submission", _("result of a submission")


class DigestChoice(TextChoices):
    """How often a person wants their unread notifications by e-mail."""

    OFF = "off", _("never")
    DAILY = "daily", _("once a day")
    WEEKLY = "weekly", _("once a week")


class SignInOutcome(TextChoices):
    SIGNED_IN = "signed_in", _("signed in")
    WRONG_PASSWORD = "wrong_password", _("wrong e-mail address or password")
    LOCKED = "locked", _("refused: too many attempts")
    DEACTIVATED = "deactivated", _("refused: account deactivated")
    RESET_ASKED = "reset_asked", _("asked for a new password")


FAILED_SIGN_INS = (SignInOutcome.WRONG_PASSWORD, SignInOutcome.LOCKED, SignInOutcome.DEACTIVATED)
