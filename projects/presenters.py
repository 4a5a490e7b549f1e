"""What people are told after somebody has left: one sentence a consequence, none for what did not happen."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.actions import Ended
from accounts.models import User
from projects.actions import Removed


def deactivation_words(person: User, ended: Ended) -> str:
    """What deactivating an account has done."""
    return " ".join(
        [
            _("%(name)s is signed out everywhere and can no longer sign in.") % {"name": person},
            *_tokens(ended.tokens),
            *_held_items(ended.held_items),
            *_invitations(ended.invitations),
        ]
    )


def removal_words(person: User, removed: Removed, *, leaves_no_senior: bool) -> str:
    """What removing a member has done."""
    if not person.has_usable_password():
        return _("The invitation of %(name)s is cancelled. The link no longer works.") % {
            "name": person
        }
    left = _("No senior is left. Disputes wait until you make someone a senior.")
    return " ".join(
        [
            _("%(name)s is no longer a member. Their work stays.") % {"name": person},
            *_held_items(removed.held_items),
            *_invitations(removed.invitations),
            *([left] if leaves_no_senior else []),
        ]
    )


def _tokens(count: int) -> list[str]:
    words = ngettext("%(count)s API token is revoked.", "%(count)s API tokens are revoked.", count)
    return [words % {"count": count}] if count else []


def _held_items(count: int) -> list[str]:
    words = ngettext(
        "The item that they were judging is free for others.",
        "The %(count)s items that they were judging are free for others.",
        count,
    )
    return [words % {"count": count}] if count else []


def _invitations(count: int) -> list[str]:
    words = ngettext(
        "%(count)s invitation that they sent has ended; invite that person again.",
        "%(count)s invitations that they sent have ended; invite these people again.",
        count,
    )
    return [words % {"count": count}] if count else []
