"""Single keys: turned off or changed on this device, under other keyboard layouts, with digits of any script."""

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.looks import barriers
from tests.browser.people import People
from tests.browser.site import Site
from tests.browser.workbench import Workbench


@pytest.fixture
def context(people: People) -> BrowserContext:
    return people.context_as("reviewer")


@pytest.fixture
def workbench(context: BrowserContext) -> Workbench:
    return Workbench(context.new_page()).open()


def open_map(page: Page) -> Locator:
    page.get_by_role("button", name="Keyboard shortcuts").click()
    return page.locator("#keymap")


COMPOSE = """(field, letter) => {
    field.value = letter;
    field.dispatchEvent(new InputEvent('input', {bubbles: true, data: letter, isComposing: true}));
}"""


def change_key(page: Page, action: str, letter: str) -> Locator:
    """Ask for `letter` in the map's settings; the map stays open."""
    keymap = open_map(page)
    keymap.get_by_role("button", name="Change keys").click()
    keymap.get_by_role("textbox", name=action, exact=True).press_sequentially(letter)
    return keymap


def test_changed_key_acts_and_is_shown_everywhere_and_the_old_one_rests(
    context: BrowserContext, workbench: Workbench
) -> None:
    change_key(workbench.page, "Approve", "y")
    workbench.press("Escape", "a")
    assert workbench.verdict == ""
    workbench.press("y")
    assert workbench.verdict == "approve"
    expect(workbench.page.locator(".verdict .a kbd")).to_have_text("Y")
    shortcut = workbench.page.locator("[name=verdict][value=approve]")
    expect(shortcut).to_have_attribute("aria-keyshortcuts", "Y")
    again = Workbench(context.new_page()).open()
    again.press("y", "5", "5")
    assert again.verdict == "approve"
    again.submit_and_wait()
    expect(again.page.locator(".verdict .a kbd")).to_have_text("Y")
    again.press("y")
    assert again.verdict == "approve"


def test_key_is_changed_to_a_free_letter_of_any_script_and_reset(workbench: Workbench) -> None:
    page, shown = workbench.page, workbench.page.locator(".verdict .a kbd")
    keymap = open_map(page)
    keymap.get_by_role("button", name="Change keys").click()
    field = keymap.get_by_role("textbox", name="Approve", exact=True)
    for letter, words in (("r", "“R” is already used for “Reject”."), ("5", "Choose a letter.")):
        field.press_sequentially(letter)
        expect(keymap.get_by_role("alert")).to_contain_text(words)
        expect(field).to_have_value("A")
    assert barriers(page) == []
    field.evaluate(COMPOSE, "ཀ")
    workbench.press("Escape")
    expect(shown).to_have_text("A")

    open_map(page)
    field.press_sequentially("y")
    expect(shown).to_have_text("Y")
    keymap.get_by_role("checkbox", name="Use single-key shortcuts").uncheck()
    keymap.get_by_role("button", name="Reset to default").click()
    expect(keymap.get_by_role("checkbox", name="Use single-key shortcuts")).to_be_checked()
    workbench.press("Escape", "a")
    assert workbench.verdict == "approve"

    open_map(page)
    keymap.get_by_role("textbox", name="Reject", exact=True).press_sequentially("ཨ")
    workbench.press("Escape")
    strike(workbench, "ཨ", "KeyA")  # what is written comes before the place
    assert workbench.verdict == "reject"


def test_single_keys_turned_off_rest_and_are_not_shown(
    context: BrowserContext, workbench: Workbench
) -> None:
    open_map(workbench.page).get_by_role("checkbox", name="Use single-key shortcuts").uncheck()
    for page in (workbench, Workbench(context.new_page()).open()):
        page.press("Escape", "a", "4", "m", "?")
        assert page.verdict == ""
        assert not page.page.locator("input[name=domain]:checked").count()
        expect(page.page.locator("#comment")).not_to_be_focused()
        expect(page.page.locator("#keymap")).not_to_be_visible()
        expect(page.page.locator(".verdict kbd").first).not_to_be_visible()
        expect(page.page.locator("[data-submit] kbd")).to_be_visible()
        page.submit()
        expect(page.page.locator("[data-error=verdict]")).to_be_visible()


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


def strike(workbench: Workbench, key: str, code: str, **more: Any) -> None:
    """Press what a keyboard of another layout sends: what it writes, and the key's place."""
    workbench.page.evaluate(
        """event => document.activeElement.dispatchEvent(
            new KeyboardEvent('keydown', {bubbles: true, cancelable: true, ...event}))""",
        {"key": key, "code": code, **more},
    )


def rating(workbench: Workbench, name: str = "domain") -> str:
    chosen = workbench.page.locator(f"input[name={name}]:checked")
    return chosen.get_attribute("value") or "" if chosen.count() else ""


def begin_anew(workbench: Workbench) -> None:
    """Choose nothing, aim at the first rating, and have a Latin letter as the last that was pressed."""
    every = "for (const one of document.querySelectorAll('[type=radio]')) one.checked = false"
    workbench.page.evaluate(every)
    workbench.press("d")


BY_LETTER = (
    ("ཨ", "KeyA", "approve"),  # Tibetan
    ("ྱ", "KeyE", "revise"),  # a mark that stacks below a letter
    ("ཀྵ", "KeyR", "reject"),  # a key that writes two
    ("й", "KeyE", "revise"),  # Mongolian, Cyrillic
    ("ᠠ", "KeyA", "approve"),  # Mongolian, traditional
    ("日", "KeyA", "approve"),  # Chinese, Cangjie
    ("ａ", "KeyZ", "approve"),  # Chinese, wide letters
    ("a", "KeyQ", "approve"),  # French: the letter, not the place
    ("q", "KeyA", ""),
    ("é", "KeyE", ""),  # a Latin letter of its own
    ("Process", "KeyA", ""),  # an input method takes it
    ("Dead", "KeyA", ""),
    ("Unidentified", "", ""),
)
BY_DIGIT = (
    ("༣", "Digit3", "3"),
    ("༣", "Numpad3", "3"),
    ("᠔", "Digit4", "4"),
    ("５", "Digit5", "5"),
    ("໒", "Digit2", "2"),
    ("ຢ", "Digit1", "1"),  # Lao has letters there
    ("4", "Numpad4", "4"),
    ("ArrowLeft", "Numpad4", ""),  # without Num Lock
    ("&", "Digit1", ""),  # French: digits need Shift
    ("༩", "Digit9", ""),  # no such rating
)


def test_keys_act_by_what_they_write_or_by_their_place(workbench: Workbench) -> None:
    keys_of_a_composition_or_with_a_modifier_do_nothing(workbench)
    found = []
    for key, code, _verdict in BY_LETTER:
        begin_anew(workbench)
        strike(workbench, key, code)
        workbench.press("Escape")
        found.append((key, code, workbench.verdict))
    assert tuple(found) == BY_LETTER
    found = []
    for key, code, _number in BY_DIGIT:
        begin_anew(workbench)
        strike(workbench, key, code)
        found.append((key, code, rating(workbench)))
    assert tuple(found) == BY_DIGIT
    begin_anew(workbench)
    question_mark_of_any_layout_shows_the_keys(workbench)
    begin_anew(workbench)
    sign_goes_by_the_layout_of_the_last_letter(workbench)


def keys_of_a_composition_or_with_a_modifier_do_nothing(workbench: Workbench) -> None:
    for more in ("ctrlKey", "altKey", "metaKey", "shiftKey", "modifierAltGraph", "isComposing"):
        strike(workbench, "ཨ", "KeyA", **{more: True})
        assert workbench.verdict == "", more
    strike(workbench, "ཨ", "KeyA", keyCode=229)
    workbench.page.locator("#comment").focus()
    strike(workbench, "ཨ", "KeyA")
    strike(workbench, "༣", "Digit3")
    assert (workbench.verdict, rating(workbench)) == ("", "")
    workbench.press("Escape")


def sign_goes_by_the_layout_of_the_last_letter(workbench: Workbench) -> None:
    """Mongolian has signs in the row of digits, as French has."""
    strike(workbench, "я", "KeyZ")
    strike(workbench, '"', "Digit3")
    assert rating(workbench) == "3"
    strike(workbench, "w", "KeyW")
    strike(workbench, '"', "Digit3")
    assert rating(workbench, "cultural") == ""


def question_mark_of_any_layout_shows_the_keys(workbench: Workbench) -> None:
    keymap, before = workbench.page.locator("#keymap"), workbench.verdict
    for key in ("?", "？", ","):
        strike(workbench, "я", "KeyZ")
        strike(workbench, key, "Slash", shiftKey=True)
        expect(keymap).to_be_visible()
        workbench.press("r")
        assert workbench.verdict == before
        workbench.press("Escape")
        expect(keymap).not_to_be_visible()


def test_error_tags_have_keys_that_are_shown_stored_and_changed(
    site: Site, workbench: Workbench
) -> None:
    item = workbench.item
    workbench.press("n", "k", "x", "x")
    strike(workbench, "ི", "KeyI")
    expect(
        workbench.page.locator(".chips label", has_text="terminology").locator("kbd")
    ).to_have_text("N")
    workbench.approve()
    workbench.submit_and_wait()
    assert site.judgements()[item]["tags"] == ["accuracy", "terminology", "wrong_key"]
    keymap = change_key(workbench.page, "Mark as wrong: grammar", "n")
    tag = keymap.get_by_role("textbox", name="Mark as wrong: grammar", exact=True)
    expect(keymap.get_by_role("alert")).to_contain_text("already used")
    tag.press_sequentially("z")
    workbench.press("Escape", "z")
    expect(workbench.page.get_by_role("checkbox", name="grammar")).to_be_checked()
