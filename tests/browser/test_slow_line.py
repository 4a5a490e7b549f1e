"""A slow line: what the first visit carries, and how soon the next item is there."""

import statistics

from scripts.browser import SLOW_LATENCY_MS, SUBMIT_TO_ITEM
from tests.browser.bench import Bench
from tests.browser.people import People
from tests.browser.wire import Wire

# A first visit may carry 100 kB; the demo's items differ by about one.
MOST_BYTES = 98_000


def test_first_visit_carries_little_until_nothing_is_on_its_way(people: People) -> None:
    page = people.page_as("reviewer")
    wire = Wire(page)
    bench = Bench(page).open()
    bench.wait_until_page_is_kept()
    page.wait_for_load_state("networkidle")
    heaviest = sorted(wire.loaded.items(), key=lambda each: -each[1])[:5]
    assert sum(wire.loaded.values()) <= MOST_BYTES, heaviest


def test_next_item_is_shown_before_the_line_could_have_answered(people: People) -> None:
    page = people.page_as("reviewer")
    bench = Bench(page).open()
    bench.wait_until_kept(6)
    Wire(page).slow_down()
    page.evaluate(SUBMIT_TO_ITEM)
    for _number in range(3):
        bench.approve()
        seat = bench.seat
        bench.submit()
        bench.wait_for_another(seat)
    assert statistics.median(page.evaluate("shownAfter")) < SLOW_LATENCY_MS
    bench.wait_until_sent()


def test_what_corrections_need_is_there_without_a_connection_after_the_first_judgement(
    people: People,
) -> None:
    page = people.page_as("reviewer")
    bench = Bench(page).open()
    bench.wait_until_page_is_kept()
    bench.approve()
    bench.submit_and_wait()
    kept = (
        "caches.open('lotsawa-pages').then(async pages => (await pages.keys())"
        ".filter(({url}) => /(checks|graphemes|invisibles|wylie|insert-bar).js$/.test(url)).length)"
    )
    bench.wait_until(kept, 5)
    page.context.set_offline(True)
    bench.press("e")
    page.locator(".insert-bar").wait_for()
    page.context.set_offline(False)
