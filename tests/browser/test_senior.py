"""A senior's decision through an outage, and a reviewer who is asked to look again."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.people import People

NO_CONNECTION = r"net::ERR_"


@pytest.fixture
def dispute(people: People) -> Page:
    page = people.context_as("senior").new_page()
    page.goto("/projects/demo/disputes/")
    page.locator("tbody th a").first.click()
    expect(page.locator("[data-says]")).to_have_text("Decision: none yet")
    page.wait_for_function("() => navigator.serviceWorker.controller !== undefined")
    return page


def test_decision_waits_for_the_connection_and_is_stored_once(
    people: People, dispute: Page
) -> None:
    people.expect(NO_CONNECTION)
    here = dispute.url
    dispute.context.set_offline(True)
    dispute.locator("[data-decide=reject]").click()
    dispute.locator("[name=reason]").fill("Not a question.")
    dispute.locator("[data-settle]").click()
    expect(dispute.locator("[data-note]")).to_contain_text("kept on this device")
    expect(dispute.locator("[data-outbox]")).to_contain_text("Not sent yet: 1.")
    dispute.context.set_offline(False)
    dispute.wait_for_url(lambda address: address != here)
    dispute.goto("/projects/demo/disputes/settled/")
    expect(dispute.get_by_text("Not a question.")).to_have_count(1)


def test_refusal_is_said_in_an_alert_beside_the_decision(people: People, dispute: Page) -> None:
    people.expect(r"status of 400")
    dispute.locator("[data-matrix] textarea").first.fill("འདྲི་བ།")
    dispute.locator("[data-matrix] textarea").nth(1).fill(" ")
    dispute.locator("[data-settle]").click()
    expect(dispute.get_by_role("alert").filter(has_text="must not be empty")).to_be_visible()
    expect(dispute.locator("[data-settle]")).to_be_enabled()
