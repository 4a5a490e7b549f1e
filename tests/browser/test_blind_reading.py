"""Blind first reading: the text alone, then source and key on a key; without a connection too."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.looks import barriers, misfits
from tests.browser.people import People
from tests.browser.site import Site
from tests.browser.workbench import Workbench

WORLD = "furnished"
SPEAKS_OF_THE_SOURCE = ".rows .source, .rows .key-mark, .rows .findings:not(:empty)"

MARKED = """() => [...CSS.highlights].flatMap(([name, ranges]) =>
    [...ranges].filter(range => !range.collapsed).map(() => name.startsWith("term-") ? "term" : "finding"))"""


@pytest.fixture
def context(people: People, site: Site) -> BrowserContext:
    site.rows("UPDATE review_round SET has_blind_reading = 1")
    return people.context_as("reviewer")


@pytest.fixture
def workbench(context: BrowserContext) -> Workbench:
    return Workbench(context.new_page()).open()


def shown(workbench: Workbench) -> int:
    return workbench.page.locator(SPEAKS_OF_THE_SOURCE).locator("visible=true").count()


def test_source_comes_on_the_key_and_when_is_stored(site: Site, workbench: Workbench) -> None:
    item = workbench.item
    assert shown(workbench) == 0
    assert workbench.page.locator(".target-text").first.is_visible()
    workbench.approve()
    workbench.submit()
    expect(workbench.page.locator("[data-error=reveal]")).to_contain_text(
        "Show the source and the key"
    )
    assert workbench.item == item
    workbench.press("v")
    assert shown(workbench) > 0
    expect(workbench.page.locator("[data-reveal]")).not_to_be_visible()
    workbench.submit_and_wait()
    assert shown(workbench) == 0
    assert site.judgements()[item]["revealed_after"] is not None


def test_revealed_item_stays_so_when_the_page_is_opened_again(
    context: BrowserContext, workbench: Workbench
) -> None:
    workbench.page.get_by_role("button", name="Show source and key").click()
    again = Workbench(context.new_page())
    workbench.page.close()
    again.open()
    assert shown(again) > 0


def test_items_kept_for_an_outage_are_read_blind_too(
    people: People, site: Site, context: BrowserContext, workbench: Workbench
) -> None:
    people.expect(r"net::ERR_")
    workbench.wait_until_kept(6)
    context.set_offline(True)
    judged = []
    for _number in range(3):
        judged.append(workbench.item)
        seat = workbench.seat
        workbench.press("v")
        workbench.approve()
        workbench.submit()
        workbench.wait_for_another(seat)
        assert shown(workbench) == 0
    context.set_offline(False)
    workbench.wait_until_sent()
    stored = site.judgements()
    assert all(stored[item]["revealed_after"] is not None for item in judged)


def test_undo_brings_the_item_back_with_its_source(workbench: Workbench) -> None:
    workbench.press("v")
    workbench.approve()
    workbench.submit_and_wait()
    seat = workbench.seat
    workbench.press("u")
    workbench.wait_for_another(seat)
    expect(workbench.page.locator("[data-reveal]")).not_to_be_visible()
    assert shown(workbench) > 0


def test_blind_page_has_no_barrier_and_fits_a_phone(workbench: Workbench) -> None:
    workbench.submit()  # with the complaint
    assert barriers(workbench.page) == []
    assert misfits(workbench.page) == []
    workbench.page.locator("[data-submit]").click()
    error = workbench.page.locator("[data-error=reveal]")
    assert error.evaluate("e => e.contains(document.elementFromPoint("
                          "e.getBoundingClientRect().x + 60, e.getBoundingClientRect().y + 8))")  # fmt: skip


def test_terms_are_marked_in_the_text_once_the_source_is_shown(workbench: Workbench) -> None:
    expect(workbench.page.locator("[data-term-hits]")).to_have_count(1)
    workbench.wait_until("CSS.highlights.has('term-missing')", True)  # noqa: FBT003 - what it comes to
    assert workbench.page.evaluate(MARKED) == []
    workbench.press("v")
    workbench.wait_until(f"({MARKED})().includes('term')", True)  # noqa: FBT003 - what it comes to


def test_faults_are_marked_in_the_text_once_the_source_is_shown(
    site: Site, context: BrowserContext
) -> None:
    """A number is marked because the source has another."""
    site.reserve("reviewer", fault="numbers_differ")
    workbench = Workbench(context.new_page()).open()
    workbench.page.locator("textarea[aria-describedby]").first.wait_for(state="attached")
    assert "finding" not in workbench.page.evaluate(MARKED)
    workbench.press("v")
    workbench.wait_until(f"({MARKED})().includes('finding')", True)  # noqa: FBT003 - what it comes to
