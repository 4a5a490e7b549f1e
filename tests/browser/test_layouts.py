"""Single keys under other keyboard layouts: printed Latin letters, else the key's place; digits of any script."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.bench import Bench
from tests.browser.people import People
from tests.browser.site import Site


@pytest.fixture
def bench(people: People) -> Bench:
    return Bench(people.page_as("reviewer")).open()


def strike(bench: Bench, key: str, code: str, **more: Any) -> None:
    """Press what a keyboard of another layout sends: what it writes, and the key's place."""
    bench.page.evaluate(
        """event => document.activeElement.dispatchEvent(
            new KeyboardEvent('keydown', {bubbles: true, cancelable: true, ...event}))""",
        {"key": key, "code": code, **more},
    )


def rating(bench: Bench, name: str = "domain") -> str:
    chosen = bench.page.locator(f"input[name={name}]:checked")
    return chosen.get_attribute("value") or "" if chosen.count() else ""


@pytest.mark.parametrize(
    ("key", "code", "verdict"),
    [
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
    ],
)
def test_verdict_by_what_a_key_writes_or_by_its_place(
    bench: Bench, key: str, code: str, verdict: str
) -> None:
    strike(bench, key, code)
    bench.press("Escape")
    assert bench.verdict == verdict


@pytest.mark.parametrize(
    ("key", "code", "number"),
    [
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
    ],
)
def test_rating_by_a_digit_of_any_script_or_by_its_place(
    bench: Bench, key: str, code: str, number: str
) -> None:
    strike(bench, key, code)
    assert rating(bench) == number


def test_sign_goes_by_the_layout_of_the_last_letter(bench: Bench) -> None:
    """Mongolian has signs in the row of digits, as French has."""
    strike(bench, "я", "KeyZ")
    strike(bench, '"', "Digit3")
    assert rating(bench) == "3"
    strike(bench, "w", "KeyW")
    strike(bench, '"', "Digit3")
    assert rating(bench, "cultural") == ""


def test_place_does_nothing_with_a_modifier_in_a_composition_or_in_a_text_field(
    bench: Bench,
) -> None:
    for more in ("ctrlKey", "altKey", "metaKey", "shiftKey", "modifierAltGraph", "isComposing"):
        strike(bench, "ཨ", "KeyA", **{more: True})
        assert bench.verdict == "", more
    strike(bench, "ཨ", "KeyA", keyCode=229)
    bench.page.locator("#comment").focus()
    strike(bench, "ཨ", "KeyA")
    strike(bench, "༣", "Digit3")
    assert (bench.verdict, rating(bench)) == ("", "")


@pytest.mark.parametrize("key", ["?", "？", ","])
def test_question_mark_of_any_layout_shows_the_keys(bench: Bench, key: str) -> None:
    strike(bench, "я", "KeyZ")
    strike(bench, key, "Slash", shiftKey=True)
    expect(bench.page.locator("#keymap")).to_be_visible()


def test_letter_of_another_script_can_be_chosen_and_comes_before_the_place(bench: Bench) -> None:
    bench.page.get_by_role("button", name="Keyboard shortcuts").click()
    keymap = bench.page.locator("#keymap")
    keymap.get_by_role("button", name="Change keys").click()
    keymap.get_by_role("textbox", name="Reject", exact=True).press_sequentially("ཨ")
    bench.press("Escape")
    strike(bench, "ཨ", "KeyA")
    assert bench.verdict == "reject"


def test_error_tags_have_keys_that_are_shown_stored_and_changed(site: Site, bench: Bench) -> None:
    item = bench.item
    bench.press("n", "k", "x", "x")
    strike(bench, "ི", "KeyI")
    expect(bench.page.locator(".chips label", has_text="terminology").locator("kbd")).to_have_text(
        "N"
    )
    bench.approve()
    bench.submit_and_wait()
    assert site.judgements()[item]["tags"] == ["accuracy", "terminology", "wrong_key"]
    bench.page.get_by_role("button", name="Keyboard shortcuts").click()
    keymap = bench.page.locator("#keymap")
    keymap.get_by_role("button", name="Change keys").click()
    tag = keymap.get_by_role("textbox", name="Mark as wrong: grammar", exact=True)
    tag.press_sequentially("n")
    expect(keymap.get_by_role("alert")).to_contain_text("already used")
    tag.press_sequentially("z")
    bench.press("Escape", "z")
    expect(bench.page.get_by_role("checkbox", name="grammar")).to_be_checked()
