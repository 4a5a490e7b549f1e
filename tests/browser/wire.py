"""The line between browser and server: what came over it, and one that is as slow as a village's."""

from typing import Any

from playwright.sync_api import Page

from scripts.browser import slow_down


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
        slow_down(self._session)

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
