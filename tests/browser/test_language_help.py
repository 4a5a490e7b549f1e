"""Language help by keyboard: marks in the texts, three dialogs, and a proposal that arrives."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import barriers
from tests.browser.people import People
from tests.browser.site import PROJECT
from tests.browser.workbench import Workbench

WORLD = "furnished"


@pytest.fixture
def workbench(people: People) -> Workbench:
    return Workbench(people.page_as("reviewer")).open()


def dialog(page: Page, title: str) -> None:
    expect(page.get_by_role("dialog", name=title)).to_be_visible()


def test_terms_are_marked_and_keys_open_search_similar_items_and_a_proposal(
    workbench: Workbench,
) -> None:
    page = workbench.page
    expect(page.locator("[data-term-hits] li").first).to_be_visible()
    workbench.wait_until("(CSS.highlights.get('term-missing')?.size ?? 0) > 0", value=True)
    assert barriers(page) == []
    workbench.press("w")
    dialog(page, "Find in translated items")
    page.get_by_label("Word or phrase").fill("the")
    page.get_by_label("Items", exact=True).select_option("all")
    page.get_by_label("Word or phrase").press("Enter")
    expect(page.locator("dialog mark").first).to_be_visible()
    workbench.press("Escape", "o")
    dialog(page, "Similar items")
    workbench.press("Escape", "j")
    dialog(page, "Propose a term")
    page.get_by_label("Term in the source language").fill("question")
    page.get_by_label("Preferred renderings").fill("dri ba")
    page.get_by_role("button", name="Propose", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("Proposed. You will see the decision")).to_be_visible()
    page.goto(f"{PROJECT}/glossary/proposals/")
    expect(page.get_by_text("dri ba")).to_be_visible()
