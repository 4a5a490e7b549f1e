"""Judging by keyboard, on a phone and without JavaScript; nothing jumps and no letter goes astray."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.bench import BENCH, Bench
from tests.browser.people import People, Size
from tests.browser.site import Site

ADDED = "་ཡིན་ནམ།"
# A text that begins with a line break must not look corrected before anybody typed.
UNTOUCHED = """[...document.querySelectorAll('[data-target]')].every(cell =>
    (cell.querySelector('.as-is') ?? cell.querySelector('.target-text:not(:has(.text-missing))'))
        ?.textContent === cell.querySelector('.target-edit').value || cell.querySelector('.text-missing'))"""

# Of the viewport's height and what moved in it; less than this no eye can see.
MOST_SHIFT = 0.001
SHIFTS = """window.shifts = [];
    new PerformanceObserver(list => {
        for (const shift of list.getEntries()) if (!shift.hadRecentInput) window.shifts.push({
            value: shift.value, moved: shift.sources.map(({node, previousRect, currentRect}) =>
                [node?.outerHTML?.slice(0, 200) ?? node?.textContent, previousRect.y, currentRect.y])});
    }).observe({type: 'layout-shift', buffered: true});"""

COVERED = """
buttons => buttons.filter(button => button.checkVisibility()).filter(button => {
  const { left, top, width, height } = button.getBoundingClientRect();
  return !button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}).map(button => button.textContent.trim())
"""


@pytest.fixture
def bench(people: People) -> Bench:
    return Bench(people.page_as("reviewer")).open()


def test_keys_of_an_item_do_nothing_where_there_is_none(people: People) -> None:
    page = people.page_as("reviewer")
    page.goto(BENCH)
    expect(page.locator("#judgement")).to_have_count(0)
    for key in "aertgcs15":
        page.keyboard.press(key)
    expect(page.locator("[data-workbench]")).to_be_visible()


def test_twenty_items_judged_by_keyboard_are_stored_as_given(site: Site, bench: Bench) -> None:
    before = site.judgements()
    places = set()
    given = {}
    for number in range(20):
        item = bench.item
        places.add(verdict_place(bench.page))
        assert bench.page.evaluate(UNTOUCHED), item
        if number % 5 == 1:
            bench.revise(ADDED)
            given[item] = ("revise", {"domain": 3, "cultural": 2})
        elif number % 5 == 3:
            bench.press("r", "1", "0")
            given[item] = ("reject", {"domain": 1, "cultural": 0})
        else:
            bench.approve()
            given[item] = ("approve", {"domain": 5, "cultural": 4})
        bench.submit_and_wait()
    stored = site.judgements()
    new = {
        item: (row["verdict"], row["ratings"]) for item, row in stored.items() if item not in before
    }
    assert new == given
    for item, (verdict, _ratings) in given.items():
        correction = stored[item]["correction"]
        assert (verdict == "revise") == bool(correction)
        assert not correction or correction["question"].endswith(ADDED)
    assert len(places) == 1


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_nothing_shifts_while_a_page_loads_or_the_next_item_comes(
    people: People, size: Size
) -> None:
    context = people.context_as("reviewer", size=size)
    context.add_init_script(SHIFTS)
    bench = Bench(context.new_page()).open()
    for _ in range(3):
        bench.approve()
        bench.page.wait_for_timeout(600)  # shifts right after a key are counted as answers to it
        bench.submit_and_wait()
        bench.page.wait_for_timeout(600)
    shifts = bench.page.evaluate("window.shifts")
    assert sum(shift["value"] for shift in shifts) < MOST_SHIFT, shifts


def test_tags_comment_and_a_confirmed_number_are_stored(site: Site, bench: Bench) -> None:
    item = bench.item
    bench.press("e")
    bench.page.keyboard.insert_text(" 12345")
    bench.press("Escape", "d", "4", "4", "m")
    bench.page.keyboard.insert_text("see the glossary")
    bench.press("Escape")
    bench.page.get_by_role("checkbox", name="terminology").check()
    bench.submit()
    error = bench.page.locator("[data-error=verdict]")
    expect(error).to_contain_text("You changed a number or formula")
    bench.page.get_by_label("I meant to change").check()
    bench.submit_and_wait()
    row = site.judgements()[item]
    assert (row["tags"], row["comment"]) == (["terminology"], "see the glossary")
    assert row["correction"]["question"].endswith("12345")


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_notices_of_several_skips_cover_no_button(people: People, size: Size) -> None:
    opened = Bench(people.page_as("reviewer", size=size)).open()
    for _turn in range(3):
        opened.skip()
    expect(opened.page.locator("#toasts").get_by_role("button", name="Undo")).to_have_count(3)
    assert opened.page.locator(".send .btn").evaluate_all(COVERED) == []


def test_skip_by_keyboard_brings_another_item_and_stores_no_judgement(
    site: Site, bench: Bench
) -> None:
    item, seat = bench.item, bench.seat
    bench.press("s")
    expect(bench.page.locator("#skip-reason")).to_be_focused()
    bench.press("Tab", "Tab", "Enter")
    bench.wait_for_another(seat)
    bench.wait_until_sent()
    assert bench.item != item
    assert item not in site.judgements()
    assert site.rows("SELECT state FROM review_assignment WHERE id = ?", seat) == [("open",)]


@pytest.mark.parametrize(
    "selector",
    [
        "[name=verdict]",
        "[name=domain]",
        "[name=cultural]",
        "[name=tags]",
        "[name=numbers_confirmed]",
    ],
)
def test_enter_on_a_radio_or_checkbox_neither_skips_nor_submits(
    site: Site, bench: Bench, selector: str
) -> None:
    item, seat = bench.item, bench.seat
    bench.revise(" 12345")
    bench.press("m")
    bench.page.keyboard.insert_text("half a thought")
    bench.press("Escape")
    typed = bench.area.input_value()
    bench.page.locator(f"input{selector}").first.focus()
    bench.press("Enter", "Enter")
    bench.page.wait_for_timeout(500)
    assert (bench.item, bench.area.input_value()) == (item, typed)
    bench.page.goto("/")
    assert site.rows("SELECT state FROM review_assignment WHERE id = ?", seat) == [("claimed",)]
    assert item not in site.judgements()
    again = Bench(bench.page).open()
    assert (again.item, again.area.input_value()) == (item, typed)
    again.skip()


def test_enter_in_the_skip_note_does_not_skip(bench: Bench) -> None:
    item = bench.item
    bench.press("s", "Tab")
    expect(bench.page.locator("#skip-note")).to_be_focused()
    bench.page.keyboard.insert_text("not my field")
    bench.press("Enter")
    bench.page.wait_for_timeout(500)
    assert bench.item == item


def test_skip_is_undone_with_everything_that_was_typed(
    site: Site, bench: Bench, people: People
) -> None:
    people.expect("status of 404")  # a check of the text may be on its way when the item is skipped
    item, seat = bench.item, bench.seat
    bench.revise(ADDED)
    typed = bench.area.input_value()
    bench.skip()
    following = bench.seat
    assert bench.verdict == ""
    undone = bench.page.locator("#toasts")
    expect(undone).to_contain_text(f"Skipped {item}.")
    undone.get_by_role("button", name="Undo").click()
    bench.wait_for_another(following)
    assert (bench.item, bench.verdict, bench.area.input_value()) == (item, "revise", typed)
    panel = "(SELECT panel_id FROM review_assignment WHERE id = ?)"
    assert site.rows("SELECT state FROM review_assignment WHERE id = ?", seat) == [("claimed",)]
    assert site.rows(f"SELECT count(*) FROM review_skip WHERE panel_id = {panel}", seat) == [(0,)]
    bench.submit_and_wait()
    assert bench.seat == following
    assert site.judgements()[item]["correction"]["question"] == typed


def test_skip_without_javascript_is_undone_by_a_button(people: People) -> None:
    page = people.page_as("reviewer", java_script_enabled=False)
    page.goto(BENCH)
    item = page.locator("#judgement").get_attribute("data-item") or ""
    page.locator("[data-skip] summary").click()
    page.get_by_role("button", name="Skip this item").click()
    expect(page.locator("#judgement")).not_to_have_attribute("data-item", re.escape(item))
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#judgement")).to_have_attribute("data-item", item)


def test_last_judgement_of_all_is_undone_by_key_and_nothing_seems_to_be_on_its_way(
    site: Site, bench: Bench
) -> None:
    """The round is paused, so the items that are held are the last ones."""
    site.rows("UPDATE review_round SET paused_at = CURRENT_TIMESTAMP WHERE number = 1")
    try:
        while bench.form.count():
            item, seat = bench.item, bench.seat
            bench.approve()
            bench.submit()
            expect(bench.page.locator(f"#judgement[data-assignment='{seat}']")).to_have_count(0)
            bench.wait_until_sent()
        expect(bench.page.locator("[data-part=no-item]")).to_contain_text(f"Judged {item}.")
        expect(bench.page.locator("[data-saved]")).to_have_text("")

        bench.press("u")
        bench.wait_until_ready()
        assert (bench.item, bench.verdict) == (item, "approve")
    finally:
        site.rows("UPDATE review_round SET paused_at = NULL")


def test_next_item_is_there_at_once_and_one_more_comes_in_the_answer(bench: Bench) -> None:
    bench.wait_until_kept(6)
    bench.page.wait_for_load_state("networkidle")
    asked: list[str] = []
    bench.page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    before = int(bench.page.locator("[data-mine]").get_attribute("data-mine") or 0)
    bench.press("m")
    bench.page.keyboard.insert_text("a comment")
    bench.press("Escape")
    bench.approve()
    bench.submit_and_wait()
    # What else is fetched is kept for work without a connection, once the first judgement is stored.
    told = [line.rpartition("/rounds/")[2] for line in asked if line.startswith("POST ")]
    assert told == ["1/submit/"]
    bench.wait_until_kept(6)
    assert (bench.verdict, bench.page.locator("#comment").input_value()) == ("", "")
    expect(bench.page.locator("[data-mine]")).to_have_text(f"{before + 1} by you")
    expect(bench.page).to_have_title(re.compile(f"^{re.escape(bench.item)} · "))


def test_single_letters_do_nothing_inside_text_fields(bench: Bench) -> None:
    bench.press("m")
    bench.page.keyboard.type("are ? 5")
    assert bench.page.locator("#comment").input_value() == "are ? 5"
    assert bench.verdict == ""
    assert not bench.page.locator("input[name=domain]:checked").count()
    expect(bench.page.locator("#keymap")).not_to_be_visible()


def test_letters_of_a_composition_are_not_commands(bench: Bench) -> None:
    for name, options in (("isComposing", {"isComposing": True}), ("229", {"keyCode": 229})):
        bench.page.evaluate(
            """options => {
                document.body.dispatchEvent(new CompositionEvent('compositionstart', {bubbles: true}));
                document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', bubbles: true, ...options}));
            }""",
            options,
        )
        assert bench.verdict == "", name
    bench.page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', bubbles: true}))"
    )
    assert bench.verdict == "approve"


def test_enter_that_ends_a_composition_does_not_submit(site: Site, bench: Bench) -> None:
    item = bench.item
    bench.approve()
    bench.page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown',"
        " {key: 'Enter', ctrlKey: true, isComposing: true, bubbles: true}))"
    )
    assert bench.item == item
    assert item not in site.judgements()


def test_question_mark_shows_the_keys_and_escape_hides_them(bench: Bench) -> None:
    keymap = bench.page.locator("#keymap")
    bench.press("?")
    expect(keymap).to_be_visible()
    bench.press("a")
    assert bench.verdict == ""
    bench.press("Escape")
    expect(keymap).not_to_be_visible()


def test_incomplete_judgement_says_what_is_missing(bench: Bench) -> None:
    item = bench.item
    bench.submit()
    errors = bench.page.locator(".judge .field-error:visible")
    expect(errors).to_have_text(
        [
            "Choose approve, revise or reject.",
            "Choose a rating from 0 to 5.",
            "Choose a rating from 0 to 5.",
        ]
    )
    bench.press("e", "Escape", "d", "5", "5")
    bench.submit()
    expect(errors).to_contain_text(["You chose Revise but did not change the text."])
    assert bench.item == item


def test_edit_is_shown_clean_and_on_a_key_as_its_difference(bench: Bench) -> None:
    bench.revise("ཀྱ")
    shown = bench.page.locator("[data-target]").first
    expect(shown.locator("ins")).to_have_count(0)
    bench.press("t")
    expect(shown.locator("ins")).to_have_text(["ཀྱ"])
    bench.press("t")
    expect(shown.locator("ins")).to_have_count(0)


def test_draft_comes_back_after_the_page_was_closed(people: People) -> None:
    context = people.context_as("reviewer")
    bench = Bench(context.new_page()).open()
    item = bench.item
    bench.revise(ADDED)
    bench.press("m")
    bench.page.keyboard.insert_text("half a thought")
    typed = bench.area.input_value()
    bench.page.close(run_before_unload=False)
    again = Bench(context.new_page()).open()
    assert again.item == item
    assert again.verdict == "revise"
    assert again.area.input_value() == typed
    assert again.page.locator("#comment").input_value() == "half a thought"
    expect(again.page.locator("[data-saved]")).to_contain_text("restored")


def test_an_item_is_judged_on_a_phone_by_touch(site: Site, people: People) -> None:
    bench = Bench(people.page_as("reviewer", size="phone")).open()
    item, seat = bench.item, bench.seat
    bench.page.locator("[data-judge-open]").tap()
    bench.page.locator(".verdict label.a").tap()
    for name in ("domain", "cultural"):
        bench.page.locator(f"#f-{name} .scale label").nth(4).tap()
    is_asked = bench.is_asked
    bench.page.locator("[data-submit]").tap()
    if is_asked:  # whichever item the tests before have left
        bench.page.get_by_role("button", name="Approve all the same").tap()
    bench.wait_for_another(seat)
    bench.wait_until_sent()
    assert site.judgements()[item]["ratings"] == {"domain": 4, "cultural": 4}


def test_an_item_is_judged_without_javascript(site: Site, people: People) -> None:
    page = people.page_as("reviewer", java_script_enabled=False)
    page.goto(BENCH)
    if not page.locator("#judgement").count():
        page.get_by_role("button", name="Take the next item").click()
    item = page.locator("#judgement").get_attribute("data-item")
    page.locator("input[name=verdict][value=revise]").check(force=True)
    page.locator("textarea[name=question]").fill("ང་ཚོ་ཡིས་བཅོས།")
    page.locator("input[name=domain][value='4']").check(force=True)
    page.locator("input[name=cultural][value='3']").check(force=True)
    keys = page.locator("input[name=numbers_confirmed]")
    if keys.is_visible():
        keys.check()
    page.locator("[data-submit]").click()
    expect(page.locator("#judgement")).not_to_have_attribute("data-item", re.escape(item or ""))
    stored = site.judgements()[item or ""]
    assert stored["correction"]["question"] == "ང་ཚོ་ཡིས་བཅོས།"


def verdict_place(page: Page) -> tuple[float, float, float]:
    """Where the verdict buttons are: they must be under the hand at every item."""
    box = page.locator(".verdict > div").bounding_box()
    assert box is not None
    return box["x"], box["y"], box["width"]


def test_many_skips_in_a_row_leave_the_item_in_sight(bench: Bench) -> None:
    toasts = bench.page.locator(".toast")
    for _number in range(5):
        bench.skip()
        assert toasts.count() <= 3
    expect(toasts.last).to_contain_text("Skipped")
    bench.page.set_viewport_size({"width": 640, "height": 360})  # a laptop at 200 %
    for _number in range(2):
        bench.skip()
        expect(toasts).to_have_count(1)
