"""Opening a round by its page: each field shows with the choice that it belongs to, without a script."""

from playwright.sync_api import Page, expect

from tests.browser.people import People
from tests.browser.site import PROJECT

WORLD = "compared"  # no round is open any more


def choose(page: Page, value: str) -> None:
    page.locator(f"input[name=selection][value={value}]").check()


def test_fields_show_with_the_choice_that_they_belong_to(people: People) -> None:
    page = people.page_as("manager", java_script_enabled=False)
    page.goto(f"{PROJECT}/rounds/open/")
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
