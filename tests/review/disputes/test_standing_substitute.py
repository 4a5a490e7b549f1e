"""One person is named when a round opens, and settles what no senior may settle in it."""

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from accounts.models import User
from projects.enums import Role
from projects.models import Membership, Project
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.disputes.queries import disputes_for
from review.disputes.substitution import blocked_disputes
from review.models import Judgement, Panel, Round
from review.rounds.actions.running import RoundChanges, change_round
from review.rounds.actions.settings import RoundInvalid
from review.seats.waiting import can_take_item, disputes_waiting
from tests.factories import UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
Member = Callable[..., User]
Browser = Callable[[User], Client]


def disagree(judge: Callable[..., Judgement], round_: Round, *people: User) -> None:
    for person, verdict in zip(people, ("approve", "reject"), strict=True):
        judge(round_, person, verdict=verdict)


def test_standing_substitute_settles_what_no_senior_may_and_nothing_else(
    opened: Callable[..., Round], member: Member, judge: Callable[..., Judgement], project: Project
) -> None:
    senior, one, other = member(Role.SENIOR), member(Role.REVIEWER), member(Role.REVIEWER)
    named = member(Role.REVIEWER)
    round_ = opened(2, substitute=named.pk)
    disagree(judge, round_, one, senior)
    blocked = Panel.objects.get(state="disputed")
    disagree(judge, round_, one, other)
    free = Panel.objects.exclude(pk=blocked.pk).get()

    assert not blocked_disputes(project).exists()
    assert list(disputes_for(project, named)) == [blocked]
    assert [each.count for each in disputes_waiting(named, [project]).values()] == [1]
    assert named.has_perm("review.adjudicate_panel", blocked)
    assert not named.has_perm("review.adjudicate_panel", free)
    assert not other.has_perm("review.adjudicate_panel", blocked)
    assert list(disputes_for(project, senior)) == [free]

    said = Judgement.objects.get(panel=blocked, reviewer=one)
    adjudicate_panel(
        panel=blocked,
        senior=named,
        content=DecisionContent(kind="adopt", judgement=said),
        now=timezone.now(),
    )
    assert Panel.objects.get(pk=blocked.pk).state == "settled"


def test_standing_substitute_gets_no_seat_and_no_dispute_once_a_senior_can_settle(
    opened: Callable[..., Round], member: Member, judge: Callable[..., Judgement], project: Project
) -> None:
    senior, one, named = member(Role.SENIOR), member(Role.REVIEWER), member(Role.REVIEWER)
    round_ = opened(2, substitute=named.pk)
    assert not can_take_item(named, round_, now=timezone.now())
    disagree(judge, round_, one, senior)
    member(Role.SENIOR)
    assert list(disputes_for(project, named)) == []
    assert not named.has_perm("review.adjudicate_panel", Panel.objects.get(state="disputed"))


def test_standing_substitute_who_is_paused_leaves_the_dispute_to_be_named_for(
    opened: Callable[..., Round], member: Member, judge: Callable[..., Judgement], project: Project
) -> None:
    senior, one, named = member(Role.SENIOR), member(Role.REVIEWER), member(Role.REVIEWER)
    round_ = opened(1, substitute=named.pk)
    disagree(judge, round_, one, senior)
    Membership.objects.filter(user=named).update(is_paused=True)
    assert blocked_disputes(project).count() == 1


def test_substitute_who_is_no_member_or_a_viewer_is_refused(
    opened: Callable[..., Round], member: Member
) -> None:
    for person in (UserFactory(), member(Role.VIEWER)):
        with pytest.raises(RoundInvalid) as refused:
            opened(0, substitute=person.pk)
        assert list(refused.value.fields) == ["substitute"]


def test_open_round_is_given_another_substitute(
    opened: Callable[..., Round], member: Member
) -> None:
    named, manager = member(Role.REVIEWER), member(Role.MANAGER)
    round_ = opened(1)
    changed = change_round(
        round_=round_, changes=RoundChanges(substitute=named.pk), actor=manager, now=timezone.now()
    )
    assert changed.substitute == named
    assert changed.audience["excluded"] == [named.pk]


def test_page_api_and_command_name_the_substitute_and_the_warning_goes(
    opened: Callable[..., Round], member: Member, browser_of: Browser, project: Project
) -> None:
    senior, named, manager = member(Role.SENIOR), member(Role.REVIEWER), member(Role.MANAGER)
    round_ = opened(2, substitute=named.pk)
    browser = browser_of(manager)
    page = browser.get(f"/projects/ti/rounds/{round_.number}/").content.decode()
    assert "Substitute for the seniors" in page
    told = browser.get(f"/api/v1/rounds/{round_.pk}/").json()
    assert told["substitute"] == named.pk
    assert browser_of(named).get(f"/api/v1/rounds/{round_.pk}/").json()["substitute"] is None
    api = "/api/v1/projects/ti/rounds/preview/"
    for substitute, is_warned in ((None, True), (named.pk, False)):
        said = {"selection": "all", "substitute": substitute}
        found = browser.post(api, said, content_type="application/json").json()
        assert (senior.name in found["no_senior"]) == is_warned, substitute
    browser.post(f"/projects/ti/rounds/{round_.number}/discard/")
    call_command("open_round", "ti", "--select", "all", "--substitute", named.email)
    assert Round.objects.latest("pk").substitute == named
