"""Judging by keyboard, on a phone and without JavaScript; nothing jumps and no letter goes astray."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import barriers, misfits
from tests.browser.people import People, Size
from tests.browser.site import Site
from tests.browser.workbench import WORKBENCH, Workbench

ADDED = "་ཡིན་ནམ།"
# A text that begins with a line break must not look corrected before anybody typed.
UNTOUCHED = """[...document.querySelectorAll('[data-target]')].every(cell =>
    (cell.querySelector('.as-is') ?? cell.querySelector('.target-text:not(:has(.text-missing))'))
        ?.textContent === cell.querySelector('.target-edit').value || cell.querySelector('.text-missing'))"""

# Of the viewport's height and what moved in it; less than this no eye can see.
MOST_SHIFT = 0.001
# A font or the end of the page may come a moment after its beginning was painted; 0.1 counts as good.
MOST_SHIFT_OF_A_LOAD = 0.02
SHIFTS = """window.shifts = [];
    new PerformanceObserver(list => {
        for (const shift of list.getEntries()) if (!shift.hadRecentInput) window.shifts.push({
            value: shift.value,
            isFree: shift.sources.every(({node}) => node?.closest?.('.aside, .judgement-open')),
            moved: shift.sources.map(({node, previousRect, currentRect}) =>
                [node?.outerHTML?.slice(0, 200) ?? node?.textContent, previousRect.y, currentRect.y])});
    }).observe({type: 'layout-shift', buffered: true});"""

JUDGE_UNTOUCHED = """() => {
    for (const [name, value] of [['verdict', 'reject'], ['domain', 1], ['cultural', 0]])
        document.querySelector(`input[name=${name}][value="${value}"]`).click();
    document.getElementById('judgement').requestSubmit();
}"""
TWO_FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
COMPOSE = """options => {
    document.body.dispatchEvent(new CompositionEvent('compositionstart', {bubbles: true}));
    document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', bubbles: true, ...options}));
}"""
COVERED = """
buttons => buttons.filter(button => button.checkVisibility()).filter(button => {
  const { left, top, width, height } = button.getBoundingClientRect();
  return !button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}).map(button => button.textContent.trim())
"""


@pytest.fixture
def workbench(people: People) -> Workbench:
    return Workbench(people.page_as("reviewer")).open()


def test_twenty_items_judged_by_keyboard_are_stored_as_given(
    site: Site, workbench: Workbench
) -> None:
    expect(
        workbench.page.locator("[data-judgement-open]")
    ).not_to_be_visible()  # no sheet at a desk
    before = site.judgements()
    places = set()
    given = {}
    for number in range(20):
        item = workbench.item
        places.add(verdict_place(workbench.page))
        assert workbench.page.evaluate(UNTOUCHED), item
        if number % 5 == 1:
            workbench.revise(ADDED)
            given[item] = ("revise", {"domain": 3, "cultural": 2})
        elif number % 5 == 3:
            workbench.press("r", "1", "0")
            given[item] = ("reject", {"domain": 1, "cultural": 0})
        else:
            workbench.approve()
            given[item] = ("approve", {"domain": 5, "cultural": 4})
        workbench.submit_and_wait()
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
    """No key is pressed nor place clicked: the browser counts shifts after that as answers to it."""
    context = people.context_as("reviewer", size=size)
    context.add_init_script(SHIFTS)
    page = context.new_page()
    page.goto(WORKBENCH)
    page.get_by_role("button", name="Take the next item").evaluate("button => button.click()")
    workbench = Workbench(page)
    workbench.wait_until_ready()
    assert _shift(page) < MOST_SHIFT_OF_A_LOAD
    page.evaluate("window.shifts = []")
    for _ in range(3):
        seat = workbench.seat
        page.evaluate(JUDGE_UNTOUCHED)
        workbench.wait_for_another(seat)
        workbench.wait_until_sent()
    assert _shift(page) < MOST_SHIFT


def _shift(page: Page) -> float:
    """Return how far things moved by themselves, once fonts are there and two frames are painted.

    The tools below the texts follow the length of an item, and the label of a button its own.
    """
    page.evaluate(f"document.fonts.ready.then(() => {TWO_FRAMES})")
    shifts = [shift for shift in page.evaluate("window.shifts") if not shift["isFree"]]
    return float(sum(shift["value"] for shift in shifts))


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_skip_by_keyboard_brings_another_item_and_its_notices_cover_no_button(
    site: Site, people: People, size: Size
) -> None:
    workbench = Workbench(people.page_as("reviewer", size=size)).open()
    item, seat, page = workbench.item, workbench.seat, workbench.page
    mine = page.locator("[data-mine]").get_attribute("data-mine") or ""
    workbench.press("s")
    expect(page.locator("#skip-reason")).to_be_focused()
    workbench.press("Tab", "Tab", "Enter")
    workbench.wait_for_another(seat)
    workbench.wait_until_sent()
    assert item not in site.judgements()
    assert site.rows("SELECT state FROM review_assignment WHERE id = ?", seat) == [("open",)]
    expect(page.locator("[data-mine]")).to_have_attribute("data-mine", mine)

    toasts = page.locator(".toast")
    for _turn in range(3):
        workbench.skip()
        assert toasts.count() <= 3
    expect(page.locator("#toasts").get_by_role("button", name="Undo")).to_have_count(3)
    assert page.locator(".send .btn").evaluate_all(COVERED) == []
    page.set_viewport_size({"width": 640, "height": 360})  # a laptop at 200 %
    workbench.skip()
    expect(toasts).to_have_count(1)


def test_enter_on_a_field_neither_skips_nor_submits(site: Site, people: People) -> None:
    page = people.page_as("reviewer")
    page.goto(WORKBENCH)
    for key in "aertgcs15":  # there is no item yet
        page.keyboard.press(key)
    expect(page.locator("[data-workbench]")).to_be_visible()
    workbench = Workbench(page).open()
    item, seat = workbench.item, workbench.seat
    workbench.revise(" 12345")
    workbench.press("m")
    page.keyboard.insert_text("half a thought")
    workbench.press("Escape")
    typed = workbench.area.input_value()
    for name in ("verdict", "domain", "cultural", "tags", "numbers_confirmed"):
        page.locator(f"input[name={name}]").first.focus()
        workbench.press("Enter", "Enter")
        page.evaluate(TWO_FRAMES)
        assert (workbench.item, workbench.area.input_value()) == (item, typed), name
    workbench.press("Escape", "s", "Tab")
    expect(page.locator("#skip-note")).to_be_focused()
    page.keyboard.insert_text("not my field")
    workbench.press("Enter")
    page.evaluate(TWO_FRAMES)
    assert workbench.item == item
    workbench.wait_until_waiting(0)
    page.goto("/")
    assert site.rows("SELECT state FROM review_assignment WHERE id = ?", seat) == [("claimed",)]
    assert item not in site.judgements()
    again = Workbench(page).open()
    assert (again.item, again.area.input_value()) == (item, typed)


def test_skip_is_undone_with_everything_that_was_typed(
    site: Site, workbench: Workbench, people: People
) -> None:
    people.expect("status of 404")  # a check of the text may be on its way when the item is skipped
    item, seat = workbench.item, workbench.seat
    workbench.revise(ADDED)
    typed = workbench.area.input_value()
    workbench.skip()
    following = workbench.seat
    assert workbench.verdict == ""
    undone = workbench.page.locator("#toasts")
    expect(undone).to_contain_text(f"Skipped {item}.")
    undone.get_by_role("button", name="Undo").click()
    workbench.wait_for_another(following)
    assert (workbench.item, workbench.verdict, workbench.area.input_value()) == (
        item,
        "revise",
        typed,
    )
    panel = "(SELECT panel_id FROM review_assignment WHERE id = ?)"
    assert site.rows("SELECT state FROM review_assignment WHERE id = ?", seat) == [("claimed",)]
    assert site.rows(f"SELECT count(*) FROM review_skip WHERE panel_id = {panel}", seat) == [(0,)]
    workbench.submit_and_wait()
    assert workbench.seat == following
    assert site.judgements()[item]["correction"]["question"] == typed


def test_last_judgement_of_all_is_undone_by_key_and_nothing_seems_to_be_on_its_way(
    site: Site, workbench: Workbench
) -> None:
    """The round is paused, so the items that are held are the last ones."""
    site.rows("UPDATE review_round SET paused_at = CURRENT_TIMESTAMP WHERE number = 1")
    while workbench.form.count():
        item, seat = workbench.item, workbench.seat
        workbench.approve()
        workbench.submit()
        expect(workbench.page.locator(f"#judgement[data-assignment='{seat}']")).to_have_count(0)
        workbench.wait_until_sent()
    expect(workbench.page.locator("[data-part=no-item]")).to_contain_text(f"Judged {item}.")
    expect(workbench.page.locator("[data-saved]")).to_have_text("")

    workbench.press("u")
    workbench.wait_until_ready()
    assert (workbench.item, workbench.verdict) == (item, "approve")


def test_next_item_is_there_at_once_and_one_more_comes_in_the_answer(workbench: Workbench) -> None:
    workbench.wait_until_kept(6)
    asked: list[str] = []
    workbench.page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    before = int(workbench.page.locator("[data-mine]").get_attribute("data-mine") or 0)
    workbench.press("m")
    workbench.page.keyboard.insert_text("a comment")
    workbench.press("Escape")
    workbench.approve()
    workbench.submit_and_wait()
    # What else is fetched is kept for work without a connection, once the first judgement is stored.
    told = [line.rpartition("/rounds/")[2] for line in asked if line.startswith("POST ")]
    assert told == ["1/submit/"]
    workbench.wait_until_kept(6)
    assert (workbench.verdict, workbench.page.locator("#comment").input_value()) == ("", "")
    expect(workbench.page.locator("[data-mine]")).to_have_text(f"{before + 1} by you")
    expect(workbench.page).to_have_title(re.compile(f"^{re.escape(workbench.item)} · "))


def test_letters_typed_are_no_commands_and_what_is_missing_is_said(
    site: Site, workbench: Workbench
) -> None:
    item, page = workbench.item, workbench.page
    workbench.press("m")
    page.keyboard.type("are ? 5")
    expect(page.locator("#comment")).to_have_value("are ? 5")
    workbench.press("Escape")
    for options in ({"isComposing": True}, {"keyCode": 229}):
        page.evaluate(COMPOSE, options)
        assert workbench.verdict == "", options
    expect(page.locator("input[name=domain]:checked")).to_have_count(0)
    expect(page.locator("#keymap")).not_to_be_visible()
    workbench.submit()
    errors = workbench.page.locator(".judgement-part .field-error:visible")
    expect(errors).to_have_text(
        [
            "Choose approve, revise or reject.",
            "Choose a rating from 0 to 5.",
            "Choose a rating from 0 to 5.",
        ]
    )
    workbench.press("e", "Escape", "d", "5", "5")
    workbench.submit()
    expect(errors).to_contain_text(["You chose Revise but did not change the text."])
    assert workbench.item == item

    workbench.press("e")
    expect(workbench.area).to_be_focused()
    page.keyboard.insert_text("ཀྱ")
    workbench.press("Escape")
    shown = page.locator("[data-target]").first
    for changes in ([], ["ཀྱ"], []):
        expect(shown.locator("ins")).to_have_text(changes)
        workbench.press("t")
    page.evaluate(COMPOSE, {"key": "Enter", "ctrlKey": True, "isComposing": True})
    page.evaluate(TWO_FRAMES)
    assert workbench.item == item
    assert item not in site.judgements()


def test_draft_comes_back_after_the_page_was_closed(people: People) -> None:
    context = people.context_as("reviewer")
    workbench = Workbench(context.new_page()).open()
    item = workbench.item
    workbench.revise(ADDED)
    workbench.press("m")
    workbench.page.keyboard.insert_text("half a thought")
    typed = workbench.area.input_value()
    workbench.page.close(run_before_unload=False)
    again = Workbench(context.new_page()).open()
    assert again.item == item
    assert again.verdict == "revise"
    assert again.area.input_value() == typed
    assert again.page.locator("#comment").input_value() == "half a thought"
    expect(again.page.locator("[data-saved]")).to_contain_text("restored")


def test_an_item_is_skipped_taken_back_and_judged_without_javascript(
    site: Site, people: People
) -> None:
    page = people.page_as("reviewer", java_script_enabled=False)
    form = page.locator("#judgement")
    page.goto(WORKBENCH)
    page.get_by_role("button", name="Take the next item").click()
    item = form.get_attribute("data-item") or ""
    page.locator("[data-skip] summary").click()
    page.get_by_role("button", name="Skip this item").click()
    expect(form).not_to_have_attribute("data-item", item)
    page.get_by_role("button", name="Undo").click()
    expect(form).to_have_attribute("data-item", item)

    page.locator("input[name=verdict][value=revise]").check(force=True)
    page.locator("textarea[name=question]").fill("ང་ཚོ་ཡིས་བཅོས།")
    for name, level in (("domain", 4), ("cultural", 3)):
        page.locator(f"input[name={name}][value='{level}']").check(force=True)
    numbers = page.locator("input[name=numbers_confirmed]")
    if numbers.is_visible():
        numbers.check()
    page.locator("[data-submit]").click()
    expect(form).not_to_have_attribute("data-item", item)
    assert site.judgements()[item]["correction"]["question"] == "ང་ཚོ་ཡིས་བཅོས།"


def verdict_place(page: Page) -> tuple[float, float, float]:
    """Where the verdict buttons are: they must be under the hand at every item."""
    box = page.locator(".verdict > div").bounding_box()
    assert box is not None
    return box["x"], box["y"], box["width"]


def test_reviewer_names_a_manager_without_leaving_the_workbench(people: People) -> None:
    page = people.page_as("reviewer")
    workbench = Workbench(page).open()
    workbench.press("a")
    item = workbench.item
    open_comments(page)
    words = page.get_by_label("New comment")
    expect(words).to_be_focused()
    words.press_sequentially("Right, @man")
    expect(page.locator(".mention-list li")).to_have_count(2)
    words.press("ArrowDown")
    words.press("Enter")
    words.press_sequentially("?")
    expect(words).to_have_value(re.compile("man", re.IGNORECASE))
    assert not barriers(page)
    page.get_by_role("button", name="Comment", exact=True).press("Enter")
    said = page.locator(".comments .thread .words")
    expect(said).to_contain_text("Right, @")
    expect(page.locator(".comments .mention")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("dialog.comments-dialog")).not_to_be_visible()
    assert (workbench.item, workbench.verdict) == (item, "approve")
    before = page.locator("a[data-comments]").get_attribute("href")
    workbench.press("5", "4")
    workbench.submit_and_wait()
    expect(page.locator("a[data-comments]")).not_to_have_attribute("href", before or "")


def test_name_is_put_in_whole_while_its_list_is_behind(people: People) -> None:
    """On a slow line the list on the page is that of fewer letters than have been typed."""
    page = people.page_as("reviewer")
    Workbench(page).open()
    open_comments(page)
    words = page.get_by_label("New comment")
    words.press_sequentially("@m")
    row = page.locator(".mention-list li").first
    expect(row).to_be_visible()
    name = row.inner_text()
    page.route("**/names/**", lambda route: None)  # never answered
    words.press_sequentially("an")
    words.press("Enter")
    expect(words).to_have_value(f"@{name} ")


def test_comments_are_turned_in_place_and_keep_what_was_typed(site: Site, people: People) -> None:
    page = people.page_as("reviewer")
    item = Workbench(page).open().item
    for number in range(60):
        site.rows(
            "INSERT INTO review_comment"
            " (item_id, author_id, is_from_manager, text, idempotency_key, created_at)"
            " SELECT i.id, u.id, 1, ?, ?, datetime('now') FROM annotation_item i, accounts_user u"
            " WHERE i.uid = ? AND u.email = 'manager@demo.example'",
            f"said {number}",
            f"{number}",
            item,
        )
    open_comments(page)
    page.get_by_label("New comment").fill("and so")
    page.get_by_role("link", name="More comments").press("Enter")
    threads = page.locator(".comments .thread")
    expect(threads).to_have_count(10)
    expect(threads.first).to_contain_text("said 50")
    expect(page.get_by_label("New comment")).to_have_value("and so")
    page.get_by_role("button", name="Comment", exact=True).press("Enter")
    expect(threads).to_have_count(11)
    expect(threads.last).to_contain_text("and so")


def open_comments(page: Page) -> None:
    page.locator("a[data-comments]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog.comments-dialog")).to_be_visible()


def criterion(name: str, lowest: int, highest: int) -> dict[str, Any]:
    label = name.title()
    scale = {"lowest": lowest, "highest": highest}
    return {
        "name": name,
        "label": label,
        "short_label": label,
        **scale,
        "rubric": [f"Is it {name}?"],
    }


FIVE = [
    criterion("terms", 0, 5),
    criterion("fluency", 1, 7),
    criterion("style", 0, 9),
    criterion("tone", 0, 1),
    criterion("brevity", 0, 3),
]


def rate_by(site: Site, count: int) -> None:
    """Give the demo other criteria; panels so large that none is decided with the old ratings."""
    stored = json.dumps(FIVE[:count])
    site.rows("UPDATE projects_project SET criteria_text = ?", stored)
    site.rows("UPDATE review_round SET panel_size = 9")


def test_workbench_holds_any_number_of_criteria_and_keys_rate_by_three(
    people: People, site: Site
) -> None:
    page = people.page_as("reviewer")
    for count in (1, 5, 3):
        rate_by(site, count)
        workbench = Workbench(page).open()
        expect(page.locator("[data-rating]")).to_have_count(count)
        assert barriers(page) + misfits(page) == [], count
    item = workbench.item

    workbench.press("a", "4", "7", "9")
    workbench.press("c", "6")
    expect(workbench.page.locator("[data-rating=style]")).to_have_attribute("data-active", "")
    workbench.submit_and_wait()

    judged = site.judgements()[item]
    assert judged["ratings"] == {"terms": 4, "fluency": 6, "style": 9}
