"""What came too late for a judgement is kept for the senior, and only from people who had the item."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from review.enums import Selection, SkipReason
from review.models import Assignment, Judgement, Panel, Round, Suggestion
from review.outcomes import Correction
from review.rounds.actions.rounds import close_round, open_round
from review.rounds.actions.settings import RoundSettings
from review.seats.actions.seats import claim_seat, free_expired_seats, reserve_seats, skip_seat
from review.workbench.actions.suggestions import (
    SuggestionInvalid,
    SuggestionKeyReused,
    SuggestionNotYours,
    keep_suggestion,
)
from review.workbench.presenters import suggested_fields
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]
Api = Callable[[User], APIClient]
TEXT = Correction("འདྲི་བ་གསར་པ།", OPTIONS)


def keep(seat: Assignment, user: User, **said: Any) -> Suggestion:
    fields = {"verdict": "revise", "correction": TEXT, "comment": "", "reason": "seat_taken"}
    return keep_suggestion(
        assignment=seat,
        reviewer=user,
        idempotency_key="k",
        now=timezone.now(),
        **{**fields, **said},
    )


def taken(round_: Round, user: User) -> Assignment:
    seat = claim_seat(round_=round_, reviewer=user, now=timezone.now())
    assert seat is not None
    return seat


def test_suggestion_holds_what_was_typed_and_changes_nothing_else(
    opened: Open, reviewers: People
) -> None:
    (user,) = reviewers(1)
    seat = taken(opened(1), user)
    free_expired_seats(round_=seat.round, now=timezone.now() + timedelta(hours=1))
    seat.refresh_from_db()
    before = Panel.objects.values().get()

    suggestion = keep(seat, user, comment=" the term \n")

    assert Suggestion.objects.values(
        "panel", "revision", "author", "verdict", "correction", "comment", "reason"
    ).get() == {
        "panel": seat.panel_id,
        "revision": seat.panel.revision_id,
        "author": user.pk,
        "verdict": "revise",
        "correction": TEXT.as_json(),
        "comment": "the term",
        "reason": "seat_taken",
    }
    assert Panel.objects.values().get() == before
    assert keep(seat, user) == suggestion
    assert Suggestion.objects.count() == 1


def test_key_of_a_suggestion_for_another_item_is_refused(opened: Open, reviewers: People) -> None:
    (user,) = reviewers(1)
    first, second = reserve_seats(round_=opened(2), reviewer=user, now=timezone.now())
    keep(first, user)

    with pytest.raises(SuggestionKeyReused):
        keep(second, user)

    assert Suggestion.objects.get().panel_id == first.panel_id


def test_everybody_who_had_the_item_may_suggest(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    holder, judged, skipped, closed = reviewers(4)
    round_ = opened(1, panel_size=9)
    seats = {holder: taken(round_, holder), judged: judge(round_, judged).assignment}
    seats[skipped] = taken(round_, skipped)
    skip_seat(
        assignment=seats[skipped],
        reviewer=skipped,
        reason=SkipReason.OTHER,
        note="",
        now=timezone.now(),
    )
    seats[closed] = taken(round_, closed)
    close_round(round_=round_, actor=None, now=timezone.now())

    for user, seat in seats.items():
        keep(Assignment.objects.get(pk=seat.pk), user)
    assert Suggestion.objects.count() == 4


def test_nobody_suggests_for_an_item_that_they_never_had(opened: Open, reviewers: People) -> None:
    holder, stranger = reviewers(2)
    seat = taken(opened(1), holder)

    with pytest.raises(SuggestionNotYours):
        keep(seat, stranger)


@pytest.mark.parametrize(
    "said",
    [
        {"correction": None, "comment": " "},
        {"verdict": "perhaps"},
        {"comment": "x" * 20_001},
    ],
)
def test_suggestion_that_says_nothing_or_too_much_is_refused(
    opened: Open, reviewers: People, said: dict[str, Any]
) -> None:
    (user,) = reviewers(1)
    seat = taken(opened(1), user)

    with pytest.raises(SuggestionInvalid):
        keep(seat, user, **said)
    assert not Suggestion.objects.exists()


def test_api_keeps_a_suggestion_once(opened: Open, reviewers: People, api_of: Api) -> None:
    user, stranger = reviewers(2)
    seat = taken(opened(1), user)
    path = f"/api/v1/assignments/{seat.pk}/suggestion/"
    body = {"verdict": "revise", "correction": TEXT.as_json(), "reason": "round_closed"}

    first, second = (
        api_of(user).post(path, body, format="json", HTTP_IDEMPOTENCY_KEY="k") for _ in range(2)
    )

    stored = Suggestion.objects.get()
    assert (first.status_code, first.json()) == (201, {"suggestion": stored.pk})
    assert second.json() == first.json()
    refused = api_of(stranger).post(path, body, format="json", HTTP_IDEMPOTENCY_KEY="k")
    assert (refused.status_code, refused.json()["code"]) == (403, "suggestion_not_yours")
    empty = api_of(user).post(path, {}, format="json", HTTP_IDEMPOTENCY_KEY="k2")
    assert (empty.status_code, empty.json()["code"]) == (400, "suggestion_invalid")


@pytest.mark.parametrize("is_blind", [False, True])
def test_api_tells_the_next_reader_what_the_rounds_before_left(
    opened: Open, reviewers: People, api_of: Api, is_blind: bool
) -> None:
    late, judging = reviewers(2)
    round_ = opened(1, panel_size=1)
    seat = taken(round_, late)
    keep(seat, late, comment="the term")
    assert api_of(judging).post(f"/api/v1/rounds/{round_.pk}/claim/").status_code == 204
    close_round(round_=round_, actor=None, now=timezone.now())
    settings = RoundSettings(panel_size=1, selection=Selection.ALL, has_blind_reading=is_blind)
    again = open_round(project=round_.project, settings=settings, actor=None, now=timezone.now())

    claimed = api_of(judging).post(f"/api/v1/rounds/{again.pk}/claim/").json()

    texts = [{"label": "Q", "text": TEXT.question}]
    said = {"round": 1, "kind": "suggestion", "comment": "the term", "texts": texts}
    assert claimed["earlier"] == ([] if is_blind else [said])


def test_words_of_earlier_rounds_come_with_an_item_in_the_language_of_its_text(
    opened: Open, reviewers: People
) -> None:
    late, judging = reviewers(2)
    round_ = opened(1, panel_size=1)
    keep(taken(round_, late), late, comment="the term")
    close_round(round_=round_, actor=None, now=timezone.now())
    settings = RoundSettings(panel_size=1, selection=Selection.ALL)
    again = open_round(project=round_.project, settings=settings, actor=None, now=timezone.now())
    browser = Client()
    browser.force_login(judging)

    path = f"/projects/{again.project.slug}/rounds/{again.number}/reserve/"
    answer = browser.post(path, headers={"Lotsawa-Fragment": "items"}).content.decode()

    words = answer.partition('id="earlier-title"')[2].partition('data-part="comments"')[0]
    assert "the term" in words
    assert f'<p lang="{again.project.target_language}">' in words


def test_white_space_at_the_ends_of_a_text_is_no_suggestion(
    opened: Open, reviewers: People
) -> None:
    (user,) = reviewers(1)
    seat = taken(opened(1), user)
    revision = seat.panel.revision
    revision.options = [f"\n{text} " for text in OPTIONS]
    revision.question = TEXT.question[:-1]

    (field,) = suggested_fields(keep(seat, user), revision)

    assert (field.label, field.text) == ("Q", TEXT.question)
    assert [(part.op, part.text) for part in field.segments or ()][-1] == ("ins", "།")
    revision.question = TEXT.question
    assert [each.segments for each in suggested_fields(keep(seat, user), revision)] == [()]
