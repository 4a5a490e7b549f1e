"""A senior's decision through an outage, and refusals that are said beside the decision."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.people import People
from tests.browser.site import PROJECT, Site

NO_CONNECTION = r"net::ERR_"


@pytest.fixture(scope="module")
def site(judged_var: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    ours = Site.copy_of(judged_var, tmp_path_factory.mktemp("senior") / "var")
    try:
        ours.start("web server")
        yield ours
    finally:
        ours.close()


@pytest.fixture
def dispute(people: People) -> Page:
    page = people.page_as("senior")
    page.goto(f"{PROJECT}/disputes/")
    page.locator("tbody th a").first.click()
    expect(page.locator("[data-decision]")).to_be_enabled()
    return page


def test_decision_of_an_outage_is_stored_once_when_the_connection_is_back(
    people: People, dispute: Page
) -> None:
    people.expect(NO_CONNECTION)
    here = dispute.url
    dispute.context.set_offline(True)
    dispute.locator("[data-decide=reject]").click()
    dispute.locator("[name=reason][form=adjudication]").fill("Not a question.")
    dispute.locator("[data-settle]").click()
    expect(dispute.locator("[data-note]")).to_contain_text("kept on this device")
    expect(dispute.locator("[data-outbox]")).to_contain_text("Not sent yet: 1.")
    dispute.context.set_offline(False)
    dispute.wait_for_url(lambda address: address != here)
    dispute.goto(f"{PROJECT}/disputes/settled/")
    expect(dispute.locator("td", has_text="Not a question.")).to_have_count(1)


def test_refusal_is_said_in_an_alert_and_nothing_typed_is_lost(
    people: People, dispute: Page
) -> None:
    people.expect(r"status of 400")
    area = dispute.locator("[data-matrix] textarea").nth(1)
    area.fill(" ")
    dispute.locator("[data-settle]").click()
    alert = dispute.locator("[data-error][role=alert]")
    expect(alert).to_contain_text("must not be empty")
    area.fill("ཀ")
    expect(dispute.locator("[data-settle]")).to_be_enabled()
