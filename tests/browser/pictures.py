"""The pictures of the documentation, which `make screenshots` takes of the pages as they are."""

import os
from pathlib import Path

from playwright.sync_api import Page

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "images"
WRITES = os.environ.get("LOTSAWA_WRITE_SCREENSHOTS") == "1"
LARGEST = 300_000
NAMES = (
    "workbench-desktop",
    "workbench-dark",
    "workbench-phone",
    "adjudication-desktop",
    "adjudication-phone",
    "overview-desktop",
    "overview-phone",
    "items-desktop",
    "items-phone",
    "findings-desktop",
    "findings-phone",
    "duplicates-desktop",
    "duplicates-phone",
    "round-desktop",
    "release-desktop",
    "release-phone",
    "run-desktop",
    "run-phone",
)
# What changes from day to day is written over, so that a picture changes only when its page does.
STILL = r"""() => {
    for (const time of document.querySelectorAll('time')) time.textContent = time.textContent.replace(/\d/g, '0');
    for (const saved of document.querySelectorAll('[data-saved]')) saved.textContent = saved.textContent.replace(/\d\d:\d\d/, '09:30');
    document.querySelector('[data-reserved] time')?.replaceChildren('09:58');
    document.activeElement?.blur?.();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode;
        const still = node.data
            .replace(/\b\d{1,2} [A-Z][a-z]{2} 20\d\d(, \d\d:\d\d UTC)?/g, (found, time) => time ? '5 Jan 2026, 09:30 UTC' : '5 Jan 2026')
            .replace(/\b\d+\u00a0minutes?\b/g, '5\u00a0minutes');
        if (still !== node.data) node.data = still;
    }
}"""


def take(page: Page, name: str) -> None:
    """Write the visible part of `page` to docs/images, if that is asked for."""
    assert name in NAMES, name
    if not WRITES:
        return
    page.evaluate(STILL)
    page.evaluate("document.fonts.ready.then(() => true)")
    FOLDER.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=FOLDER / f"{name}.png", animations="disabled", caret="hide")
