"""Pages and API of second looks, further seats, reading a dispute, and decisions that are sent twice."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.items.actions import exclude_item
from projects.enums import Role
from review.disputes.actions.inquiries import ask_further_judgement, ask_second_look
from review.enums import PanelState
from review.models import Adjudication, Inquiry, Judgement, Panel, Passage
from review.rounds.actions.rounds import close_round
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]
Api = Callable[[User], APIClient]
Dispute = Callable[..., Panel]

ANSWER = {
    "verdict": "reject",
    "domain": "4",
    "cultural": "4",
    "question": "འདྲི་བ།",
    **{f"option_{n}": text for n, text in enumerate(OPTIONS)},
}


def ask(panel: Panel, senior: User) -> Inquiry:
    return ask_second_look(
        panel=panel,
        judgement=panel.judgements.get(verdict="reject"),
        note="Read line 2.",
        actor=senior,
        now=timezone.now(),
    )


def reviewer_of(inquiry: Inquiry) -> User:
    assert inquiry.reviewer is not None
    return inquiry.reviewer


def page(browser: Client, address: str) -> str:
    return browser.get(address).content.decode()


def test_senior_asks_from_the_dispute_without_learning_a_name(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel, browser = disputed(), browser_of(member(Role.SENIOR))
    address = f"/projects/ti/disputes/{panel.pk}/"
    chosen = panel.judgements.get(verdict="reject")
    text = page(browser, address)
    assert f'<option value="{chosen.pk}">Reject' in text
    assert chosen.reviewer.name not in text

    answer = browser.post(f"{address}second-look/", {"judgement": chosen.pk, "note": "Line 2."})

    assert answer.status_code == 302
    assert Inquiry.objects.get().judgement == chosen
    assert "1 dispute waits for a reviewer." in page(browser, "/projects/ti/disputes/")
    assert panel.item.uid in page(browser, "/projects/ti/disputes/?waiting=yes")
    waiting = page(browser, address)
    assert "Waits for a second look" in waiting
    assert "Ask the reviewers" not in waiting
    browser.post(f"{address}take-back/")
    assert Inquiry.objects.get().state == "taken_back"


@pytest.mark.parametrize("path", ["second-look/", "further-seat/"])
def test_next_dispute_of_the_filter_follows_what_waits_for_a_reviewer(
    disputed: Dispute, member: Member, browser_of: Browser, path: str
) -> None:
    first = disputed(2)
    following = Panel.objects.exclude(pk=first.pk).get()
    said = {"judgement": first.judgements.all()[0].pk, "note": "Line 2."}
    browser = browser_of(member(Role.SENIOR))

    answer = browser.post(f"/projects/ti/disputes/{first.pk}/{path}?sort=uid", said)
    last = browser.post(f"/projects/ti/disputes/{following.pk}/further-seat/?sort=uid")

    assert answer["Location"] == f"/projects/ti/disputes/{following.pk}/?sort=uid"
    assert last["Location"] == "/projects/ti/disputes/?sort=uid"


def test_script_that_asks_a_reviewer_gets_the_next_dispute_and_what_was_done_once(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    first = disputed(2)
    following = Panel.objects.exclude(pk=first.pk).get()
    browser = browser_of(member(Role.SENIOR))

    said = browser.post(
        f"/projects/ti/disputes/{first.pk}/further-seat/", headers={"Accept": "application/json"}
    ).json()

    assert (said["next"], said["left"]) == (f"/projects/ti/disputes/{following.pk}/", "1 left")
    assert said["done"] == "One more judgement is asked for. The dispute waits for it."
    assert said["done"] not in page(browser, said["next"])


def test_script_that_asks_about_the_last_dispute_leaves_what_was_done_to_the_queue(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel, browser = disputed(), browser_of(member(Role.SENIOR))

    said = browser.post(
        f"/projects/ti/disputes/{panel.pk}/further-seat/", headers={"Accept": "application/json"}
    ).json()

    assert (said["next"], said["done"]) == ("/projects/ti/disputes/", "")
    assert "One more judgement is asked for." in page(browser, said["next"])


def test_script_gets_a_dispute_without_the_page_around_it(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel = disputed()
    address = f"/projects/ti/disputes/{panel.pk}/"
    browser = browser_of(member(Role.SENIOR))

    parts = browser.get(address, headers={"Lotsawa-Fragment": "dispute"}).content.decode()

    assert ("<html" in parts, "<script" in parts) == (False, False)
    assert f'data-panel="{panel.pk}"' in parts
    assert "1 left" in parts
    assert f'data-panel="{panel.pk}"' in page(browser, address)


def test_count_of_waiting_disputes_is_of_those_that_the_reader_may_settle(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    senior = member(Role.SENIOR)
    panel = disputed()
    ask(panel, senior)
    browser = browser_of(senior)
    assert "1 dispute waits for a reviewer." in page(browser, "/projects/ti/disputes/")

    exclude_item(item=panel.item, reason="twice", actor=senior, now=timezone.now())

    assert "waits for a reviewer" not in page(browser, "/projects/ti/disputes/")


@pytest.mark.parametrize("judgement", ["", "x", "-1", "9" * 30])
def test_rubbish_for_a_judgement_is_refused_in_words(
    disputed: Dispute, member: Member, browser_of: Browser, judgement: str
) -> None:
    panel, browser = disputed(), browser_of(member(Role.SENIOR))

    answer = browser.post(
        f"/projects/ti/disputes/{panel.pk}/second-look/", {"judgement": judgement, "note": "?"}
    )

    assert answer.status_code == 400
    assert "Choose one of the judgements" in answer.content.decode()


def test_closed_round_says_how_reviewers_are_asked_again(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel = disputed()
    close_round(round_=panel.round, actor=None, now=timezone.now())

    text = page(browser_of(member(Role.SENIOR)), f"/projects/ti/disputes/{panel.pk}/")

    assert "ask-note" not in text
    assert "its reviewers can no longer be asked" in text


def test_reviewer_finds_the_note_and_answers(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    senior = member(Role.SENIOR)
    inquiry = ask(disputed(), senior)
    browser = browser_of(reviewer_of(inquiry))
    address = f"/second-looks/{inquiry.pk}/"

    assert "1 item to look at again" in page(browser, "/")
    assert "Read line 2." in page(browser, "/projects/ti/rounds/1/workbench/")
    assert "Read line 2." in page(browser, "/second-looks/")
    text = page(browser, address)
    assert "Read line 2." in text
    assert senior.name not in text
    assert "better" not in text  # what the other reviewer said
    hidden = dict(re.findall(r'name="(assignment|revision|idempotency_key)" value="([^"]+)"', text))
    answer = browser.post(address, {**ANSWER, **hidden, "comment": "I still think so."})

    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert Judgement.objects.get(comment="I still think so.").reviewer == inquiry.reviewer
    assert "to look at again" not in page(browser, "/")
    assert "no longer waits" in page(browser, address)


def test_refused_answer_keeps_what_was_typed(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    inquiry = ask(disputed(), member(Role.SENIOR))
    hidden = {"assignment": 1, "revision": inquiry.panel.revision_id, "idempotency_key": "k"}

    answer = browser_of(reviewer_of(inquiry)).post(
        f"/second-looks/{inquiry.pk}/",
        {**ANSWER, **hidden, "verdict": "revise", "comment": "typed"},
    )

    assert answer.status_code == 400
    text = answer.content.decode()
    assert 'role="alert"' in text
    assert "did not change the text" in text
    assert ">typed</textarea>" in text


def test_others_do_not_learn_of_a_second_look(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    inquiry = ask(panel, senior)
    other = panel.judgements.get(verdict="revise").reviewer

    for person in (other, senior, member(Role.MANAGER)):
        assert browser_of(person).get(f"/second-looks/{inquiry.pk}/").status_code == 404
    assert "to look at again" not in page(browser_of(other), "/")


def test_api_asks_lists_answers_and_takes_back(
    disputed: Dispute, member: Member, api_of: Api
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    chosen = panel.judgements.get(verdict="reject")
    asked = api_of(senior).post(
        f"/api/v1/disputes/{panel.pk}/second-look/",
        {"judgement": chosen.pk, "note": "Line 2."},
        format="json",
    )
    assert (asked.status_code, asked.json()["kind"]) == (201, "second_look")
    assert api_of(senior).post(f"/api/v1/disputes/{panel.pk}/further-seat/").status_code == 409

    api = api_of(chosen.reviewer)
    (listed,) = api.get("/api/v1/me/second-looks/").json()["results"]
    assert (listed["note"], listed["judgement"]) == ("Line 2.", chosen.pk)
    body = {
        "verdict": "reject",
        "ratings": {"domain": 3, "cultural": 3},
        "revision": listed["revision"],
    }
    address = f"/api/v1/second-looks/{listed['id']}/judgement/"
    made = [
        api.post(address, body, format="json", headers={"Idempotency-Key": "one"}) for _ in range(2)
    ]

    assert [each.status_code for each in made] == [201, 201]
    assert made[0].json() == made[1].json()
    seat = api_of(senior).post(f"/api/v1/disputes/{panel.pk}/further-seat/")
    assert (seat.status_code, seat.json()["kind"]) == (201, "further_seat")
    assert api_of(senior).post(f"/api/v1/disputes/{panel.pk}/take-back/").status_code == 200


def test_manager_reads_the_matrix_and_nothing_can_be_pressed(
    disputed: Dispute, member: Member, browser_of: Browser, api_of: Api
) -> None:
    panel, manager = disputed(), member(Role.MANAGER)
    ask_further_judgement(panel=panel, actor=member(Role.SENIOR), now=timezone.now())

    browser = browser_of(manager)
    text = page(browser, f"/projects/ti/disputes/{panel.pk}/")

    main = text[text.index("<main") : text.index("</main>")]
    assert "Proposal 1" in main
    assert "better" in main
    assert not re.search(r"<(form|button|input|textarea|select)\b", main)
    assert "adjudication.js" not in text
    assert f"/projects/ti/disputes/{panel.pk}/" in page(
        browser, "/projects/ti/disputes/?waiting=yes"
    )
    assert api_of(manager).get(f"/api/v1/disputes/{panel.pk}/").json()["id"] == panel.pk
    posted = browser.post(f"/projects/ti/disputes/{panel.pk}/adjudicate/", {"decision": "approve"})
    assert posted.status_code == 403


def decide(browser: Client, panel: Panel, **typed: Any) -> Any:
    texts = {name: value for name, value in ANSWER.items() if name.startswith(("q", "o"))}
    return browser.post(
        f"/projects/ti/disputes/{panel.pk}/adjudicate/",
        {**texts, **typed},
        headers={"accept": "application/json, text/html;q=0.9"},
    )


def test_decision_that_is_sent_twice_is_taken_once(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel, browser = disputed(2), browser_of(member(Role.SENIOR))
    said = {"decision": "approve", "reason": "right", "idempotency_key": "k"}

    first, again = (decide(browser, panel, **said) for _ in range(2))

    other = Panel.objects.exclude(pk=panel.pk).get()
    assert (first.status_code, again.status_code) == (200, 200)
    assert (
        first.json()
        == again.json()
        == {
            "next": f"/projects/ti/disputes/{other.pk}/",
            "left": "1 left",
            "done": "",
        }
    )
    assert Adjudication.objects.count() == 1
    assert decide(browser, other, **said).json()["code"] == "idempotency_key_reused"


def test_refusals_are_told_to_the_outbox_in_words(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel = disputed()
    first, second = browser_of(member(Role.SENIOR)), browser_of(member(Role.SENIOR))

    missing = decide(first, panel, decision="approve", idempotency_key="a")
    assert (missing.status_code, missing.json()["code"]) == (400, "reason_needed")
    assert decide(first, panel, decision="reject", idempotency_key="b").status_code == 200
    late = decide(second, panel, decision="reject", idempotency_key="c")

    assert (late.status_code, late.json()["code"]) == (409, "dispute_settled")
    assert Panel.objects.get().state == PanelState.SETTLED


def test_page_for_a_missing_connection_names_nothing_of_a_dispute(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel = disputed()

    text = page(browser_of(member(Role.SENIOR)), "/projects/ti/disputes/offline/")

    assert "needs a connection" in text
    assert panel.item.uid not in text


def test_adjudication_extends_the_guideline(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel, senior, manager = disputed(2), member(Role.SENIOR), member(Role.MANAGER)
    other = Panel.objects.exclude(pk=panel.pk).get()
    for number, each in enumerate((panel, other)):
        decide(browser_of(senior), each, decision="approve", reason=f"R{number}", citation="Line 2")
    adjudication = Adjudication.objects.get(panel=panel)
    address = f"/projects/ti/adjudications/{adjudication.pk}/passage/"
    text = page(browser_of(senior), address)
    assert "R1" in text
    assert browser_of(senior).post(address, {"text": " "}).status_code == 400
    browser_of(senior).post(address, {"text": "Names stay as they are."})
    assert browser_of(senior).post(address, {"text": "Again."}).status_code == 409
    passage = Passage.objects.get()
    decision = f"/projects/ti/passages/{passage.pk}/decide/"
    assert browser_of(senior).post(decision, {"answer": "accept"}).status_code == 403
    assert "Names stay" in page(browser_of(manager), "/projects/ti/rounds/guideline/")
    assert "Names stay" not in page(
        browser_of(member(Role.REVIEWER)), "/projects/ti/rounds/guideline/"
    )

    browser_of(manager).post(decision, {"answer": "accept"})

    passage.refresh_from_db()
    assert passage.guideline is not None
    assert (passage.guideline.version, passage.decided_by) == (2, manager)
    assert passage.guideline.text.endswith("\n\nNames stay as they are.\n")
    assert browser_of(manager).post(decision, {"answer": "decline"}).status_code == 404
    assert "since version 2" in page(browser_of(senior), address)
