"""Fixtures of the browser tests: a Lotsawa on a copy of the demo, and people in headless Chromium."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from config.management.commands.load_demo import PASSWORD
from scripts.browser import find_chromium
from scripts.run import DEMO
from tests.browser.people import PATIENCE_MS, People
from tests.browser.site import ADDRESSES, SLUG, Site, free_port, manage
from tests.databases import FILE, copy_migrated, locked

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--font-render-hinting=none",  # letters as wide as on a screen, not rounded to whole pixels
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


expect.set_options(timeout=PATIENCE_MS)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Mark the tests of this folder, and after any shuffling put each file's in its order again.

    One that fails is tried once more, and the last line of the run counts it as `rerun`: what a
    browser does in time is not ours alone where other programs have the processors.
    The tests of a file share one site, where an item that was judged is gone for the next: their
    order is the story.
    """
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("browser")
            item.add_marker(pytest.mark.flaky(reruns=1))
    yield
    places = [index for index, item in enumerate(items) if here in item.path.parents]
    ordered = sorted((items[index] for index in places), key=_place)
    for index, item in zip(places, ordered, strict=True):
        items[index] = item


def _place(item: pytest.Item) -> tuple[str, int]:
    path, line, _name = item.location
    return path, line or 0


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of the browser; a test that needs it is skipped where there is none."""
    found = find_chromium()
    if found is None:
        pytest.skip("there is no Chromium here: apt-get install chromium fonts-noto-core")
    return found


@pytest.fixture(scope="session")
def demo_var(chromium: str, shared_folder: Path) -> Path:
    """A data folder with the demo, made once in a run by the command that `make run` uses."""
    var = shared_folder / "demo"
    with locked(shared_folder):
        if not var.exists():
            _load_demo(half := shared_folder / "half a demo")
            half.rename(var)
    return var


def _load_demo(var: Path) -> None:
    shutil.rmtree(var, ignore_errors=True)
    var.mkdir()
    port = free_port()
    (var / "stand_in_port").write_text(f"{port}\n", encoding="ascii")
    copy_migrated(var / FILE)
    manage(var, "load_demo", "--endpoint", f"http://127.0.0.1:{port}/v1")
    administrator = ("create_user", ADDRESSES["administrator"], "--administrator")
    manage(var, *administrator, "--password-env", "DEMO_PASSWORD", DEMO_PASSWORD=PASSWORD)


@pytest.fixture(scope="session")
def judged_var(demo_var: Path, shared_folder: Path) -> Path:
    """The demo with every seat of its round judged by the simulated reviewers."""
    var = shared_folder / "judged demo"
    with locked(shared_folder):
        if not var.exists():
            _judge(demo_var, half := shared_folder / "half a judged demo")
            half.rename(var)
    return var


def _judge(demo: Path, var: Path) -> None:
    shutil.rmtree(var, ignore_errors=True)
    shutil.copytree(demo, var)
    words = ("--reviewers", "6", "--seed", "7", "--profile", "mixed")
    truth = (
        "--truth",
        str(DEMO / "planted.jsonl"),
        "--corrections",
        str(DEMO / "corrections.jsonl"),
    )
    manage(var, "simulate_reviewers", SLUG, *words, *truth)


@pytest.fixture(scope="module")
def site(demo_var: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The web server on this module's own copy of the demo."""
    ours = Site.copy_of(demo_var, tmp_path_factory.mktemp("site") / "var")
    try:
        ours.start("web server")
        yield ours
    finally:
        ours.close()


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """Ended with the module: while it runs, no other test of this process may use Django's database."""
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="module")
def browser(playwright: Playwright, chromium: str) -> Iterator[Browser]:
    launched = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
    yield launched
    launched.close()


@pytest.fixture
def people(browser: Browser, site: Site) -> Iterator[People]:
    """Who sits before a screen in this test; it fails on anything their consoles complain about.

    What was skipped is there for the next test, or a few that are tried again use up the round.
    """
    ours = People(browser, site)
    yield ours
    site.give_back_skips()
    ours.leave()
