"""The reviewer's hands: a page object of the workbench, driven by keys alone."""

import time

from playwright.sync_api import Locator, Page, expect

from tests.browser.site import PROJECT

PATIENCE_SECONDS = 60
WORKBENCH = f"{PROJECT}/rounds/1/workbench/"
BEFORE_SUBMITS = """
() => {
  const [send, answer] = [window.fetch, %s];
  window.submits = [];
  window.fetch = (url, options) => {
    if (!url.endsWith("/submit/")) return send(url, options);
    window.submits.push(options.body.get("idempotency_key"));
    return answer(() => send(url, options));
  };
}
"""


def wait_until(page: Page, expression: str, value: object, arg: object = None) -> None:
    """Wait until what the page's promise comes to is `value`.

    Unlike `Page.wait_for_function`, which the page's content security policy stops when it asks
    a second time.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (found := page.evaluate(expression, arg)) != value:
        assert time.monotonic() < deadline, f"{expression}: {found}"
        page.wait_for_timeout(50)


class Workbench:
    def __init__(self, page: Page) -> None:
        self.page = page

    def open(self, address: str = WORKBENCH) -> "Workbench":
        """Go to a round; take an item by the button that has the focus."""
        self.page.goto(address)
        if not self.form.count():
            self.page.keyboard.press("Enter")
        self.wait_until_ready()
        self.page.wait_for_load_state()  # until then a style sheet may be missing
        return self

    def wait_until_ready(self) -> None:
        """The script marks the rating that digits go to once it listens."""
        expect(self.page.locator("[data-rating][data-active]")).to_have_count(1)

    @property
    def form(self) -> Locator:
        return self.page.locator("#judgement")

    @property
    def item(self) -> str:
        return self.form.get_attribute("data-item") or ""

    @property
    def seat(self) -> int:
        return int(self.form.get_attribute("data-assignment") or 0)

    @property
    def verdict(self) -> str:
        chosen = self.page.locator("input[name=verdict]:checked")
        return chosen.get_attribute("value") or "" if chosen.count() else ""

    @property
    def area(self) -> Locator:
        return self.page.locator("textarea[name=question]")

    @property
    def banner(self) -> Locator:
        return self.page.locator("#banners [data-outbox]")

    @property
    def refusal(self) -> Locator:
        return self.page.locator("#refusal")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def approve(self) -> None:
        self.press("a", "5", "4")

    def revise(self, text: str) -> None:
        """Write `text` at the end of the question."""
        self.press("e")
        expect(self.area).to_be_focused()
        self.page.keyboard.insert_text(text)
        self.press("Escape", "d", "3", "2")

    def submit(self) -> None:
        """Submit; who approves a text with an error is asked, and approves it all the same."""
        is_asked = self.is_asked
        self.press("Control+Enter")
        if is_asked:
            self.approve_all_the_same()

    @property
    def is_asked(self) -> bool:
        """Whether the text would be approved with an error that is shown."""
        shown = self.page.locator(".finding.error").filter(visible=True)
        return self.verdict == "approve" and shown.count() > 0

    def approve_all_the_same(self) -> None:
        self.page.get_by_role("button", name="Approve anyway").press("Enter")

    def submit_and_wait(self) -> None:
        """Submit, and wait until another item is there and the judgement is stored."""
        seat = self.seat
        self.submit()
        self.wait_for_another(seat)
        self.wait_until_sent()

    def wait_until_sent(self) -> None:
        """Nothing waits on this device: the server has answered for all of it."""
        self.wait_until_waiting(0)

    def wait_until_waiting(self, count: int) -> None:
        """So many judgements and skips are stored on the device and not answered for."""
        self.wait_until(
            "import('/static/js/outbox.js').then(async it => (await it.pending()).length)", count
        )

    def wait_until_kept(self, count: int) -> None:
        """The device has that many items, the one on the screen among them."""
        self.wait_until("import('/static/js/items.js').then(items => items.seats().length)", count)

    def wait_until_page_is_kept(self) -> None:
        """The service worker runs, and has the page and its parts."""
        self.wait_until("navigator.serviceWorker.controller ? 1 : 0", 1)
        kept = (
            "caches.open('lotsawa-pages').then(async pages => "
            "(await pages.match(location.pathname))"
            " && (await pages.keys()).some(({url}) => url.endsWith('/workbench.js')) ? 1 : 0)"
        )
        self.wait_until(kept, 1)

    def wait_until(self, expression: str, value: object) -> None:
        wait_until(self.page, expression, value)

    def skip(self) -> None:
        """Skip by the menu's button, and wait until another item is there."""
        seat = self.seat
        self.press("s", "Tab", "Tab", "Enter")
        self.wait_for_another(seat)
        self.wait_until_sent()

    def send_by_hand_only(self) -> None:
        """Draw the random part of the back-off so long that the background never sends in a test."""
        self.page.evaluate("Math.random = () => 1000")

    def answer_checks_never(self) -> None:
        """What is typed is not checked from now on, as on a line that is slow for long."""
        self.page.evaluate(
            "() => { const send = window.fetch; window.fetch = (url, options) =>"
            " url.endsWith('/check/') ? new Promise(() => {}) : send(url, options); }"
        )

    def answer_submits(self, answer: str) -> None:
        """Let the function `answer`, in JavaScript, stand between the page and the server.

        It gets what sends a judgement. It stands within the page: what a browser
        is asked to intercept may pass by while the service worker takes over the page.
        """
        self.page.evaluate(BEFORE_SUBMITS % answer)

    def submits(self) -> list[str]:
        """The key of every try since `answer_submits`."""
        found: list[str] = self.page.evaluate("window.submits")
        return found

    def wait_for_another(self, seat: int) -> None:
        expect(self.form).not_to_have_attribute("data-assignment", str(seat))
        self.wait_until_ready()
