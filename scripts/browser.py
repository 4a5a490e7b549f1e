"""Which Chromium drives the pages, for tests and benchmarks."""

import shutil

# The shell draws the same pages with a third less work. scripts/test.sh looks for the same names.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find_chromium() -> str | None:
    """The path of the first that is installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)
