"""A reviewer finds what became of their work, and a manager sets pay and closes the month."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.people import People
from tests.browser.site import PROJECT, Site

WORLD = "judged"


@pytest.fixture(autouse=True)
def judged_last_month(site: Site) -> None:
    """Give what one simulated reviewer judged to the demo's, and date all of it, so that it can be closed."""
    site.rows(
        "UPDATE review_judgement SET reviewer_id ="
        " (SELECT id FROM accounts_user WHERE email = 'reviewer@demo.example')"
        " WHERE reviewer_id = (SELECT min(reviewer_id) FROM review_judgement)"
    )
    site.rows(f"UPDATE review_judgement SET submitted_at = '{last_month():%Y-%m}-15 12:00:00'")


def last_month() -> datetime:
    """A moment in the month before this one."""
    return datetime.now(UTC).replace(day=1) - timedelta(days=2)


def test_reviewer_goes_from_home_to_what_became_of_their_work(people: People, site: Site) -> None:
    page = people.page_as("reviewer")
    page.goto("/")
    expect(page.get_by_role("heading", name="Since you last looked")).to_be_visible()
    page.get_by_role("link", name="View my work").click()
    expect(page.get_by_role("heading", name="My work")).to_be_visible()
    page.get_by_label("Outcome").select_option("kept")
    page.get_by_role("button", name="Filter").click()

    told = site.ask("reviewer", "me/work/?fate=kept&page_size=1000")["results"]
    assert told
    expect(page.locator("article")).to_have_count(min(20, len(told)))
    page.goto("/")
    page.get_by_role("button", name="Mark as seen").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    expect(page.get_by_role("heading", name="Since you last looked")).to_have_count(0)
    assert site.ask("reviewer", "me/home/")["seen_at"] is not None


def test_manager_sets_pay_and_closes_the_month(people: People, site: Site) -> None:
    email = "reviewer@demo.example"
    members = site.ask("manager", "projects/demo/members/")["results"]
    member = next(row["id"] for row in members if row["email"] == email)
    month = f"{last_month():%Y-%m}"
    page = people.page_as("manager")
    page.goto(f"{PROJECT}/members/{member}/")
    page.get_by_role("link", name="Pay").click()
    page.get_by_label("Per hour").fill("36.00")
    page.get_by_label("Currency").fill("CNY")
    page.get_by_label("From the month").fill(month)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("cell", name="36.00 CNY")).to_be_visible()
    page.goto(f"{PROJECT}/members/")
    page.get_by_role("link", name="Statements of work").click()
    page.get_by_role("link", name=f"{last_month():%b %Y}").click()
    page.get_by_role("button", name="Close the statement").click()
    expect(page.get_by_text("The statement is closed.")).to_be_visible()

    told = site.ask("manager", f"projects/demo/statements/{month}/")
    assert told["closed_at"] is not None
    assert told["judgements"] == 144
    (line,) = site.ask("reviewer", "me/statements/")
    assert (line["hourly"], line["currency"], line["month"]) == ("36.00", "CNY", month)
