"""A manager reads the report, asks for it as of a closed round, and looks at two reviewers."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.people import People
from tests.browser.site import PROJECT, Site

WORLD = "judged"


def test_manager_reads_the_report_and_takes_a_table_along(people: People, site: Site) -> None:
    page = people.page_as("manager")
    page.goto(f"{PROJECT}/rounds/")
    page.get_by_role("link", name="Report", exact=True).first.click()
    expect(page.get_by_role("heading", name="Report", exact=True)).to_be_visible()

    (stage,) = site.ask("manager", "projects/demo/report/?table=stages")["stages"]
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="Initial")).first
    expect(row).to_contain_text(str(stage["items_judged"]))
    expect(row).to_contain_text(f"{100 * stage['approval_rate']['value']:.1f} %")
    with page.expect_download() as started:
        page.get_by_role("link", name="CSV").first.click()
    assert Path(started.value.path()).read_text().startswith("table,round,stage_code,stage")


def test_manager_asks_for_figures_as_of_a_closed_round(people: People, site: Site) -> None:
    page = people.page_as("manager")
    page.goto(f"{PROJECT}/report/")
    expect(page.get_by_label("As of")).to_have_count(0)
    page.goto(f"{PROJECT}/rounds/1/")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Close the round").click()
    confirm = page.get_by_role("dialog").get_by_role("button", name="Close the round")
    if confirm.count():
        confirm.click()
    expect(page.get_by_text("The round is closed.")).to_be_visible()
    page.goto(f"{PROJECT}/report/")
    page.get_by_label("As of").select_option("1")
    page.get_by_role("button", name="Show").click()

    expect(page).to_have_url(re.compile(r"\?as-of=1$"))
    expect(page.get_by_label("As of")).to_have_value("1")
    assert site.ask("manager", "projects/demo/report/?as-of=1")["as_of"] == 1


def test_manager_goes_from_reviewers_to_what_two_of_them_said(people: People, site: Site) -> None:
    page = people.page_as("manager")
    page.goto(f"{PROJECT}/report/")
    page.get_by_role("main").get_by_role("link", name="Reviewers").click()
    expect(page.get_by_role("heading", name="Reviewers", exact=True)).to_be_visible()
    page.locator("table.pairs td a").first.click()
    expect(page.get_by_role("row").nth(1)).to_be_visible()
    everything = page.get_by_role("row").count()
    page.get_by_role("link", name=re.compile("differ", re.IGNORECASE)).first.click()
    expect(page).to_have_url(re.compile("differing=1"))
    assert page.get_by_role("row").count() < everything
