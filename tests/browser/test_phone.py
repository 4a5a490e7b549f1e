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


def test_long_item_is_read_and_judged_from_the_bar(site: Site, workbench: Workbench) -> None:
    page, item, seat = workbench.page, workbench.item, workbench.seat
    item_has_two_thirds_of_the_height(page)
    opener = page.locator("[data-judgement-open]")
    expect(page.locator(".verdict")).not_to_be_visible()
    assert barriers(page) == []
    opener.tap()
    expect(opener).to_have_attribute("aria-expanded", "true")
    assert barriers(page) + misfits(page) == []
    opener.tap()
    what_is_missing_is_shown_and_under_no_bar(page)

    page.locator(".rows > .target").last.scroll_into_view_if_needed()
    read_to = page.evaluate("window.scrollY")
    assert read_to > 0
    if opener.get_attribute("aria-expanded") != "true":
        opener.tap()
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


def item_has_two_thirds_of_the_height(page: Page) -> None:
    header = page.locator(".sheet > header").bounding_box()
    bar = page.locator(".bar").bounding_box()
    assert header and header["height"] < 48
    assert bar and bar["height"] <= 53
    assert page.evaluate(SHARE) >= 2 / 3
    page.evaluate("window.scrollTo(0, 300)")
    assert page.evaluate(SHARE) >= 2 / 3


def what_is_missing_is_shown_and_under_no_bar(page: Page) -> None:
    page.evaluate("window.scrollTo(0, 400)")
    for field, mend in (("verdict", ".verdict label.a"), ("domain", "#f-domain label"),
                        ("cultural", "#f-cultural label")):  # fmt: skip
        page.locator("[data-submit]").tap()
        error = page.locator(f"[data-error={field}]")
        expect(error).to_be_visible()
        assert error.evaluate(IS_ON_TOP), field
        page.locator(mend).first.tap()


def test_revised_text_is_never_under_a_bar_nor_is_the_tick_that_a_changed_number_needs(
    site: Site, workbench: Workbench
) -> None:
    item, page = workbench.item, workbench.page
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

    workbench.press("e")
    expect(workbench.area).to_be_focused()
    page.keyboard.insert_text(" 98765")
    saved = page.locator("[data-saved]")
    expect(saved).to_contain_text("Draft saved")
    assert saved.evaluate("element => element.scrollWidth <= element.clientWidth")
    workbench.press("Escape")
    focused_text_is_above_the_bar(page)
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


def focused_text_is_above_the_bar(page: Page) -> None:
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
