"""Judging pairs of an arena by keyboard alone."""

import pytest
from playwright.sync_api import Page, expect

from arena.verdicts import VERDICTS
from config.demo import contest
from tests.browser.looks import barriers, misfits
from tests.browser.people import SIZES, People
from tests.browser.site import Site

REASONED, REASON = 2, "ནོར་བ་མེད།"


@pytest.fixture
def page(site: Site, people: People) -> Page:
    """The first pair of the arena, all of whose battles are for people."""
    site.rows("UPDATE arena_battle SET is_sampled = 1")
    page = people.page_as("reviewer")
    page.goto(f"/projects/{contest.SLUG}/arenas/1/judge/")
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
    """What the reviewer said; simulated people have judged other pairs."""
    rows = (
        "SELECT verdict, reason FROM arena_seat WHERE verdict != '' AND person_id = "
        "(SELECT id FROM accounts_user WHERE email = 'reviewer@demo.example') ORDER BY judged_at, id"
    )
    return [(verdict, reason) for verdict, reason in site.rows(rows)]


def test_pair_is_readable_by_anyone_and_judged_by_a_key_of_each_verdict(
    site: Site, page: Page
) -> None:
    for size in ("phone", "desktop"):
        page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
        assert barriers(page) + misfits(page) == []
    first = seat_of(page)
    page.keyboard.press("Control+Enter")  # nothing is chosen yet
    page.keyboard.press("3")
    expect(page.locator("[name=verdict][data-digit='3']")).to_be_checked()
    assert (seat_of(page), stored(site)) == (first, [])

    for number, _verdict in enumerate(VERDICTS, 1):
        seat = seat_of(page)
        if number == REASONED:
            page.keyboard.press("r")
            page.keyboard.insert_text(REASON)
            page.keyboard.press("Escape")
        press_and_wait(page, str(number), "Control+Enter")
        assert seat_of(page) != seat
    said = [
        (verdict, REASON if number == REASONED else "")
        for number, verdict in enumerate(VERDICTS, 1)
    ]
    assert stored(site) == said
    press_and_wait(page, "u")
    assert seat_of(page) == seat
    assert stored(site) == said[:-1]
    press_and_wait(page, "4", "Control+Enter")
    assert stored(site)[-1] == (list(VERDICTS)[3], "")
