"""The line between browser and server: what came over it, and one that is as slow as a village's."""

from typing import Any

from playwright.sync_api import Page

LATENCY_MS = 400
BYTES_PER_SECOND = 400_000 // 8
KEYS_TO_ITEM = """() => {
    window.shownAfter = [];
    let pressed = 0;
    const form = document.getElementById('judgement');
    document.addEventListener('keydown', event => event.ctrlKey && event.key === 'Enter' && (pressed = performance.now()), true);
    new MutationObserver(() => requestAnimationFrame(() => window.shownAfter.push(performance.now() - pressed)))
        .observe(form, {attributeFilter: ['data-assignment']});
}"""


class Wire:
    """Counts the bytes of each answer as they were transferred, headers included."""

    def __init__(self, page: Page) -> None:
        self._session = page.context.new_cdp_session(page)
        self._addresses: dict[str, str] = {}
        self._loaded: list[tuple[str, float]] = []
        self._session.send("Network.enable")
        self._session.on("Network.requestWillBeSent", self._asked)
        self._session.on("Network.loadingFinished", self._arrived)

    def slow_down(self) -> None:
        """400 kbit/s both ways, and 400 ms before an answer begins."""
        conditions = {
            "offline": False,
            "latency": LATENCY_MS,
            "downloadThroughput": BYTES_PER_SECOND,
            "uploadThroughput": BYTES_PER_SECOND,
        }
        self._session.send("Network.emulateNetworkConditions", conditions)

    @property
    def loaded(self) -> dict[str, float]:
        """Bytes by address, without fonts."""
        found: dict[str, float] = {}
        for address, size in self._loaded:
            if "/fonts/" not in address:
                found[address] = found.get(address, 0) + size
        return found

    def _asked(self, event: dict[str, Any]) -> None:
        self._addresses[event["requestId"]] = event["request"]["url"]

    def _arrived(self, event: dict[str, Any]) -> None:
        address = self._addresses.get(event["requestId"], "")
        self._loaded.append((address, event["encodedDataLength"]))
