"""Every write to who works in a project."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.actions import (
    IssuedInvitation,
    change_profile,
    create_user,
    end_invitations,
    invite_user,
    queue_invitation,
    set_password,
)
from accounts.enums import AccountState
from accounts.held_work import give_back_held_work, give_back_work_ahead
from accounts.models import Invitation, User
from common.errors import DomainError, plain_text
from projects.actions.audit import record
from projects.actions.language_tags import language_tags
from projects.actions.offers import offer_in_invitation
from projects.enums import JUDGES, Role
from projects.locks import lock_project
from projects.models import LONGEST_MESSAGE, Membership, Project, Subject


class RoleUnknown(DomainError):
    code = "role_unknown"
    detail = _("“%(role)s” is not a role. Roles are manager, senior, reviewer and viewer.")
    status = 400


class SubjectForeign(DomainError):
    code = "subject_foreign"
    detail = _("One of the subjects does not belong to this project.")
    status = 400


class AlreadyMember(DomainError):
    code = "already_member"
    detail = _(
        "%(email)s is already a member of this project. Change their role in the list instead."
    )


class AlreadyInvited(AlreadyMember):
    code = "already_invited"
    detail = _(
        "%(email)s is already invited to this project. "
        "Choose “Invite again” in the list of members to send a new link."
    )


class MemberGone(DomainError):
    code = "member_gone"
    detail = _("This person is no longer a member of the project. Add them again first.")


class LastManager(DomainError):
    code = "last_manager"
    detail = _("A project needs at least one active manager. Make somebody else a manager first.")


class MessageTooLong(DomainError):
    code = "message_too_long"
    detail = _("The message is too long. Use at most %(most)s characters.")
    status = 400


@dataclass(frozen=True, slots=True)
class AddedMember:
    """A new membership; `issued` is the invitation of a person who cannot sign in yet."""

    membership: Membership
    issued: IssuedInvitation | None


@dataclass(frozen=True, slots=True)
class Removed:
    """What a removal freed: items held, and links of invitations that the person may have seen."""

    held_items: int = 0
    invitations: int = 0


@transaction.atomic
def add_member(
    *,
    project: Project,
    email: str,
    name: str,
    role: str,
    languages: Sequence[str],
    subjects: Collection[Subject],
    actor: User | None,
    now: datetime,
) -> AddedMember:
    """Take a person into the project by e-mail; who cannot sign in yet is invited.

    A worker sends the e-mail once the transaction is committed; the answer holds the link's
    secret only where `_shown_to` allows it. Raises RoleUnknown, LanguageInvalid,
    SubjectForeign, AlreadyMember, AlreadyInvited, PersonInvalid, AccountDeactivated.
    """
    check_expertise(project, role=role, languages=languages, subjects=subjects)
    _check_is_new(project, email.strip())
    offer = offer_in_invitation(project, role)
    issued = invite_user(email=email, name=name, actor=actor, now=now, offer=offer)
    user = issued.invitation.user if issued else User.objects.get_by_natural_key(email.strip())
    membership = _create_membership(
        project, user, role=role, languages=languages, subjects=subjects, actor=actor, now=now
    )
    if issued is None:
        return AddedMember(membership, None)
    queue_invitation(invitation=issued.invitation, project_name=project.name, now=now)
    return AddedMember(membership, _shown_to(actor, issued))


def _check_is_new(project: Project, email: str) -> None:
    known = project.memberships.select_related("user").filter(user__email__iexact=email).first()
    if known is None:
        return
    raise (AlreadyInvited if known.user.state == AccountState.INVITED else AlreadyMember)(
        email=email
    )


@transaction.atomic
def renew_invitation(
    *, membership: Membership, actor: User | None, now: datetime
) -> IssuedInvitation | None:
    """Invite a member who has not come in yet once more; None if they can sign in already.

    The answer holds the link's secret only where `_shown_to` allows it. Raises AccountDeactivated.
    """
    user, project = membership.user, membership.project
    offer = offer_in_invitation(project, membership.role)
    issued = invite_user(email=user.email, name=user.name, actor=actor, now=now, offer=offer)
    if issued is None:
        return None
    queue_invitation(invitation=issued.invitation, project_name=project.name, now=now)
    record(project, actor=actor, verb="member.invited_again", target=membership, now=now)
    return _shown_to(actor, issued)


@transaction.atomic
def grant_role(
    *, project: Project, user: User, role: str, actor: User | None, now: datetime
) -> Membership:
    """Make `user` a member in `role`; a member's role changes, the same role changes nothing.

    Raises RoleUnknown, LastManager.
    """
    membership: Membership | None = project.memberships.filter(user=user).first()
    if membership is None:
        return _create_membership(
            project, user, role=role, languages=[], subjects=[], actor=actor, now=now
        )
    if membership.role != role:
        change_member(
            membership=membership,
            role=role,
            languages=membership.languages,
            subjects=list(membership.subjects.all()),
            actor=actor,
            now=now,
        )
    return membership


@transaction.atomic
def enrol_person(
    *,
    email: str,
    name: str,
    password: str | None,
    roles: Sequence[tuple[Project, str]],
    actor: User | None,
    now: datetime,
    renames: bool = False,
) -> User:
    """Create the account `email`, or find it, and give it this password and these roles.

    An existing account keeps its name unless `renames`. Doing so again changes nothing, and
    roles in other projects stay. Raises PersonInvalid, PasswordWeak, RoleUnknown, LastManager.
    """
    user = User.objects.filter(email__iexact=email.strip()).first()
    if user is None:
        user = create_user(email=email, name=name, password=password, actor=actor, now=now)
    else:
        if renames and name.strip() != user.name:
            change_profile(user=user, name=name, actor=actor, now=now)
        if password is not None and not user.check_password(password):
            set_password(user=user, password=password, actor=actor, now=now)
    for project, role in roles:
        grant_role(project=project, user=user, role=role, actor=actor, now=now)
    return user


@transaction.atomic
def change_member(
    *,
    membership: Membership,
    role: str,
    languages: Sequence[str],
    subjects: Collection[Subject],
    actor: User | None,
    now: datetime,
) -> None:
    """Set a member's role, languages and subjects of expertise.

    Items that they hold go back to the queue where the new role does not judge.
    Raises RoleUnknown, LanguageInvalid, SubjectForeign, LastManager, MemberGone.
    """
    project = membership.project
    check_expertise(project, role=role, languages=languages, subjects=subjects)
    if role != Role.MANAGER:
        _check_other_manager(membership)
    before = _as_recorded(membership)
    membership.role, membership.languages = role, language_tags(languages)
    rows = Membership.objects.filter(pk=membership.pk)
    if not rows.update(role=role, languages=membership.languages):
        raise MemberGone
    membership.subjects.set(subjects)
    after = _as_recorded(membership)
    if role not in JUDGES:
        give_back_held_work(user=membership.user, scope=project.slug, now=now)
    if role != Role.MANAGER:
        _end_links_shown_to(membership.user, project, now)
    changes = {
        name: {"from": before[name], "to": after[name]}
        for name in after
        if before[name] != after[name]
    }
    if changes:
        record(
            project, actor=actor, verb="member.changed", target=membership, now=now, data=changes
        )


def _as_recorded(membership: Membership) -> dict[str, Any]:
    """What an audit event says of a member."""
    return {
        "role": membership.role,
        "languages": list(membership.languages),
        "subjects": sorted(membership.subjects.values_list("slug", flat=True)),
    }


@transaction.atomic
def pause_member(
    *, membership: Membership, actor: User | None, now: datetime, message: str = ""
) -> None:
    """Offer this member no more work, and tell them why. Raises LastManager, MessageTooLong.

    They keep the item that they work on until its reservation ends, so that nothing typed is
    lost; those reserved ahead go back to the queue. Doing so again changes nothing but the message.
    """
    message = plain_text(message)
    if len(message) > LONGEST_MESSAGE:
        raise MessageTooLong(most=LONGEST_MESSAGE)
    _check_other_manager(membership)
    rows = Membership.objects.filter(pk=membership.pk)
    if not rows.exclude(is_paused=True, pause_message=message).update(
        is_paused=True, pause_message=message
    ):
        return
    membership.is_paused, membership.pause_message = True, message
    freed = give_back_work_ahead(user=membership.user, scope=membership.project.slug, now=now)
    data = {"message": message, "given_back": freed}
    project = membership.project
    record(project, actor=actor, verb="member.paused", target=membership, now=now, data=data)


@transaction.atomic
def resume_member(*, membership: Membership, actor: User | None, now: datetime) -> None:
    """Offer this member work again; doing so again changes nothing."""
    rows = Membership.objects.filter(pk=membership.pk, is_paused=True)
    if rows.update(is_paused=False, pause_message=""):
        record(membership.project, actor=actor, verb="member.resumed", target=membership, now=now)
    membership.is_paused, membership.pause_message = False, ""


@transaction.atomic
def remove_member(*, membership: Membership, actor: User | None, now: datetime) -> Removed:
    """Take a member out of the project; doing so again changes nothing.

    In one transaction: the membership is deleted, items that they hold go back to the queue, links
    to a person who has no other project lead nowhere, and so do links that a manager who goes may
    have seen. What they did stays theirs, and what they were is in the audit event.
    Raises LastManager.
    """
    _check_other_manager(membership)
    project, user = membership.project, membership.user
    was = {
        "person": user.pk,
        "email": user.email,
        "role": membership.role,
        "languages": membership.languages,
        "subjects": sorted(subject.slug for subject in membership.subjects.all()),
    }
    if not Membership.objects.filter(pk=membership.pk).delete()[0]:
        return Removed()
    if not user.memberships.exists():
        end_invitations(invitations=user.invitations.all(), now=now)
    removed = Removed(
        held_items=give_back_held_work(user=user, scope=project.slug, now=now),
        invitations=_end_links_shown_to(user, project, now),
    )
    data = was | asdict(removed)
    record(project, actor=actor, verb="member.removed", target=membership, now=now, data=data)
    return removed


def _create_membership(
    project: Project,
    user: User,
    *,
    role: str,
    languages: Sequence[str],
    subjects: Collection[Subject],
    actor: User | None,
    now: datetime,
) -> Membership:
    check_expertise(project, role=role, languages=languages, subjects=subjects)
    try:
        with transaction.atomic():
            membership = Membership.objects.create(
                project=project,
                user=user,
                role=role,
                languages=language_tags(languages),
                created_at=now,
            )
    except IntegrityError as error:
        raise AlreadyMember(email=user.email) from error
    membership.subjects.set(subjects)
    _end_links_of_others(project, user, now)
    data = {"role": role}
    record(project, actor=actor, verb="member.added", target=membership, now=now, data=data)
    return membership


def _shown_to(actor: User | None, issued: IssuedInvitation) -> IssuedInvitation:
    """Keep the secret for one who manages all that the link opens; for others, the mail alone has it.

    A command, which has no actor, may see all.
    """
    user = issued.invitation.user
    if actor is None or actor.is_superuser:
        return issued
    foreign = user.memberships.exclude(project__in=_managed_by(actor))
    if not (user.is_staff or user.is_superuser or foreign.exists()):
        return issued
    return replace(issued, secret="")


def _managed_by(user: User) -> QuerySet[Membership, dict[str, Any]]:
    return Membership.objects.filter(user=user).in_role(Role.MANAGER).values("project")


def _end_links_of_others(project: Project, user: User, now: datetime) -> None:
    """A link that was shown to one who does not manage `project` must not lead into it."""
    managers = project.memberships.filter(role=Role.MANAGER).values("user")
    shown = Invitation.objects.filter(user=user, invited_by__is_superuser=False)
    end_invitations(invitations=shown.exclude(invited_by__in=managers), now=now)


def _end_links_shown_to(user: User, project: Project, now: datetime) -> int:
    """One who manages `project` no more must not enter it as somebody whom they invited."""
    if user.is_superuser:
        return 0
    members = project.memberships.values("user")
    shown = Invitation.objects.filter(invited_by=user, user__in=members)
    return end_invitations(invitations=shown, now=now)


def _check_other_manager(membership: Membership) -> None:
    """Raise LastManager if nobody else manages; the lock keeps two managers from leaving at once."""
    lock_project(membership.project_id)
    working = Membership.objects.filter(project=membership.project_id).working()
    managers = set(working.in_role(Role.MANAGER).values_list("pk", flat=True))
    if managers == {membership.pk}:
        raise LastManager


def check_expertise(
    project: Project, *, role: str, languages: Sequence[str], subjects: Collection[Subject]
) -> None:
    """Raise RoleUnknown, LanguageInvalid or SubjectForeign."""
    if role not in Role.values:
        raise RoleUnknown(role=role)
    language_tags(languages)
    if any(subject.project_id != project.pk for subject in subjects):
        raise SubjectForeign
