"""A reviewer rates by one, three and five criteria on scales of their own, by keyboard alone."""

import json
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.bench import Bench
from tests.browser.looks import barriers, misfits
from tests.browser.people import People
from tests.browser.site import Site


def criterion(name: str, lowest: int, highest: int) -> dict[str, Any]:
    label = name.title()
    scale = {"lowest": lowest, "highest": highest}
    return {
        "name": name,
        "label": label,
        "short_label": label,
        **scale,
        "rubric": [f"Is it {name}?"],
    }


FIVE = [
    criterion("terms", 0, 5),
    criterion("fluency", 1, 7),
    criterion("style", 0, 9),
    criterion("tone", 0, 1),
    criterion("brevity", 0, 3),
]


def rate_by(site: Site, count: int) -> None:
    """Give the demo other criteria; panels so large that none is decided with the old ratings."""
    stored = json.dumps(FIVE[:count])
    site.rows("UPDATE projects_project SET criteria_text = ?", stored)
    site.rows("UPDATE review_round SET panel_size = 9")


def test_three_criteria_are_rated_by_keyboard(people: People, site: Site) -> None:
    rate_by(site, 3)
    bench = Bench(people.page_as("reviewer")).open()
    item = bench.item

    bench.press("a", "4", "7", "9")
    bench.press("c", "6")
    expect(bench.page.locator("[data-rating=style]")).to_have_attribute("data-active", "")
    bench.submit_and_wait()

    judged = site.judgements()[item]
    assert judged["ratings"] == {"terms": 4, "fluency": 6, "style": 9}


@pytest.mark.parametrize("count", [1, 3, 5])
def test_bench_holds_any_number_of_criteria(people: People, site: Site, count: int) -> None:
    rate_by(site, count)
    bench = Bench(people.page_as("reviewer")).open()

    expect(bench.page.locator("[data-rating]")).to_have_count(count)
    assert barriers(bench.page, Axe()) == []
    assert misfits(bench.page) == []
