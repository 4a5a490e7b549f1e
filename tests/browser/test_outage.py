"""Nothing is lost: no connection, a killed server, a lost answer, an expired sign-in, a lost seat."""

import time
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import BrowserContext, Route, expect

from tests.browser.bench import Bench
from tests.browser.people import People
from tests.browser.site import ADDRESSES, PASSWORD, Site

ADDED = "་ཡིན་ནམ།"
NO_CONNECTION = r"net::ERR_"
REFUSED = r"status of 409"
SIGNED_OUT = r"status of 401"
NOT_NOW = r"status of (429|50[234])"
# A restarted server or a slow proxy names no time: then the script's own first wait holds, 2.4 s at most.
NO_TIME, LONGEST_FIRST_WAIT = "", 2.4


@pytest.fixture
def context(people: People) -> BrowserContext:
    return people.context_as("reviewer")


@pytest.fixture
def bench(context: BrowserContext) -> Bench:
    return Bench(context.new_page()).open()


def test_judged_without_a_connection_is_sent_once_when_it_is_back(
    site: Site, people: People, context: BrowserContext, bench: Bench
) -> None:
    people.expect(NO_CONNECTION)
    item, seat = bench.item, bench.seat
    context.set_offline(True)
    bench.revise(ADDED)
    bench.submit()
    expect(bench.banner).to_contain_text("Not sent yet: 1")
    expect(bench.page.locator("[data-note]")).to_contain_text("You are offline")
    assert bench.area.input_value().endswith(ADDED)
    assert item not in site.judgements()
    context.set_offline(False)
    bench.wait_for_another(seat)
    expect(bench.banner).to_have_count(0)
    assert site.judgements()[item]["correction"]["question"].endswith(ADDED)


def test_judged_without_a_connection_outlives_the_closed_page(
    site: Site, people: People, context: BrowserContext, bench: Bench
) -> None:
    people.expect(NO_CONNECTION)
    item = bench.item
    context.set_offline(True)
    bench.approve()
    bench.submit()
    expect(bench.banner).to_be_visible()
    bench.page.close()
    context.set_offline(False)
    page = context.new_page()
    page.goto("/")
    expect(page.locator("#toasts")).to_contain_text("Sent.")
    assert site.judgements()[item]["verdict"] == "approve"


def test_server_killed_while_judging_gets_it_once_after_its_restart(
    site: Site, people: People, bench: Bench
) -> None:
    people.expect(NO_CONNECTION)
    item, seat = bench.item, bench.seat
    bench.approve()
    bench.send_by_hand_only()
    site.kill("web server")
    bench.submit()
    expect(bench.banner).to_contain_text("Not sent yet: 1")
    site.start("web server")
    bench.page.get_by_role("button", name="Send now").click()
    bench.wait_for_another(seat)
    assert site.judgements()[item]["ratings"] == {"domain": 5, "cultural": 4}


def test_lost_answer_is_asked_for_again_and_stored_once(
    site: Site, people: People, bench: Bench
) -> None:
    people.expect(NO_CONNECTION)
    item, seat = bench.item, bench.seat
    sent: list[str] = []

    def lose_the_first_answer(route: Route) -> None:
        sent.append(parse_qs(route.request.post_data or "")["idempotency_key"][0])
        if len(sent) > 1:
            route.continue_()
            return
        route.fetch(max_redirects=0)
        route.abort("connectionreset")

    bench.page.route("**/submit/", lose_the_first_answer)
    bench.approve()
    bench.submit()
    expect(bench.banner).to_be_visible()
    bench.wait_for_another(seat)
    assert sent == [sent[0]] * 2
    assert item in site.judgements()


@pytest.mark.parametrize(
    ("status", "seconds"), [(503, "3"), (429, "3"), (502, NO_TIME), (504, NO_TIME)]
)
def test_server_that_says_not_now_gets_it_again_after_the_time_that_it_named(
    site: Site, people: People, bench: Bench, status: int, seconds: str
) -> None:
    people.expect(NOT_NOW)
    item, seat = bench.item, bench.seat
    sent: list[tuple[str, float]] = []

    def say_not_now_first(route: Route) -> None:
        key = parse_qs(route.request.post_data or "")["idempotency_key"][0]
        sent.append((key, time.monotonic()))
        headers = {"Retry-After": seconds} if seconds else {}
        if len(sent) == 1:
            route.fulfill(status=status, headers=headers, body="not now")
        else:
            route.continue_()

    bench.page.route("**/submit/", say_not_now_first)
    bench.approve()
    bench.submit()
    expect(bench.banner).to_contain_text("The server cannot store it just now.")
    expect(bench.page.locator("[data-note]")).to_contain_text("sent again automatically")
    expect(bench.page.locator("[data-saved]")).to_have_attribute("data-state", "waiting")
    expect(bench.refusal).to_be_hidden()
    assert bench.verdict == "approve"
    assert item not in site.judgements()
    bench.wait_for_another(seat)
    expect(bench.banner).to_have_count(0)
    [(first, before), (second, after)] = sent
    assert first == second
    if seconds:
        assert after - before >= int(seconds) > LONGEST_FIRST_WAIT
    assert site.judgements()[item]["ratings"] == {"domain": 5, "cultural": 4}


def test_skipping_on_a_busy_server_says_so_and_stays(people: People, bench: Bench) -> None:
    people.expect(NOT_NOW)
    item = bench.item
    body = '{"code": "busy", "detail": "not for people"}'
    answer = {"status": 503, "content_type": "application/json", "body": body}
    bench.page.route("**/skip/", lambda route: route.fulfill(**answer))
    bench.press("s", "Tab", "Tab", "Enter")
    expect(bench.page.locator("#toasts")).to_contain_text("The server is busy")
    assert bench.item == item


def test_expired_sign_in_keeps_what_was_typed_and_sends_it_after_signing_in_place(
    site: Site, people: People, context: BrowserContext, bench: Bench
) -> None:
    people.expect(SIGNED_OUT)
    item, seat = bench.item, bench.seat
    bench.revise(ADDED)
    context.clear_cookies(name="sessionid")
    bench.submit()
    dialog = bench.page.get_by_role("dialog", name="Sign in to continue")
    expect(dialog.get_by_label("E-mail")).to_be_focused()
    assert bench.area.input_value().endswith(ADDED)
    bench.page.keyboard.insert_text(ADDRESSES["reviewer"])
    bench.press("Tab")
    bench.page.keyboard.insert_text("not the password")
    bench.press("Enter")
    expect(dialog.get_by_role("alert")).to_be_visible()
    dialog.get_by_label("Password").fill(PASSWORD)
    bench.press("Enter")
    bench.wait_for_another(seat)
    expect(dialog).not_to_be_visible()
    assert site.judgements()[item]["correction"]["question"].endswith(ADDED)


def test_closing_the_sign_in_leaves_a_banner_that_opens_it_again(
    site: Site, people: People, context: BrowserContext, bench: Bench
) -> None:
    people.expect(SIGNED_OUT)
    item, seat = bench.item, bench.seat
    bench.approve()
    context.clear_cookies(name="sessionid")
    bench.submit()
    dialog = bench.page.get_by_role("dialog", name="Sign in to continue")
    expect(dialog).to_be_visible()
    bench.press("Escape")
    expect(dialog).not_to_be_visible()
    bench.banner.get_by_role("button").click()
    expect(dialog).to_be_visible()
    dialog.get_by_label("E-mail").fill(ADDRESSES["reviewer"])
    dialog.get_by_label("Password").fill(PASSWORD)
    bench.press("Enter")
    bench.wait_for_another(seat)
    assert item in site.judgements()


def test_sign_in_without_a_connection_says_so_and_works_when_it_is_back(
    site: Site, people: People, context: BrowserContext, bench: Bench
) -> None:
    people.expect(SIGNED_OUT, NO_CONNECTION)
    item, seat = bench.item, bench.seat
    bench.approve()
    context.clear_cookies(name="sessionid")
    bench.submit()
    dialog = bench.page.get_by_role("dialog", name="Sign in to continue")
    dialog.get_by_label("E-mail").fill(ADDRESSES["reviewer"])
    dialog.get_by_label("Password").fill(PASSWORD)
    context.set_offline(True)
    for _try in range(2):
        bench.press("Enter")
        expect(dialog.get_by_role("alert")).to_have_count(1)
        expect(dialog.get_by_role("alert")).to_contain_text("Check your connection")
    bench.press("Escape")
    bench.banner.get_by_role("button").click()
    expect(bench.page.locator("#toasts")).to_contain_text("Check your connection")
    expect(dialog).not_to_be_visible()
    context.set_offline(False)
    bench.banner.get_by_role("button").click()
    dialog.get_by_label("E-mail").fill(ADDRESSES["reviewer"])
    dialog.get_by_label("Password").fill(PASSWORD)
    bench.press("Enter")
    bench.wait_for_another(seat)
    assert item in site.judgements()


def test_seat_that_somebody_else_took_is_refused_in_words_and_the_text_stays(
    site: Site, people: People, bench: Bench
) -> None:
    people.expect(REFUSED)
    item, seat = bench.item, bench.seat
    bench.revise(ADDED)
    site.rows(
        "UPDATE review_assignment SET reviewer_id ="
        " (SELECT id FROM accounts_user WHERE email = ?) WHERE id = ?",
        ADDRESSES["senior"],
        seat,
    )
    bench.submit()
    expect(bench.refusal).to_contain_text("Somebody else is judging this item now.")
    assert bench.area.input_value().endswith(ADDED)
    assert item not in site.judgements()
    bench.page.reload()
    expect(bench.page.get_by_role("button", name="Take the next item")).to_be_visible()
    kept = bench.page.evaluate("Object.entries(localStorage)")
    assert [text for key, text in kept if key.endswith(f".{seat}") and ADDED in text]


def test_expired_seat_that_is_still_free_takes_the_judgement(site: Site, bench: Bench) -> None:
    item, seat = bench.item, bench.seat
    bench.approve()
    site.rows("UPDATE review_assignment SET expires_at = '2020-01-01' WHERE id = ?", seat)
    bench.submit_and_wait()
    assert item in site.judgements()


def test_text_changed_under_the_reviewer_shows_the_difference_and_keeps_what_was_typed(
    site: Site, people: People, bench: Bench
) -> None:
    people.expect(REFUSED)
    item, seat = bench.item, bench.seat
    bench.revise(ADDED)
    # One letter with its vowel, in no word of the demo: the difference has it whole.
    replace_text(site, seat, "ཨོཾ།")
    bench.submit()
    expect(bench.refusal.locator("ins").first).to_have_text("ཨོཾ")
    assert bench.area.input_value().endswith(ADDED)
    assert item not in site.judgements()
    bench.press("s", "Tab", "Tab", "Enter")
    bench.wait_for_another(seat)


def test_same_item_in_two_windows_is_judged_once_and_the_second_is_told(
    site: Site, people: People, context: BrowserContext, bench: Bench
) -> None:
    people.expect(REFUSED)
    item = bench.item
    second = Bench(context.new_page()).open()
    assert second.item == item
    second.approve()
    second.submit_and_wait()
    bench.press("r", "0", "0")
    bench.submit()
    expect(bench.refusal).to_contain_text("You have already judged this item.")
    assert site.judgements()[item]["verdict"] == "approve"


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
