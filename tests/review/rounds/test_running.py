"""Pausing, resuming and changing an open round, by action, page and API."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from common.errors import DomainError
from projects.enums import Role
from projects.models import Project
from review.audience import Audience
from review.enums import SkipReason
from review.models import Judgement, Round
from review.rounds.actions.rounds import RoundNotOpen, close_round
from review.rounds.actions.running import (
    RoundChanges,
    RoundNotPaused,
    RoundPausedAlready,
    change_round,
    pause_round,
    resume_round,
)
from review.seats.actions.seats import claim_seat, renew_seat, skip_seat, undo_skip
from review.seats.refusals import NotAsked, RoundPaused, SeatTaken
from review.workbench.actions.judgements import submit_judgement
from tests.review.conftest import content

pytestmark = pytest.mark.django_db
NOW = timezone.now()
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Member = Callable[..., User]
Browser = Callable[[User], Client]
Api = Callable[[User], APIClient]
PAGE = "/projects/ti/rounds/1/"


def pause(round_: Round, reason: str = "") -> Round:
    return pause_round(round_=round_, reason=reason, actor=None, now=NOW)


def test_skip_is_undone_in_a_paused_round(opened: Open, reviewers: People) -> None:
    (user,) = reviewers(1)
    round_ = opened(1, panel_size=1)
    seat = claim_seat(round_=round_, reviewer=user, now=NOW)
    assert seat is not None
    skip_seat(assignment=seat, reviewer=user, reason=SkipReason.OTHER, note="", now=NOW)
    pause(round_)
    seat.refresh_from_db()
    assert undo_skip(assignment=seat, reviewer=user, now=NOW).reviewer == user


def test_paused_round_gives_no_seat_until_it_is_resumed(opened: Open, reviewers: People) -> None:
    (user,) = reviewers(1)
    round_ = opened(1, panel_size=1)

    paused = pause(round_, " The guideline changes. ")
    with pytest.raises(RoundPaused) as refused:
        claim_seat(round_=round_, reviewer=user, now=NOW)
    resumed = resume_round(round_=round_, actor=None, now=NOW)

    assert (paused.state, paused.paused_at, paused.pause_reason) == (
        "open", NOW, "The guideline changes.",
    )  # fmt: skip
    assert refused.value.code == "round_paused"
    assert str(refused.value) == (
        "This round is paused: The guideline changes. You get the next item when a manager "
        "resumes it."
    )
    assert (resumed.paused_at, resumed.pause_reason) == (None, "")
    assert claim_seat(round_=round_, reviewer=user, now=NOW) is not None
    assert [
        (event.verb, event.data) for event in AuditEvent.objects.order_by("pk")
        if event.verb in ("round.paused", "round.resumed")
    ] == [
        ("round.paused", {"number": 1, "reason": "The guideline changes."}),
        ("round.resumed", {"number": 1}),
    ]  # fmt: skip


def test_pause_without_a_reason_is_told_plainly(opened: Open, reviewers: People) -> None:
    round_ = opened(1, panel_size=1)
    pause(round_)
    with pytest.raises(RoundPaused) as refused:
        claim_seat(round_=round_, reviewer=reviewers(1)[0], now=NOW)
    assert str(refused.value).startswith("This round is paused. You get")


def test_held_seat_is_shown_and_judged_while_the_round_is_paused(
    opened: Open, reviewers: People
) -> None:
    (user,) = reviewers(1)
    round_ = opened(2, panel_size=1)
    held = claim_seat(round_=round_, reviewer=user, now=NOW)
    assert held is not None
    pause(round_)

    again = claim_seat(round_=round_, reviewer=user, now=NOW)
    submit_judgement(
        assignment=held, reviewer=user, revision_id=held.panel.revision_id, content=content(),
        idempotency_key="k", now=NOW,
    )  # fmt: skip

    assert again == held
    assert Judgement.objects.count() == 1
    with pytest.raises(RoundPaused):
        claim_seat(round_=round_, reviewer=user, now=NOW)


def test_seat_whose_time_is_over_is_only_for_who_held_it_while_the_round_is_paused(
    opened: Open, reviewers: People
) -> None:
    """Work that was done without a connection comes in; nobody gets a new item."""
    user, other = reviewers(2)
    round_ = opened(1, panel_size=1)
    held = claim_seat(round_=round_, reviewer=user, now=NOW)
    assert held is not None
    pause(round_)
    later = NOW + timedelta(hours=1)

    for who in (user, other):
        with pytest.raises(RoundPaused):
            claim_seat(round_=round_, reviewer=who, now=later)
    with pytest.raises(SeatTaken):
        renew_seat(assignment=held, reviewer=other, now=later)
    assert renew_seat(assignment=held, reviewer=user, now=later) == held


def test_pausing_and_resuming_twice_is_refused(opened: Open) -> None:
    round_ = opened(1)
    with pytest.raises(RoundNotPaused):
        resume_round(round_=round_, actor=None, now=NOW)
    pause(round_)
    with pytest.raises(RoundPausedAlready):
        pause(round_, "again")
    assert Round.objects.get().pause_reason == ""


def test_round_that_is_closed_is_neither_paused_nor_resumed_nor_changed(opened: Open) -> None:
    round_ = opened(1)
    pause(round_)
    close_round(round_=round_, actor=None, now=NOW)

    for act in (
        lambda: pause(round_),
        lambda: resume_round(round_=round_, actor=None, now=NOW),
        lambda: change_round(round_=round_, changes=RoundChanges(), actor=None, now=NOW),
    ):
        with pytest.raises(RoundNotOpen):
            act()


def test_change_holds_from_the_next_claim_and_keeps_the_rest(
    opened: Open, reviewers: People, judge: Callable[..., Judgement]
) -> None:
    first, second = reviewers(2)
    round_ = opened(3, panel_size=1, cap_per_person=1, needs_expert=False)
    judge(round_, first)
    assert claim_seat(round_=round_, reviewer=first, now=NOW) is None

    changed = change_round(
        round_=round_,
        changes=RoundChanges(
            due_on=date(2126, 12, 24), cap_per_person=2, excluded_people=[second.pk]
        ),
        actor=None,
        now=NOW,
    )

    assert (changed.due_on, changed.cap_per_person) == (date(2126, 12, 24), 2)
    assert Audience.from_json(changed.audience) == Audience(excluded=(second.pk,))
    assert claim_seat(round_=changed, reviewer=first, now=NOW) is not None
    with pytest.raises(NotAsked):
        claim_seat(round_=changed, reviewer=second, now=NOW)
    assert AuditEvent.objects.get(verb="round.changed").data == {
        "number": 1, "due_on": "2126-12-24", "cap_per_person": 2, "roles": [], "languages": [],
        "excluded_people": [second.pk], "has_blind_reading": False,
        "opinions_shown": "nobody", "substitute": None,
    }  # fmt: skip


def test_change_keeps_whether_a_panel_needs_an_expert(opened: Open) -> None:
    round_ = opened(1, needs_expert=True)
    changed = change_round(round_=round_, changes=RoundChanges(), actor=None, now=NOW)
    assert changed.audience["needs_expert"] is True


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"cap_per_person": 0}, "cap_per_person"),
        ({"cap_per_person": 10**30}, "cap_per_person"),
        ({"roles": ["viewer"]}, "roles"),
        ({"excluded_people": [77]}, "excluded_people"),
    ],
)
def test_impossible_change_is_refused_by_field(
    opened: Open, changes: dict[str, Any], field: str
) -> None:
    round_ = opened(1)
    with pytest.raises(DomainError) as refused:
        change_round(round_=round_, changes=RoundChanges(**changes), actor=None, now=NOW)
    assert (refused.value.code, list(refused.value.fields)) == ("round_invalid", [field])


def test_reason_that_is_too_long_is_refused(opened: Open) -> None:
    with pytest.raises(DomainError) as refused:
        pause(opened(1), "x" * 501)
    assert list(refused.value.fields) == ["reason"]


def test_pages_pause_resume_and_change_a_round(
    opened: Open, member: Member, browser_of: Browser, project: Project
) -> None:
    opened(1, panel_size=1)
    manager, reviewer = member(Role.MANAGER), member(Role.REVIEWER)
    browser = browser_of(manager)

    assert browser.get(f"{PAGE}pause/").status_code == 200
    assert browser.post(f"{PAGE}pause/", {"reason": "Holidays"})["Location"] == PAGE
    shown = browser.get(PAGE).content.decode()
    assert "This round is paused." in shown
    assert "Holidays" in shown
    workbench = browser_of(reviewer)
    told = workbench.post(f"{PAGE}claim/", follow=True).content.decode()
    assert "This round is paused: Holidays." in told
    start = workbench.get(f"{PAGE}workbench/").content.decode()
    assert "This round is paused." in start
    assert "Holidays" in start
    assert "Take the next item" not in start
    assert browser.post(f"{PAGE}pause/", {}).status_code == 409
    assert browser.post(f"{PAGE}resume/")["Location"] == PAGE
    assert "This round is paused." not in browser.get(PAGE).content.decode()

    refused = browser.post(f"{PAGE}change/", {"cap_per_person": 0})
    typed = {"due_on": "2126-12-24", "cap_per_person": 5, "excluded_people": [reviewer.pk]}
    done = browser.post(f"{PAGE}change/", typed)
    assert (refused.status_code, done.status_code) == (400, 302)
    form = browser.get(f"{PAGE}change/").content.decode()
    assert 'value="2126-12-24"' in form
    assert Round.objects.get().audience["excluded"] == [reviewer.pk]


def test_api_pauses_resumes_and_changes_a_round(opened: Open, member: Member, api_of: Api) -> None:
    round_ = opened(1, panel_size=1, cap_per_person=7)
    address = f"/api/v1/rounds/{round_.pk}/"
    manager, reviewer = api_of(member(Role.MANAGER)), api_of(member(Role.REVIEWER))

    paused = manager.post(f"{address}pause/", {"reason": "Holidays"}, format="json")
    claimed = reviewer.post(f"{address}claim/")
    again = manager.post(f"{address}pause/", {}, format="json")
    resumed = manager.post(f"{address}resume/")
    changed = manager.patch(address, {"due_on": "2126-12-24"}, format="json")
    wrong = manager.patch(address, {"panel_size": 5}, format="json")

    assert (paused.status_code, paused.json()["pause_reason"]) == (200, "Holidays")
    assert (claimed.status_code, claimed.json()["code"]) == (409, "round_paused")
    assert (again.status_code, again.json()["code"]) == (409, "round_paused_already")
    assert (resumed.status_code, resumed.json()["paused_at"]) == (200, None)
    assert (changed.json()["due_on"], changed.json()["cap_per_person"]) == ("2126-12-24", 7)
    assert (wrong.status_code, list(wrong.json()["fields"])) == (400, ["panel_size"])


def test_due_date_that_is_over_can_stay_and_cannot_be_chosen(opened: Open) -> None:
    today = timezone.localdate(NOW)
    over = today - timedelta(days=1)
    round_ = opened(1)
    with pytest.raises(DomainError) as refused:
        change_round(round_=round_, changes=RoundChanges(due_on=over), actor=None, now=NOW)
    assert refused.value.fields == {
        "due_on": [f"This date is in the past. Enter {today} or a later day, or leave it empty."]
    }

    Round.objects.update(due_on=over)
    round_.refresh_from_db()
    kept = RoundChanges(due_on=over, cap_per_person=3)
    changed = change_round(round_=round_, changes=kept, actor=None, now=NOW)
    assert (changed.due_on, changed.cap_per_person) == (over, 3)
    moved = change_round(round_=changed, changes=RoundChanges(due_on=today), actor=None, now=NOW)
    assert moved.due_on == today


def test_page_and_api_refuse_a_due_date_that_is_over(
    opened: Open, member: Member, browser_of: Browser, api_of: Api
) -> None:
    round_ = opened(1)
    manager = member(Role.MANAGER)
    typed = {"due_on": "2020-02-02"}
    page = browser_of(manager).post(f"{PAGE}change/", typed)
    answer = api_of(manager).patch(f"/api/v1/rounds/{round_.pk}/", typed, format="json")
    assert (page.status_code, answer.status_code) == (400, 400)
    assert "This date is in the past." in page.content.decode()
    assert list(answer.json()["fields"]) == ["due_on"]
    assert Round.objects.get().due_on is None


def test_round_is_not_opened_with_a_due_date_that_is_over(
    project: Project,
    items: Callable[[int], None],
    member: Member,
    browser_of: Browser,
    api_of: Api,
) -> None:
    items(1)
    manager = member(Role.MANAGER)
    api = api_of(manager)
    typed = {"due_on": "2020-02-02"}
    for address in ("rounds/", "rounds/preview/"):
        answer = api.post(f"/api/v1/projects/ti/{address}", typed, format="json")
        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["due_on"])
    with pytest.raises(CommandError):
        call_command("open_round", "ti", "--due-on", "2020-02-02")
    assert not Round.objects.exists()
