"""Blind first reading: what is held back until when, what is stored of it, and who may not cheat."""

import json
import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.models import Item
from projects.enums import Role
from review.models import Assignment, Judgement, Reveal, Round
from review.rounds.actions.rounds import discard_round
from review.rounds.actions.running import RoundChanges, change_round
from review.seats.actions.seats import claim_seat
from review.seats.refusals import SeatLost
from review.workbench.actions.judgements import JudgementInvalid, submit_judgement
from review.workbench.actions.reveals import reveal_source
from review.workbench.actions.withdrawals import withdraw_judgement
from tests.review.conftest import content
from tests.review.workbench.test_views import SUBMIT, WORKBENCH, form

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Member = Callable[..., User]
Browser = Callable[[User], Client]
Api = Callable[[User], APIClient]
NOW = timezone.now()
REVEAL = "/projects/ti/rounds/1/reveal/"


def taken(round_: Round, user: User, ago: int = 0) -> Assignment:
    """A seat that `user` took so many seconds ago."""
    seat = claim_seat(round_=round_, reviewer=user, now=NOW - timedelta(seconds=ago))
    assert seat is not None
    return seat


def judged(seat: Assignment, user: User, **said: Any) -> Judgement:
    return submit_judgement(
        assignment=seat,
        reviewer=user,
        revision_id=seat.panel.revision_id,
        content=content(**said),
        idempotency_key=uuid.uuid4().hex,
        now=NOW,
    )


def test_judgement_without_a_look_at_the_source_is_refused(opened: Open, reviewers: People) -> None:
    (user,) = reviewers(1)
    seat = taken(opened(has_blind_reading=True), user)

    with pytest.raises(JudgementInvalid) as refused:
        judged(seat, user)

    assert refused.value.fields == {
        "revealed_after": ["Show the source and the key before you send your judgement."]
    }
    seat.refresh_from_db()
    assert (seat.state, Judgement.objects.count()) == ("claimed", 0)


@pytest.mark.parametrize(
    ("said", "stored"), [(0, 0), (7, 7), (10**4, 60)], ids=["at once", "later", "impossible"]
)
def test_seconds_of_the_page_are_stored_but_never_more_than_passed(
    opened: Open, reviewers: People, said: int, stored: int
) -> None:
    (user,) = reviewers(1)
    seat = taken(opened(has_blind_reading=True), user, ago=60)
    assert judged(seat, user, revealed_after=said).revealed_after == stored


def test_stored_reveal_counts_where_the_judgement_says_nothing(
    opened: Open, reviewers: People
) -> None:
    (user,) = reviewers(1)
    seat = taken(opened(has_blind_reading=True), user, ago=60)
    reveal_source(assignment=seat, reviewer=user, now=NOW - timedelta(seconds=40))
    reveal_source(assignment=seat, reviewer=user, now=NOW)  # the first one counts
    assert judged(seat, user).revealed_after == 20
    assert Reveal.objects.count() == 1


def test_round_without_blind_reading_stores_nothing_of_it(opened: Open, reviewers: People) -> None:
    (user,) = reviewers(1)
    assert judged(taken(opened(), user), user, revealed_after=0).revealed_after is None


def test_reveal_is_for_who_holds_the_seat_only(opened: Open, reviewers: People) -> None:
    user, other = reviewers(2)
    seat = taken(opened(has_blind_reading=True), user)
    with pytest.raises(SeatLost):
        reveal_source(assignment=seat, reviewer=other, now=NOW)
    assert not Reveal.objects.exists()


def test_reveal_of_one_reviewer_does_not_count_for_another(opened: Open, reviewers: People) -> None:
    user, other = reviewers(2)
    round_ = opened(has_blind_reading=True, panel_size=2)
    reveal_source(assignment=taken(round_, user), reviewer=user, now=NOW)
    with pytest.raises(JudgementInvalid):
        judged(taken(round_, other), other)


def test_page_that_showed_the_source_before_the_round_changed_can_be_sent(
    opened: Open, reviewers: People
) -> None:
    (user,) = reviewers(1)
    round_ = opened(2)
    seat = taken(round_, user)
    changes = RoundChanges(has_blind_reading=True)
    seat.round = change_round(round_=round_, changes=changes, actor=None, now=NOW)
    assert judged(seat, user, revealed_after=0).revealed_after == 0


def test_judgement_taken_back_shows_the_source_again(
    opened: Open, reviewers: People, api_of: Api
) -> None:
    (user,) = reviewers(1)
    round_ = opened(has_blind_reading=True)
    seat = taken(round_, user, ago=60)
    reveal_source(assignment=seat, reviewer=user, now=NOW - timedelta(seconds=40))
    withdraw_judgement(judgement=judged(seat, user), reviewer=user, now=NOW)
    shown = api_of(user).post(f"/api/v1/rounds/{round_.pk}/claim/").json()
    assert (shown["is_blind"], shown["source"]["key"]) == (False, Item.objects.get().key)


def test_api_holds_back_source_key_and_findings_until_they_are_asked_for(
    opened: Open, reviewers: People, api_of: Api
) -> None:
    (user,) = reviewers(1)
    round_ = opened(has_blind_reading=True)
    item = Item.objects.get()
    api = api_of(user)

    claimed = api.post(f"/api/v1/rounds/{round_.pk}/claim/").json()
    ahead = api.post(f"/api/v1/rounds/{round_.pk}/reserve/").json()["held"][0]
    seat = f"/api/v1/assignments/{claimed['assignment']}/"
    said = {
        "verdict": "approve", "ratings": {"domain": 4, "cultural": 4},
        "revision": claimed["revision"]["id"],
    }  # fmt: skip
    key = {"HTTP_IDEMPOTENCY_KEY": "k"}
    refused = api.post(f"{seat}judgement/", said, format="json", **key)
    shown = api.post(f"{seat}reveal/").json()
    stored = api.post(f"{seat}judgement/", said, format="json", **key)
    listed = api.get("/api/v1/projects/ti/judgements/").json()["results"][0]

    for held in (claimed, ahead):
        assert (held["is_blind"], held["source"], held["findings"]) == (True, None, [])
        assert item.question not in json.dumps(held, ensure_ascii=False)
    assert claimed["revision"]["question"]
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["revealed_after"])
    assert (shown["is_blind"], shown["source"]["question"]) == (False, item.question)
    assert stored.status_code == 201
    assert listed["revealed_after"] == Judgement.objects.get().revealed_after is not None


def test_api_reveals_nothing_to_somebody_else(
    opened: Open, reviewers: People, api_of: Api, member: Member
) -> None:
    user, other = reviewers(2)
    seat = taken(opened(has_blind_reading=True), user)
    address = f"/api/v1/assignments/{seat.pk}/reveal/"
    assert api_of(other).post(address).json()["code"] == "seat_expired"
    assert api_of(member(Role.VIEWER)).post(address).status_code in (403, 404)
    assert not Reveal.objects.exists()


def hidden_value(html: str) -> str:
    found = re.search(r'name="revealed_after" value="([^"]*)"', html)
    assert found
    return found[1]


def test_page_without_a_script_reveals_by_its_button_and_keeps_what_was_typed(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = taken(opened(2, has_blind_reading=True), user, ago=30)
    browser = browser_of(user)

    blind = browser.get(WORKBENCH).content.decode()
    refused = browser.post(SUBMIT, form(seat, revealed_after=""))
    shown = browser.post(REVEAL, form(seat, revealed_after="", comment="kept")).content.decode()
    again = browser.get(WORKBENCH).content.decode()
    sent = browser.post(SUBMIT, form(seat, revealed_after=hidden_value(shown)))

    assert "data-blind" in blind
    assert hidden_value(blind) == ""
    assert refused.status_code == 400
    assert "Show the source and the key before" in refused.content.decode()
    assert "data-blind" in refused.content.decode()
    assert "data-blind" not in shown
    assert "kept" in shown
    assert "data-blind" not in again
    assert sent.status_code == 303
    assert Judgement.objects.get().revealed_after == int(hidden_value(shown)) >= 30


def test_page_of_another_round_hides_nothing(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    taken(opened(), user)
    html = browser_of(user).get(WORKBENCH).content.decode()
    assert "data-blind" not in html
    assert hidden_value(html) == "0"
    assert 'data-key="reveal"' not in html


@pytest.mark.parametrize("rubbish", ["-1", "x", "9" * 30, "\x00"])
def test_rubbish_as_seconds_is_refused(
    opened: Open, reviewers: People, browser_of: Browser, rubbish: str
) -> None:
    (user,) = reviewers(1)
    seat = taken(opened(has_blind_reading=True), user)
    answer = browser_of(user).post(SUBMIT, form(seat, revealed_after=rubbish))
    assert (answer.status_code, Judgement.objects.count()) == (400, 0)


def test_round_is_opened_and_changed_with_it_by_page_api_and_command(
    opened: Open, items: Callable[[int], None], member: Member, browser_of: Browser, api_of: Api
) -> None:
    items(1)
    manager = member(Role.MANAGER)
    call_command("open_round", "ti", "--blind-reading", "--force", verbosity=0)
    round_ = Round.objects.get()
    assert round_.has_blind_reading

    page = "/projects/ti/rounds/1/change/"
    assert "checked" in browser_of(manager).get(page).content.decode()
    assert browser_of(manager).post(page, {}).status_code == 302
    assert not Round.objects.get().has_blind_reading
    api = api_of(manager)
    changed = api.patch(f"/api/v1/rounds/{round_.pk}/", {"has_blind_reading": True}, format="json")
    assert changed.json()["has_blind_reading"] is True
    kept = api.patch(f"/api/v1/rounds/{round_.pk}/", {"cap_per_person": 3}, format="json")
    assert kept.json()["has_blind_reading"] is True
    assert "First reading" in browser_of(manager).get("/projects/ti/rounds/1/").content.decode()


def test_exports_have_the_seconds(opened: Open, reviewers: People, api_of: Api) -> None:
    (user,) = reviewers(1)
    round_ = opened(2, has_blind_reading=True)
    for seconds in (3, 5):
        judged(taken(round_, user, ago=60), user, revealed_after=seconds)
    export = "/api/v1/projects/ti/judgements/export/"
    api = api_of(user)
    lines = b"".join(api.get(export).streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    table = b"".join(api.get(export, {"format": "csv"}).streaming_content).decode()  # type: ignore[attr-defined]
    assert [json.loads(line)["revealed_after"] for line in lines] == [3, 5]
    head, *rows = table.lstrip("\ufeff").splitlines()
    place = head.split(",").index("revealed_after")
    assert [row.split(",")[place] for row in rows] == ["3", "5"]


def test_round_with_reveals_can_be_discarded(opened: Open, reviewers: People) -> None:
    (user,) = reviewers(1)
    round_ = opened(has_blind_reading=True)
    reveal_source(assignment=taken(round_, user), reviewer=user, now=NOW)
    discard_round(round_=round_, actor=None, now=NOW)
    assert not Round.objects.exists()
    assert not Reveal.objects.exists()


def test_simulated_reviewers_look_at_the_source_first(opened: Open) -> None:
    opened(2, has_blind_reading=True, panel_size=1)
    call_command("simulate_reviewers", "ti", "--reviewers", "2", "--seed", "1", verbosity=0)
    assert Judgement.objects.exclude(revealed_after=None).count() == 2
