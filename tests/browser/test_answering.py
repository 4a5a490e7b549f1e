"""Comparing texts and solving items by keyboard, readable by anyone, and with plain forms."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.looks import barriers, misfits
from tests.browser.people import People
from tests.browser.site import PROJECT, SLUG, Site, manage

SECOND_SYSTEM = f"""
from django.utils import timezone
from annotation.models import Item, Revision, Translation
now = timezone.now()
for item in Item.objects.filter(project__slug={SLUG!r}, working_translation__isnull=False)[:12]:
    text = item.working_translation.current_revision
    other = Translation.objects.create(item=item, system="other-mt", created_at=now)
    other.current_revision = Revision.objects.create(
        translation=other, number=1, question=text.question + "་གཞན།", options=text.options,
        origin="mt", content_hash="0" * 64, created_at=now)
    other.save()
"""


@pytest.fixture(scope="module")
def comparing(site: Site) -> str:
    """The address of a comparison; the demo's own round is closed."""
    manage(site.var, "close_round", SLUG, "1")
    manage(site.var, "shell", "-c", SECOND_SYSTEM)
    manage(site.var, "open_round", SLUG, "--kind", "comparison", "--select", "all")
    return f"{PROJECT}/rounds/2/answer/"


@pytest.fixture(scope="module")
def solving(site: Site, comparing: str) -> str:
    """The address of a solving round; the comparison is closed by now."""
    manage(site.var, "close_round", SLUG, "2")
    manage(
        site.var, "open_round", SLUG, "--kind", "solving", "--select", "all", "--panel-size", "1"
    )
    return f"{PROJECT}/rounds/3/answer/"


def begin(page: Page, address: str) -> None:
    """Take an item and wait until the keys are there."""
    page.goto(address)
    page.get_by_role("button", name="Take the next item").click()
    expect(page.locator("form[data-ready]")).to_be_attached()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_texts_are_compared_by_keyboard(people: People, comparing: str) -> None:
    page = people.page_as("reviewer")
    begin(page, comparing)
    expect(page.locator("[data-text]")).to_have_count(2)
    expect(page.get_by_text("other-mt")).to_have_count(0)

    press(page, "1", "a", "d", "4", "c", "5")
    page.keyboard.press("Escape")
    page.locator("#text-2").click()  # out of the rating, whose number would be pressed
    page.locator("[data-text='2'] .approve input").first.focus()
    press(page, "r", "d", "2", "c", "1", "Control+Enter")

    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    rows = people.site.rows(
        "SELECT is_approved, ratings FROM review_comparedtext"
        " WHERE answer_id = (SELECT max(id) FROM review_answer) ORDER BY place"
    )
    assert [bool(row[0]) for row in rows] == [True, False]
    assert '"domain": 4' in rows[0][1]
    assert '"cultural": 1' in rows[1][1]


def test_choices_of_a_comparison_stand_beside_their_words(people: People, comparing: str) -> None:
    page = people.page_as("reviewer")
    page.goto(comparing)
    middle = "element => { const b = element.getBoundingClientRect(); return b.y + b.height / 2 }"
    for label in page.locator(".approve label").all():
        button, words = label.locator("input"), label.locator("span")
        assert button.evaluate(middle) == pytest.approx(words.evaluate(middle), abs=2)
    padding = "legend => getComputedStyle(legend).paddingLeft"
    legends = [page.locator(f".{name} legend").first for name in ("approve", "rating")]
    assert [legend.evaluate(padding) for legend in legends] == ["0px", "0px"]


def test_u_takes_the_answer_back_with_what_was_said(people: People, comparing: str) -> None:
    page = people.page_as("reviewer")
    page.goto(comparing)
    answer = people.site.rows("SELECT id FROM review_answer ORDER BY id DESC LIMIT 1")[0][0]
    page.goto(f"{comparing}?sent={answer}")
    expect(page.locator("form[data-ready]")).to_be_attached()
    page.keyboard.press("u")
    page.wait_for_url("**again=*")
    withdrawn = people.site.rows("SELECT withdrawn_at FROM review_answer WHERE id = ?", answer)
    assert withdrawn != [(None,)]


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_comparison_is_readable_by_anyone(
    people: People, comparing: str, size: str, tmp_path: Path
) -> None:
    page = people.page_as("senior", size=size)  # type: ignore[arg-type]
    page.goto(comparing)
    if page.get_by_role("button", name="Take the next item").count():
        assert barriers(page, Axe()) == []
        page.get_by_role("button", name="Take the next item").click()
    expect(page.locator("form[data-ready]")).to_be_attached()
    page.screenshot(path=tmp_path / f"comparing-{size}.png", full_page=True)
    assert barriers(page, Axe()) == []
    assert misfits(page) == []


def test_items_are_solved_by_keyboard_and_the_key_is_nowhere(people: People, solving: str) -> None:
    page = people.page_as("reviewer")
    begin(page, solving)
    assert "is_key" not in page.content()
    press(page, "3")
    expect(page.locator("input[name=choice][value=C]")).to_be_checked()
    uid = page.locator("main h1").inner_text().split()[0]
    key = people.site.rows("SELECT key FROM annotation_item WHERE uid = ?", uid)[0][0]
    wrong = "A" if key == "B" else "B"
    press(page, wrong.lower(), "Control+Enter")
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    given = people.site.rows("SELECT choice FROM review_answer ORDER BY id DESC LIMIT 1")
    assert given == [(wrong,)]


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_solving_is_readable_by_anyone(
    people: People, solving: str, size: str, tmp_path: Path
) -> None:
    page = people.page_as("senior", size=size)  # type: ignore[arg-type]
    page.goto(solving)
    if page.get_by_role("button", name="Take the next item").count():
        page.get_by_role("button", name="Take the next item").click()
    expect(page.locator("form[data-ready]")).to_be_attached()
    page.screenshot(path=tmp_path / f"solving-{size}.png", full_page=True)
    assert barriers(page, Axe()) == []
    assert misfits(page) == []


def test_items_are_solved_without_a_script(people: People, solving: str) -> None:
    page = people.page_as("reviewer", java_script_enabled=False)
    page.goto(solving)
    page.locator("input[name=choice][value=unsure]").check()
    page.get_by_role("button", name="Submit and next").click()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()


@pytest.mark.parametrize("path", ["rounds/2/results/", "translations/choose/", "rounds/3/results/"])
def test_pages_of_managers_are_readable_by_anyone(
    people: People, solving: str, path: str, tmp_path: Path
) -> None:
    page = people.page_as("manager")
    page.goto(f"{PROJECT}/{path}")
    page.screenshot(path=tmp_path / f"{path.replace('/', '-')}.png", full_page=True)
    assert barriers(page, Axe()) == []
    assert misfits(page) == []


def test_key_dispute_is_settled_by_the_senior(people: People, solving: str, tmp_path: Path) -> None:
    manage(people.site.var, "close_round", SLUG, "3")
    dispute = people.site.rows(
        "SELECT id FROM review_panel WHERE reason_codes = 'experts_disagree' ORDER BY id"
    )
    page = people.page_as("senior")
    page.goto(f"{PROJECT}/disputes/{dispute[0][0]}/")
    expect(page.get_by_role("heading", name="What the experts answered")).to_be_visible()
    page.screenshot(path=tmp_path / "key-dispute.png", full_page=True)
    assert barriers(page, Axe()) == []
    assert misfits(page) == []
