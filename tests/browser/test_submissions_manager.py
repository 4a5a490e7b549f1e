"""A manager's day with submissions: admit a team, flag and verify, correct a key, score again, publish.

At last a copy of the keys leaks: the team answers by it, and the manager sees by which.
"""

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from config.demo import compared, submitted
from releases.enums import Subset
from tests.browser.people import SIZES, People
from tests.browser.site import Site
from tests.browser.test_stranger import (
    ACCOUNT,
    BOARD,
    SCORED_MS,
    accept_terms,
    bad_looks,
    download,
    open_account,
    open_part,
    send,
    wait_for_score,
)

MANAGE = f"/projects/{compared.SLUG}/submissions/"
TEAM, MODEL = "ལྷ་ས་", "my-model 7B"
SCORES = (
    "SELECT score.correct FROM submissions_submissionscore score "
    "JOIN submissions_submission sent ON sent.id = score.submission_id "
    f"WHERE sent.model = '{MODEL}' ORDER BY score.id"
)
HIDDEN = (
    "SELECT item.id FROM releases_releaseitem placed "
    "JOIN annotation_item item ON item.id = placed.item_id "
    "JOIN releases_release release ON release.id = placed.release_id "
    "JOIN projects_project project ON project.id = release.project_id "
    f"WHERE project.slug = '{compared.SLUG}' AND placed.subset = '{Subset.BLACK_BOX}' "
    "AND placed.kind = 'choice' AND placed.key NOT IN ('A', '') ORDER BY placed.position LIMIT 1"
)


def save_rules(page: Page, *, admission: str, is_public: bool) -> None:
    page.goto(MANAGE)
    page.get_by_label("Who may send them").select_option(admission)
    page.get_by_label("Show the leaderboard to everybody").set_checked(is_public)
    page.locator("main form button.primary").first.click()
    expect(page.locator("body")).to_contain_text("Saved.")


def row(page: Page, section: str, text: str) -> Locator:
    return page.get_by_role("region", name=section, exact=True).locator("tbody tr", has_text=text)


def correct_key(page: Page, item: int) -> None:
    """Say that the key of a hidden item is A."""
    page.goto(f"/projects/{compared.SLUG}/items/{item}/")
    page.get_by_text("Correct the key…").click()
    form = page.locator("form.key-form")
    form.locator("input[name=key][value=A]").check()
    form.get_by_label("Reason").fill("The source has corrected it.")
    form.get_by_role("button", name="Correct key").click()
    expect(page.locator("main")).to_contain_text("→ A")


def make_copy(page: Page) -> dict[str, Any]:
    """Make a copy of the hidden keys; what its file holds."""
    page.goto(MANAGE)
    page.get_by_role("link", name=submitted.VERSION, exact=True).click()
    page.get_by_label("Recipient").fill("Codabench")
    page.get_by_label("False keys").fill("8")
    page.get_by_role("button", name="Create copy").click()
    expect(page.locator("body")).to_contain_text("Copy created.")
    with page.expect_download() as waiting:
        row(page, "Copies", "Codabench").get_by_role("link", name="Download").click()
    found: dict[str, Any] = json.loads(Path(waiting.value.path()).read_text("utf-8"))
    return found


def expect_good_looks(page: Page) -> None:
    for size in ("phone", "desktop"):
        page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
        assert bad_looks(page) == []


def wait_for_scores(page: Page, site: Site, count: int) -> list[int]:
    for _time in range(SCORED_MS // 500):
        found = [correct for (correct,) in site.rows(SCORES)]
        if len(found) == count:
            return found
        page.wait_for_timeout(500)
    raise AssertionError(site.rows(SCORES))


def test_a_manager_s_day_with_submissions(site: Site, people: People) -> None:
    site.start("worker", "calls worker")
    manager, team = people.page_as("manager"), people.page_as()
    save_rules(manager, admission="admitted", is_public=False)

    people.expect("403", "404")
    team.goto(ACCOUNT)
    open_account(team, site)
    accept_terms(team)
    expect(team.locator("main")).to_contain_text("A manager must admit your team")
    assert bad_looks(team) == []
    manager.goto("/")
    manager.locator("li", has_text="teams wait to be admitted").get_by_role("link").click()
    waiting = row(manager, "Teams", TEAM)
    expect(waiting).to_contain_text("not admitted")
    waiting.get_by_role("button", name="Admit").click()
    expect(row(manager, "Teams", TEAM)).to_contain_text(re.compile(r"\badmitted"))
    expect(row(manager, "Teams", TEAM)).not_to_contain_text("not admitted")

    open_part(team)
    send(team, {item["id"]: "A" for item in download(team)})
    wait_for_score(team)
    manager.goto(MANAGE)
    sent = row(manager, "Submissions", MODEL)
    sent.get_by_label("Reason").fill("All answers are A.")
    sent.get_by_role("button", name="Flag").click()
    expect(row(manager, "Submissions", MODEL)).to_contain_text("All answers are A.")
    row(manager, "Submissions", MODEL).get_by_role("button", name="Verified").click()
    expect(row(manager, "Submissions", MODEL)).to_contain_text("verified")

    ((item,),) = site.rows(HIDDEN)
    correct_key(manager, item)
    manager.goto(MANAGE)
    manager.get_by_role("button", name="Score again with corrected keys").click()
    expect(manager.locator("body")).to_contain_text("Scoring with the corrected keys has started.")
    before, after = wait_for_scores(manager, site, 2)
    assert after == before + 1

    expect_good_looks(manager)
    reader = people.page_as(size="phone")
    reader.goto(BOARD)
    expect(reader.locator("main")).not_to_contain_text(MODEL)
    save_rules(manager, admission="admitted", is_public=True)
    reader.goto(BOARD)
    entry = reader.locator("tbody tr", has_text=TEAM)
    expect(entry).to_contain_text("file of answers, verified by us")
    expect(reader.locator("main")).not_to_contain_text("All answers are A.")
    assert bad_looks(reader) == []

    copy = make_copy(manager)
    assert "8 of these" in copy["note"]
    expect_good_looks(manager)
    open_part(team)
    send(team, copy["keys"])
    wait_for_score(team)
    manager.goto(MANAGE)
    words = "Follows 8 of 8 false keys in copy 1 of the keys of"
    leak = row(manager, "Submissions", words)
    expect(leak).to_contain_text("of 1.0.0 for Codabench")
    expect_good_looks(manager)
    leak.get_by_label("Reason").fill("We sent it to try this out.")
    leak.get_by_role("button", name="Dismiss the flag").click()
    expect(manager.locator("main")).not_to_contain_text(words)
    expect(manager.locator("main")).to_contain_text("follows 8 of 8 false keys")
