"""A manager works on one item: corrects its key, changes its text, and reads what happened to it."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.people import People
from tests.browser.site import PROJECT, SLUG, Site

WORLD = "judged"


@pytest.fixture
def approved(site: Site) -> dict[str, Any]:
    """An item whose panel is settled."""
    found: dict[str, Any] = site.ask("manager", f"projects/{SLUG}/items/?state=approved")[
        "results"
    ][0]
    return found


def test_key_and_text_are_changed_and_stand_in_the_history(
    people: People, site: Site, approved: dict[str, Any]
) -> None:
    address = f"{PROJECT}/items/{approved['id']}/"
    key = "B" if approved["key"] != "B" else "C"
    page = people.page_as("manager")
    page.goto(address)
    page.get_by_text("Correct the key…").click()
    page.get_by_role("radio", name=key).check()
    page.get_by_label("Reason").first.fill("The law says so.")
    page.get_by_role("button", name="Correct key").click()
    expect(page.get_by_text(f"The key is changed from {approved['key']} to {key}.")).to_be_visible()

    page.get_by_role("link", name="Edit the text").click()
    question = page.get_by_label("Translation Q")
    question.fill(f"{approved['translation']['question']} ཀཁག")
    page.get_by_role("button", name="Check only").click()
    expect(page.get_by_text("The findings are about the text as you typed it.")).to_be_visible()
    page.get_by_role("button", name="Save the text").click()
    expect(page.get_by_text("The text is changed. It waits for review.")).to_be_visible()

    events = page.locator(".timeline > li")
    expect(events.nth(0)).to_contain_text("Revision 2")
    expect(events.nth(1)).to_contain_text(f"Key changed from {approved['key']} to {key}")
    expect(events.nth(1)).to_contain_text("The law says so.")
    found = site.ask("manager", f"projects/{SLUG}/items/{approved['id']}/")
    assert (found["key"], found["translation"]["number"]) == (key, 2)
    assert found["translation"]["state"] == "pending"
