"""What reviewers hold is free for others as soon as they may no longer judge."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.actions import deactivate_account
from accounts.models import User
from projects.actions import change_member, remove_member
from projects.enums import Role
from projects.models import Membership
from releases.building.provenance import ProvenanceReader
from releases.building.queries import chosen_texts
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.enums import SeatState
from review.models import Assignment, Judgement, Panel, Round
from review.seats.actions.seats import claim_seat, renew_seat
from review.seats.refusals import NotMember
from tests.factories import MembershipFactory, RoundFactory, make_translated_item

pytestmark = pytest.mark.django_db

Open = Callable[..., Round]
People = Callable[[int], list[User]]


def claim(round_: Round, user: User) -> Assignment:
    seat = claim_seat(round_=round_, reviewer=user, now=timezone.now())
    assert seat is not None
    return seat


def leave(user: User) -> int:
    place = Membership.objects.get(user=user)
    return remove_member(membership=place, actor=None, now=timezone.now()).held_items


def be_deactivated(user: User) -> int:
    return deactivate_account(user=user, actor=None, now=timezone.now()).held_items


def become_viewer(user: User) -> int:
    place = Membership.objects.get(user=user)
    change_member(
        membership=place,
        role=Role.VIEWER,
        languages=[],
        subjects=[],
        actor=None,
        now=timezone.now(),
    )
    return 1


@pytest.fixture(autouse=True)
def manager(member: Callable[..., User]) -> User:
    return member(Role.MANAGER)


@pytest.mark.parametrize("go", [leave, be_deactivated, become_viewer])
def test_held_seat_is_free_for_others_at_once(
    opened: Open, reviewers: People, go: Callable[[User], int]
) -> None:
    round_ = opened(1, panel_size=1)
    first, second = reviewers(2)
    seat = claim(round_, first)
    assert claim_seat(round_=round_, reviewer=second, now=timezone.now()) is None

    assert go(first) == 1

    assert claim(round_, second).pk == seat.pk


def test_change_between_roles_that_judge_keeps_the_seat(opened: Open, reviewers: People) -> None:
    (user,) = reviewers(1)
    seat = claim(opened(1), user)
    place = Membership.objects.get(user=user)
    change_member(
        membership=place,
        role=Role.SENIOR,
        languages=[],
        subjects=[],
        actor=None,
        now=timezone.now(),
    )
    assert Assignment.objects.get(pk=seat.pk).state == SeatState.CLAIMED


def test_seat_in_another_project_stays_with_a_removed_member(
    opened: Open, reviewers: People
) -> None:
    (user,) = reviewers(1)
    here = claim(opened(1), user)
    other = MembershipFactory(user=user).project
    elsewhere, item = RoundFactory(project=other), make_translated_item(project=other)
    panel = Panel.objects.create(
        round=elsewhere,
        item=item,
        revision=item.working_translation.current_revision,
        subject=item.subject,
        position=0,
    )
    Assignment.objects.create(panel=panel, round=elsewhere, position=0, seat=1)
    there = claim(elsewhere, user)

    place = Membership.objects.get(user=user, project=here.round.project)
    remove_member(membership=place, actor=None, now=timezone.now())

    states = dict(Assignment.objects.filter(seat=1).values_list("pk", "state"))
    assert (states[here.pk], states[there.pk]) == (SeatState.OPEN, SeatState.CLAIMED)


def test_work_of_a_removed_member_stays(
    opened: Open, reviewers: People, judge: Callable[..., Judgement]
) -> None:
    round_ = opened(2)
    (user,) = reviewers(1)
    done = judge(round_, user)

    leave(user)

    assert Judgement.objects.get() == done
    assert Assignment.objects.get(judgements=done).reviewer == user


def test_removed_member_can_neither_judge_nor_renew_what_they_held(
    opened: Open, reviewers: People, browser_of: Callable[[User], Client], api_of: Any
) -> None:
    (user,) = reviewers(1)
    seat = claim(opened(1), user)
    browser, api = browser_of(user), api_of(user)
    leave(user)

    sent = api.post(
        f"/api/v1/assignments/{seat.pk}/judgement/", {}, headers={"Idempotency-Key": "k"}
    )
    posted = browser.post("/projects/ti/rounds/1/submit/", {"assignment": seat.pk})

    assert (sent.status_code, posted.status_code) == (404, 404)
    with pytest.raises(NotMember):
        renew_seat(assignment=seat, reviewer=user, now=timezone.now())
    assert not Judgement.objects.exists()


@pytest.mark.parametrize("path", ["", "rounds/", "rounds/1/", "rounds/1/workbench/", "items/"])
def test_removed_reviewer_finds_no_page_of_the_project(
    opened: Open, reviewers: People, browser_of: Callable[[User], Client], path: str
) -> None:
    opened(1)
    (user,) = reviewers(1)
    browser = browser_of(user)
    assert browser.get(f"/projects/ti/{path}").status_code == 200
    leave(user)
    assert browser.get(f"/projects/ti/{path}").status_code == 404


def test_ledger_names_the_role_of_a_senior_who_has_left(
    disputed: Callable[..., Panel], member: Callable[..., User]
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    decision = DecisionContent(kind="approve", reason="as it stands")
    adjudicate_panel(panel=panel, senior=senior, content=decision, now=timezone.now())
    before = provenance_of(panel)
    assert '"role":"senior"' in before.replace(" ", "")

    leave(senior)

    assert provenance_of(panel) == before


def provenance_of(panel: Panel) -> str:
    project = panel.round.project
    return ProvenanceReader(project, secret="s", version="1.0.0").provenance(
        chosen_texts(project)[0], is_hidden=False
    )
