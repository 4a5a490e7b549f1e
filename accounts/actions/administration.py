"""Every write of administrators to other people's accounts."""

from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext_lazy as _

from accounts.actions.audit import record_event
from accounts.actions.invitations import AccountDeactivated, end_invitations
from accounts.actions.tokens import revoke_tokens_of
from accounts.held_work import give_back_held_work
from accounts.models import Invitation, User
from common.errors import DomainError


class OwnAccount(DomainError):
    code = "own_account"
    detail = _("You cannot do this to your own account. Ask another administrator.")


class LastAdministrator(DomainError):
    code = "last_administrator"
    detail = _("This is the only administrator. Make somebody else an administrator first.")


@dataclass(frozen=True, slots=True)
class Ended:
    """What ended with a deactivation.

    API tokens revoked, items given back to others, and links of invitations to others that the
    person may have seen.
    """

    tokens: int = 0
    held_items: int = 0
    invitations: int = 0


@transaction.atomic
def deactivate_account(*, user: User, actor: User | None, now: datetime) -> Ended:
    """Let `user` in no more; doing so again changes nothing.

    In one transaction: their sessions end, API tokens are revoked, links of invitations to them
    and by them lead nowhere and items that they hold go back to the queue. Their work, roles and
    password stay.
    Raises OwnAccount, LastAdministrator.
    """
    _refuse_own(user, actor)
    _check_other_administrator(user)
    rows = User.objects.filter(pk=user.pk, is_active=True)
    if not rows.update(is_active=False, session_generation=F("session_generation") + 1):
        return Ended()
    end_invitations(invitations=user.invitations.all(), now=now)
    ended = Ended(
        tokens=revoke_tokens_of(user=user, now=now),
        held_items=give_back_held_work(user=user, scope="", now=now),
        invitations=end_invitations(
            invitations=Invitation.objects.filter(invited_by=user), now=now
        ),
    )
    user.is_active = False
    data = {"email": user.email, **asdict(ended)}
    record_event(actor=actor, verb="user.deactivated", target=f"user:{user.pk}", now=now, data=data)
    return ended


@transaction.atomic
def reactivate_account(*, user: User, actor: User | None, now: datetime) -> None:
    """Let `user` in again with the roles and password that they had; doing so again changes nothing.

    Sessions, API tokens and links of invitations that ended stay ended.
    """
    if not User.objects.filter(pk=user.pk, is_active=False).update(is_active=True):
        return
    user.is_active = True
    data = {"email": user.email}
    record_event(actor=actor, verb="user.reactivated", target=f"user:{user.pk}", now=now, data=data)


@transaction.atomic
def make_administrator(*, user: User, actor: User | None, now: datetime) -> None:
    """Give `user` every right on this server; doing so again changes nothing.

    Raises AccountDeactivated.
    """
    if not user.is_active:
        raise AccountDeactivated(email=user.email)
    _set_administrator(user, "user.administrator_made", to=True, actor=actor, now=now)


@transaction.atomic
def remove_administrator(*, user: User, actor: User | None, now: datetime) -> None:
    """Take the rights of an administrator from `user`, who keeps their roles in projects.

    Doing so again changes nothing. Raises OwnAccount, LastAdministrator.
    """
    _refuse_own(user, actor)
    _check_other_administrator(user)
    _set_administrator(user, "user.administrator_removed", to=False, actor=actor, now=now)


def _set_administrator(
    user: User, verb: str, *, to: bool, actor: User | None, now: datetime
) -> None:
    if User.objects.filter(pk=user.pk).exclude(is_superuser=to).update(is_superuser=to):
        data = {"email": user.email}
        record_event(actor=actor, verb=verb, target=f"user:{user.pk}", now=now, data=data)
    user.is_superuser = to


def _refuse_own(user: User, actor: User | None) -> None:
    if actor is not None and actor.pk == user.pk:
        raise OwnAccount


def _check_other_administrator(user: User) -> None:
    """Raise LastAdministrator if nobody else is one; the lock keeps two from removing each other."""
    rows = User.objects.filter(is_superuser=True, is_active=True).order_by("pk")
    if list(rows.select_for_update(no_key=True).values_list("pk", flat=True)) == [user.pk]:
        raise LastAdministrator
