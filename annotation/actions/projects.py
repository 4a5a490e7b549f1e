"""Every write to projects and to who works in them."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.actions import (
    IssuedInvitation,
    change_profile,
    create_user,
    end_invitations,
    invite_user,
    record_event,
    set_password,
)
from accounts.mail import send_invitation
from accounts.models import Invitation, User
from annotation.enums import Role
from annotation.languages.tags import canonical_tag
from annotation.models import Membership, Project, Subject
from common.errors import DomainError

LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


class SlugTaken(DomainError):
    code = "slug_taken"
    detail = _("There is already a project with this short name.")


class ProjectInvalid(DomainError):
    code = "project_invalid"
    detail = _("A project cannot be like this.")
    status = 400


class LanguageInvalid(DomainError):
    code = "language_invalid"
    detail = _("“%(language)s” is not a language code. Write one like bo, zh or zh-Hant.")
    status = 400


class LanguagesEqual(DomainError):
    code = "languages_equal"
    detail = _("Source and target language must differ.")
    status = 400


class RoleUnknown(DomainError):
    code = "role_unknown"
    detail = _("“%(role)s” is no role. Roles are manager, senior, reviewer and viewer.")
    status = 400


class SubjectForeign(DomainError):
    code = "subject_foreign"
    detail = _("A subject is not one of this project.")
    status = 400


class AlreadyMember(DomainError):
    code = "already_member"
    detail = _("%(email)s already works in this project. Change the role in the list instead.")


class LastManager(DomainError):
    code = "last_manager"
    detail = _("A project needs a manager who works. Make somebody else manager first.")


@dataclass(frozen=True, slots=True)
class AddedMember:
    """A new membership; `issued` is the invitation of a person who cannot sign in yet."""

    membership: Membership
    issued: IssuedInvitation | None


@transaction.atomic
def create_project(
    *,
    slug: str,
    name: str,
    source_language: str,
    target_language: str,
    manager: User | None,
    actor: User | None,
    now: datetime,
    description: str = "",
) -> Project:
    """Open a project, with `manager` as its first member where there is one.

    Raises ProjectInvalid, LanguageInvalid, LanguagesEqual, SlugTaken.
    """
    source_language, target_language = map(_language_tag, (source_language, target_language))
    if source_language == target_language:
        raise LanguagesEqual
    project = Project(
        slug=slug,
        name=name.strip(),
        description=description.strip(),
        source_language=source_language,
        target_language=target_language,
        created_by=actor,
        created_at=now,
    )
    _check_fields(project)
    try:
        with transaction.atomic():
            project.save()
    except IntegrityError as error:
        raise SlugTaken from error
    _record(project, actor=actor, verb="project.created", target=project, now=now)
    if manager is not None:
        grant_role(project=project, user=manager, role=Role.MANAGER, actor=actor, now=now)
    return project


@transaction.atomic
def change_project(
    *, project: Project, name: str, description: str, actor: User | None, now: datetime
) -> None:
    """Raises ProjectInvalid."""
    project.name, project.description = name.strip(), description.strip()
    _check_fields(project)
    project.save(update_fields=["name", "description"])
    _record(project, actor=actor, verb="project.changed", target=project, now=now)


@transaction.atomic
def add_member(
    *,
    project: Project,
    email: str,
    name: str,
    role: str,
    languages: Sequence[str],
    subjects: Collection[Subject],
    actor: User,
    now: datetime,
) -> AddedMember:
    """Take a person into the project by e-mail; who cannot sign in yet is invited.

    The letter goes out when the transaction has been committed; the answer holds the link's
    secret only where `_shown_to` allows it. Raises RoleUnknown, LanguageInvalid,
    SubjectForeign, AlreadyMember, PersonInvalid.
    """
    _check_expertise(project, role=role, languages=languages, subjects=subjects)
    if project.memberships.filter(user__email__iexact=email.strip()).exists():
        raise AlreadyMember(email=email.strip())
    issued = invite_user(email=email, name=name, actor=actor, now=now)
    user = issued.invitation.user if issued else User.objects.get_by_natural_key(email.strip())
    membership = _create_membership(
        project, user, role=role, languages=languages, subjects=subjects, actor=actor, now=now
    )
    if issued is None:
        return AddedMember(membership, None)
    project_name = project.name
    transaction.on_commit(lambda: _send(issued, project_name))
    return AddedMember(membership, _shown_to(actor, issued))


@transaction.atomic
def renew_invitation(
    *, membership: Membership, actor: User, now: datetime
) -> IssuedInvitation | None:
    """Invite a member who has not come in yet once more; None if they can sign in already.

    The answer holds the link's secret only where `_shown_to` allows it.
    """
    user, project = membership.user, membership.project
    issued = invite_user(email=user.email, name=user.name, actor=actor, now=now)
    if issued is None:
        return None
    project_name = project.name
    transaction.on_commit(lambda: _send(issued, project_name))
    _record(project, actor=actor, verb="member.invited_again", target=membership, now=now)
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
) -> User:
    """Make the account `email` be there with this name, password and roles.

    Doing so again changes nothing; what differs is brought into line, and roles in other
    projects stay. Raises PersonInvalid, PasswordWeak, RoleUnknown, LastManager.
    """
    user = User.objects.filter(email__iexact=email.strip()).first()
    if user is None:
        user = create_user(email=email, name=name, password=password, actor=actor, now=now)
    else:
        if name.strip() != user.name:
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

    Raises RoleUnknown, LanguageInvalid, SubjectForeign, LastManager.
    """
    project = membership.project
    _check_expertise(project, role=role, languages=languages, subjects=subjects)
    if role != Role.MANAGER:
        _check_other_manager(membership)
    before = membership.role
    membership.role, membership.languages = role, _language_tags(languages)
    membership.save(update_fields=["role", "languages"])
    membership.subjects.set(subjects)
    data = {"from": before, "to": role}
    _record(project, actor=actor, verb="member.changed", target=membership, now=now, data=data)


@transaction.atomic
def pause_member(*, membership: Membership, actor: User | None, now: datetime) -> None:
    """Offer this member no more work; doing so again changes nothing. Raises LastManager."""
    _check_other_manager(membership)
    _set_paused(membership, "member.paused", to=True, actor=actor, now=now)


@transaction.atomic
def resume_member(*, membership: Membership, actor: User | None, now: datetime) -> None:
    """Offer this member work again; doing so again changes nothing."""
    _set_paused(membership, "member.resumed", to=False, actor=actor, now=now)


def _set_paused(
    membership: Membership, verb: str, *, to: bool, actor: User | None, now: datetime
) -> None:
    rows = Membership.objects.filter(pk=membership.pk).exclude(is_paused=to)
    if rows.update(is_paused=to):
        _record(membership.project, actor=actor, verb=verb, target=membership, now=now)
    membership.is_paused = to


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
    _check_expertise(project, role=role, languages=languages, subjects=subjects)
    try:
        with transaction.atomic():
            membership = Membership.objects.create(
                project=project,
                user=user,
                role=role,
                languages=_language_tags(languages),
                created_at=now,
            )
    except IntegrityError as error:
        raise AlreadyMember(email=user.email) from error
    membership.subjects.set(subjects)
    _end_links_of_others(project, user, now)
    data = {"role": role}
    _record(project, actor=actor, verb="member.added", target=membership, now=now, data=data)
    return membership


def _shown_to(actor: User, issued: IssuedInvitation) -> IssuedInvitation:
    """Keep the secret for one who manages all that the link opens; for others, the mail alone has it."""
    user = issued.invitation.user
    foreign = user.memberships.exclude(project__in=_managed_by(actor))
    if actor.is_superuser or not (user.is_staff or user.is_superuser or foreign.exists()):
        return issued
    return replace(issued, secret="")


def _managed_by(user: User) -> QuerySet[Membership, dict[str, Any]]:
    return Membership.objects.filter(user=user).in_role(Role.MANAGER).values("project")


def _end_links_of_others(project: Project, user: User, now: datetime) -> None:
    """A link that was shown to one who does not manage `project` must not lead into it."""
    managers = project.memberships.filter(role=Role.MANAGER).values("user")
    shown = Invitation.objects.filter(user=user).exclude(invited_by__is_superuser=True)
    end_invitations(invitations=shown.exclude(invited_by__in=managers), now=now)


def _check_other_manager(membership: Membership) -> None:
    """Raise LastManager if nobody else manages; the lock keeps two managers from leaving at once."""
    Project.objects.select_for_update().get(pk=membership.project_id)
    working = Membership.objects.filter(project=membership.project_id).working()
    managers = set(working.in_role(Role.MANAGER).values_list("pk", flat=True))
    if managers == {membership.pk}:
        raise LastManager


def _check_expertise(
    project: Project, *, role: str, languages: Sequence[str], subjects: Collection[Subject]
) -> None:
    if role not in Role.values:
        raise RoleUnknown(role=role)
    _language_tags(languages)
    if any(subject.project_id != project.pk for subject in subjects):
        raise SubjectForeign


def _language_tags(languages: Sequence[str]) -> list[str]:
    """Each language once, in the usual form of its tag; raises LanguageInvalid."""
    return list(dict.fromkeys(map(_language_tag, languages)))


def _language_tag(language: str) -> str:
    if len(language) > 20 or not LANGUAGE_TAG.fullmatch(language):
        raise LanguageInvalid(language=language)
    return canonical_tag(language)


def _check_fields(project: Project) -> None:
    try:
        project.clean_fields(exclude=["created_by"])
    except ValidationError as error:
        raise ProjectInvalid(fields=error.message_dict) from error
    if "\0" in project.name + project.description:
        raise ProjectInvalid


def _send(issued: IssuedInvitation, project_name: str) -> None:
    send_invitation(issued=issued, project_name=project_name)


def _record(
    project: Project,
    *,
    actor: User | None,
    verb: str,
    target: Project | Membership,
    now: datetime,
    data: dict[str, Any] | None = None,
) -> None:
    kind = "project" if isinstance(target, Project) else "membership"
    record_event(
        actor=actor,
        verb=verb,
        target=f"{kind}:{target.pk}",
        now=now,
        scope=project.slug,
        data=data,
    )
