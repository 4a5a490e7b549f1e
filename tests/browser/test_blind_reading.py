"""Blind first reading: the text alone, then source and key on a key; without a connection too."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.bench import Bench
from tests.browser.looks import barriers, misfits
from tests.browser.people import People
from tests.browser.site import Site

WORLD = "furnished"
SPEAKS_OF_THE_SOURCE = ".rows .source, .rows .key-mark, .rows .findings:not(:empty)"

MARKED = """() => [...CSS.highlights].flatMap(([name, ranges]) =>
    [...ranges].filter(range => !range.collapsed).map(() => name.startsWith("term-") ? "term" : "finding"))"""


@pytest.fixture
def context(people: People, site: Site) -> BrowserContext:
    site.rows("UPDATE review_round SET has_blind_reading = 1")
    return people.context_as("reviewer")


@pytest.fixture
def bench(context: BrowserContext) -> Bench:
    return Bench(context.new_page()).open()


def shown(bench: Bench) -> int:
    return bench.page.locator(SPEAKS_OF_THE_SOURCE).locator("visible=true").count()


def test_source_comes_on_the_key_and_when_is_stored(site: Site, bench: Bench) -> None:
    item = bench.item
    assert shown(bench) == 0
    assert bench.page.locator(".target-text").first.is_visible()
    bench.approve()
    bench.submit()
    expect(bench.page.locator("[data-error=reveal]")).to_contain_text("Show the source and the key")
    assert bench.item == item
    bench.press("v")
    assert shown(bench) > 0
    expect(bench.page.locator("[data-reveal]")).not_to_be_visible()
    bench.submit_and_wait()
    assert shown(bench) == 0
    assert site.judgements()[item]["revealed_after"] is not None


def test_revealed_item_stays_so_when_the_page_is_opened_again(
    context: BrowserContext, bench: Bench
) -> None:
    bench.page.get_by_role("button", name="Show source and key").click()
    again = Bench(context.new_page())
    bench.page.close()
    again.open()
    assert shown(again) > 0


def test_items_kept_for_an_outage_are_read_blind_too(
    people: People, site: Site, context: BrowserContext, bench: Bench
) -> None:
    people.expect(r"net::ERR_")
    bench.wait_until_kept(6)
    context.set_offline(True)
    judged = []
    for _number in range(3):
        judged.append(bench.item)
        seat = bench.seat
        bench.press("v")
        bench.approve()
        bench.submit()
        bench.wait_for_another(seat)
        assert shown(bench) == 0
    context.set_offline(False)
    bench.wait_until_sent()
    stored = site.judgements()
    assert all(stored[item]["revealed_after"] is not None for item in judged)


def test_undo_brings_the_item_back_with_its_source(bench: Bench) -> None:
    bench.press("v")
    bench.approve()
    bench.submit_and_wait()
    seat = bench.seat
    bench.press("u")
    bench.wait_for_another(seat)
    expect(bench.page.locator("[data-reveal]")).not_to_be_visible()
    assert shown(bench) > 0


def test_blind_page_has_no_barrier_and_fits_a_phone(bench: Bench) -> None:
    bench.submit()  # with the complaint
    assert barriers(bench.page) == []
    assert misfits(bench.page) == []
    bench.page.locator("[data-submit]").click()
    error = bench.page.locator("[data-error=reveal]")
    assert error.evaluate("e => e.contains(document.elementFromPoint("
                          "e.getBoundingClientRect().x + 60, e.getBoundingClientRect().y + 8))")  # fmt: skip


def test_terms_are_marked_in_the_text_once_the_source_is_shown(bench: Bench) -> None:
    expect(bench.page.locator("[data-term-hits]")).to_have_count(1)
    bench.wait_until("CSS.highlights.has('term-missing')", True)  # noqa: FBT003 - what it comes to
    assert bench.page.evaluate(MARKED) == []
    bench.press("v")
    bench.wait_until(f"({MARKED})().includes('term')", True)  # noqa: FBT003 - what it comes to


def test_faults_are_marked_in_the_text_once_the_source_is_shown(
    site: Site, context: BrowserContext
) -> None:
    """A number is marked because the source has another."""
    site.reserve("reviewer", fault="numbers_differ")
    bench = Bench(context.new_page()).open()
    bench.page.locator("textarea[aria-describedby]").first.wait_for(state="attached")
    assert "finding" not in bench.page.evaluate(MARKED)
    bench.press("v")
    bench.wait_until(f"({MARKED})().includes('finding')", True)  # noqa: FBT003 - what it comes to
