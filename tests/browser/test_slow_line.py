"""A slow line: what the first visit carries, and what is there without one afterwards."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.people import People
from tests.browser.workbench import Workbench

# A first visit of the demo carries some 101 kB as measured here, comments of scripts included; its items differ by
# about one.
MOST_BYTES = 104_000


class Wire:
    """Counts the bytes of each answer as they were transferred, headers included."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._session = page.context.new_cdp_session(page)
        self._asked: dict[str, str] = {}
        self._arrived: dict[str, float] = {}
        self._session.send("Network.enable")
        self._session.on("Network.requestWillBeSent", self._ask)
        self._session.on("Network.loadingFinished", self._arrive)
        self._session.on("Network.loadingFailed", self._arrive)

    def wait_until_nothing_is_on_its_way(self) -> None:
        while set(self._asked) - set(self._arrived):
            self.page.wait_for_timeout(20)

    @property
    def loaded(self) -> dict[str, float]:
        """Bytes by address, without fonts."""
        found: dict[str, float] = {}
        for number, address in self._asked.items():
            if "/fonts/" not in address:
                found[address] = found.get(address, 0) + self._arrived.get(number, 0)
        return found

    def _ask(self, event: dict[str, Any]) -> None:
        self._asked[event["requestId"]] = event["request"]["url"]

    def _arrive(self, event: dict[str, Any]) -> None:
        self._arrived[event["requestId"]] = event.get("encodedDataLength", 0)


def test_first_visit_carries_little_and_the_first_judgement_brings_what_corrections_need(
    people: People,
) -> None:
    page = people.page_as("reviewer")
    wire = Wire(page)
    workbench = Workbench(page).open()
    workbench.wait_until_kept(6)
    workbench.wait_until_page_is_kept()
    wire.wait_until_nothing_is_on_its_way()
    heaviest = sorted(wire.loaded.items(), key=lambda each: -each[1])[:5]
    assert 0 < sum(wire.loaded.values()) <= MOST_BYTES, heaviest

    workbench.approve()
    workbench.submit_and_wait()
    kept = (
        "caches.open('lotsawa-pages').then(async pages => (await pages.keys())"
        ".filter(({url}) => /(checks|graphemes|invisibles|wylie|insert-bar).js$/.test(url)).length)"
    )
    workbench.wait_until(kept, 5)
    page.context.set_offline(True)
    workbench.press("e")
    expect(page.locator(".insert-bar")).to_be_visible()
    page.context.set_offline(False)
