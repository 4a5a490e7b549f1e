"""Opening a round by its page: what goes with each choice, who and how long, with and without scripts."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import barriers, misfits
from tests.browser.people import People
from tests.browser.site import PROJECT, SLUG, Site

OPEN = f"{PROJECT}/rounds/open/"


@pytest.fixture
def closed(site: Site) -> None:
    """Have no round open any more."""
    site.begin("compared")


def choose(page: Page, value: str) -> None:
    page.locator(f"input[name=selection][value={value}]").check()


def test_fields_show_with_the_choice_that_they_belong_to(people: People, closed: None) -> None:
    page = people.page_as("manager", java_script_enabled=False)
    page.goto(OPEN)
    listed, since, seed = (
        page.locator(f"[name={name}]") for name in ("uids", "since_round", "seed")
    )
    for field in (listed, since, seed):
        expect(field).not_to_be_visible()
    choose(page, "list")
    expect(listed).to_be_visible()
    choose(page, "changed")
    expect(since).to_be_visible()
    expect(listed).not_to_be_visible()
    page.get_by_label("Only a sample of these items").fill("10")
    expect(seed).to_be_visible()


def test_round_on_a_filter_of_the_items_is_checked_and_opened(people: People, closed: None) -> None:
    people.expect("status of 400")
    page = people.page_as("manager")
    page.goto(f"{PROJECT}/items/?subject=health")
    page.get_by_role("link", name="Open a round on these").click()
    expect(page.get_by_text("Subject: ", exact=False).first).to_be_visible()
    assert barriers(page) == []
    assert misfits(page) == []
    page.get_by_label("Judgements per item").fill("9")
    page.get_by_role("button", name="Check who may judge").click()
    expect(page.get_by_text("People who may judge", exact=False).first).to_be_visible()
    page.get_by_role("button", name="Open the round").click()
    confirmation = page.get_by_label("Open the round even if some items", exact=False)
    expect(confirmation).to_be_visible()
    confirmation.check()
    page.get_by_role("button", name="Open the round").click()
    page.wait_for_url("**/rounds/3/")
    chosen = people.site.rows(
        "SELECT r.selection FROM review_round r JOIN projects_project p ON p.id = r.project_id"
        " WHERE p.slug = ? AND r.number = 3",
        SLUG,
    )
    assert chosen == [("filter",)]
