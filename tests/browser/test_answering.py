"""Comparing texts and solving items by keyboard, readable by anyone, and with plain forms."""

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


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_texts_are_compared_by_keyboard_and_u_takes_the_answer_back(
    people: People, site: Site
) -> None:
    page = people.page_as("reviewer")
    begin(page, COMPARING)
    expect(page.locator("[data-text]")).to_have_count(2)
    expect(page.get_by_text("demo-mt-2")).to_have_count(0)

    press(page, *"1ad4c52rd2c1", "Control+Enter")

    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    [(answer,)] = site.rows("SELECT max(id) FROM review_answer")
    texts = (
        "SELECT is_approved, ratings FROM review_comparedtext WHERE answer_id = ? ORDER BY place"
    )
    rows = site.rows(texts, answer)
    assert [bool(row[0]) for row in rows] == [True, False]
    assert '"domain": 4' in rows[0][1]
    assert '"cultural": 1' in rows[1][1]

    expect(page.locator("form[data-ready]")).to_be_attached()
    page.keyboard.press("u")
    page.wait_for_url("**again=*")
    expect(page.locator("[data-text='1'] .approve input").first).to_be_checked()
    withdrawn = site.rows("SELECT withdrawn_at FROM review_answer WHERE id = ?", answer)
    assert withdrawn != [(None,)]


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


def test_item_solved_against_its_key_by_keyboard_is_a_dispute_of_the_senior(
    people: People, site: Site, solving: None
) -> None:
    page = people.page_as("reviewer")
    begin(page, SOLVING)
    assert "is_key" not in page.content()
    assert barriers(page) == []
    assert misfits(page) == []
    press(page, "3")
    expect(page.locator("input[name=choice][value=C]")).to_be_checked()
    uid = page.locator("main h1").inner_text().split()[0]
    [(key,)] = site.rows(
        "SELECT key FROM annotation_item i JOIN projects_project p ON p.id = i.project_id"
        " WHERE p.slug = 'demo' AND uid = ?",
        uid,
    )
    wrong = "A" if key == "B" else "B"
    press(page, wrong.lower(), "Control+Enter")
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    given = site.rows("SELECT choice FROM review_answer ORDER BY id DESC LIMIT 1")
    assert given == [(wrong,)]

    manager = people.page_as("manager")
    manager.on("dialog", lambda dialog: dialog.accept())
    manager.goto(f"{PROJECT}/rounds/3/")
    manager.get_by_role("button", name="Close the round").click()
    expect(manager.get_by_role("heading", level=1)).to_contain_text("closed")
    [(dispute,)] = site.rows("SELECT id FROM review_panel WHERE reason_codes = 'experts_disagree'")
    senior = people.page_as("senior")
    senior.goto(f"{PROJECT}/disputes/{dispute}/")
    expect(senior.get_by_role("heading", name="What the experts answered")).to_be_visible()
    assert barriers(senior) == []
    assert misfits(senior) == []


def test_items_are_solved_without_a_script(people: People, solving: None) -> None:
    page = people.page_as("reviewer", java_script_enabled=False)
    page.goto(SOLVING)
    page.get_by_role("button", name="Take the next item").click()
    page.locator("input[name=choice][value=unsure]").check()
    page.get_by_role("button", name="Submit and next").click()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()


def test_pages_of_managers_are_readable_by_anyone(people: People, solving: None) -> None:
    page = people.page_as("manager")
    for path in ("rounds/2/results/", "translations/choose/", "rounds/3/results/"):
        page.goto(f"{PROJECT}/{path}")
        assert barriers(page) + misfits(page) == [], path
