"""Judging pairs of an arena by keyboard alone."""

import pytest
from playwright.sync_api import Page, expect

from arena.verdicts import VERDICTS
from config.demo import written
from tests.browser.looks import barriers, misfits
from tests.browser.people import SIZES, People
from tests.browser.site import Site

PAIRS = 20
TIE, REVISED = "3", "4"
REASONED, REASON = 5, "ནོར་བ་མེད།"


@pytest.fixture
def page(site: Site, people: People) -> Page:
    """The first pair of the arena, all of whose battles are for people; reviewers still solve items."""
    site.rows("UPDATE arena_battle SET is_sampled = 1")
    page = people.page_as("manager")
    page.goto(f"/projects/{written.SLUG}/arenas/1/judge/")
    page.get_by_role("button", name="Take a pair").click()
    expect(page.locator("[data-pair-verdict]")).to_be_visible()
    return page


def seat_of(page: Page) -> str:
    return page.locator("[name=seat]").input_value()


def press_and_wait(page: Page, *keys: str) -> None:
    """Press keys of which the last asks the server; wait for the page that answers."""
    with page.expect_navigation():
        for key in keys:
            page.keyboard.press(key)
    expect(page.locator("[data-pair-verdict]")).to_be_visible()


def stored(site: Site) -> list[tuple[str, str]]:
    rows = "SELECT verdict, reason FROM arena_seat WHERE verdict != '' ORDER BY judged_at, id"
    return [(verdict, reason) for verdict, reason in site.rows(rows)]


def test_twenty_verdicts_with_ties_a_reason_and_one_taken_back(site: Site, page: Page) -> None:
    keys = [str(1 + number % len(VERDICTS)) for number in range(PAIRS)]
    for number, key in enumerate(keys):
        seat = seat_of(page)
        if number == REASONED:
            page.keyboard.press("r")
            page.keyboard.insert_text(REASON)
            page.keyboard.press("Escape")
        press_and_wait(page, key, "Control+Enter")
        assert seat_of(page) != seat
    assert [verdict for verdict, _reason in stored(site)] == [
        list(VERDICTS)[int(key) - 1] for key in keys
    ]
    assert keys.count(TIE) == PAIRS // len(VERDICTS)
    assert [reason for _verdict, reason in stored(site) if reason] == [REASON]
    press_and_wait(page, "u")
    assert seat_of(page) == seat
    assert len(stored(site)) == PAIRS - 1
    press_and_wait(page, REVISED, "Control+Enter")
    assert stored(site)[-1] == (list(VERDICTS)[int(REVISED) - 1], "")


def test_no_verdict_is_sent_without_a_choice(site: Site, page: Page) -> None:
    page.keyboard.press("Control+Enter")
    assert stored(site) == []
    page.keyboard.press(TIE)
    expect(page.locator("[name=verdict][data-digit='3']")).to_be_checked()


def test_the_page_of_a_pair_has_no_barrier_and_fits_a_phone(page: Page) -> None:
    for size in ("desktop", "phone"):
        page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
        assert barriers(page) + misfits(page) == []
