"""Nothing is lost: no connection, a killed server, a lost answer, an expired sign-in, a lost seat."""

import json

import pytest
from playwright.sync_api import BrowserContext, expect

from config.demo import compared
from config.management.commands.load_demo import PASSWORD
from tests.browser.people import People
from tests.browser.site import ADDRESSES, Site
from tests.browser.workbench import WORKBENCH, Workbench

ADDED = "་ཡིན་ནམ།"
NO_CONNECTION = r"net::ERR_"
# The seat is gone, so the checks of its text answer 404.
REFUSED = r"status of (404|409)"
SIGNED_OUT = r"status of 401"

ANSWER_WHEN_TOLD = """
async send => {
  while (!window.isReady) await new Promise(requestAnimationFrame);
  return send();
}
"""
LOSE_THE_ANSWER = """
async send => {
  const response = await send();
  if (!window.isReady) throw new TypeError("lost");
  return response;
}
"""
SAY_NOT_NOW = """
send => window.busy ? Promise.resolve(new Response("not now", window.busy)) : send()
"""
# With the least and the most seconds until it is sent again. A proxy names no time: the script's own first wait.
BUSY = (
    ({"status": 503, "headers": {"Retry-After": "3"}}, 3.0, 3.75),
    ({"status": 429, "headers": {"Retry-After": "3"}}, 3.0, 3.75),
    ({"status": 502}, 1.6, 2.4),
    ({"status": 504}, 1.6, 2.4),
)


OTHER_WORKBENCH = f"/projects/{compared.SLUG}/rounds/3/workbench/"


@pytest.fixture
def context(people: People) -> BrowserContext:
    return people.context_as("reviewer")


@pytest.fixture
def workbench(site: Site, context: BrowserContext) -> Workbench:
    """The workbench with an item without an error, and five more kept."""
    site.reserve("reviewer")
    opened = Workbench(context.new_page()).open()
    opened.wait_until_kept(6)
    return opened


@pytest.fixture
def single(site: Site, context: BrowserContext) -> Workbench:
    """The workbench with nothing kept beside the item on it."""
    site.rows("UPDATE projects_project SET items_ahead = 0")
    opened = Workbench(context.new_page()).open()
    opened.wait_until_kept(1)
    return opened


def test_five_judgements_of_an_outage_are_stored_once_when_the_connection_is_back(
    site: Site, people: People, context: BrowserContext, workbench: Workbench
) -> None:
    people.expect(NO_CONNECTION)
    context.set_offline(True)
    judged = []
    for number in range(1, 6):
        judged.append(workbench.item)
        seat = workbench.seat
        workbench.revise(f"{ADDED}ཀ") if number == 2 else workbench.approve()
        confirm_numbers(workbench)
        workbench.submit()
        workbench.wait_for_another(seat)
        expect(workbench.banner).to_contain_text(f"Not sent yet: {number}.")
    last, seat = workbench.item, workbench.seat
    workbench.press("r", "1", "1")
    workbench.submit()
    expect(workbench.page.locator("[data-note]")).to_contain_text("no more items are kept")
    workbench.press("a", "5", "5")
    assert (workbench.verdict, workbench.item) == ("reject", last)
    assert not {*judged, last} & set(site.judgements())
    context.set_offline(False)
    workbench.wait_for_another(seat)
    expect(workbench.banner).to_have_count(0)
    workbench.page.goto("/")
    stored = site.judgements()
    verdicts = [stored[item]["verdict"] for item in (*judged, last)]
    assert verdicts == ["approve", "revise", "approve", "approve", "approve", "reject"]
    assert stored[judged[1]]["correction"]["question"].endswith(f"{ADDED}ཀ")


def test_page_is_loaded_and_judged_again_without_a_connection(
    site: Site, people: People, context: BrowserContext, workbench: Workbench
) -> None:
    people.expect(NO_CONNECTION)
    workbench.wait_until_page_is_kept()
    first, seat = workbench.item, workbench.seat
    site.kill("web server")
    workbench.approve()
    workbench.submit()
    workbench.wait_for_another(seat)
    second = workbench.item
    workbench.page.reload()
    workbench.wait_until_ready()
    assert workbench.item == second
    assert workbench.area.input_value()
    seat = workbench.seat
    workbench.press("r", "2", "1")
    workbench.submit()
    workbench.wait_for_another(seat)
    workbench.page.close(run_before_unload=False)
    page = context.new_page()
    page.goto(WORKBENCH)
    again = Workbench(page)
    again.wait_until_ready()
    expect(again.banner).to_contain_text("Not sent yet: 2.")
    assert again.item not in {first, second}
    again.send_by_hand_only()
    site.start("web server")
    page.get_by_role("button", name="Send now").click()
    again.wait_until_sent()
    stored = site.judgements()
    assert [stored[item]["verdict"] for item in (first, second)] == ["approve", "reject"]


def test_page_loaded_with_nothing_left_to_judge_says_what_waits_and_goes_on_by_itself(
    site: Site, people: People, single: Workbench
) -> None:
    people.expect(NO_CONNECTION)
    page = single.page
    single.wait_until_page_is_kept()
    seat = single.seat
    single.approve()
    single.submit_and_wait()  # the figures are newer than those of the page that is kept
    shown = page.locator(".round-progress").inner_text()
    site.kill("web server")
    page.context.set_offline(True)
    seat, item = single.seat, single.item
    single.press("r", "2", "1", "Control+Enter")
    standing = page.locator("[data-standing]")
    expect(standing).to_contain_text("wait here to be sent: 1.")
    expect(page.locator("[data-submit]")).to_have_attribute("aria-busy", "false")
    page.reload()
    expect(standing).to_contain_text("wait here to be sent: 1.")
    expect(standing).to_contain_text("opens here when you are back online")
    expect(page.locator(".round-progress")).to_have_text(shown)
    expect(page.locator("[data-mine]")).to_have_text("2 by you")
    site.start("web server")
    page.context.set_offline(False)
    single.wait_for_another(seat)
    expect(standing).to_be_hidden()
    assert site.judgements()[item]["verdict"] == "reject"


def test_judged_without_a_connection_outlives_the_closed_page(
    site: Site, people: People, context: BrowserContext, workbench: Workbench
) -> None:
    people.expect(NO_CONNECTION)
    item = workbench.item
    context.set_offline(True)
    workbench.approve()
    workbench.submit()
    expect(workbench.banner).to_be_visible()
    workbench.page.close()
    context.set_offline(False)
    page = context.new_page()
    page.goto("/")
    expect(page.locator("#toasts")).to_contain_text("Sent.")
    assert site.judgements()[item]["verdict"] == "approve"


def test_judgement_sent_from_the_page_of_another_round_brings_none_of_its_items_there(
    site: Site, people: People, context: BrowserContext, workbench: Workbench
) -> None:
    people.expect(NO_CONNECTION)
    other = Workbench(context.new_page()).open(OTHER_WORKBENCH)
    other.wait_until_kept(6)
    item = workbench.item
    workbench.page.bring_to_front()
    context.set_offline(True)
    workbench.approve()
    workbench.submit()
    workbench.wait_until_waiting(1)
    workbench.page.close()
    context.set_offline(False)
    other.wait_until_sent()
    seats = other.page.evaluate("import('/static/js/items.js').then(items => items.seats())")
    rounds = "SELECT DISTINCT number FROM review_assignment JOIN review_round"
    rounds += " ON round_id = review_round.id WHERE review_assignment.id IN (%s)"
    assert site.rows(rounds % ", ".join(seats)) == [(3,)]
    assert site.judgements()[item]["verdict"] == "approve"


def test_what_waits_in_an_outage_is_undone_before_it_is_sent(
    site: Site, people: People, context: BrowserContext, workbench: Workbench
) -> None:
    people.expect(NO_CONNECTION)
    item, seat = workbench.item, workbench.seat
    context.set_offline(True)
    workbench.revise(ADDED)
    workbench.submit()
    workbench.wait_for_another(seat)
    following = workbench.seat
    expect(workbench.banner).to_contain_text("Not sent yet: 1.")
    workbench.press("u")
    workbench.wait_for_another(following)
    assert (workbench.item, workbench.verdict) == (item, "revise")
    assert workbench.area.input_value().endswith(ADDED)
    expect(workbench.banner).to_have_count(0)

    workbench.press("s", "Tab", "Tab", "Enter")
    workbench.wait_for_another(seat)
    workbench.page.locator("#toasts").get_by_role("button", name="Undo").click()
    workbench.wait_for_another(following)
    assert (workbench.item, workbench.verdict) == (item, "revise")
    expect(workbench.banner).to_have_count(0)
    workbench.submit()
    workbench.wait_for_another(seat)
    workbench.press("s", "Tab", "Tab", "Enter")
    workbench.wait_for_another(following)
    context.set_offline(False)
    workbench.wait_until_sent()
    assert site.judgements()[item]["verdict"] == "revise"
    assert site.rows("SELECT state FROM review_assignment WHERE id = ?", following) == [("open",)]


def test_undo_brings_the_judged_item_back_with_what_was_said_and_survives_a_reload(
    site: Site, people: People, workbench: Workbench
) -> None:
    item = workbench.item
    workbench.press("m")
    workbench.page.keyboard.insert_text("a word")
    workbench.press("Escape", "r", "1", "0")
    workbench.submit_and_wait()
    assert site.judgements()[item]["verdict"] == "reject"
    workbench.page.reload()
    workbench.wait_until_ready()
    following = workbench.seat
    workbench.press("u")
    workbench.wait_for_another(following)
    assert (workbench.item, workbench.verdict) == (item, "reject")
    assert workbench.page.locator("#comment").input_value() == "a word"
    assert item not in site.judgements()
    workbench.press("a", "d", "5", "5")
    workbench.submit_and_wait()
    assert site.judgements()[item]["verdict"] == "approve"


def test_next_items_are_shown_before_any_answer_comes_and_undo_waits_for_it(
    site: Site, workbench: Workbench
) -> None:
    workbench.answer_submits(ANSWER_WHEN_TOLD)
    judged = []
    for _number in range(3):
        judged.append(workbench.item)
        seat = workbench.seat
        workbench.press("r", "1", "0")
        workbench.submit()
        workbench.wait_for_another(seat)
    assert not set(judged) & set(site.judgements())
    following = workbench.seat
    workbench.press("u")
    workbench.page.evaluate("window.isReady = true")
    workbench.wait_for_another(following)
    assert (workbench.item, workbench.verdict) == (judged[-1], "reject")
    workbench.press("a", "d", "5", "5")
    workbench.submit_and_wait()
    stored = site.judgements()
    assert [stored[item]["verdict"] for item in judged] == ["reject", "reject", "approve"]


def test_judgement_is_stored_after_the_data_of_the_site_was_cleared(
    site: Site, context: BrowserContext, workbench: Workbench
) -> None:
    workbench.wait_until_page_is_kept()
    devtools = context.new_cdp_session(workbench.page)
    origin = {"origin": site.address, "storageTypes": "indexeddb"}
    devtools.send("Storage.clearDataForOrigin", origin)
    item = workbench.item
    workbench.page.evaluate("window.isSamePage = true")
    workbench.approve()
    workbench.submit_and_wait()
    assert site.judgements()[item]["verdict"] == "approve"
    assert workbench.page.evaluate("window.isSamePage")


def confirm_numbers(workbench: Workbench) -> None:
    box = workbench.page.get_by_label("I meant to change")
    if box.is_visible():
        box.check()


def test_lost_answer_is_asked_for_again_or_undone_and_stored_once(
    site: Site, workbench: Workbench
) -> None:
    item, seat = workbench.item, workbench.seat
    workbench.send_by_hand_only()
    workbench.answer_submits(LOSE_THE_ANSWER)
    workbench.approve()
    workbench.submit()
    workbench.wait_for_another(seat)
    following = workbench.seat
    expect(workbench.banner).to_contain_text("Not sent yet: 1.")
    assert site.judgements()[item]["verdict"] == "approve"
    workbench.press("u")
    workbench.wait_for_another(following)
    workbench.page.evaluate("window.isReady = true")
    workbench.press("r")
    workbench.submit()
    workbench.wait_for_another(seat)
    workbench.wait_until_sent()
    assert site.judgements()[item]["verdict"] == "reject"

    workbench.page.evaluate("window.submits.length = 0; window.isReady = false")
    item, seat = workbench.item, workbench.seat
    workbench.approve()
    workbench.submit()
    workbench.wait_for_another(seat)
    expect(workbench.banner).to_contain_text("Not sent yet: 1.")
    workbench.page.evaluate("window.isReady = true")
    workbench.page.get_by_role("button", name="Send now").click()
    workbench.wait_until_sent()
    first, again = workbench.submits()
    assert first == again
    assert item in site.judgements()


def test_server_that_says_not_now_gets_it_again_after_the_time_that_it_named(
    site: Site, context: BrowserContext
) -> None:
    """The browser's clock stands still but for the seconds that it is moved by."""
    context.clock.install()
    workbench = Workbench(context.new_page()).open()
    workbench.wait_until_kept(6)
    context.clock.pause_at(workbench.page.evaluate("Date.now() + 60_000"))
    workbench.answer_submits(SAY_NOT_NOW)
    for answer, shortest, longest in BUSY:
        item, seat = workbench.item, workbench.seat
        workbench.page.evaluate("answer => window.busy = answer", answer)
        workbench.press("r", "1", "0")
        workbench.submit()
        workbench.wait_for_another(seat)
        expect(workbench.banner).to_contain_text("The server cannot store it just now.")
        expect(workbench.refusal).to_be_hidden()
        workbench.page.evaluate("window.busy = null")
        context.clock.run_for(1000 * shortest - 1)
        expect(workbench.banner).to_contain_text("The server cannot store it just now.")
        assert item not in site.judgements(), answer
        context.clock.run_for(1000 * (longest - shortest) + 1)
        workbench.wait_until_sent()
        expect(workbench.banner).to_have_count(0)
        first, again = workbench.submits()[-2:]
        assert first == again, answer
        assert site.judgements()[item]["ratings"] == {"domain": 1, "cultural": 0}
    assert len(workbench.submits()) == 2 * len(BUSY)


def test_lost_token_or_sign_in_keeps_what_was_typed_and_sends_it_after_signing_in_place(
    site: Site, people: People, context: BrowserContext, workbench: Workbench
) -> None:
    people.expect(SIGNED_OUT, "403")
    without_token = workbench.item
    workbench.revise(ADDED)
    context.clear_cookies(name="csrftoken")
    workbench.submit_and_wait()
    assert site.judgements()[without_token]["correction"]["question"].endswith(ADDED)

    item, seat = workbench.item, workbench.seat
    workbench.revise(ADDED)
    context.clear_cookies(name="sessionid")
    workbench.submit()
    dialog = workbench.page.get_by_role("dialog", name="Sign in to continue")
    expect(dialog.get_by_label("E-mail")).to_be_focused()
    workbench.wait_for_another(seat)
    workbench.page.keyboard.insert_text(ADDRESSES["reviewer"])
    workbench.press("Tab")
    workbench.page.keyboard.insert_text("not the password")
    workbench.press("Enter")
    expect(dialog.get_by_role("alert")).to_be_visible()
    dialog.get_by_label("Password").fill(PASSWORD)
    workbench.press("Enter")
    expect(dialog).not_to_be_visible()
    workbench.wait_until_sent()
    assert site.judgements()[item]["correction"]["question"].endswith(ADDED)


def test_judgement_is_stored_after_a_sign_in_when_all_cookies_are_gone(
    site: Site, people: People, context: BrowserContext, workbench: Workbench
) -> None:
    """A sign-in without a connection says so; closed, it is opened again by the banner."""
    people.expect(SIGNED_OUT, NO_CONNECTION, "403")
    item = workbench.item
    workbench.revise(ADDED)
    context.clear_cookies()
    workbench.submit()
    dialog = workbench.page.get_by_role("dialog", name="Sign in to continue")
    dialog.get_by_label("E-mail").fill(ADDRESSES["reviewer"])
    dialog.get_by_label("Password").fill(PASSWORD)
    context.set_offline(True)
    for _try in range(2):
        workbench.press("Enter")
        expect(dialog.get_by_role("alert")).to_have_count(1)
        expect(dialog.get_by_role("alert")).to_contain_text("Check your connection")
    workbench.press("Escape")
    expect(dialog).not_to_be_visible()
    workbench.banner.get_by_role("button").click()
    expect(workbench.page.locator("#toasts")).to_contain_text("Check your connection")
    expect(dialog).not_to_be_visible()
    context.set_offline(False)
    workbench.banner.get_by_role("button").click()
    dialog.get_by_label("E-mail").fill(ADDRESSES["reviewer"])
    dialog.get_by_label("Password").fill(PASSWORD)
    workbench.press("Enter")
    expect(dialog).not_to_be_visible()
    workbench.wait_until_sent()
    assert site.judgements()[item]["correction"]["question"].endswith(ADDED)


def test_refused_judgement_is_kept_as_a_suggestion_from_wherever_one_is(
    site: Site, people: People, workbench: Workbench
) -> None:
    people.expect(REFUSED)
    item, seat = workbench.item, workbench.seat
    workbench.revise(ADDED)
    take_away(site, seat)
    workbench.submit()
    refused = workbench.page.locator("#banners [data-refused]")
    expect(refused).to_contain_text(f"{item} was not stored. Somebody else is judging this item")
    workbench.page.goto("/")
    expect(refused).to_be_visible()
    refused.get_by_role("button", name="Keep my text as a suggestion").click()
    expect(workbench.page.locator("#toasts")).to_contain_text("Kept as a suggestion")
    expect(refused).to_have_count(0)
    assert item not in site.judgements()
    [(reason, correction)] = site.rows("SELECT reason, correction FROM review_suggestion")
    assert reason == "seat_taken"
    assert json.loads(correction)["question"].endswith(ADDED)


def test_refused_judgement_on_the_screen_keeps_the_text_and_offers_both_ways_out(
    site: Site, people: People, single: Workbench
) -> None:
    people.expect(REFUSED)
    workbench = single
    item, seat = workbench.item, workbench.seat
    workbench.revise(ADDED)
    take_away(site, seat)
    workbench.submit()
    expect(workbench.refusal).to_contain_text("Somebody else is judging this item now.")
    assert workbench.area.input_value().endswith(ADDED)
    workbench.refusal.get_by_role("button", name="Keep my text as a suggestion").click()
    workbench.wait_for_another(seat)
    assert item not in site.judgements()
    assert site.rows("SELECT count(*) FROM review_suggestion") == [(1,)]

    item, seat = workbench.item, workbench.seat
    workbench.revise(ADDED)
    # In no word of the demo, so that the difference shows it whole.
    replace_text(site, seat, "ཨོཾ།")
    workbench.submit()
    expect(workbench.refusal.locator("ins").first).to_have_text("ཨོཾ།")
    assert workbench.area.input_value().endswith(ADDED)
    assert item not in site.judgements()
    workbench.refusal.get_by_role("button", name="Next item").click()
    workbench.wait_for_another(seat)
    assert site.rows("SELECT state FROM review_assignment WHERE id = ?", seat) == [("open",)]


def test_who_may_judge_no_more_learns_why_and_takes_the_text_along(
    site: Site, people: People, context: BrowserContext, workbench: Workbench
) -> None:
    people.expect(r"status of 403")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    item, person = workbench.item, ADDRESSES["reviewer"]
    change_role = (
        "UPDATE projects_membership SET role = ?"
        " WHERE user_id = (SELECT id FROM accounts_user WHERE email = ?)"
    )
    workbench.revise(ADDED)
    site.rows(change_role, "viewer", person)
    workbench.submit()
    refused = workbench.page.locator("#banners [data-refused]")
    expect(refused).to_contain_text(f"{item} was not stored. You cannot do this.")
    expect(refused).to_contain_text("Your role does not allow it")
    workbench.wait_until_kept(1)
    refused.get_by_role("button", name="Copy my text").click()
    expect(workbench.page.locator("#toasts")).to_contain_text("Copied")
    assert ADDED in workbench.page.evaluate("navigator.clipboard.readText()")
    expect(refused).to_be_visible()
    expect(refused.get_by_role("button", name="Keep my text")).to_have_count(0)


def test_who_was_removed_from_the_project_is_told_so_and_offered_no_suggestion(
    site: Site, people: People, workbench: Workbench
) -> None:
    people.expect(r"status of 404")
    item, person, stranger = workbench.item, ADDRESSES["reviewer"], ADDRESSES["administrator"]
    change_person = (
        "UPDATE projects_membership SET user_id = (SELECT id FROM accounts_user WHERE email = ?)"
        " WHERE role = 'reviewer' AND project_id = 1"
        " AND user_id = (SELECT id FROM accounts_user WHERE email = ?)"
    )
    workbench.revise(ADDED)
    site.rows(change_person, stranger, person)
    workbench.submit()
    refused = workbench.page.locator("#banners [data-refused]")
    expect(refused).to_contain_text(f"{item} was not stored. You no longer take part")
    workbench.wait_until_kept(1)
    expect(refused.get_by_role("button", name="Copy my text")).to_be_visible()
    expect(refused.get_by_role("button", name="Keep my text")).to_have_count(0)


def take_away(site: Site, seat: int) -> None:
    """Give the seat to somebody else, as happens when its time runs out."""
    [(loser,)] = site.rows("SELECT reviewer_id FROM review_assignment WHERE id = ?", seat)
    site.rows(
        "INSERT OR IGNORE INTO review_expiredclaim (assignment_id, reviewer_id, expired_at)"
        " VALUES (?, ?, '2026-01-01')",
        seat,
        loser,
    )
    site.rows(
        "UPDATE review_assignment SET reviewer_id ="
        " (SELECT id FROM accounts_user WHERE email = ?), slot = id WHERE id = ?",
        ADDRESSES["senior"],
        seat,
    )


def test_two_windows_show_different_items_and_each_is_judged_once(
    site: Site, context: BrowserContext, workbench: Workbench
) -> None:
    first = workbench.item
    second = Workbench(context.new_page()).open()
    other = second.item
    assert other != first
    second.approve()
    second.submit_and_wait()
    workbench.press("r", "0", "0")
    workbench.submit_and_wait()
    assert len({first, other, second.item, workbench.item}) == 4
    stored = site.judgements()
    assert (stored[first]["verdict"], stored[other]["verdict"]) == ("reject", "approve")


def test_item_judged_on_another_device_is_refused_in_words(
    site: Site, people: People, workbench: Workbench
) -> None:
    people.expect(REFUSED)
    item = workbench.item
    elsewhere = Workbench(people.page_as("reviewer")).open()
    assert elsewhere.item == item
    elsewhere.approve()
    elsewhere.submit_and_wait()
    workbench.press("r", "0", "0")
    workbench.submit()
    refused = workbench.page.locator("#banners [data-refused]")
    expect(refused).to_contain_text("You have already judged this item.")
    refused.get_by_role("button", name="Discard").click()
    expect(refused).to_have_count(0)
    assert site.judgements()[item]["verdict"] == "approve"


def test_who_comes_back_is_shown_what_is_still_to_judge_and_a_renewed_reservation(
    site: Site, workbench: Workbench
) -> None:
    item = workbench.item
    workbench.approve()
    workbench.submit_and_wait()
    following = workbench.item
    workbench.page.goto("/")
    workbench.page.go_back()
    workbench.wait_until_ready()
    assert workbench.item == following
    assert site.judgements()[item]["verdict"] == "approve"

    workbench.page.goto("/")
    site.rows("UPDATE review_assignment SET expires_at = '2026-01-01' WHERE state = 'claimed'")
    workbench.open()
    assert workbench.item == following
    expect(workbench.page.locator("[data-reserved]")).to_contain_text("Reserved until")
    expect(workbench.page.locator("[data-note]")).to_be_hidden()


def test_wrong_clock_of_the_device_shows_the_right_time_left(people: People) -> None:
    context = people.context_as("reviewer")
    context.clock.install(time="2020-02-02T12:00:00Z")
    workbench = Workbench(context.new_page()).open()
    expect(workbench.page.locator("[data-reserved]")).to_contain_text("Reserved until 12:")


def test_new_build_is_shown_with_the_next_item_and_nothing_is_lost(
    site: Site, workbench: Workbench
) -> None:
    workbench.page.evaluate("document.getElementById('judgement').dataset.build = 'the one before'")
    workbench.page.evaluate("window.isOld = true")
    items = []
    for _turn in range(2):
        items.append(workbench.item)
        seat = workbench.seat
        workbench.approve()
        workbench.submit()
        workbench.wait_for_another(seat)
        workbench.wait_until_sent()
    workbench.wait_until("window.isOld ? 1 : 0", 0)
    workbench.wait_until_ready()
    assert set(items) <= set(site.judgements())


def replace_text(site: Site, seat: int, question: str) -> None:
    """Give the seat's translation another current revision, as a correction elsewhere does."""
    columns = [row[1] for row in site.rows("PRAGMA table_info(annotation_revision)")]
    changed = {"id": "NULL", "number": "number + 1", "question": "?", "supersedes_id": "id"}
    values = ", ".join(changed.get(name, f'"{name}"') for name in columns)
    names = ", ".join(f'"{name}"' for name in columns)
    [(revision,)] = site.rows(
        "SELECT revision_id FROM review_panel WHERE id ="
        " (SELECT panel_id FROM review_assignment WHERE id = ?)",
        seat,
    )
    site.rows(
        f"INSERT INTO annotation_revision ({names}) SELECT {values} FROM annotation_revision WHERE id = ?",
        question,
        revision,
    )
    site.rows(
        "UPDATE annotation_translation SET current_revision_id ="
        " (SELECT max(id) FROM annotation_revision) WHERE current_revision_id = ?",
        revision,
    )
