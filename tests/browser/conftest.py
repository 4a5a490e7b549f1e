"""Fixtures of the browser tests: one Lotsawa and one headless Chromium, and people who sit before it."""

import os
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from config.management.commands.load_demo import PASSWORD
from scripts.browser import find_chromium
from tests.browser.people import PATIENCE_MS, People
from tests.browser.site import (
    DATABASE,
    SERVER,
    ServerSite,
    Site,
    copy_on_server,
    manage,
    name_of,
    world_on_server,
)
from tests.databases import copy_migrated, locked
from tests.processes import free_port

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say with a failure what the site's processes wrote."""
    report = yield
    site = getattr(item, "funcargs", {}).get("site")
    if report.failed and isinstance(site, Site):
        report.sections.append(("the site's processes and the end of their log", site.story()))
    return report


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of the browser; a test that needs it is skipped where there is none."""
    found = find_chromium()
    if found is None:
        pytest.skip("there is no Chromium here: apt-get install chromium fonts-noto-core")
    return found


@pytest.fixture(scope="session")
def worlds(chromium: str, shared_folder: Path) -> Path:
    """A data folder with the database of every world, made once in a run."""
    var = shared_folder / "worlds"
    with locked(shared_folder):
        if not var.exists():
            _build_worlds(half := shared_folder / "half of the worlds")
            half.rename(var)
    return var


def _build_worlds(var: Path) -> None:
    shutil.rmtree(var, ignore_errors=True)
    var.mkdir()
    port = free_port()
    (var / "stand_in_port").write_text(f"{port}\n", encoding="ascii")
    copy_migrated(var / DATABASE)
    build = f"from tests.browser.worlds import build_worlds as b; b('http://127.0.0.1:{port}/v1')"
    manage(var, "shell", "--no-imports", "-c", build, DEMO_PASSWORD=PASSWORD)


@pytest.fixture(scope="session")
def shared_site(worlds: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site of all tests of this process; `begin` puts it into a world."""
    var = tmp_path_factory.mktemp("site") / "var"
    shutil.copytree(worlds, var)
    ours = Site(var)
    yield ours
    ours.close()


@pytest.fixture(scope="session")
def server_site(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site on the server that LOTSAWA_TEST_DATABASE_URL names, with the worlds of the days."""
    server = urlsplit(os.environ["LOTSAWA_TEST_DATABASE_URL"])
    url = server._replace(path=f"/lotsawa_browser_{uuid4().hex[:8]}").geturl()
    var = tmp_path_factory.mktemp("server site") / "var"
    var.mkdir()
    port = free_port()
    (var / "stand_in_port").write_text(f"{port}\n", encoding="ascii")
    (var / SERVER).write_text(url, encoding="ascii")
    names = [name_of(url), *(world_on_server(url, world) for world in ("demo", "judged"))]
    try:
        copy_on_server(url, "template1", to=name_of(url))
        manage(var, "migrate", "--verbosity", "0")
        build = f"from tests.browser.worlds import build_days as b; b('http://127.0.0.1:{port}/v1')"
        manage(var, "shell", "--no-imports", "-c", build, DEMO_PASSWORD=PASSWORD)
        ours = ServerSite(var)
        yield ours
        ours.close()
    finally:
        for name in names:
            copy_on_server(url, "", to=name)


@pytest.fixture
def site(request: pytest.FixtureRequest, shared_site: Site) -> Site:
    """The site in the world that the test's module names as WORLD, else in that of the demo."""
    shared_site.begin(getattr(request.module, "WORLD", "demo"))
    return shared_site


@pytest.fixture(scope="package")
def browser(chromium: str) -> Iterator[Browser]:
    """One for all tests of this folder that run one after the other.

    It ends before another test: while Playwright runs, nobody in its thread may use Django's database.
    """
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield launched
        launched.close()


@pytest.fixture
def people(browser: Browser, site: Site) -> Iterator[People]:
    """Who sits before a screen in this test; it fails on anything their consoles complain about."""
    ours = People(browser, site)
    yield ours
    ours.leave()
