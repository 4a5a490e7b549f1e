"""The browser of tests and benchmarks: which Chromium drives the pages, and how slow its line may be."""

import shutil
from typing import Any

# The shell draws the same pages with a third less work. scripts/test.sh looks for the same names.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")

SLOW_LATENCY_MS = 400
SLOW_BYTES_PER_SECOND = 400_000 // 8
SUBMIT_TO_ITEM = """() => {
    window.shownAfter = [];
    let pressed = 0;
    const form = document.getElementById('judgement');
    document.addEventListener('keydown', event => {
        if (event.ctrlKey && event.key === 'Enter') pressed = performance.now();
    }, true);
    new MutationObserver(() => requestAnimationFrame(
        () => window.shownAfter.push(performance.now() - pressed)
    )).observe(form, {attributeFilter: ['data-assignment']});
}"""
"""Gathers in `shownAfter` the ms from each submit's key to the frame that shows the next item."""


def find_chromium() -> str | None:
    """Return the path of the first Chromium that is installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def slow_down(session: Any) -> None:
    """Slow a page's DevTools session down: 400 kbit/s, and 400 ms before an answer begins."""
    conditions = {
        "offline": False,
        "latency": SLOW_LATENCY_MS,
        "downloadThroughput": SLOW_BYTES_PER_SECOND,
        "uploadThroughput": SLOW_BYTES_PER_SECOND,
    }
    session.send("Network.emulateNetworkConditions", conditions)
