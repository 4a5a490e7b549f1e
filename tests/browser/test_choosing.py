"""Choosing item by item by keyboard: choose, undo, look at what would happen, and do it."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.looks import barriers, misfits
from tests.browser.people import People
from tests.browser.site import PROJECT, SLUG, Site, manage

CHOICES = f"{PROJECT}/translations/items/"
COMPARED = f"""
from django.core.management import call_command
from django.utils import timezone
from projects.criteria import DEFAULT_NAMES
from review.actions.answers import AnswerContent, TextOpinion, submit_answer
from review.actions.seats import claim_seat
from review.comparing import candidates_for
from review.enums import RoundKind
from accounts.models import User
from annotation.models import Revision
from review.models import Round
call_command("close_round", {SLUG!r}, "1")
call_command("open_round", {SLUG!r}, "--kind", "comparison", "--select", "all")
round_ = Round.objects.get(project__slug={SLUG!r}, number=2)
user = User.objects.get(email="reviewer@demo.example")
for number in range(8):
    seat = claim_seat(
        round_=round_, reviewer=user, now=timezone.now(), kind=RoundKind.COMPARISON)
    shown = candidates_for(seat.panel, round_, user.pk)
    system = dict(Revision.objects.values_list("pk", "translation__system"))
    submit_answer(
        assignment=seat, reviewer=user, idempotency_key=f"key-{{number}}", now=timezone.now(),
        content=AnswerContent(token=shown.token, opinions={{
            text.number: TextOpinion(
                is_approved=system[text.revisions[0]] == "demo-mt-2",
                ratings=dict.fromkeys(DEFAULT_NAMES, 4))
            for text in shown.texts}}))
call_command("close_round", {SLUG!r}, "2")
"""


@pytest.fixture(scope="module")
def compared(site: Site) -> Site:
    """The demo after a comparison in which its second system was better in eight items."""
    manage(site.var, "shell", "-c", COMPARED)
    return site


def choices(site: Site) -> list[tuple[str, int]]:
    """What the API lists as choices that can be undone, the newest first."""
    listed = site.ask("manager", f"projects/{SLUG}/translations/choices/")
    return [(choice["why"], choice["item_count"]) for choice in listed]


def uid_of_current(page: Page) -> str:
    return page.locator("[data-choice][aria-current=true] h2").inner_text().strip()


def reach_free_item(page: Page) -> str:
    """Step with J to an item whose text nobody worked on; its uid."""
    free = "[data-choice][aria-current=true]:has([data-side]):not(:has([type=checkbox]))"
    for _step in range(20):
        if page.locator(free).count():
            return uid_of_current(page)
        page.keyboard.press("j")
    pytest.fail("people have worked on every item")


def system_of(site: Site, uid: str) -> str:
    rows = site.ask("manager", f"projects/{SLUG}/items/?q={uid}")["results"]
    found: str = next(row["translation"]["system"] for row in rows if row["uid"] == uid)
    return found


def test_texts_are_chosen_undone_and_taken_of_a_comparison_by_keyboard(
    people: People, compared: Site
) -> None:
    page = people.page_as("manager")
    page.goto(CHOICES)
    uid = reach_free_item(page)
    before = system_of(compared, uid)
    digit = page.locator("[data-choice][aria-current=true] [data-side]").first
    page.keyboard.press(str(digit.get_attribute("data-side")))
    page.wait_for_url("**#item-*")
    assert uid_of_current(page) == uid
    chosen = system_of(compared, uid)
    assert chosen != before
    assert choices(compared) == [(chosen, 1)]

    page.keyboard.press("u")
    expect(page.get_by_text("1 item has its text back")).to_be_visible()
    page.goto("about:blank")
    assert (system_of(compared, uid), choices(compared)) == (before, [])


def test_best_texts_are_looked_at_first_and_then_taken(people: People, compared: Site) -> None:
    page = people.page_as("manager")
    page.goto(CHOICES)
    page.get_by_text("Take the best-rated texts of a comparison").press("Enter")
    page.locator("#id_best-round").focus()
    page.keyboard.type("round 2")
    page.get_by_label("Also replace texts").press("Space")
    page.get_by_role("button", name="Preview").press("Enter")
    expect(page.get_by_text("What would happen:")).to_be_visible()
    expect(page.get_by_text("Items with another text now: ")).to_be_visible()
    assert choices(compared) == []
    assert barriers(page, Axe()) == []

    page.get_by_role("button", name="Choose these texts").press("Enter")
    page.wait_for_url(f"**{CHOICES}")
    page.goto("about:blank")
    ((why, count),) = choices(compared)
    assert why == "round 2"
    assert 1 <= count <= 8


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_choosing_is_readable_by_anyone(people: People, compared: Site, size: Any) -> None:
    page = people.page_as("manager", size=size)
    page.goto(CHOICES)
    assert barriers(page, Axe()) == []
    assert misfits(page) == []
