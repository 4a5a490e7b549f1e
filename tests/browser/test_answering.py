"""The pages that compare texts and solve items, readable by anyone, and what a solved item leads to."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import barriers, misfits
from tests.browser.people import People
from tests.browser.site import PROJECT, Site

WORLD = "comparing"
COMPARING, SOLVING = f"{PROJECT}/rounds/2/answer/", f"{PROJECT}/rounds/3/answer/"


@pytest.fixture
def solving(site: Site) -> None:
    """Have a solving round open; the comparison before it is closed."""
    site.begin("solving")


def begin(page: Page, address: str) -> None:
    """Take an item and wait until the keys are there."""
    page.goto(address)
    page.get_by_role("button", name="Take the next item").click()
    expect(page.locator("form[data-ready]")).to_be_attached()


def test_comparison_is_readable_by_anyone_and_in_sight_at_once(
    people: People,
) -> None:
    page = people.page_as("senior")
    page.goto(COMPARING)
    assert barriers(page) == []
    begin(page, COMPARING)
    assert barriers(page) == []
    assert misfits(page) == []
    lines = page.locator("td.source, .compare .target-text")
    kept = lines.evaluate_all("all => all.map(each => getComputedStyle(each).whiteSpace)")
    assert set(kept) == {"pre-wrap"}
    # On a desktop everything is in sight at once: the source, each text and what is said of it.
    below = page.locator(".compare tfoot").evaluate(
        "foot => foot.getBoundingClientRect().bottom - innerHeight"
    )
    assert below <= 0


def test_item_solved_against_its_key_is_a_dispute_and_its_pages_are_readable_by_anyone(
    people: People, site: Site, solving: None
) -> None:
    page = people.page_as("reviewer")
    begin(page, SOLVING)
    assert "is_key" not in page.content()
    assert barriers(page) == []
    assert misfits(page) == []
    page.keyboard.press("3")
    expect(page.locator("input[name=choice][value=C]")).to_be_checked()
    uid = page.locator("main h1").inner_text().split()[0]
    [(key,)] = site.rows(
        "SELECT key FROM annotation_item i JOIN projects_project p ON p.id = i.project_id"
        " WHERE p.slug = 'demo' AND uid = ?",
        uid,
    )
    wrong = "A" if key == "B" else "B"
    page.keyboard.press(wrong.lower())
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    given = site.rows("SELECT choice FROM review_answer ORDER BY id DESC LIMIT 1")
    assert given == [(wrong,)]

    manager = people.page_as("manager")
    manager.on("dialog", lambda dialog: dialog.accept())
    manager.goto(f"{PROJECT}/rounds/3/")
    manager.get_by_role("button", name="Close the round").click()
    expect(manager.get_by_role("heading", level=1)).to_contain_text("closed")
    for path in ("rounds/2/results/", "translations/choose/", "rounds/3/results/"):
        manager.goto(f"{PROJECT}/{path}")
        assert barriers(manager) + misfits(manager) == [], path
    [(dispute,)] = site.rows("SELECT id FROM review_panel WHERE reason_codes = 'experts_disagree'")
    senior = people.page_as("senior")
    senior.goto(f"{PROJECT}/disputes/{dispute}/")
    expect(senior.get_by_role("heading", name="What the experts answered")).to_be_visible()
    assert barriers(senior) == []
    assert misfits(senior) == []
