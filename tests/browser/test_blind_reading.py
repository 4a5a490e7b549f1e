"""Blind first reading: the text alone, then source and key on a key; without a connection too."""

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

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


def shown(workbench: Workbench) -> Locator:
    return workbench.page.locator(SPEAKS_OF_THE_SOURCE).filter(visible=True)


def test_source_comes_on_the_key_and_when_is_stored_and_comes_again_with_undo(
    site: Site, workbench: Workbench
) -> None:
    item, page = workbench.item, workbench.page
    expect(shown(workbench)).to_have_count(0)
    expect(page.locator(".target-text").first).to_be_visible()
    expect(page.locator("[data-term-hits]")).to_have_count(1)
    workbench.wait_until("CSS.highlights.has('term-missing')", True)  # noqa: FBT003 - what it comes to
    assert page.evaluate(MARKED) == []
    workbench.approve()
    workbench.submit()
    error = page.locator("[data-error=reveal]")
    expect(error).to_contain_text("Show the source and the key")
    assert workbench.item == item
    assert barriers(page) + misfits(page) == []
    page.locator("[data-submit]").click()
    expect(error).to_be_visible()
    assert error.evaluate("e => e.contains(document.elementFromPoint("
                          "e.getBoundingClientRect().x + 60, e.getBoundingClientRect().y + 8))")  # fmt: skip
    workbench.press("v")
    expect(shown(workbench)).not_to_have_count(0)
    workbench.wait_until(f"({MARKED})().includes('term')", True)  # noqa: FBT003 - what it comes to
    expect(page.locator("[data-reveal]")).not_to_be_visible()
    workbench.submit_and_wait()
    expect(shown(workbench)).to_have_count(0)
    assert site.judgements()[item]["revealed_after"] is not None

    seat = workbench.seat
    workbench.press("u")
    workbench.wait_for_another(seat)
    expect(page.locator("[data-reveal]")).not_to_be_visible()
    expect(shown(workbench)).not_to_have_count(0)


def test_faults_are_marked_once_the_source_is_shown_and_it_stays_shown(
    site: Site, context: BrowserContext
) -> None:
    """A number is marked because the source has another."""
    site.reserve("reviewer", fault="numbers_differ")
    workbench = Workbench(context.new_page()).open()
    page = workbench.page
    expect(page.locator("textarea[aria-describedby]").first).to_be_attached()
    assert page.evaluate(MARKED) == []
    page.get_by_role("button", name="Show source and key").click()
    workbench.wait_until(f"({MARKED})().includes('finding')", True)  # noqa: FBT003 - what it comes to
    again = Workbench(context.new_page())
    page.close()
    again.open()
    expect(shown(again)).not_to_have_count(0)


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
        expect(shown(workbench)).to_have_count(0)
    context.set_offline(False)
    workbench.wait_until_sent()
    stored = site.judgements()
    assert all(stored[item]["revealed_after"] is not None for item in judged)
