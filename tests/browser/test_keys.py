"""A reviewer turns single keys off or changes one, on this device; a clash is refused in words."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.bench import Bench
from tests.browser.looks import barriers
from tests.browser.people import People


@pytest.fixture
def context(people: People) -> BrowserContext:
    return people.context_as("reviewer")


@pytest.fixture
def bench(context: BrowserContext) -> Bench:
    return Bench(context.new_page()).open()


def open_map(page: Page) -> Locator:
    page.get_by_role("button", name="Keyboard shortcuts").click()
    return page.locator("#keymap")


def change_key(page: Page, action: str, letter: str) -> Locator:
    """Ask for `letter` in the map's settings; the map stays open."""
    keymap = open_map(page)
    keymap.get_by_role("button", name="Change keys").click()
    keymap.get_by_role("textbox", name=action, exact=True).press_sequentially(letter)
    return keymap


def test_changed_key_acts_and_is_shown_everywhere_and_the_old_one_rests(
    context: BrowserContext, bench: Bench
) -> None:
    change_key(bench.page, "Approve", "y")
    bench.press("Escape", "a")
    assert bench.verdict == ""
    bench.press("y")
    assert bench.verdict == "approve"
    expect(bench.page.locator(".verdict .a kbd")).to_have_text("Y")
    shortcut = bench.page.locator("[name=verdict][value=approve]")
    expect(shortcut).to_have_attribute("aria-keyshortcuts", "Y")
    again = Bench(context.new_page()).open()
    again.press("y")
    assert again.verdict == "approve"


def test_changed_key_acts_on_the_next_item_too(bench: Bench) -> None:
    change_key(bench.page, "Approve", "y")
    bench.press("Escape", "y", "5", "5")
    bench.submit_and_wait()
    expect(bench.page.locator(".verdict .a kbd")).to_have_text("Y")
    bench.press("y")
    assert bench.verdict == "approve"


@pytest.mark.parametrize(
    ("letter", "words"),
    [("r", "“R” is already used for “Reject”."), ("5", "Choose a letter.")],
)
def test_key_that_is_taken_or_no_letter_is_refused_in_words(
    bench: Bench, letter: str, words: str
) -> None:
    keymap = change_key(bench.page, "Approve", letter)
    expect(keymap.get_by_role("alert")).to_contain_text(words)
    expect(keymap.get_by_role("textbox", name="Approve", exact=True)).to_have_value("A")
    bench.press("Escape", "a")
    assert bench.verdict == "approve"


def test_single_keys_turned_off_rest_and_are_not_shown(
    context: BrowserContext, bench: Bench
) -> None:
    open_map(bench.page).get_by_role("checkbox", name="Use single-key shortcuts").uncheck()
    for page in (bench, Bench(context.new_page()).open()):
        page.press("Escape", "a", "4", "m", "?")
        assert page.verdict == ""
        assert not page.page.locator("input[name=domain]:checked").count()
        expect(page.page.locator("#comment")).not_to_be_focused()
        expect(page.page.locator("#keymap")).not_to_be_visible()
        expect(page.page.locator(".verdict kbd").first).not_to_be_visible()
        expect(page.page.locator("[data-submit] kbd")).to_be_visible()
        page.submit()
        expect(page.page.locator("[data-error=verdict]")).to_be_visible()


def test_map_has_no_barrier_while_a_key_is_refused(bench: Bench) -> None:
    keymap = change_key(bench.page, "Approve", "r")
    expect(keymap.get_by_role("alert")).to_be_visible()
    assert barriers(bench.page, Axe()) == []
    keymap.get_by_role("checkbox", name="Use single-key shortcuts").uncheck()
    assert barriers(bench.page, Axe()) == []


def test_letter_of_a_composition_is_no_new_key(bench: Bench) -> None:
    keymap = change_key(bench.page, "Approve", "")
    keymap.get_by_role("textbox", name="Approve", exact=True).evaluate(
        """field => {
            field.value = 'ཀ';
            field.dispatchEvent(new InputEvent('input', {bubbles: true, data: 'ཀ', isComposing: true}));
        }"""
    )
    bench.press("Escape")
    expect(bench.page.locator(".verdict .a kbd")).to_have_text("A")


def test_reset_brings_the_keys_back(bench: Bench) -> None:
    keymap = change_key(bench.page, "Approve", "y")
    keymap.get_by_role("checkbox", name="Use single-key shortcuts").uncheck()
    keymap.get_by_role("button", name="Reset to default").click()
    expect(keymap.get_by_role("checkbox", name="Use single-key shortcuts")).to_be_checked()
    bench.press("Escape", "a")
    assert bench.verdict == "approve"


def test_keys_of_two_pages_are_changed_apart(people: People, site: object) -> None:
    context = people.context_as("senior")
    dispute = people.site.ask("senior", "projects/demo/disputes/")["results"][0]["id"]
    page = context.new_page()
    page.goto(f"/projects/demo/disputes/{dispute}/")
    change_key(page, "Edit by hand", "h")
    page.keyboard.press("Escape")
    page.keyboard.press("h")
    expect(page.locator("[data-says]")).to_have_text("Decision: your own text")
    expect(page.locator("[data-decide=edit] kbd")).to_have_text("H")
