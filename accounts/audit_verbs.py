"""The words for what happens to accounts."""

from django.utils.translation import gettext_lazy as _

VERBS = {
    "invitation.accepted": _("accepted the invitation"),
    "token.created": _("created an API token"),
    "token.revoked": _("revoked an API token"),
    "user.administrator_made": _("made somebody an administrator"),
    "user.administrator_removed": _("removed an administrator"),
    "user.changed": _("changed an account"),
    "user.created": _("created an account"),
    "user.deactivated": _("deactivated an account"),
    "user.invited": _("invited a person"),
    "user.password_set": _("set a new password"),
    "user.simulated": _("marked an account as simulated"),
    "user.reactivated": _("reactivated an account"),
}
