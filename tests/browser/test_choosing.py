"""Choosing item by item by keyboard: choose, undo, look at what would happen, and do it."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import barriers, misfits
from tests.browser.people import People
from tests.browser.site import PROJECT, SLUG, Site

CHOICES = f"{PROJECT}/translations/items/"
WORLD = "compared"


def choices(site: Site) -> list[tuple[str, int]]:
    """What the API lists as choices that can be undone, the newest first."""
    listed = site.ask("manager", f"projects/{SLUG}/translations/choices/")
    return [(choice["why"], choice["item_count"]) for choice in listed]


def uid_of_current(page: Page) -> str:
    return page.locator("[data-choice][aria-current=true] h2").inner_text().strip()


def reach_free_item(page: Page) -> str:
    """Step with J to an item whose text nobody worked on; its uid."""
    free = "[data-choice][aria-current=true]:has([data-side]):not(:has([type=checkbox]))"
    for _step in range(20):
        if page.locator(free).count():
            return uid_of_current(page)
        page.keyboard.press("j")
    pytest.fail("people have worked on every item")


def system_of(site: Site, uid: str) -> str:
    rows = site.ask("manager", f"projects/{SLUG}/items/?q={uid}")["results"]
    found: str = next(row["translation"]["system"] for row in rows if row["uid"] == uid)
    return found


def test_texts_are_chosen_undone_and_taken_of_a_comparison_by_keyboard(
    people: People, site: Site
) -> None:
    page = people.page_as("manager")
    page.goto(CHOICES)
    uid = reach_free_item(page)
    before = system_of(site, uid)
    digit = page.locator("[data-choice][aria-current=true] [data-side]").first
    page.keyboard.press(str(digit.get_attribute("data-side")))
    page.wait_for_url("**#item-*")
    assert uid_of_current(page) == uid
    chosen = system_of(site, uid)
    assert chosen != before
    assert choices(site) == [(chosen, 1)]

    page.keyboard.press("u")
    expect(page.get_by_text("1 item has its earlier text again")).to_be_visible()
    assert (system_of(site, uid), choices(site)) == (before, [])
    take_the_best_rated(page, site)


def take_the_best_rated(page: Page, site: Site) -> None:
    """Look at what would happen, then do it."""
    page.goto(CHOICES)
    page.get_by_text("Take the best-rated texts of a comparison").press("Enter")
    page.locator("#id_best-round").focus()
    page.keyboard.type("round 2")
    page.get_by_label("Also replace texts").press("Space")
    page.get_by_role("button", name="Preview").press("Enter")
    expect(page.get_by_text("What would happen:")).to_be_visible()
    expect(page.get_by_text("Items with another text now: ")).to_be_visible()
    assert choices(site) == []
    assert barriers(page) + misfits(page) == []
    page.get_by_role("button", name="Choose these texts").press("Enter")
    page.wait_for_url(f"**{CHOICES}")
    ((why, count),) = choices(site)
    assert why == "round 2"
    assert 1 <= count <= 8
