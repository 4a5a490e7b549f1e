"""People before a screen: contexts of one role, size and theme, whose consoles are listened to."""

import re
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

from tests.browser.site import Site

Size = Literal["desktop", "phone", "small phone"]
SIZES: dict[Size, dict[str, int]] = {
    "desktop": {"width": 1440, "height": 900},
    "phone": {"width": 390, "height": 844},
    "small phone": {"width": 320, "height": 640},
}
PATIENCE_MS = 45_000
"""How long something may take to be seen: a busy machine is no fault."""


@dataclass
class People:
    """Opens pages for people and gathers what their consoles say."""

    browser: Browser
    site: Site
    contexts: list[BrowserContext] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    def context_as(
        self,
        role: str = "",
        *,
        size: Size = "desktop",
        theme: Literal["light", "dark"] = "light",
        **options: Any,
    ) -> BrowserContext:
        """A context signed in as manager, senior or reviewer; nobody with an empty role."""
        context = self.browser.new_context(
            base_url=self.site.address,
            viewport=SIZES[size],  # type: ignore[arg-type]
            color_scheme=theme,
            reduced_motion="reduce",
            locale="en-GB",
            timezone_id="UTC",
            has_touch=size != "desktop",
            **options,
        )
        context.set_default_timeout(PATIENCE_MS)
        if role:
            self.sign_in(context, self.site.cookies[role])
        context.on("page", self._listen)
        self.contexts.append(context)
        return context

    def page_as(self, role: str = "", **options: Any) -> Page:
        return self.context_as(role, **options).new_page()

    def sign_in(self, context: BrowserContext, session: str) -> None:
        context.add_cookies([{"name": "sessionid", "value": session, "url": self.site.address}])

    def expect(self, *patterns: str) -> None:
        """Let the console say what matches, as a lost connection or a refusal does."""
        self.expected += patterns

    def leave(self) -> None:
        """Close every context; the test fails with what the consoles complained about."""
        for context in self.contexts:
            context.close()
        self.contexts.clear()
        unexpected = [text for text in self.complaints if not self._is_expected(text)]
        self.complaints.clear()
        self.expected.clear()
        if unexpected:
            pytest.fail("\n".join(unexpected), pytrace=False)

    def _is_expected(self, text: str) -> bool:
        return any(re.search(pattern, text) for pattern in self.expected)

    def _listen(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: {error}"))
        page.on("console", self._hear)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error" or "Content Security Policy" in message.text:
            self.complaints.append(f"{message.location.get('url', '')}: {message.text}")
