"""From the judged round to scores: close, figures, duplicates, release, run, and a guest who comes in."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.layouts import LAYOUTS
from tests.browser.looks import barriers, misfits
from tests.browser.mail import find_invitation
from tests.browser.people import People
from tests.browser.pictures import take
from tests.browser.site import PROJECT, SLUG, Site

pytestmark = pytest.mark.xdist_group("whole_way")
JOB_MS = 120_000
VERSION = "1.0.0"
AT_ONCE = """events => events.forEach(event => document.dispatchEvent(
    new KeyboardEvent('keydown', {bubbles: true, cancelable: true, ...event})))"""


@pytest.fixture(scope="module")
def site(shared_site: Site) -> Site:
    """The judged demo with its stand-in endpoint, for all steps; the worker comes when a fixture starts it."""
    shared_site.begin("judged")
    shared_site.start("stand-in endpoint")
    return shared_site


@pytest.fixture(scope="module")
def manager(browser: Browser, site: Site) -> Iterator[Callable[[], Page]]:
    """Pages of the manager for the steps that several tests build on."""
    ours = People(browser, site)
    context = ours.context_as("manager")
    yield context.new_page
    ours.leave()


@pytest.fixture(scope="module")
def searched(site: Site, manager: Callable[[], Page]) -> Page:
    """The page of duplicates, searched: first without a worker, then with one."""
    page = manager()
    page.goto(f"{PROJECT}/duplicates/")
    page.locator("[name=methods][value=semantic]").uncheck()
    page.get_by_role("button", name="Start the search").click()
    job = page.locator("#search-job")
    expect(job).to_contain_text("No worker is running.")
    expect(job.get_by_role("progressbar")).to_be_visible()
    site.start("worker", "calls worker")
    expect(page.locator("#search")).to_contain_text("Last searched", timeout=JOB_MS)
    page.goto(f"{PROJECT}/duplicates/")
    return page


@pytest.fixture(scope="module")
def closed(manager: Callable[[], Page]) -> Page:
    """The page of the round, closed by the manager."""
    page = manager()
    page.goto(f"{PROJECT}/rounds/1/")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Close the round").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("closed")
    return page


@pytest.fixture(scope="module")
def released(searched: Page, closed: Page, manager: Callable[[], Page]) -> Page:
    """The page of a release, built and published."""
    page = manager()
    page.goto(f"{PROJECT}/releases/build/")
    page.get_by_label("Version").fill(VERSION)
    page.get_by_label("Black box").fill("20")
    if (undecided := page.locator("[name=waive_open_duplicates]")).count():
        undecided.fill("Made up alike, to show the search.")
    page.locator("[name=waive_simulated_judgements]").fill("A program judged, to show the way.")
    page.get_by_role("button", name="Build", exact=True).click()
    publish = page.get_by_role("link", name="Publish…")
    expect(publish).to_be_visible(timeout=JOB_MS)
    publish.click()
    page.get_by_label("Show it to everybody, without an account").check()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("published")
    return page


@pytest.fixture(scope="module")
def ran(released: Page, manager: Callable[[], Page]) -> Page:
    """The page of a run of the first stand-in model on the release."""
    page = manager()
    page.goto(f"{PROJECT}/runs/start/")
    page.get_by_role("button", name="Start the run", exact=True).click()
    expect(page.locator("main")).to_contain_text("Accuracy by category", timeout=JOB_MS)
    return page


def test_closed_round_keeps_showing_its_figures(closed: Page, site: Site) -> None:
    table = closed.get_by_role("table").first
    shown = table.locator("tbody tr").first.inner_text()
    stage = site.ask("manager", f"projects/{SLUG}/report/")["stages"][0]
    assert f"{stage['approval_rate']['value'] * 100:.1f}" in shown
    take(closed, "round-desktop")


def test_pair_of_duplicates_is_decided_by_key_and_stays_decided(
    searched: Page, people: People
) -> None:
    take(searched, "duplicates-desktop")
    pair = searched.locator("[data-pair][aria-current=true]")
    name = pair.get_attribute("aria-label") or ""
    searched.keyboard.press("0")
    decided = searched.locator(f"[data-pair][aria-label='{name}'] [data-pair-state]")
    expect(decided).to_have_attribute("data-pair-state", "distinct")
    fresh = people.page_as("manager", size="phone")
    fresh.goto(f"{PROJECT}/duplicates/")
    expect(fresh.locator(f"[data-pair][aria-label='{name}']")).to_have_count(0)
    take(fresh, "duplicates-phone")


def test_downloaded_file_has_the_checksum_of_the_manifest(released: Page, people: People) -> None:
    released.locator("main details summary").filter(has_text="jsonl").first.click()
    with released.expect_download() as waiting:
        released.locator("main details[open] a[href$='.jsonl']").first.click()
    content = Path(waiting.value.path()).read_bytes()
    manifest = released.request.get(f"/api/v1/releases/{SLUG}/{VERSION}/manifest/").json()
    sums = {entry["name"]: entry["sha256"] for entry in manifest["artifacts"]}
    assert hashlib.sha256(content).hexdigest() in sums.values()
    assert all(json.loads(line) for line in content.decode().splitlines())
    released.goto(f"{PROJECT}/releases/{VERSION}/")
    take(released, "release-desktop")
    phone = people.page_as("manager", size="phone")
    phone.goto(f"{PROJECT}/releases/{VERSION}/")
    take(phone, "release-phone")


def test_run_shows_scores_by_subject_and_category(ran: Page, people: People) -> None:
    expect(ran.locator("main")).to_contain_text("health")
    expect(ran.locator("main")).to_contain_text("Humanities")
    take(ran, "run-desktop")
    phone = people.page_as("manager", size="phone")
    phone.goto(ran.url)
    take(phone, "run-phone")


def test_responses_are_read_with_the_same_keys_under_every_layout(
    ran: Page, people: People, site: Site
) -> None:
    run = ran.url.removeprefix(people.site.address)
    page = people.page_as("manager")
    page.goto(f"{run}audit/")
    with page.expect_navigation():
        page.locator("main form [type=submit]").click()
    number = run.rstrip("/").rpartition("/")[2]
    while site.ask("manager", f"runs/{number}/audit/")["state"] != "done":
        page.wait_for_timeout(200)
    page.goto(f"{run}audit/read/")
    meant = {}
    # Only keys that every item has: which responses are drawn, one cannot know.
    for layout, key, answer in zip(LAYOUTS, "a20b", ("A", "B", "", "B"), strict=True):
        response = page.locator("[name=response]").input_value()
        layout.press(page, "?")
        expect(page.locator("#keymap")).to_be_visible()
        page.keyboard.press("Escape")
        # In one breath: the last key comes too late to be about this response.
        page.evaluate(AT_ONCE, [layout.event(each) for each in ("x", "9", key, "c")])
        expect(page.locator("[name=response]")).not_to_have_value(response)
        meant[int(response)] = answer
    exported = page.request.get(f"/api/v1/runs/{number}/audit/export/?format=jsonl").text()
    rows = [json.loads(line) for line in exported.splitlines()]
    read = {row["response"]: list(row["readings"].values()) for row in rows if row["readings"]}
    assert read == {response: [answer] for response, answer in meant.items()}


def test_pages_of_release_and_run_have_no_barrier_and_fit_a_phone(
    ran: Page, people: People
) -> None:
    run = ran.url.removeprefix(people.site.address)
    page = people.page_as("manager")
    page.goto(f"{run}responses/")
    link = page.locator(f"main a[href^='{run}responses/']").first.get_attribute("href") or ""
    response = link.partition("?")[0]
    found = {}
    for path in (
        f"{PROJECT}/rounds/1/",
        f"{PROJECT}/releases/",
        f"{PROJECT}/releases/{VERSION}/",
        f"{PROJECT}/releases/{VERSION}/yank/",
        f"{PROJECT}/releases/{VERSION}/hub/",
        f"{PROJECT}/runs/",
        f"{PROJECT}/runs/start/",
        run,
        f"{run}responses/",
        response,
    ):
        answer = page.goto(path)
        assert answer is not None and answer.status == 200, path
        if bad := barriers(page) + misfits(page):
            found[path] = bad
    assert found == {}


def test_anybody_reads_the_public_pages_and_reports_a_problem(
    released: Page, people: People
) -> None:
    page = people.page_as()
    here = f"/releases/{SLUG}/{VERSION}/"
    page.goto(f"{here}items/")
    first = page.locator(f"main a[href^='{here}items/']").first.get_attribute("href") or ""
    for path in (f"/releases/{SLUG}/", first):  # the others are in test_pages
        page.goto(path)
        assert barriers(page) + misfits(page) == [], path
    page.get_by_role("link", name="Report a problem").click()
    page.locator("main form [name=kind][value=broken]").check()
    page.locator("main form textarea").fill("Two options say the same.")
    page.locator("main form button.primary").click()
    page.wait_for_url("**/report/sent/**")
    manager = people.page_as("manager")
    manager.goto(f"{PROJECT}/releases/problems/")
    expect(manager.locator("main")).to_contain_text("Two options say the same.")


def test_guest_comes_in_by_the_link_of_the_letter(
    searched: Page,  # by a worker, which sends the letter
    site: Site,
    people: People,
) -> None:
    page = people.page_as("manager")
    page.goto(f"{PROJECT}/members/invite/")
    page.get_by_label("E-mail").fill("karma@guests.example")
    page.locator("[name=role][value=reviewer]").check()
    page.locator("main form button.primary").click()
    expect(page.locator("main")).to_contain_text("karma@guests.example")
    guest = people.page_as()
    guest.goto(find_invitation(site.var / "mail", "karma@guests.example"))
    assert barriers(guest) + misfits(guest) == []
    guest.get_by_label("Your name").fill("Karma")
    for field in guest.locator("input[type=password]").all():
        field.fill("eight winds, one lamp")
    guest.locator("main form button.primary").click()
    expect(guest.get_by_role("link", name="Demo: general knowledge").first).to_be_visible()
    guest.goto(f"{PROJECT}/rounds/")
    expect(guest.get_by_role("heading", level=1)).to_have_text("Rounds of review")
