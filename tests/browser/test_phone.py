"""The workbench on a phone and at 200 % zoom: a long item is read once, and nothing is under the bars."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import barriers, misfits
from tests.browser.people import People
from tests.browser.site import Site
from tests.browser.workbench import Workbench

LONG = "བོད་ཀྱི་རིག་གནས་ལོ་རྒྱུས་ནང་གི་མི་སྣ་གྲགས་ཅན་རྣམས་ཀྱི་མཛད་རྣམ་དང་འབྲེལ་བའི་དྲི་བ། " * 14
PHONE = {"width": 360, "height": 740}
ZOOMED = {"width": 640, "height": 360}  # 1280 × 720 at 200 %
# How much of the window's height shows the item, by what lies on top in its middle.
SHARE = """() => {
    const high = window.innerHeight;
    const rows = [...Array(high).keys()].filter(y =>
        document.elementFromPoint(window.innerWidth / 2, y)?.closest('.sheet'));
    return rows.length / high;
}"""
IS_ON_TOP = """element => {
    const box = element.getBoundingClientRect();
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return box.top >= 0 && box.bottom <= window.innerHeight && element.contains(top);
}"""


@pytest.fixture(params=[PHONE, ZOOMED], ids=["phone", "zoomed"])
def size(request: pytest.FixtureRequest) -> dict[str, int]:
    found: dict[str, int] = request.param
    return found


@pytest.fixture
def workbench(site: Site, people: People, size: dict[str, int]) -> Workbench:
    """A long item without an error."""
    site.reserve("reviewer")
    site.rows("UPDATE annotation_revision SET question = ?", LONG)
    page = people.page_as("reviewer", size="phone")
    page.set_viewport_size(size)  # type: ignore[arg-type]
    return Workbench(page).open()


def test_long_item_is_judged_from_the_bar_where_one_has_read_to(
    site: Site, workbench: Workbench
) -> None:
    page, item, seat = workbench.page, workbench.item, workbench.seat
    page.locator(".rows > .target").last.scroll_into_view_if_needed()
    read_to = page.evaluate("window.scrollY")
    assert read_to > 0
    opener = page.locator("[data-judgement-open]")
    expect(page.locator(".verdict")).not_to_be_visible()
    opener.tap()
    expect(opener).to_have_attribute("aria-expanded", "true")
    page.locator(".verdict label.a").tap()
    for name in ("domain", "cultural"):
        page.locator(f"#f-{name} .scale label").nth(4).tap()
    opener.tap()
    expect(opener).to_have_text("Approve · 4 · 4")
    expect(page.locator(".verdict")).not_to_be_visible()
    assert page.evaluate("window.scrollY") == read_to
    page.locator("[data-submit]").tap()
    workbench.wait_for_another(seat)
    workbench.wait_until_sent()
    expect(opener).to_have_text("Judge")
    assert site.judgements()[item]["ratings"] == {"domain": 4, "cultural": 4}


def test_what_is_missing_is_shown_and_under_no_bar(workbench: Workbench) -> None:
    page = workbench.page
    page.evaluate("window.scrollTo(0, 400)")
    for field, mend in (("verdict", ".verdict label.a"), ("domain", "#f-domain label"),
                        ("cultural", "#f-cultural label")):  # fmt: skip
        page.locator("[data-submit]").tap()
        error = page.locator(f"[data-error={field}]")
        expect(error).to_be_visible()
        assert error.evaluate(IS_ON_TOP), field
        page.locator(mend).first.tap()


def test_revise_closes_the_sheet_over_the_texts_and_escape_too(workbench: Workbench) -> None:
    page = workbench.page
    opener = page.locator("[data-judgement-open]")
    opener.tap()
    page.locator(".verdict label.e").tap()
    expect(opener).to_have_attribute("aria-expanded", "false")
    expect(workbench.area).to_be_visible()
    assert workbench.area.evaluate("area => area.scrollHeight <= area.clientHeight + 2")
    opener.tap()
    workbench.press("Escape")
    expect(opener).to_be_focused()
    expect(opener).to_have_text("Revise")


def test_tick_that_a_changed_number_needs_is_shown_and_under_no_bar(
    site: Site, workbench: Workbench
) -> None:
    item, page = workbench.item, workbench.page
    workbench.revise(" 98765")
    workbench.press("Escape", "d", "4", "4")
    page.locator("[data-submit]").tap()
    box = page.locator("[name=numbers_confirmed]")
    expect(box).to_be_focused()
    for place in (box, page.locator("[data-error=verdict]")):
        expect(place).to_be_visible()
        assert place.evaluate(IS_ON_TOP)
    workbench.press("Space")
    workbench.submit_and_wait()
    assert site.judgements()[item]["correction"]["question"].endswith(" 98765")


def test_focused_field_is_never_under_a_bar_that_says_in_full_that_the_draft_is_saved(
    workbench: Workbench,
) -> None:
    page = workbench.page
    workbench.press("e")
    page.keyboard.insert_text("ཡིན་ནམ།")
    saved = page.locator("[data-saved]")
    expect(saved).to_contain_text("Draft saved")
    assert saved.evaluate("element => element.scrollWidth <= element.clientWidth")
    workbench.press("Escape")
    for _ in range(12):
        page.keyboard.press("Tab")
        place = page.evaluate(
            """() => {
                const box = document.activeElement.getBoundingClientRect();
                const bar = document.querySelector('.judgement-part').getBoundingClientRect();
                const isItem = document.activeElement.matches('.target-edit');
                return isItem ? [box.top, bar.top] : null;
            }"""
        )
        if place:
            assert place[0] < place[1]


def test_item_has_two_thirds_of_the_height_and_no_barrier_with_the_sheet_open_or_closed(
    workbench: Workbench,
) -> None:
    header = workbench.page.locator(".sheet > header").bounding_box()
    bar = workbench.page.locator(".bar").bounding_box()
    assert header and header["height"] < 48
    assert bar and bar["height"] <= 53
    assert workbench.page.evaluate(SHARE) >= 2 / 3
    workbench.page.evaluate("window.scrollTo(0, 300)")
    assert workbench.page.evaluate(SHARE) >= 2 / 3
    assert barriers(workbench.page) == []
    workbench.page.locator("[data-judgement-open]").tap()
    assert barriers(workbench.page) == []
    assert misfits(workbench.page) == []


def test_workbench_of_a_wide_window_has_no_sheet(people: People) -> None:
    page: Page = Workbench(people.page_as("reviewer")).open().page
    expect(page.locator("[data-judgement-open]")).not_to_be_visible()
    expect(page.locator(".verdict")).to_be_visible()
