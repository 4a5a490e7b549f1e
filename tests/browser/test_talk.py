"""Comments over the workbench, by keyboard, and the bell that tells of them."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.bench import Bench
from tests.browser.looks import barriers
from tests.browser.people import People
from tests.browser.site import Site


def test_reviewer_names_a_manager_without_leaving_the_workbench(people: People, site: Site) -> None:
    page = people.page_as("reviewer")
    bench = Bench(page).open()
    bench.press("a")
    item = bench.item
    open_comments(page)
    words = page.get_by_label("New comment")
    expect(words).to_be_focused()
    words.press_sequentially("Right, @man")
    expect(page.locator(".mention-list li")).to_have_count(2)
    words.press("ArrowDown")
    words.press("Enter")
    words.press_sequentially("?")
    assert "man" in words.input_value().lower()
    assert not barriers(page, Axe())
    page.get_by_role("button", name="Comment", exact=True).press("Enter")
    said = page.locator(".talk .thread .words")
    expect(said).to_contain_text("Right, @")
    assert page.locator(".talk .mention").count() == 1
    page.keyboard.press("Escape")
    expect(page.locator("dialog.talk-dialog")).not_to_be_visible()
    assert (bench.item, bench.verdict) == (item, "approve")


def test_comments_of_the_next_item_are_its_own(people: People, site: Site) -> None:
    page = people.page_as("reviewer")
    bench = Bench(page).open()
    before = page.locator("a[data-talk]").get_attribute("href")
    bench.approve()
    bench.submit_and_wait()
    expect(page.locator("a[data-talk]")).not_to_have_attribute("href", before or "")


def open_comments(page: Page) -> None:
    page.locator("a[data-talk]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog.talk-dialog")).to_be_visible()
