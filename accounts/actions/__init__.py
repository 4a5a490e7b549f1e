"""Every write to people, their ways in and the record of what was done, by topic."""

from accounts.actions.administration import (
    Ended,
    LastAdministrator,
    OwnAccount,
    deactivate_account,
    make_administrator,
    reactivate_account,
    remove_administrator,
)
from accounts.actions.audit import record_event, record_events
from accounts.actions.emails import queue_digest, queue_invitation, queue_password_reset
from accounts.actions.invitations import (
    AccountDeactivated,
    InvitationInvalid,
    IssuedInvitation,
    accept_invitation,
    end_invitations,
    invite_user,
)
from accounts.actions.notices import DigestUnknown, choose_digest, set_unread_counts
from accounts.actions.people import (
    EmailTaken,
    LanguageUnknown,
    PasswordWeak,
    PersonInvalid,
    change_profile,
    choose_language,
    create_user,
    mark_news_seen,
    mark_simulated,
    set_password,
)
from accounts.actions.sign_ins import record_sign_in
from accounts.actions.tokens import IssuedToken, TokenNameInvalid, create_token, revoke_token

__all__ = [
    "AccountDeactivated",
    "DigestUnknown",
    "EmailTaken",
    "Ended",
    "InvitationInvalid",
    "IssuedInvitation",
    "IssuedToken",
    "LanguageUnknown",
    "LastAdministrator",
    "OwnAccount",
    "PasswordWeak",
    "PersonInvalid",
    "TokenNameInvalid",
    "accept_invitation",
    "change_profile",
    "choose_digest",
    "choose_language",
    "create_token",
    "create_user",
    "deactivate_account",
    "end_invitations",
    "invite_user",
    "make_administrator",
    "mark_news_seen",
    "mark_simulated",
    "queue_digest",
    "queue_invitation",
    "queue_password_reset",
    "reactivate_account",
    "record_event",
    "record_events",
    "record_sign_in",
    "remove_administrator",
    "revoke_token",
    "set_password",
    "set_unread_counts",
]
