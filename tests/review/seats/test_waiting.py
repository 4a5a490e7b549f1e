"""Who may take what is left: the same answer as a claim gives."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from annotation.items.actions import exclude_item
from annotation.models import Item, Revision
from common.errors import DomainError
from projects.enums import Role
from projects.models import Membership
from review.audience import Audience
from review.enums import SkipReason
from review.models import Assignment, Judgement, Panel, Round
from review.outcomes import Correction
from review.rounds.actions.rounds import close_round
from review.seats.actions.seats import claim_seat, skip_seat
from review.seats.waiting import (
    RoundForPerson,
    disputes_waiting,
    people_for_what_is_left,
    rounds_for,
)
from tests.factories import SubjectFactory, make_translated_item
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]
Member = Callable[..., User]
NEW = Correction("འདྲི་བ་གསར་པ།", OPTIONS)


def place_of(user: User, round_: Round) -> RoundForPerson | None:
    return rounds_for(user, [round_.project], now=timezone.now()).get(round_.project_id)


def can_take(user: User, round_: Round) -> bool:
    place = place_of(user, round_)
    return place is not None and place.can_take


def claims(user: User, round_: Round) -> bool:
    """Whether a claim gives a seat; it gives back what it took."""
    try:
        seat = claim_seat(round_=round_, reviewer=user, now=timezone.now())
    except DomainError:
        return False
    if seat is None:
        return False
    Assignment.objects.filter(pk=seat.pk).update(
        state="open", reviewer=None, claimed_at=None, expires_at=None
    )
    return True


def settle_nothing(_round: Round, _user: User) -> None:
    """The person has everything before them."""


def judge_it(round_: Round, user: User) -> None:
    seat = claim_seat(round_=round_, reviewer=user, now=timezone.now())
    assert seat is not None
    Assignment.objects.filter(pk=seat.pk).update(state="judged", expires_at=None)


def skip_it(round_: Round, user: User) -> None:
    seat = claim_seat(round_=round_, reviewer=user, now=timezone.now())
    assert seat is not None
    reason = SkipReason.OTHER
    skip_seat(assignment=seat, reviewer=user, reason=reason, note="", now=timezone.now())


def exclude_it(round_: Round, _user: User) -> None:
    item = Item.objects.get()
    exclude_item(item=item, reason="bad", actor=None, now=timezone.now())


def write_it(_round: Round, user: User) -> None:
    Revision.objects.update(author=user)


def pause(_round: Round, user: User) -> None:
    user.memberships.update(is_paused=True)


def unlearn(_round: Round, user: User) -> None:
    user.memberships.update(languages=["zh"])


def learn(_round: Round, user: User) -> None:
    user.memberships.update(languages=["zh", "bo-Tibt"])


def other_subject(round_: Round, user: User) -> None:
    user.memberships.get().subjects.add(SubjectFactory(project=round_.project))


def own_subject(_round: Round, user: User) -> None:
    user.memberships.get().subjects.add(Item.objects.get().subject)


def held_by_others(round_: Round, _user: User) -> None:
    for membership in Membership.objects.exclude(user=_user):
        claim_seat(round_=round_, reviewer=membership.user, now=timezone.now())


def ran_out(round_: Round, user: User) -> None:
    held_by_others(round_, user)
    Assignment.objects.filter(state="claimed").update(
        expires_at=timezone.now() - timedelta(minutes=1)
    )


def cap_reached(round_: Round, user: User) -> None:
    Round.objects.update(cap_per_person=1)
    round_.cap_per_person = 1
    item = make_other(round_)
    other = Panel.objects.create(
        round=round_,
        item=item,
        revision=Revision.objects.latest("pk"),
        subject=item.subject,
        position=9,
    )
    Assignment.objects.create(
        panel=other, round=round_, position=9, seat=1, reviewer=user, state="judged"
    )


def pause_the_round(round_: Round, _user: User) -> None:
    change_round(round_, paused_at=timezone.now())


def ask_others(round_: Round, user: User) -> None:
    change_round(round_, audience=Audience(excluded=(user.pk,)).as_json())


def keep_the_last_seat_for_experts(round_: Round, _user: User) -> None:
    change_round(round_, audience=Audience(needs_expert=True).as_json())
    Assignment.objects.filter(seat__gt=1).delete()


def keep_one_of_two_seats_for_experts(round_: Round, _user: User) -> None:
    change_round(round_, audience=Audience(needs_expert=True).as_json())


def change_round(round_: Round, **fields: Any) -> None:
    Round.objects.update(**fields)
    for name, value in fields.items():
        setattr(round_, name, value)


def make_other(round_: Round) -> Item:
    return make_translated_item(project=round_.project, source__project=round_.project)


@pytest.mark.parametrize(
    ("situation", "expected"),
    [
        (settle_nothing, True),
        (judge_it, False),
        (skip_it, False),
        (exclude_it, False),
        (write_it, False),
        (pause, False),
        (unlearn, False),
        (learn, True),
        (other_subject, False),
        (own_subject, True),
        (held_by_others, False),
        (ran_out, True),
        (cap_reached, False),
        (pause_the_round, False),
        (ask_others, False),
        (keep_the_last_seat_for_experts, False),
        (keep_one_of_two_seats_for_experts, True),
    ],
)
def test_an_item_waits_where_a_claim_would_give_one(
    opened: Open, reviewers: People, situation: Callable[[Round, User], None], expected: bool
) -> None:
    person, *_others = reviewers(3)
    round_ = opened(1)
    situation(round_, person)

    assert (can_take(person, round_), claims(person, round_)) == (expected, expected)


@pytest.mark.parametrize("again", [False, True])
def test_item_of_the_round_before_waits_only_where_the_round_allows_it(
    opened: Open, reviewers: People, judge: Judge, again: bool
) -> None:
    first, second, third = reviewers(3)
    round_ = opened(1)
    judge(round_, first, correction=NEW)
    judge(round_, second, correction=NEW)
    close_round(round_=round_, actor=None, now=timezone.now())

    following = opened(0, is_same_panel_allowed=again)

    found = {user: can_take(user, following) for user in (first, second, third)}
    # The first wrote the text: never again.
    assert found == {first: False, second: again, third: True}
    assert found == {user: claims(user, following) for user in found}


def test_held_item_waits_also_for_the_paused(opened: Open, reviewers: People) -> None:
    person = reviewers(1)[0]
    round_ = opened(1)
    claim_seat(round_=round_, reviewer=person, now=timezone.now())
    person.memberships.update(is_paused=True)

    place = place_of(person, round_)

    assert place is not None
    assert (place.can_take, place.holds_seat, place.is_paused) == (True, True, True)


def test_nothing_waits_for_those_who_do_not_judge(opened: Open, member: Member) -> None:
    round_ = opened(1)

    assert [place_of(member(role), round_) for role in (Role.MANAGER, Role.VIEWER)] == [None] * 2


def test_what_is_left_is_for_those_who_have_not_judged_it(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    first, second, third = sorted(reviewers(3), key=lambda user: user.name)
    round_ = opened(2)
    for person in (first, second):
        judge(round_, person)
    judge(round_, first)
    third.memberships.update(is_paused=True)

    assert people_for_what_is_left(round_, now=timezone.now()) == [second]
    judge(round_, second)
    assert people_for_what_is_left(round_, now=timezone.now()) == []


def test_disputes_wait_for_seniors_who_may_settle_them(
    disputed: Callable[..., Panel], member: Member
) -> None:
    panel = disputed(2)
    senior, other = member(Role.SENIOR), member(Role.SENIOR)
    Revision.objects.filter(pk=panel.revision_id).update(author=senior)
    projects = [panel.round.project]

    def found(user: User) -> Any:
        return {key: each.count for key, each in disputes_waiting(user, projects).items()}

    assert found(senior) == {panel.round.project_id: 1}
    assert found(other) == {panel.round.project_id: 2}
    assert found(member(Role.MANAGER)) == found(member(Role.REVIEWER)) == {}
