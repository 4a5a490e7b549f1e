"""Two managers at once on one member, and on one person who is invited."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from projects.actions import (
    AlreadyMember,
    MemberGone,
    add_member,
    change_member,
    remove_member,
)
from projects.enums import Role
from projects.models import Membership, Project
from tests.races import interleave

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


@pytest.mark.postgres
def test_role_of_a_member_who_is_just_removed_is_refused_in_words(
    project: Project, member: Callable[..., User]
) -> None:
    member(Role.MANAGER)
    membership = Membership.objects.get(user=member())

    removed, changed = interleave(
        lambda: remove_member(membership=membership, actor=None, now=timezone.now()),
        lambda: change_member(
            membership=Membership.objects.get(pk=membership.pk),
            role=Role.SENIOR,
            languages=[],
            subjects=[],
            actor=None,
            now=timezone.now(),
        ),
        behind="SELECT",
    )

    assert removed is None
    assert changed is None or isinstance(changed, MemberGone)
    assert not Membership.objects.filter(pk=membership.pk).exists()


def test_change_after_a_removal_is_refused_in_words(
    project: Project, member: Callable[..., User]
) -> None:
    """As the removal comes between the page that shows the member and what is sent from it."""
    member(Role.MANAGER)
    membership = Membership.objects.get(user=member())
    seen = Membership.objects.get(pk=membership.pk)
    remove_member(membership=membership, actor=None, now=timezone.now())

    with pytest.raises(MemberGone):
        change_member(
            membership=seen,
            role=Role.SENIOR,
            languages=[],
            subjects=[],
            actor=None,
            now=timezone.now(),
        )


@pytest.mark.postgres
def test_person_who_is_invited_twice_at_once_is_a_member_already(project: Project) -> None:
    def invite() -> Any:
        return add_member(
            project=project,
            email="new@example.org",
            name="",
            role=Role.REVIEWER,
            languages=[],
            subjects=[],
            actor=None,
            now=timezone.now(),
        )

    first, second = interleave(invite, invite, behind='INSERT INTO "accounts_user"')

    assert first is None
    assert isinstance(second, AlreadyMember)
    assert Membership.objects.count() == User.objects.count() == 1
