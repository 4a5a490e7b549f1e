"""Checks while typing: what the server says is in the text, and the repair is one key."""

import pytest
from playwright.sync_api import expect

from tests.browser.bench import Bench
from tests.browser.people import People
from tests.browser.site import Site


@pytest.fixture
def bench(people: People) -> Bench:
    return Bench(people.page_as("reviewer")).open()


def test_a_cause_in_several_texts_is_told_once_and_marked_in_each(bench: Bench) -> None:
    told = "[data-spans*='options.0:'][data-spans*='options.1:']"
    bench.skip_to(told)
    places = bench.page.locator(told).first.get_attribute("data-spans") or ""
    fields = {place.split(":")[0].replace("options.", "option_") for place in places.split()}
    assert len(fields) > 1
    for field in fields:
        editor = bench.page.locator(f"[name={field}]")
        cell = bench.page.locator("[data-target]").filter(has=editor)
        expect(cell.locator(".text-marks mark").first).to_be_attached()


def test_typing_in_one_text_leaves_the_marks_of_the_others(bench: Bench) -> None:
    """Nothing blinks with each key while the server is asked; what was typed and taken back is marked again."""
    bench.skip_to("[data-spans*='options.0:'][data-spans*='options.1:']")
    first = bench.page.locator("[name=option_0]")
    marks = bench.page.locator("[data-target]").locator(".text-marks mark")
    expect(marks.first).to_be_attached()
    before = marks.count()
    of_first = bench.page.locator("[data-target]").filter(has=first).locator(".text-marks mark")
    bench.answer_checks_never()

    bench.press("e")
    first.press("Home")
    first.press("x")
    expect(of_first).to_have_count(0)
    assert marks.count() == before - 1
    first.press("Backspace")
    expect(marks).to_have_count(before)
    bench.press("Escape")


def test_a_repair_is_one_key_and_can_be_sent(site: Site, bench: Bench) -> None:
    bench.skip_to("[data-repair]:not([hidden])")
    item, page = bench.item, bench.page
    bench.press("f")
    expect(page.locator("[name=verdict][value=revise]")).to_be_checked()
    expect(page.locator(".finding.error")).to_have_count(0)
    bench.press("Escape", "d", "4", "4")
    bench.submit_and_wait()
    assert all(text.strip() for text in site.judgements()[item]["correction"]["options"])


def test_a_number_is_marked_while_it_is_typed_and_needs_a_tick(site: Site, bench: Bench) -> None:
    bench.skip_to_sound()
    item, page = bench.item, bench.page
    bench.revise(" 98765")
    expect(page.locator(".number-changes")).to_contain_text("98765")
    marked = page.locator(".text-marks mark", has_text="98765")
    expect(marked).to_be_visible()
    area, mark = bench.area.bounding_box(), marked.bounding_box()
    assert area
    assert mark
    assert area["y"] <= mark["y"] <= mark["y"] + mark["height"] <= area["y"] + area["height"]
    bench.submit()
    box = page.locator("[name=numbers_confirmed]")
    expect(box).to_be_focused()
    bench.press("Space")
    bench.submit_and_wait()
    stored = site.rows(
        "SELECT j.numbers_confirmed FROM review_judgement j JOIN review_panel p ON p.id = j.panel_id"
        " JOIN annotation_item i ON i.id = p.item_id WHERE i.uid = ?",
        item,
    )
    assert (1,) in stored


def test_approving_a_text_with_an_error_asks_first(site: Site, people: People) -> None:
    # Somebody else: who has skipped an item is not offered it again.
    bench = Bench(people.page_as("senior")).open()
    bench.skip_to(".finding.error")
    item, page = bench.item, bench.page
    bench.press("a", "4", "4", "Control+Enter")
    again = page.get_by_role("button", name="Look again")
    expect(again).to_be_focused()
    asked, sends = again.bounding_box(), page.locator(".judge .send").bounding_box()
    assert asked and sends and asked["y"] + asked["height"] <= sends["y"]  # nothing covers it
    bench.press("Enter")
    expect(again).to_be_hidden()
    assert bench.item == item
    before = site.rows("SELECT count(*) FROM review_judgement")[0][0]
    bench.submit_and_wait()
    assert site.rows("SELECT count(*) FROM review_judgement") == [(before + 1,)]


def test_a_number_typed_without_a_line_can_be_confirmed(site: Site, people: People) -> None:
    bench = Bench(people.page_as("reviewer")).open()
    people.expect("ERR_INTERNET_DISCONNECTED")
    bench.skip_to_sound()
    item, page = bench.item, bench.page
    bench.revise(" 1")  # the script of the checks is there from now on
    expect(page.locator(".number-changes")).to_be_visible()
    page.context.set_offline(True)
    bench.press("e")
    page.keyboard.insert_text("98765")
    bench.press("Escape")
    expect(page.locator(".number-changes")).to_contain_text("cannot be asked")
    page.locator("[name=numbers_confirmed]").check()
    bench.submit()
    bench.wait_until_waiting(1)  # back before that, the check would answer and ask for another tick
    page.context.set_offline(False)
    bench.wait_until_sent()
    assert site.judgements()[item]["correction"]["question"].endswith("198765")
