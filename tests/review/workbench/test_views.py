"""The workbench: looking changes nothing, forms work without scripts, nothing typed is lost."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from accounts.models import User
from annotation.enums import ItemKind
from annotation.models import Item, Revision, Translation
from projects.enums import Role
from projects.models import Project
from review.enums import RoundState, SeatState, Selection
from review.models import Assignment, Judgement, Panel, Round, Suggestion
from review.rounds.actions.rounds import close_round, discard_round, open_round
from review.rounds.actions.settings import RoundSettings
from review.seats.actions.seats import (
    claim_seat,
    free_expired_seats,
    held_seat,
    held_seats,
    reserve_seats,
)
from tests.factories import UserFactory, make_translated_item
from tests.markup import squeezed
from tests.review.conftest import OPTIONS
from tests.review.kinds import take

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Member = Callable[..., User]
Browser = Callable[[User], Client]
Dispute = Callable[..., Panel]
WORKBENCH = "/projects/ti/rounds/1/workbench/"
SUBMIT = "/projects/ti/rounds/1/submit/"
SKIP = "/projects/ti/rounds/1/skip/"
UNSKIP = "/projects/ti/rounds/1/unskip/"
RESERVE = "/projects/ti/rounds/1/reserve/"
UNDO = "/projects/ti/rounds/1/undo/"
SUGGEST = "/projects/ti/rounds/1/suggest/"
TYPED = {"question": "འདྲི་བ་གསར་པ།", **{f"option_{n}": text for n, text in enumerate(OPTIONS)}}


def form(seat: Assignment, **typed: Any) -> dict[str, Any]:
    fields = {
        "assignment": seat.pk,
        "revision": seat.panel.revision_id,
        "idempotency_key": "k1",
        "verdict": "approve",
        "domain": 4,
        "cultural": 5,
        **TYPED,
    }
    return {name: value for name, value in {**fields, **typed}.items() if value is not None}


def everything() -> dict[str, list[Any]]:
    """All rows of the domain as they stand."""
    return {
        model._meta.label: list(model._default_manager.order_by("pk").values())
        for app in ("accounts", "annotation", "review")
        for model in apps.get_app_config(app).get_models()
    }


@pytest.mark.parametrize("is_expired", [False, True])
def test_looking_at_the_workbench_changes_nothing(
    opened: Open, reviewers: People, browser_of: Browser, is_expired: bool
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(2), user)
    if is_expired:
        Assignment.objects.filter(pk=seat.pk).update(expires_at=timezone.now() - timedelta(1))
    browser = browser_of(user)
    before = everything()

    assert browser.get(WORKBENCH).status_code == 200
    assert everything() == before


def test_source_text_begins_where_its_element_does(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    """Its white space is shown, so none may come from the template."""
    (user,) = reviewers(1)
    take(opened(2), user)
    page = browser_of(user).get(WORKBENCH).content.decode()
    shown = re.findall(r'<div class="source"[^>]*>(.*?)</div', page, re.DOTALL)
    assert len(shown) == 1 + len(OPTIONS)
    assert [text for text in shown if text != text.strip()] == []


def test_item_that_asks_for_a_translation_is_shown_once(
    opened: Open, reviewers: People, browser_of: Browser, member: Member
) -> None:
    """It is its own text; beside itself it was called its translation."""
    (user,) = reviewers(1)
    item = take(opened(2), user).panel.item
    Item.objects.filter(pk=item.pk).update(kind=ItemKind.TRANSLATION, key="", answer="ལྷ་ས།")
    pages = [
        (user, WORKBENCH),
        (member(Role.MANAGER), f"/projects/ti/items/{item.pk}/"),
    ]
    for person, address in pages:
        page = browser_of(person).get(address).content.decode()
        assert 'class="rows one"' in page
        assert 'class="source' not in page


def test_source_text_is_called_so_in_chinese(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    take(opened(2), user)
    User.objects.filter(pk=user.pk).update(language="zh-hans")
    browser = browser_of(user)

    assert "原文 · " in browser.get(WORKBENCH).content.decode()
    practice = squeezed(browser.get("/projects/ti/practice/1/").content.decode())
    assert "原文" in practice


def test_looking_without_a_seat_offers_to_take_one(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    opened(1)
    browser = browser_of(reviewers(1)[0])

    assert b"/projects/ti/rounds/1/claim/" in browser.get(WORKBENCH).content
    assert not Assignment.objects.filter(state=SeatState.CLAIMED).exists()
    taken = browser.post("/projects/ti/rounds/1/claim/")
    assert (taken.status_code, taken["Location"]) == (303, WORKBENCH)
    assert Assignment.objects.filter(state=SeatState.CLAIMED).count() == 1


def test_plain_form_stores_the_judgement_and_lands_on_the_next_item(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(2), user)
    browser = browser_of(user)

    page = browser.post(SUBMIT, form(seat, tags=["grammar"], comment="a\r\nb"), follow=True)

    stored = Judgement.objects.get()
    assert (stored.verdict, stored.ratings, stored.tags) == (
        "approve",
        {"domain": 4, "cultural": 5},
        ["grammar"],
    )
    assert (stored.comment, stored.correction) == ("a\nb", None)
    assert page.redirect_chain == [(f"{WORKBENCH}?judged={stored.pk}", 303)]
    assert page.context["item"].uid == "s/00001"


RECEIPT = {"Accept": "application/json, text/html;q=0.9"}
SCRIPT = {"Accept": "application/json, text/html;q=0.9", "Lotsawa-Fragment": "items"}


def having(seats: list[Assignment]) -> dict[str, str]:
    """The headers of a script whose page has these seats."""
    return {**SCRIPT, "Lotsawa-Have": ",".join(str(seat.pk) for seat in seats)}


def test_script_gets_one_more_item_without_its_frame_in_the_answer(
    opened: Open, reviewers: People, browser_of: Browser, django_assert_num_queries: Any
) -> None:
    (user,) = reviewers(1)
    seats = reserve_seats(round_=opened(9), reviewer=user, now=timezone.now())
    browser, typed = browser_of(user), form(seats[0])

    # Session, person, seat; BEGIN, panel, seat, judgement, panel, round, COMMIT; membership, held
    # seats, claim, texts, findings: inside a test's transaction the claim has a savepoint of its
    # own.
    with django_assert_num_queries(17):
        answer = browser.post(SUBMIT, typed, headers=having(seats[1:]))

    page = answer.content.decode()
    assert answer.status_code == 200
    assert Judgement.objects.get().assignment == seats[0]
    after = held_seats(round_=seats[0].round, reviewer=user)
    assert after[:5] == seats[1:]
    assert re.findall(r'<template data-seat="(\d+)" data-item="(\S+)">', page) == [
        (str(after[5].pk), "s/00006")
    ]
    assert f'data-judgement="{Judgement.objects.get().pk}"' in page
    assert 'name="verdict"' not in page
    assert "<body" not in page


def test_script_that_has_nothing_yet_gets_everything_that_is_held(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    opened(9)

    page = browser_of(user).post(RESERVE, headers=SCRIPT).content.decode()

    assert re.findall(r'data-item="(\S+)">', page)[::2] == [f"s/{n:05}" for n in range(6)]
    seats = re.findall(r"(\d+):(\d+)", page[page.index("data-seats") : page.index("data-build")])
    assert len(seats) == 6
    assert all(1790 <= int(seconds) <= 1800 for _seat, seconds in seats)


def test_page_of_the_build_before_is_answered_with_a_receipt(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    """Its script loads the page again when it gets no item."""
    (user,) = reviewers(1)
    seat = take(opened(2), user)
    before = {"Accept": SCRIPT["Accept"], "Lotsawa-Fragment": "next-item"}

    answer = browser_of(user).post(SUBMIT, form(seat), headers=before)

    assert answer.json()["judgement"] == Judgement.objects.get().pk


def test_judgement_is_undone_by_the_script_with_all_that_was_said(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(3), user)
    browser = browser_of(user)
    browser.post(SUBMIT, form(seat, verdict="revise", tags=["grammar"]), headers=SCRIPT)
    stored = Judgement.objects.get()

    page = browser.post(UNDO, {"judgement": stored.pk}, headers=SCRIPT).content.decode()

    assert f'data-again-seat="{seat.pk}"' in page
    assert '<progress value="0"' in re.sub(r"\s+", " ", page)
    said = json.loads(re.findall(r'<script id="again".*?>(.*?)</script>', page)[0])
    options = {f"option_{n}": [text] for n, text in enumerate(OPTIONS)}
    assert said == {
        "verdict": ["revise"],
        "domain": ["4"],
        "cultural": ["5"],
        "tags": ["grammar"],
        "comment": [""],
        "active_seconds": ["0"],
        "question": [TYPED["question"]],
        **options,
        "answer": [""],
        "explanation": [""],
    }
    assert not Judgement.objects.exists()


@pytest.mark.parametrize("has_come", [True, False])
def test_judgement_whose_answer_was_lost_is_undone_by_its_key_if_it_came(
    opened: Open, reviewers: People, browser_of: Browser, *, has_come: bool
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1, panel_size=2), user)
    browser = browser_of(user)
    if has_come:
        browser.post(SUBMIT, form(seat), headers=RECEIPT)
    stored = Judgement.objects.first()

    answer = browser.post(UNDO, {"key": "k1"}, headers=RECEIPT)
    again = browser.post(
        SUBMIT, form(seat, verdict="reject", idempotency_key="k2"), headers=RECEIPT
    )

    assert (answer.status_code, answer.json()) == (200, {"judgement": stored and stored.pk})
    assert (again.status_code, Judgement.objects.get().verdict) == (200, "reject")


def test_undo_by_key_that_comes_twice_leaves_what_came_in_between(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1, panel_size=2), user)
    browser = browser_of(user)
    browser.post(SUBMIT, form(seat), headers=RECEIPT)
    browser.post(UNDO, {"key": "k1"}, headers=RECEIPT)
    browser.post(SUBMIT, form(seat, verdict="reject", idempotency_key="k2"), headers=RECEIPT)

    replayed = browser.post(UNDO, {"key": "k1"}, headers=RECEIPT)

    assert (replayed.status_code, replayed.json()["code"]) == (409, "seat_taken")
    assert Judgement.objects.get().idempotency_key == "k2"


def test_undo_by_the_key_of_somebody_else_undoes_nothing(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    first, second = reviewers(2)
    seat = take(opened(1, panel_size=2), first)
    browser_of(first).post(SUBMIT, form(seat), headers=RECEIPT)

    answer = browser_of(second).post(UNDO, {"key": "k1"}, headers=RECEIPT)

    assert answer.json() == {"judgement": None}
    assert Judgement.objects.get().reviewer == first


def test_undo_brings_an_emptied_explanation_back_empty(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1), user)
    Revision.objects.update(explanation="དེའི་ཕྱིར།")
    browser = browser_of(user)
    emptied = form(seat, verdict="revise", question=seat.panel.revision.question, explanation="")
    browser.post(SUBMIT, emptied, headers=SCRIPT)

    judged = {"judgement": Judgement.objects.get().pk}
    page = browser.post(UNDO, judged, follow=True)

    rows = {row.input_name: row.edited_text for row in page.context["rows"]}
    assert rows["explanation"] == ""


def test_judgement_is_undone_without_scripts(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(3), user)
    browser = browser_of(user)
    page = browser.post(SUBMIT, form(seat), follow=True)
    assert f'action="{UNDO}"' in squeezed(page.content.decode())

    again = browser.post(UNDO, {"judgement": Judgement.objects.get().pk}, follow=True)

    assert again.redirect_chain == [(f"{WORKBENCH}?seat={seat.pk}", 303)]
    assert again.context["item"].uid == "s/00000"


@pytest.mark.parametrize("judgement", ["", "x", "0", "9" * 30])
def test_undo_of_nothing_is_not_found(
    opened: Open, reviewers: People, browser_of: Browser, judgement: str
) -> None:
    opened(1)
    answer = browser_of(reviewers(1)[0]).post(UNDO, {"judgement": judgement}, headers=SCRIPT)
    assert answer.status_code == 404


def test_suggestion_is_kept_by_script_and_by_form(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    user, other = reviewers(2)
    seat = take(opened(1, panel_size=1), user)
    typed = form(seat, verdict="revise", reason="seat_taken")
    lose_to(seat, other)
    browser = browser_of(user)

    answer = browser.post(SUGGEST, typed, headers=SCRIPT)
    page = browser.post(SUGGEST, typed, follow=True)

    stored = Suggestion.objects.get()
    assert answer.json() == {"suggestion": stored.pk}
    assert (stored.panel_id, stored.author, stored.reason) == (seat.panel_id, user, "seat_taken")
    assert "Your text is kept as a suggestion" in page.content.decode()


def test_refused_form_without_scripts_offers_both_ways_out(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    user, other = reviewers(2)
    seat = take(opened(1, panel_size=1), user)
    typed = form(seat)
    lose_to(seat, other)

    page = squeezed(browser_of(user).post(SUBMIT, typed).content.decode())

    assert "Somebody else is judging this item now." in page
    assert 'formaction="/projects/ti/rounds/1/claim/"' in page
    assert 'formaction="/projects/ti/rounds/1/suggest/"' in page
    assert 'name="reason" value="seat_taken"' in page


def lose_to(seat: Assignment, other: User) -> None:
    """Let the time of a seat run out and somebody else take it."""
    late = timezone.now() + timedelta(hours=1)
    free_expired_seats(round_=seat.round, now=late)
    taken = claim_seat(round_=seat.round, reviewer=other, now=late)
    assert taken == seat


def test_words_of_earlier_rounds_are_shown_and_those_of_this_one_are_not(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    first, second = reviewers(2)
    round_ = opened(1, panel_size=1)
    seat = take(round_, first)
    browser_of(first).post(SUBMIT, form(seat, verdict="revise", comment="check the term"))
    Suggestion.objects.create(
        panel=seat.panel,
        revision=seat.panel.revision,
        author=second,
        comment="too formal",
        reason="seat_taken",
        idempotency_key="k",
        created_at=timezone.now(),
    )
    again = opened_again(round_)
    take(again, second)

    page = squeezed(browser_of(second).get(WORKBENCH.replace("/1/", "/2/")).content.decode())

    assert "From earlier rounds" in page
    assert "check the term" in page
    assert "too formal" in page
    Suggestion.objects.update(panel=Panel.objects.get(round=again))
    assert (
        "too formal" not in browser_of(second).get(WORKBENCH.replace("/1/", "/2/")).content.decode()
    )


def opened_again(round_: Round) -> Round:
    """The next round of the project, over everything."""
    now = timezone.now()
    close_round(round_=round_, actor=None, now=now)
    settings = RoundSettings(panel_size=1, selection=Selection.ALL)
    return open_round(project=round_.project, settings=settings, actor=None, now=now)


def test_shell_has_the_form_and_no_item(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    take(opened(2), user)

    answer = browser_of(user).get(f"{WORKBENCH}shell/")

    page = squeezed(answer.content.decode())
    assert answer.status_code == 200
    assert "data-shell" in page
    assert 'name="verdict"' in page
    assert "s/0000" not in page


def test_script_is_told_when_nothing_is_left_or_the_round_was_closed(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    user, other = reviewers(2)
    round_ = opened(1)
    mine, theirs = take(round_, user), take(round_, other)
    others = browser_of(other)

    done = browser_of(user).post(SUBMIT, form(mine), headers=SCRIPT)
    other.memberships.update(is_paused=True)
    paused = others.post(SUBMIT, form(theirs), headers=SCRIPT)

    assert "Nothing left for you in this round" in done.content.decode()
    assert "paused" in paused.content.decode()
    assert Judgement.objects.count() == 2


def test_judgement_sent_from_another_page_takes_no_further_seat(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(2), user)

    answer = browser_of(user).post(SUBMIT, form(seat), headers={"Accept": "application/json"})

    stored = Judgement.objects.get()
    assert answer.json() == {"judgement": stored.pk, "receipt": str(stored.receipt)}
    assert held_seat(round_=seat.round, reviewer=user) is None


def test_skip_without_scripts_offers_to_undo_it(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(2), user)
    browser = browser_of(user)

    page = browser.post(SKIP, {"assignment": seat.pk, "reason": "other"}, follow=True)
    assert page.redirect_chain == [(f"{WORKBENCH}?skipped={seat.pk}", 303)]
    assert page.context["item"].uid == "s/00001"
    assert 'action="/projects/ti/rounds/1/unskip/"' in squeezed(page.content.decode())

    again = browser.post(UNSKIP, {"assignment": seat.pk}, follow=True)
    assert again.redirect_chain == [(f"{WORKBENCH}?seat={seat.pk}", 303)]
    assert again.context["item"].uid == "s/00000"


def test_script_undoes_a_skip_and_is_refused_in_words(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(2), user)
    browser = browser_of(user)
    browser.post(SKIP, {"assignment": seat.pk, "reason": "other"}, headers=SCRIPT)

    back = browser.post(UNSKIP, {"assignment": seat.pk}, headers=SCRIPT)
    other = Assignment.objects.filter(state=SeatState.OPEN).exclude(panel=seat.panel)[0]
    refused = browser.post(UNSKIP, {"assignment": other.pk}, headers=SCRIPT)

    assert 'data-item="s/00000"' in back.content.decode()
    assert (refused.status_code, refused.json()["code"]) == (404, "skip_not_found")


def test_last_item_lands_on_nothing_left(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1), user)

    page = browser_of(user).post(SUBMIT, form(seat), follow=True)
    assert page.context["has_nothing_left"]


def nothing_left(browser: Client) -> str:
    return squeezed(browser.get(f"{WORKBENCH}?nothing-left").content.decode())


def test_page_without_an_item_says_why_nothing_is_left(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    user, other = reviewers(2)
    round_ = opened(2, cap_per_person=1)
    browser = browser_of(user)
    browser.post(SUBMIT, form(take(round_, user)))
    assert "That is the most that one person may judge" in nothing_left(browser)
    assert "Look again" not in nothing_left(browser)

    Round.objects.update(cap_per_person=None)
    assert "or with somebody else" in nothing_left(browser)
    assert "Look again" in nothing_left(browser)

    Round.objects.update(judged_count=round_.panel_count * round_.panel_size)
    assert "Every item of the round is judged." in nothing_left(browser_of(other))


def test_page_that_said_nothing_is_left_tells_of_a_pause_and_of_the_end(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    opened(1)
    browser = browser_of(user)

    Round.objects.update(paused_at=timezone.now(), pause_reason="Holidays")
    assert "Holidays" in nothing_left(browser)
    Round.objects.update(paused_at=None, state=RoundState.CLOSED, closed_at=timezone.now())
    assert "This round is closed." in nothing_left(browser)


def test_last_judgement_is_undone_where_no_item_is_left(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1, panel_size=2), user)
    browser = browser_of(user)
    typed = form(seat, verdict="revise", comment="ཚིག", **TYPED)
    fragment = browser.post(SUBMIT, typed, headers=SCRIPT).content.decode()
    judgement = Judgement.objects.get()

    button = f'<input type="hidden" name="judgement" value="{judgement.pk}">'
    assert button in fragment
    assert button in browser.get(WORKBENCH).content.decode()
    again = browser.post(UNDO, {"judgement": judgement.pk}, follow=True)
    assert again.context["assignment"] == seat
    assert again.context["values"]["comment"] == "ཚིག"
    assert TYPED["question"] in again.content.decode()
    assert Judgement.objects.count() == 0


def test_judgement_that_counts_or_is_old_is_not_offered_for_undo(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    user, other = reviewers(2)
    round_ = opened(1, panel_size=2)
    browser = browser_of(user)
    browser.post(SUBMIT, form(take(round_, user)))
    assert browser.get(WORKBENCH).context["to_undo"]

    Project.objects.update(undo_minutes=0)
    assert not browser.get(WORKBENCH).context["to_undo"]
    Project.objects.update(undo_minutes=10)
    browser_of(other).post(SUBMIT, form(take(round_, other)))
    assert not browser.get(WORKBENCH).context["to_undo"]


def test_revision_typed_in_the_form_is_stored(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1), user)

    browser_of(user).post(SUBMIT, form(seat, verdict="revise"))

    assert Judgement.objects.get().correction == {
        "question": TYPED["question"],
        "options": list(OPTIONS),
    }


@pytest.mark.parametrize(
    "missing", ["verdict", "domain", "cultural", "revision", "idempotency_key"]
)
def test_refused_form_shows_all_that_was_typed(
    opened: Open, reviewers: People, browser_of: Browser, missing: str
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1), user)

    page = browser_of(user).post(
        SUBMIT, form(seat, comment="ཧ་ཅང་ལེགས།", tags=["culture"], **{missing: None})
    )

    assert page.status_code == 400
    assert list(page.context["errors"]) == [missing]
    assert page.context["values"]["tags"] == ["culture"]
    text = page.content.decode()
    assert "ཧ་ཅང་ལེགས།" in text
    assert TYPED["question"] in text
    assert not Judgement.objects.exists()


def test_odd_values_are_refused_in_words(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat, browser = take(opened(1), user), browser_of(user)
    values: list[dict[str, Any]] = [
        {"domain": "9"}, {"domain": "x"}, {"revision": "9" * 40}, {"active_seconds": "-1"}, {"tags": ["nice"]},
        {"comment": "a\x00"}, {"question": "\x00", "verdict": "revise"}, {"comment": "x" * 20_001},
        {"verdict": "revise", "option_3": ""}, {"idempotency_key": "x" * 101}, {"domain": "༤༤"},
    ]  # fmt: skip
    answers = [(odd, browser.post(SUBMIT, form(seat, **odd)).status_code) for odd in values]
    assert answers == [(odd, 400) for odd in values]
    assert not Judgement.objects.exists()


def test_script_gets_its_refusal_as_json(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1), user)

    answer = browser_of(user).post(
        SUBMIT, form(seat, verdict=None), headers={"accept": "application/json"}
    )

    assert answer.status_code == 400
    assert answer.json()["code"] == "judgement_invalid"
    assert list(answer.json()["fields"]) == ["verdict"]


def test_script_whose_round_closed_meanwhile_is_not_told_that_its_judgement_failed(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    round_ = opened(2)
    seat = take(round_, user)
    browser = browser_of(user)
    browser.post(SUBMIT, form(seat))
    close_round(round_=round_, actor=None, now=timezone.now())

    again = browser.post(SUBMIT, form(seat), headers=SCRIPT)
    assert again.status_code == 200
    assert "This round is closed" in again.content.decode()
    page = browser.get(WORKBENCH).content.decode()
    assert "This round is closed" in page


def test_script_whose_round_was_discarded_meanwhile_is_told_so_in_words(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    round_ = opened(1)
    (user,) = reviewers(1)
    browser, typed = browser_of(user), form(take(round_, user))
    discard_round(round_=round_, actor=None, now=timezone.now())

    answer = browser.post(SUBMIT, typed, headers={"accept": "application/json, text/html;q=0.9"})

    assert (answer.status_code, answer.json()["detail"]) == (
        404,
        "There is no round 1 in this project.",
    )


def test_paused_reviewer_is_told_beside_the_held_item_that_it_is_the_last(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    take(opened(2), user)
    browser = browser_of(user)
    words = b"You can still finish the item you have taken"
    assert words not in browser.get(WORKBENCH).content

    user.memberships.update(is_paused=True)

    again = browser.post("/projects/ti/rounds/1/claim/", follow=True)
    assert again.redirect_chain == [(WORKBENCH, 303)]
    assert again.content.count(words) == 1


def test_paused_reviewers_judgement_is_stored_and_the_page_says_why_there_is_no_next(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(2), user)
    user.memberships.update(is_paused=True)

    page = browser_of(user).post(SUBMIT, form(seat), follow=True)
    assert Judgement.objects.count() == 1
    assert "paused" in page.content.decode()


def test_late_form_renews_the_seat(opened: Open, reviewers: People, browser_of: Browser) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1), user)
    free_expired_seats(round_=seat.round, now=timezone.now() + timedelta(1))

    assert browser_of(user).post(SUBMIT, form(seat)).status_code == 303
    assert Judgement.objects.get().assignment == seat


def test_form_for_a_seat_that_somebody_else_took_shows_what_was_typed(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    slow, quick = reviewers(2)
    round_ = opened(1, panel_size=1)
    seat = take(round_, slow)
    Assignment.objects.update(reviewer=quick)

    page = browser_of(slow).post(SUBMIT, form(seat, comment="ངའི་བསམ་འཆར།"))

    assert page.status_code == 409
    assert page.context["conflict"]["code"] == "seat_taken"
    assert "ངའི་བསམ་འཆར།" in page.content.decode()


def test_stale_text_is_shown_beside_what_was_typed(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1), user)
    newer = Revision.objects.create(
        translation=seat.panel.revision.translation, number=2, supersedes=seat.panel.revision, question="གཞན།",
        options=list(OPTIONS), origin="imported", content_hash="x", created_at=timezone.now(),
    )  # fmt: skip
    Translation.objects.update(current_revision=newer)
    browser = browser_of(user)

    page = browser.post(SUBMIT, form(seat, verdict="revise"))
    answer = browser.post(SUBMIT, form(seat), headers={"accept": "application/json"})

    assert page.status_code == 409
    assert page.context["conflict"]["current"]["question"] == "གཞན།"
    assert TYPED["question"] in page.content.decode()
    assert (answer.status_code, answer.json()["current"]["revision"]) == (409, newer.pk)


def test_skip_goes_on_and_without_a_reason_is_refused(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(2), user)
    browser = browser_of(user)
    path = "/projects/ti/rounds/1/skip/"

    refused = browser.post(path, {"assignment": seat.pk, "reason": "bored"})
    assert refused.status_code == 400
    assert (
        browser.post(path, {"assignment": seat.pk, "reason": "other", "note": "n"}).status_code
        == 303
    )
    assert browser.get(WORKBENCH).context["item"].uid == "s/00001"


@pytest.mark.parametrize("pk", ["", "0", "-1", "x", "9" * 40, "\x00"])
def test_unknown_seat_is_404(opened: Open, reviewers: People, browser_of: Browser, pk: str) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1), user)

    assert browser_of(user).post(SUBMIT, form(seat, assignment=pk)).status_code == 404


def test_strangers_get_404_and_members_without_the_right_403(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel = disputed()
    paths = [
        "/projects/ti/rounds/",
        "/projects/ti/rounds/1/",
        WORKBENCH,
        f"/projects/ti/disputes/{panel.pk}/",
    ]
    stranger, viewer = browser_of(UserFactory()), browser_of(member(Role.VIEWER))

    assert {stranger.get(path).status_code for path in paths} == {404}
    assert [viewer.get(path).status_code for path in paths] == [200, 200, 403, 403]
    assert viewer.get("/projects/ti/rounds/open/").status_code == 403
    assert viewer.post("/projects/ti/rounds/guideline/", {}).status_code == 403


def test_option_without_a_counterpart_in_the_source_is_shown_to_judges_and_seniors(
    project: Project,
    opened: Open,
    member: Member,
    judge: Callable[..., Judgement],
    browser_of: Browser,
) -> None:
    texts = [*OPTIONS, "ལྔ་པ།"]
    make_translated_item(
        project=project, source__project=project, subject__project=project, options=texts
    )
    round_ = opened(0)
    first, second = member(Role.REVIEWER), member(Role.REVIEWER)
    take(round_, first)

    workbench = browser_of(first).get(WORKBENCH)
    judge(round_, first, verdict="reject")
    judge(round_, second)
    dispute = browser_of(member(Role.SENIOR)).get(
        f"/projects/ti/disputes/{Panel.objects.get().pk}/"
    )

    for page in (workbench, dispute):
        assert page.context["surplus"] == [("E", "ལྔ་པ།")]
        assert "ལྔ་པ།" in page.content.decode()
    assert squeezed(workbench.content.decode()).count('<textarea class="target-edit"') == 5


def test_addresses_of_the_workbench_are_among_the_first_tried() -> None:
    assert len(resolve(SUBMIT).tried or []) < 15
