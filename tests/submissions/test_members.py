"""Whoever is in a project sends it nothing, and who was in it, or sends with such people, is flagged."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from projects.actions import remove_member
from projects.enums import Role
from releases.models import Release
from submissions.enums import FlagCode
from submissions.models import Participant, Submission
from submissions.selectors import SenderIsMember
from tests.factories import MembershipFactory, UserFactory
from tests.submissions.builders import NOW, answers, join, score, scored, send, texts_of

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Api = Callable[[User], APIClient]
Browser = Callable[[User], Client]


def participation_of(release: Release) -> str:
    return reverse("api:participation", args=[release.project.slug, release.version])


@pytest.mark.parametrize("role", Role)
def test_members_in_every_role_are_refused_with_the_way_out(
    release: Release, member: Member, api_of: Api, role: Role
) -> None:
    body = {"team": "Inside", "affiliation": "University", "terms_version": 1}
    answer = api_of(member(role)).post(participation_of(release), body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "sender_is_member")
    assert "as a run of the project" in answer.json()["detail"]
    assert not Participant.objects.exists()


def test_superusers_who_read_every_key_are_refused(release: Release) -> None:
    with pytest.raises(SenderIsMember):
        join(release.project, UserFactory(is_superuser=True))


def test_who_becomes_a_member_sends_nothing_more(
    release: Release, sender: Participant, api_of: Api
) -> None:
    MembershipFactory(project=release.project, user=sender.user, role=Role.VIEWER)
    with pytest.raises(SenderIsMember):
        send(release, sender, answers(release, 20))
    place = api_of(sender.user).get(participation_of(release)).json()["participation"]
    assert (place["team"], place["may_send"]) == ("Lhasa", False)
    assert not Submission.objects.exists()


def test_the_rest_of_a_team_with_a_member_is_flagged(release: Release, sender: Participant) -> None:
    waiting = send(release, sender, answers(release, 20))
    other = join(release.project, team="Lhasa 2")
    Participant.objects.filter(pk=other.pk).update(team=sender.team)
    MembershipFactory(project=release.project, user=other.user, role=Role.SENIOR)
    found = score(waiting)
    flag = found.flags.get()
    assert (flag.code, flag.params) == (FlagCode.MEMBERS, {"people": [other.user.email]})
    assert texts_of(found) == [
        f"In its team are people who are or were members of the project: {other.user.email}."
    ]


def test_who_was_a_member_earlier_is_flagged(release: Release) -> None:
    insider, manager = UserFactory(), UserFactory(is_superuser=True)
    membership = MembershipFactory(project=release.project, user=insider)
    remove_member(membership=membership, actor=manager, now=NOW)
    found = scored(release, join(release.project, insider), 20)
    assert found.flags.get().params == {"people": [insider.email]}


def test_a_team_of_outsiders_is_not_flagged(release: Release, sender: Participant) -> None:
    MembershipFactory(user=sender.user)  # in another project
    assert texts_of(scored(release, sender, 20)) == []


def test_the_page_tells_members_instead_of_asking_them_to_join(
    release: Release, member: Member, browser_of: Browser
) -> None:
    address = reverse("submissions:part", args=[release.project.slug, release.version])
    page = browser_of(member(Role.MANAGER)).get(address)
    assert "as a run of the project" in page.content.decode()
    assert "Accept and continue" not in page.content.decode()
