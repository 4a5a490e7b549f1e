"""Takes the pictures of single pages; `make screenshots` runs it, `make test` does not."""

import pytest
from playwright.sync_api import expect

from tests.browser.people import People
from tests.browser.pictures import take
from tests.browser.site import PROJECT, Site
from tests.browser.workbench import Workbench


@pytest.mark.parametrize(
    ("picture", "size", "theme"),
    [
        ("workbench-desktop", "desktop", "light"),
        ("workbench-dark", "desktop", "dark"),
        ("workbench-phone", "phone", "light"),
    ],
)
def test_workbench_shows_a_correction_as_its_difference(
    people: People, picture: str, size: str, theme: str
) -> None:
    workbench = Workbench(people.page_as("reviewer", size=size, theme=theme)).open()
    workbench.press("e")
    workbench.area.press("Control+End")
    workbench.page.keyboard.insert_text("ཡིན་ནམ།")
    workbench.press("Escape", "t", "d", "4", "3")
    assert workbench.page.locator("[data-target] ins").first.inner_text().strip("།")
    expect(workbench.page.locator("[data-saved]")).to_contain_text("Draft saved")
    take(workbench.page, picture)


@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize(
    ("picture", "path", "heading"),
    [
        ("overview", f"{PROJECT}/", "Demo: general knowledge"),
        ("items", f"{PROJECT}/items/", "Items"),
        ("findings", f"{PROJECT}/findings/", "Findings"),
    ],
)
def test_manager_sees(
    people: People, site: Site, picture: str, path: str, heading: str, size: str
) -> None:
    page = people.page_as("manager", size=size)
    page.goto(path)
    assert page.get_by_role("heading", level=1).inner_text().startswith(heading)
    take(page, f"{picture}-{size}")


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_senior_sees_each_judgement_as_a_difference(people: People, site: Site, size: str) -> None:
    dispute = site.ask("senior", "projects/demo/disputes/")["results"][0]["id"]
    page = people.page_as("senior", size=size)
    page.goto(f"{PROJECT}/disputes/{dispute}/")
    page.get_by_role("button", name="Show differences").click()
    assert page.locator(".matrix ins").count()
    page.locator("th [data-column='1']").click()
    take(page, f"adjudication-{size}")
