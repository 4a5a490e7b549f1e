"""People judge a sample of the battles, blind: seats, verdicts, and what they amount to."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.actions.people import mark_simulated
from accounts.models import User
from arena.actions.people import (
    RESERVATION,
    NothingToTakeBack,
    SeatExpired,
    SeatJudged,
    VerdictInvalid,
    claim_battle,
    judge_battle,
    take_back_verdict,
)
from arena.models import Arena, Seat
from arena.presenters import pair_of
from common.errors import TextInvalid
from projects.enums import Role
from projects.models import Membership, Project
from tests.arena.builders import (
    NOW,
    answered_run,
    judge_all,
    make_arena,
    make_judge,
    make_open_release,
)

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
WORTH = {"good": 2, "base": 1, "bad": 0}


def judge_by_worth(arena: Arena, person: User, *, is_contrary: bool = False) -> int:
    """Judge all that the person is given, rightly or the other way round; how many pairs that were."""
    count = 0
    while seat := claim_battle(arena=arena, person=person, now=NOW):
        pair = pair_of(seat)
        is_a = (WORTH[pair.a] > WORTH[pair.b]) != is_contrary
        judge_battle(seat=seat, verdict="A>B" if is_a else "B>A", reason="", now=NOW)
        count += 1
    return count


def test_the_last_verdict_is_taken_back_and_given_anew(project: Project, member: Member) -> None:
    arena, person = make_arena(project, sample=4), member()
    with pytest.raises(NothingToTakeBack):
        take_back_verdict(arena=arena, person=person, now=NOW)
    seats = []
    for second in range(2):
        seat = claim_battle(arena=arena, person=person, now=NOW)
        assert seat is not None
        later = NOW + timedelta(seconds=second)
        seats.append(judge_battle(seat=seat, verdict="A=B", reason="ནོར་སོང་།", now=later))
    held = claim_battle(arena=arena, person=person, now=NOW + timedelta(seconds=2))

    again = take_back_verdict(arena=arena, person=person, now=NOW + timedelta(seconds=3))

    assert (again.pk, again.verdict, again.reason, again.judged_at) == (seats[1].pk, "", "", None)
    shown = claim_battle(arena=arena, person=person, now=NOW + timedelta(seconds=4))
    assert shown is not None
    assert shown.pk == again.pk
    assert (held is not None, Seat.objects.get(pk=seats[0].pk).verdict) == (True, "A=B")
    judge_battle(seat=shown, verdict="B>A", reason="", now=NOW + timedelta(seconds=5))
    with pytest.raises(NothingToTakeBack):
        take_back_verdict(arena=arena, person=person, now=NOW + RESERVATION + timedelta(hours=1))
    with pytest.raises(NothingToTakeBack):
        take_back_verdict(arena=arena, person=member(), now=NOW + timedelta(seconds=6))


def test_page_and_api_take_a_verdict_back(
    project: Project,
    member: Member,
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    arena, person = make_arena(project, sample=4), member(Role.REVIEWER)
    page, url = browser_of(person), reverse("arena:judge-pair", args=["ti", arena.pk])
    first = page.post(url).context["pair"].seat.pk
    page.post(url, {"seat": first, "verdict": "A>B", "reason": ""})
    back = page.post(url, {"do": "take-back"})
    assert (back.status_code, back.context["pair"].seat.pk) == (200, first)
    again = page.post(url, {"do": "take-back"})
    assert (again.status_code, "in the last 30 minutes" in again.content.decode()) == (409, True)
    page.post(url, {"seat": first, "verdict": "B>A", "reason": ""})
    told = api_of(person).post(f"/api/v1/arenas/{arena.pk}/take-back/")
    assert (told.status_code, told.json()["seat"]) == (200, first)
    assert not Seat.objects.exclude(verdict="").exists()


def test_second_click_takes_no_second_verdict_back(
    project: Project,
    member: Member,
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    arena, person = make_arena(project, sample=4), member(Role.REVIEWER)
    page, url = browser_of(person), reverse("arena:judge-pair", args=["ti", arena.pk])
    for _ in range(2):
        shown = page.post(url)
        seat = shown.context["pair"].seat.pk
        shown = page.post(url, {"seat": seat, "verdict": "A>B", "reason": ""})
    assert f'name="taken-back" value="{seat}"' in shown.content.decode()
    for _ in range(2):
        back = page.post(url, {"do": "take-back", "taken-back": seat})
        assert (back.status_code, back.context["pair"].seat.pk) == (200, seat)
        told = api_of(person).post(f"/api/v1/arenas/{arena.pk}/take-back/", {"seat": seat})
        assert (told.status_code, told.json()["seat"]) == (200, seat)
    assert Seat.objects.exclude(verdict="").count() == 1


def test_nobody_takes_back_the_verdict_of_another_person(
    project: Project, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    arena, person = make_arena(project, sample=4), member()
    seat = claim_battle(arena=arena, person=person, now=timezone.now())
    assert seat
    judge_battle(seat=seat, verdict="A>B", reason="", now=timezone.now())
    told = api_of(member(Role.SENIOR)).post(
        f"/api/v1/arenas/{arena.pk}/take-back/", {"seat": seat.pk}
    )
    assert (told.status_code, told.json()["code"]) == (409, "nothing_to_take_back")
    seat.refresh_from_db()
    assert seat.verdict == "A>B"


def test_paused_member_finishes_the_pair_and_gets_no_other(
    project: Project,
    member: Member,
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    arena, person = make_arena(project, sample=4), member(Role.REVIEWER)
    page, url = browser_of(person), reverse("arena:judge-pair", args=["ti", arena.pk])
    seat = page.post(url).context["pair"].seat.pk
    Membership.objects.filter(user=person).update(is_paused=True, pause_message="Read first.")

    shown = page.post(url, {"seat": seat, "verdict": "A>B", "reason": ""})

    assert (shown.status_code, shown.context["pair"]) == (403, None)
    assert "Read first." in shown.content.decode()
    assert "No pair is left" not in shown.content.decode()
    assert Seat.objects.exclude(verdict="").count() == 1
    told = api_of(person).post(f"/api/v1/arenas/{arena.pk}/claim/")
    assert (told.status_code, told.json()["code"]) == (403, "reviewer_paused")


def test_two_people_judge_each_battle_of_the_sample(project: Project, member: Member) -> None:
    arena = make_arena(project, sample=4)
    first, second, third = (member() for _ in range(3))

    assert [judge_by_worth(arena, each) for each in (first, second, third)] == [4, 4, 0]

    judge_all(arena)
    people = arena.figures["people"]
    assert (people["battles"], people["twice"], people["share"]) == (4, 4, 1.0)
    assert arena.figures["judges"][0]["people"]["battles"] == 4
    assert arena.figures["judges"][0]["people"]["share"] == 1.0


def test_verdicts_of_programs_are_counted_and_marked(
    project: Project, member: Member, client: Client
) -> None:
    arena = make_arena(project, sample=4)
    person, program = member(), member()
    mark_simulated(user=program, actor=None, now=NOW)
    for each in (person, program):
        judge_by_worth(arena, each)

    judge_all(arena)

    assert arena.figures["people"]["simulated_verdicts"] == 4
    client.force_login(member(Role.MANAGER))
    page = client.get(reverse("arena:arena", args=[project.slug, arena.pk])).content.decode()
    assert page.count("simulated: not reviewed by people") == 2


def test_judge_who_disagrees_with_people_is_left_out(project: Project, member: Member) -> None:
    release = make_open_release(project, items=6)
    runs = [answered_run(release, name) for name in ("base", "good", "bad")]
    arena = make_arena(project, release=release, runs=runs, judges=[make_judge(project)], sample=12)
    for person in (member(), member()):
        judge_by_worth(arena, person, is_contrary=True)

    judge_all(arena)

    assert arena.figures["judges"][0]["is_used"] is False
    assert arena.figures["contestants"] == []


def test_seat_is_held_and_free_again_when_its_time_is_over(
    project: Project, member: Member
) -> None:
    arena = make_arena(project, sample=1)
    people = [member() for _ in range(3)]
    seats = [claim_battle(arena=arena, person=each, now=NOW) for each in people]
    assert seats[0] and seats[1] and seats[2] is None
    again = claim_battle(arena=arena, person=people[0], now=NOW)
    assert again == seats[0]

    later = NOW + RESERVATION + timedelta(seconds=1)
    assert claim_battle(arena=arena, person=people[2], now=later)
    with pytest.raises(SeatExpired):
        judge_battle(seat=seats[0], verdict="A>B", reason="", now=later)


def test_verdict_is_given_once(project: Project, member: Member) -> None:
    seat = claim_battle(arena=make_arena(project), person=member(), now=NOW)
    assert seat is not None
    for verdict, reason, field in (
        ("A", "", "verdict"),
        ("", "", "verdict"),
        ("A=B", "x" * 1001, "reason"),
    ):
        with pytest.raises(VerdictInvalid) as refused:
            judge_battle(seat=seat, verdict=verdict, reason=reason, now=NOW)
        assert list(refused.value.fields) == [field]

    with pytest.raises(TextInvalid):
        judge_battle(seat=seat, verdict="A=B", reason="a\0", now=NOW)

    for _ in range(2):
        judge_battle(seat=seat, verdict="A=B", reason="alike", now=NOW)
    with pytest.raises(SeatJudged):
        judge_battle(seat=seat, verdict="A>B", reason="", now=NOW)
    assert list(Seat.objects.values_list("verdict", "reason")) == [("A=B", "alike")]


def test_page_is_blind_and_works_without_script(
    project: Project, member: Member, browser_of: Callable[[User], Client]
) -> None:
    release = make_open_release(project, items=1)
    runs = [answered_run(release, name, f"text of {n}") for n, name in enumerate(("base", "good"))]
    arena = make_arena(project, release=release, runs=runs, judges=[make_judge(project)])
    browser = browser_of(member(Role.REVIEWER))
    url = reverse("arena:judge-pair", args=["ti", arena.pk])

    assert "Take a pair" in browser.get(url).content.decode()
    assert not Seat.objects.exists()
    text = browser.post(url).content.decode()
    assert "text of 0" in text
    assert "text of 1" in text
    assert "good" not in text
    number = Seat.objects.get().pk
    assert browser.post(url, {"seat": number, "verdict": "?"}).status_code == 400
    for seat in ("9" * 5000, "9" * 19, "x"):
        assert browser.post(url, {"seat": seat, "verdict": "A>B"}).status_code == 404
    refused = browser.post(url, {"seat": number, "verdict": "A>B", "reason": "a\0"})
    assert refused.status_code == 400
    assert "null character" in refused.content.decode()
    over = browser.post(url, {"seat": number, "verdict": "B>>A", "reason": "clear"})
    assert "No pair is left" in over.content.decode()
    assert Seat.objects.get().verdict == "B>>A"


def test_api_gives_pairs_and_takes_verdicts_of_their_holder(
    project: Project, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    arena = make_arena(project, sample=1)
    holder, other = api_of(member()), api_of(member())
    claimed: dict[str, Any] = holder.post(f"/api/v1/arenas/{arena.pk}/claim/").json()
    url = f"/api/v1/arena-seats/{claimed['seat']}/"

    assert sorted(claimed) == ["a", "b", "question", "reserved_until", "seat"]
    assert other.post(url, {"verdict": "A>B"}).status_code == 404
    assert holder.post(url, {"verdict": "A>B"}).json() == {
        "seat": claimed["seat"], "verdict": "A>B",
    }  # fmt: skip
    assert holder.post(f"/api/v1/arenas/{arena.pk}/claim/").status_code == 204
