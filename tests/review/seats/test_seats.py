"""Who is offered which seat, how long it is theirs, and what each refusal says."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from annotation.enums import ItemState
from annotation.models import Item
from projects.enums import Role
from projects.models import Membership, Project
from review.enums import SeatState, SkipReason
from review.models import Assignment, Judgement, Panel, Round, Skip
from review.rounds.actions.rounds import close_round
from review.seats.actions.seats import (
    claim_seat,
    free_expired_seats,
    give_back_seats,
    held_seat,
    held_seats,
    renew_seat,
    reserve_seats,
    skip_seat,
    undo_skip,
)
from review.seats.refusals import (
    LanguageNotRead,
    NotMember,
    PausedWithSeat,
    ReviewerPaused,
    RoundClosed,
    SeatAlreadyJudged,
    SeatLost,
    SeatTaken,
    SkipNotFound,
    TooManyHeld,
)
from tests.factories import SubjectFactory, UserFactory, make_translated_item

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
NOW = timezone.now() - timedelta(minutes=25)
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]


def take(round_: Round, user: User, now: datetime = NOW) -> Assignment:
    seat = claim_seat(round_=round_, reviewer=user, now=now)
    assert seat is not None
    return seat


def skip(seat: Assignment, user: User) -> None:
    skip_seat(assignment=seat, reviewer=user, reason=SkipReason.OTHER, note="n", now=NOW)


def test_claim_gives_the_first_seat_for_the_reservation_time(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(3, reservation_minutes=20)
    (user,) = reviewers(1)

    seat = take(round_, user)

    stored = Assignment.objects.get(pk=seat.pk)
    assert (stored.position, stored.seat, stored.state) == (1, 1, SeatState.CLAIMED)
    assert (stored.reviewer, stored.claimed_at) == (user, NOW)
    assert stored.expires_at == NOW + timedelta(minutes=20)
    assert (seat.state, seat.reviewer, seat.expires_at) == (stored.state, user, stored.expires_at)


def test_held_seats_are_found_without_reading_all_that_the_person_judged(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(1)
    (user,) = reviewers(1)
    with CaptureQueriesContext(connection) as captured:
        held_seats(round_=round_, reviewer=user)
    assert "'claimed'" in captured[0]["sql"]  # what a partial index is chosen by
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {captured[0]['sql']}")
            assert "assignment_one_a_slot" in str(cursor.fetchall())


def test_claim_again_gives_the_same_seat_and_takes_no_other(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(3)
    (user,) = reviewers(1)

    assert take(round_, user).pk == take(round_, user, NOW + timedelta(minutes=29)).pk
    assert Assignment.objects.filter(state=SeatState.CLAIMED).count() == 1


def test_claim_by_two_gives_both_seats_of_the_first_panel(opened: Open, reviewers: People) -> None:
    round_ = opened(2)
    first, second, third = (take(round_, user) for user in reviewers(3))

    assert (first.position, second.position, third.position) == (1, 1, 2)


def test_claim_with_nothing_left_gives_none(opened: Open, reviewers: People, judge: Judge) -> None:
    round_ = opened(1, panel_size=2)
    (user,) = reviewers(1)
    judge(round_, user)

    assert claim_seat(round_=round_, reviewer=user, now=timezone.now()) is None


def test_claim_never_offers_a_text_to_its_author(
    opened: Open, project: Project, reviewers: People
) -> None:
    author, other = reviewers(2)
    make_translated_item(
        project=project, source__project=project, subject__project=project, author=author
    )
    round_ = opened(0)

    assert claim_seat(round_=round_, reviewer=author, now=NOW) is None
    assert take(round_, other).position == 1


def test_claim_offers_only_subjects_of_ones_expertise(
    opened: Open, project: Project, reviewers: People
) -> None:
    expert, anybody = reviewers(2)
    law = SubjectFactory(project=project, slug="law")
    art = SubjectFactory(project=project, slug="art")
    wanted = {
        make_translated_item(project=project, source__project=project, subject=law).pk,
        make_translated_item(project=project, source__project=project, subject=art).pk,
    }
    make_translated_item(project=project, source__project=project, subject__project=project)
    Membership.objects.get(user=expert).subjects.set([law, art])
    round_ = opened(0)

    seen = set()
    while seat := claim_seat(round_=round_, reviewer=expert, now=NOW):
        seen.add(seat.panel.item_id)
        skip(seat, expert)

    assert seen == wanted
    assert take(round_, anybody)


def test_claim_at_the_cap_gives_none_until_the_round_ends(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(3, cap_per_person=2)
    capped, other = reviewers(2)
    judge(round_, capped)
    judge(round_, capped)

    assert claim_seat(round_=round_, reviewer=capped, now=timezone.now()) is None
    assert claim_seat(round_=round_, reviewer=other, now=timezone.now())


def test_claim_under_the_cap_returns_the_seat_held(opened: Open, reviewers: People) -> None:
    round_ = opened(2, cap_per_person=1)
    (user,) = reviewers(1)

    assert take(round_, user).pk == take(round_, user).pk


@pytest.mark.parametrize("languages", [[], ["bo"], ["zh", "BO-cn"]])
def test_claim_by_who_reads_the_target_language_takes_a_seat(
    opened: Open, reviewers: People, languages: list[str]
) -> None:
    (user,) = reviewers(1)
    Membership.objects.filter(user=user).update(languages=languages)
    assert take(opened(1), user)


@pytest.mark.parametrize("languages", [["zh"], ["b"], ["bod"]])
def test_claim_by_who_reads_other_languages_only_is_refused(
    opened: Open, reviewers: People, languages: list[str]
) -> None:
    (user,) = reviewers(1)
    Membership.objects.filter(user=user).update(languages=languages)
    with pytest.raises(LanguageNotRead) as refused:
        claim_seat(round_=opened(1), reviewer=user, now=NOW)
    assert (refused.value.code, refused.value.status) == ("language_not_read", 403)


def test_claim_by_a_paused_reviewer_is_refused(opened: Open, reviewers: People) -> None:
    round_ = opened(1)
    (user,) = reviewers(1)
    Membership.objects.filter(user=user).update(is_paused=True)

    with pytest.raises(ReviewerPaused) as refused:
        claim_seat(round_=round_, reviewer=user, now=NOW)
    assert (refused.value.code, refused.value.status) == ("reviewer_paused", 403)


def test_paused_reviewer_may_finish_the_item_they_hold_while_its_time_lasts(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(2)
    (user,) = reviewers(1)
    seat = claim_seat(round_=round_, reviewer=user, now=NOW)
    Membership.objects.filter(user=user).update(is_paused=True)

    with pytest.raises(PausedWithSeat) as told:
        claim_seat(round_=round_, reviewer=user, now=NOW)
    assert (told.value.held, told.value.code) == (seat, "reviewer_paused")
    with pytest.raises(ReviewerPaused) as late:
        claim_seat(round_=round_, reviewer=user, now=NOW + timedelta(hours=1))
    assert late.value.held is None


def test_claim_by_a_stranger_is_refused(opened: Open) -> None:
    with pytest.raises(NotMember):
        claim_seat(round_=opened(1), reviewer=UserFactory(), now=NOW)


def test_claim_in_a_closed_round_is_refused(opened: Open, reviewers: People) -> None:
    round_ = close_round(round_=opened(1), actor=None, now=NOW)

    with pytest.raises(RoundClosed) as refused:
        claim_seat(round_=round_, reviewer=reviewers(1)[0], now=NOW)
    assert refused.value.code == "round_closed"


def test_expired_seat_goes_to_the_next_who_asks(opened: Open, reviewers: People) -> None:
    round_ = opened(1, panel_size=1, reservation_minutes=30)
    slow, next_one = reviewers(2)
    seat = take(round_, slow)

    assert claim_seat(round_=round_, reviewer=next_one, now=NOW + timedelta(minutes=29)) is None
    assert take(round_, next_one, NOW + timedelta(minutes=30)).pk == seat.pk
    assert held_seat(round_=round_, reviewer=slow) is None


def test_expired_seats_are_freed_once(opened: Open, reviewers: People) -> None:
    round_ = opened(2)
    for user in reviewers(3):
        take(round_, user)

    assert free_expired_seats(round_=round_, now=NOW + timedelta(hours=1)) == 3
    assert free_expired_seats(round_=round_, now=NOW + timedelta(hours=1)) == 0


def test_seat_freed_behind_a_reviewer_is_offered_at_the_end(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(2, panel_size=1)
    slow, quick = reviewers(2)
    first = take(round_, slow)
    judge(round_, quick)
    skip(first, slow)

    assert claim_seat(round_=round_, reviewer=quick, now=timezone.now()).pk == first.pk  # type: ignore[union-attr]


def test_claim_leaves_out_who_judged_the_item_in_the_round_before(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    first, *others = reviewers(4)
    round_ = opened(1, panel_size=1)
    judge(round_, first, verdict="reject")
    close_round(round_=round_, actor=None, now=NOW)
    second = opened(0, panel_size=1, is_same_panel_allowed=False)

    assert claim_seat(round_=second, reviewer=first, now=NOW) is None
    assert take(second, others[0])


def test_claim_offers_the_item_again_where_the_round_allows_it(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    (only,) = reviewers(1)
    round_ = opened(1, panel_size=1)
    judge(round_, only, verdict="reject")
    close_round(round_=round_, actor=None, now=NOW)
    second = opened(0, panel_size=1)

    assert second.is_same_panel_allowed
    assert take(second, only)


def test_renew_extends_a_seat_that_is_still_held(opened: Open, reviewers: People) -> None:
    round_ = opened(1)
    (user,) = reviewers(1)
    seat = take(round_, user)
    later = NOW + timedelta(minutes=25)

    assert renew_seat(assignment=seat, reviewer=user, now=later).expires_at == later + timedelta(
        minutes=30
    )


def test_renew_takes_a_freed_seat_again(opened: Open, reviewers: People) -> None:
    round_ = opened(1)
    (user,) = reviewers(1)
    seat = take(round_, user)
    later = NOW + timedelta(hours=2)
    free_expired_seats(round_=round_, now=later)

    assert renew_seat(assignment=seat, reviewer=user, now=later).reviewer == user


def test_renew_of_a_seat_that_somebody_else_took_is_refused(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(1, panel_size=1)
    slow, quick = reviewers(2)
    seat = take(round_, slow)
    later = NOW + timedelta(hours=2)
    take(round_, quick, later)

    with pytest.raises(SeatTaken) as refused:
        renew_seat(assignment=seat, reviewer=slow, now=later)
    assert refused.value.code == "seat_taken"


def test_renew_of_a_seat_that_one_never_held_is_refused(opened: Open, reviewers: People) -> None:
    round_ = opened(3)
    chooser, slow = reviewers(2)
    chosen = Assignment.objects.filter(round=round_).latest("position", "seat")
    held_by_another = take(round_, slow)
    later = NOW + timedelta(hours=2)
    free_expired_seats(round_=round_, now=later)

    for seat in (chosen, held_by_another):
        with pytest.raises(SeatTaken):
            renew_seat(assignment=seat, reviewer=chooser, now=later)

    assert not Assignment.objects.exclude(state=SeatState.OPEN).exists()


def test_renew_of_an_expired_seat_is_refused_to_whom_no_claim_would_offer_it_now(
    project: Project, opened: Open, reviewers: People
) -> None:
    round_ = opened(1, panel_size=1)
    (user,) = reviewers(1)
    seat = take(round_, user)
    later = NOW + timedelta(hours=2)
    free_expired_seats(round_=round_, now=later)
    law = SubjectFactory(project=project, slug="law")
    Membership.objects.get(user=user).subjects.set([law])

    with pytest.raises(SeatTaken):
        renew_seat(assignment=seat, reviewer=user, now=later)

    assert Assignment.objects.get().state == SeatState.OPEN


def test_renew_of_a_seat_that_one_skipped_is_refused(opened: Open, reviewers: People) -> None:
    round_ = opened(1)
    (user,) = reviewers(1)
    seat = take(round_, user)
    skip(seat, user)

    with pytest.raises(SeatTaken):
        renew_seat(assignment=seat, reviewer=user, now=NOW)


def test_renew_after_another_held_the_seat_too_gives_it_to_the_first_who_asks(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(1, panel_size=1, reservation_minutes=30)
    first, second = reviewers(2)
    seat = take(round_, first)
    take(round_, second, NOW + timedelta(hours=1))

    later = NOW + timedelta(hours=2)
    assert renew_seat(assignment=seat, reviewer=first, now=later).reviewer == first
    with pytest.raises(SeatTaken):
        renew_seat(assignment=seat, reviewer=second, now=later)


def test_undo_of_a_skip_gives_the_seat_back_beside_the_one_held(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(2, panel_size=1, reservation_minutes=20)
    (user,) = reviewers(1)
    skipped = take(round_, user)
    skip(skipped, user)
    following = take(round_, user)

    again = undo_skip(assignment=skipped, reviewer=user, now=NOW)

    assert (again.pk, again.reviewer) == (skipped.pk, user)
    assert again.expires_at == NOW + timedelta(minutes=20)
    assert set(held_seats(round_=round_, reviewer=user)) == {skipped, following}
    assert not Skip.objects.exists()
    assert undo_skip(assignment=skipped, reviewer=user, now=NOW).pk == skipped.pk


def test_reserve_fills_up_to_what_the_project_allows_and_keeps_what_is_held(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(9)
    (user,) = reviewers(1)
    first = take(round_, user)

    seats = reserve_seats(round_=round_, reviewer=user, now=NOW)

    assert [seat.position for seat in seats] == [1, 2, 3, 4, 5, 6]
    assert seats[0] == first
    assert sorted(seat.slot for seat in held_seats(round_=round_, reviewer=user)) == [*range(6)]
    assert reserve_seats(round_=round_, reviewer=user, now=NOW) == seats


@pytest.mark.parametrize(("items_ahead", "expected"), [(0, 1), (2, 3), (20, 9)])
def test_reserve_takes_one_and_the_items_ahead_as_far_as_there_are_any(
    project: Project, opened: Open, reviewers: People, items_ahead: int, expected: int
) -> None:
    Project.objects.update(items_ahead=items_ahead)
    project.refresh_from_db()
    round_ = opened(9)
    (user,) = reviewers(1)

    assert len(reserve_seats(round_=round_, reviewer=user, now=NOW)) == expected
    assert len(reserve_seats(round_=round_, reviewer=user, now=NOW)) == expected


def test_reserve_counts_against_the_cap(opened: Open, reviewers: People, judge: Judge) -> None:
    round_ = opened(9, cap_per_person=4)
    (user,) = reviewers(1)
    judge(round_, user)

    assert len(reserve_seats(round_=round_, reviewer=user, now=NOW)) == 3
    assert Assignment.objects.filter(reviewer=user).count() == 4


def test_reserve_starts_again_from_the_front_when_the_end_is_reached(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(7, panel_size=1)
    first, second = reviewers(2)
    early = reserve_seats(round_=round_, reviewer=first, now=NOW)
    last = take(round_, second)
    give_back_seats(first, "ti", NOW)

    seats = reserve_seats(round_=round_, reviewer=second, now=NOW)

    assert [seat.pk for seat in seats] == [last.pk, *(seat.pk for seat in early[:5])]


def test_reserve_renews_everything_once_half_of_the_time_is_gone(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(6, reservation_minutes=20)
    (user,) = reviewers(1)
    reserve_seats(round_=round_, reviewer=user, now=NOW)
    soon, later = NOW + timedelta(minutes=9), NOW + timedelta(minutes=10)

    kept = reserve_seats(round_=round_, reviewer=user, now=soon)
    assert {seat.expires_at for seat in kept} == {NOW + timedelta(minutes=20)}
    renewed = reserve_seats(round_=round_, reviewer=user, now=later)
    assert {seat.expires_at for seat in renewed} == {NOW + timedelta(minutes=30)}


def test_seats_reserved_ahead_are_free_for_others_when_their_time_is_over(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(4, panel_size=1)
    away, here = reviewers(2)
    reserve_seats(round_=round_, reviewer=away, now=NOW)
    assert claim_seat(round_=round_, reviewer=here, now=NOW) is None

    late = NOW + timedelta(hours=1)
    assert len(reserve_seats(round_=round_, reviewer=here, now=late)) == 4
    assert held_seats(round_=round_, reviewer=away) == []


def test_paused_reviewer_reserves_nothing_more_and_keeps_what_is_held(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(9)
    (user,) = reviewers(1)
    first = take(round_, user)
    user.memberships.update(is_paused=True)

    with pytest.raises(PausedWithSeat) as refused:
        reserve_seats(round_=round_, reviewer=user, now=NOW)
    assert refused.value.held == first
    assert held_seats(round_=round_, reviewer=user) == [first]


def test_one_slot_more_than_reserved_takes_a_seat_back_and_then_it_is_refused(
    project: Project, opened: Open, reviewers: People
) -> None:
    Project.objects.update(items_ahead=1)
    project.refresh_from_db()
    round_ = opened(9)
    (user,) = reviewers(1)
    skipped = [take(round_, user)]
    skip(skipped[0], user)
    skipped.append(take(round_, user))
    skip(skipped[1], user)
    reserve_seats(round_=round_, reviewer=user, now=NOW)

    undo_skip(assignment=skipped[0], reviewer=user, now=NOW)
    with pytest.raises(TooManyHeld):
        undo_skip(assignment=skipped[1], reviewer=user, now=NOW)

    assert len(held_seats(round_=round_, reviewer=user)) == 3
    assert Skip.objects.get().panel_id == skipped[1].panel_id


def test_undo_of_a_skip_is_refused_when_somebody_else_took_the_seat_and_changes_nothing(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(2, panel_size=1)
    user, other = reviewers(2)
    skipped = take(round_, user)
    skip(skipped, user)
    following = take(round_, user)
    Assignment.objects.filter(pk=skipped.pk).update(
        state=SeatState.CLAIMED, reviewer=other, expires_at=NOW
    )

    with pytest.raises(SeatTaken):
        undo_skip(assignment=skipped, reviewer=user, now=NOW)

    assert held_seat(round_=round_, reviewer=user) == following
    assert Skip.objects.get().reviewer == user


def test_undo_of_a_skip_that_never_was_is_refused(opened: Open, reviewers: People) -> None:
    round_ = opened(2, panel_size=1)
    (user,) = reviewers(1)
    take(round_, user)
    other = Assignment.objects.get(state=SeatState.OPEN)

    with pytest.raises(SkipNotFound) as refused:
        undo_skip(assignment=other, reviewer=user, now=NOW)
    assert (refused.value.code, refused.value.status) == ("skip_not_found", 404)


def test_renew_of_an_open_seat_beyond_ones_cap_is_refused(opened: Open, reviewers: People) -> None:
    round_ = opened(2, cap_per_person=1, panel_size=1)
    (user,) = reviewers(1)
    take(round_, user)
    free = Assignment.objects.get(state=SeatState.OPEN)

    with pytest.raises(SeatTaken):
        renew_seat(assignment=free, reviewer=user, now=NOW)


def test_excluded_item_is_offered_to_nobody(opened: Open, reviewers: People) -> None:
    round_ = opened(1)
    Item.objects.update(state=ItemState.EXCLUDED)
    (user,) = reviewers(1)

    assert claim_seat(round_=round_, reviewer=user, now=NOW) is None
    with pytest.raises(SeatTaken):
        renew_seat(assignment=Assignment.objects.all()[0], reviewer=user, now=NOW)


def test_renew_after_judging_is_refused(opened: Open, reviewers: People, judge: Judge) -> None:
    round_ = opened(1)
    (user,) = reviewers(1)
    judgement = judge(round_, user)

    with pytest.raises(SeatAlreadyJudged) as refused:
        renew_seat(assignment=judgement.assignment, reviewer=user, now=NOW)
    assert refused.value.code == "already_judged"


def test_renew_in_a_closed_round_and_by_the_paused_is_refused(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(1)
    (user,) = reviewers(1)
    seat = take(round_, user)
    Membership.objects.update(is_paused=True)
    with pytest.raises(ReviewerPaused):
        renew_seat(assignment=seat, reviewer=user, now=NOW)
    close_round(round_=round_, actor=None, now=NOW)
    with pytest.raises(RoundClosed):
        renew_seat(assignment=Assignment.objects.get(pk=seat.pk), reviewer=user, now=NOW)


def test_skip_frees_the_seat_and_is_stored_once(opened: Open, reviewers: People) -> None:
    round_ = opened(1, panel_size=1)
    user, other = reviewers(2)
    seat = take(round_, user)

    skip(seat, user)
    skip(seat, user)

    stored = Skip.objects.get()
    assert (stored.panel_id, stored.reviewer, stored.reason, stored.note) == (
        seat.panel_id,
        user,
        "other",
        "n",
    )
    assert claim_seat(round_=round_, reviewer=user, now=NOW) is None
    assert take(round_, other).pk == seat.pk


def test_skip_replayed_after_somebody_else_took_the_seat_leaves_it_theirs(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(1, panel_size=1)
    user, other = reviewers(2)
    seat = take(round_, user)
    skip(seat, user)
    take(round_, other)

    skip(seat, user)

    assert Assignment.objects.get().reviewer == other


def test_skip_of_anothers_seat_is_refused(opened: Open, reviewers: People) -> None:
    round_ = opened(1)
    user, other = reviewers(2)
    seat = take(round_, user)

    with pytest.raises(SeatLost) as refused:
        skip(seat, other)
    assert refused.value.code == "seat_expired"
    assert not Skip.objects.exists()


def test_skip_after_judging_is_refused(opened: Open, reviewers: People, judge: Judge) -> None:
    round_ = opened(1)
    (user,) = reviewers(1)
    seat = judge(round_, user).assignment

    with pytest.raises(SeatAlreadyJudged):
        skip(Assignment.objects.get(pk=seat.pk), user)


def test_senior_may_judge_too(opened: Open, member: Callable[..., User]) -> None:
    assert take(opened(1), member(Role.SENIOR))


def test_items_and_panels_stay_one_to_one(opened: Open) -> None:
    opened(4, panel_size=3)

    assert Panel.objects.count() == Item.objects.count() == 4
    assert Assignment.objects.count() == 12
