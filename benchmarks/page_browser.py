"""The part of `benchmarks.page_reviews` that drives Chromium by keys, also on a slow line."""

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from benchmarks.fresh_site import report
from benchmarks.reference import report_by_reference
from scripts.browser import SLOW_LATENCY_MS, SUBMIT_TO_ITEM, find_chromium, slow_down

REVIEWS, SLOW_REVIEWS = 60, 20
KEEPING_SECONDS = 2.5
"""How long the answer of a submit may be on its way on the slow line, with the next item in it."""
SUBMIT_ANSWERS = """performance.getEntriesByType('resource')
    .filter(({name}) => name.endsWith('/submit/')).map(({duration}) => duration)"""


def measure_browser(where: str, address: str, session: str, cpu: Callable[[], float]) -> None:
    """Judge at the workbench `address` as the person of a `session`; `cpu` is the server's, in s.

    What is loaded is counted as it came over the wire; `where` ends the names of the figures.
    """
    chromium = find_chromium()
    if chromium is None:
        print("no Chromium: not measured through a browser", file=sys.stderr)
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        site = f"http://{urlsplit(address).netloc}"
        context.add_cookies([{"name": "sessionid", "value": session, "url": site}])
        try:
            page = context.new_page()
            line = page.context.new_cdp_session(page)
            _measure_visit(where, page, line, address)
            _measure_reviews(where, page, line, cpu)
            _measure_slow_line(where, page, line)
        finally:
            browser.close()


def _measure_visit(where: str, page: Any, line: Any, address: str) -> None:
    loaded = _sizes_on(line)
    page.goto(address)
    page.get_by_role("button", name="Take the next item").click()
    page.wait_for_selector("[data-rating][data-active]")
    page.wait_for_load_state("networkidle")
    report(f"page_first_visit_bytes_{where}", sum(loaded), "B", len(loaded))


def _measure_reviews(where: str, page: Any, line: Any, cpu: Callable[[], float]) -> None:
    """Measure reviews one after the other, because Chromium shares the processors."""
    _judge(page, 5)
    loaded = _sizes_on(line)
    before, start = cpu(), time.perf_counter()
    _judge(page, REVIEWS)
    cost = 1000 * (cpu() - before) / REVIEWS
    seconds = (time.perf_counter() - start) / REVIEWS
    page.wait_for_timeout(200)
    report_by_reference(f"page_browser_cpu_{where}", cost, REVIEWS, pause=seconds)
    report(f"page_browser_keys_to_next_item_{where}", 1000 * seconds, "ms", REVIEWS)
    report(f"page_browser_bytes_{where}", sum(loaded) / REVIEWS, "B", REVIEWS)
    report(f"page_browser_requests_{where}", len(loaded) / REVIEWS, "", REVIEWS)


def _measure_slow_line(where: str, page: Any, line: Any) -> None:
    """Measure from the submit key to the frame with the next item, as the page itself sees it."""
    slow_down(line)
    page.evaluate(SUBMIT_TO_ITEM)
    for _number in range(SLOW_REVIEWS):
        _judge(page, 1)
        page.wait_for_timeout(1000 * KEEPING_SECONDS)
    shown, answers = page.evaluate("shownAfter"), page.evaluate(SUBMIT_ANSWERS)[-SLOW_REVIEWS:]
    if len(shown) != SLOW_REVIEWS:
        raise RuntimeError(f"{len(shown)} of {SLOW_REVIEWS} items were shown")
    if min(answers) < SLOW_LATENCY_MS:
        raise RuntimeError(f"the line was not slow: an answer came after {min(answers)} ms")
    name = f"page_slow_line_submit_to_next_item_{where}"
    report(name, statistics.median(shown), "ms", SLOW_REVIEWS)
    report(f"{name}_slowest", max(shown), "ms", SLOW_REVIEWS)
    report(f"page_slow_line_answer_{where}", statistics.median(answers), "ms", SLOW_REVIEWS)


def _judge(page: Any, count: int) -> None:
    for _number in range(count):
        seat = page.locator("#judgement").get_attribute("data-assignment")
        for key in ("a", "5", "4", "Control+Enter"):
            page.keyboard.press(key)
        page.wait_for_selector(f"#judgement:not([data-assignment='{seat}'])")


def _sizes_on(line: Any) -> list[float]:
    """Collect the bytes of each answer from now on, headers included."""
    loaded: list[float] = []
    line.send("Network.enable")
    line.on("Network.loadingFinished", lambda event: loaded.append(event["encodedDataLength"]))
    return loaded
