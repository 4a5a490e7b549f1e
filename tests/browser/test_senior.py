"""A senior's decision through an outage, and refusals that are said beside the decision."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.people import People
from tests.browser.site import ADDRESSES, PROJECT, Site
from tests.browser.workbench import Workbench

WORLD = "judged"
NO_CONNECTION = r"net::ERR_"


@pytest.fixture
def dispute(people: People) -> Page:
    page = people.page_as("senior")
    page.goto(f"{PROJECT}/disputes/")
    page.locator("tbody th a").first.click()
    expect(page.locator("[data-decision]")).to_be_enabled()
    return page


def reason_for(here: str, words: str) -> str:
    """A reason that names its dispute, so that it is told from that of a try before."""
    return f"{words} ({here.removesuffix('/').rpartition('/')[2]})"


def test_decision_of_an_outage_is_stored_once_when_the_connection_is_back(
    people: People, dispute: Page
) -> None:
    people.expect(NO_CONNECTION)
    here = dispute.url
    reason = reason_for(here, "Not a question")
    dispute.context.set_offline(True)
    dispute.locator("[data-decide=reject]").click()
    dispute.locator("[name=reason][form=adjudication]").fill(reason)
    dispute.locator("[data-settle]").click()
    expect(dispute.locator("[data-note]")).to_contain_text("kept on this device")
    expect(dispute.locator("[data-outbox]")).to_contain_text("Not sent yet: 1.")
    dispute.context.set_offline(False)
    dispute.wait_for_url(lambda address: address != here)
    dispute.goto(f"{PROJECT}/disputes/settled/")
    expect(dispute.locator("td", has_text=reason)).to_have_count(1)


def test_decision_of_a_tab_that_was_closed_in_an_outage_leads_on_when_the_dispute_is_opened(
    people: People,
) -> None:
    people.expect(NO_CONNECTION)
    dispute = people.page_as("senior")
    dispute.goto(f"{PROJECT}/disputes/")
    dispute.locator("tbody th a").last.click()
    expect(dispute.locator("[data-decision]")).to_be_enabled()
    here, context = dispute.url, dispute.context
    reason = reason_for(here, "Cut off")
    context.set_offline(True)
    dispute.locator("[data-decide=reject]").click()
    dispute.locator("[name=reason][form=adjudication]").fill(reason)
    dispute.locator("[data-settle]").click()
    expect(dispute.locator("[data-note]")).to_contain_text("kept on this device")
    dispute.close()
    context.set_offline(False)
    page = context.new_page()
    page.goto(here)
    page.wait_for_url(lambda address: address != here)
    page.goto(f"{PROJECT}/disputes/settled/")
    expect(page.locator("td", has_text=reason)).to_have_count(1)


def test_final_text_is_repaired_by_a_key_and_stays_open_to_changes(
    site: Site, people: People
) -> None:
    page = people.page_as("senior")
    page.goto(f"{PROJECT}/disputes/")
    page.locator("tbody th a", has_text="arithmetic/9").click()
    expect(page.locator("[data-decision]")).to_be_enabled()
    areas = page.locator("[data-matrix] textarea")
    clean = areas.nth(1).input_value() or "ཀ"
    for number in range(1, areas.count()):
        letter = chr(ord("A") + number - 1)
        areas.nth(number).fill(f"{letter}. {areas.nth(number).input_value() or 'ཀ'}")
    expect(page.locator("[data-final-repair]")).to_contain_text("Remove the option labels")
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    expect(areas.nth(1)).to_have_value(clean)
    expect(page.locator("[data-final-repair]")).to_be_hidden()
    areas.nth(1).press_sequentially("ཀ")
    expect(page.locator("[data-settle]")).to_be_enabled()


def asked_to_look_again(site: Site) -> int:
    """The id of a second look that the demo's reviewer is asked for."""
    (me,) = site.rows("SELECT id FROM accounts_user WHERE email = ?", ADDRESSES["reviewer"])
    judgement, seat, panel = site.rows(
        "SELECT j.id, j.assignment_id, j.panel_id FROM review_judgement j"
        " JOIN review_panel p ON p.id = j.panel_id WHERE p.state = 'disputed' AND NOT EXISTS"
        " (SELECT 1 FROM review_judgement o WHERE o.panel_id = p.id AND o.reviewer_id = ?)"
        " ORDER BY j.id DESC LIMIT 1",
        *me,
    )[0]
    site.rows("UPDATE review_judgement SET reviewer_id = ? WHERE id = ?", *me, judgement)
    site.rows("UPDATE review_assignment SET reviewer_id = ? WHERE id = ?", *me, seat)
    now = "2026-01-05 09:30:00"
    site.rows(
        "INSERT INTO review_inquiry (kind, state, note, panel_id, judgement_id, reviewer_id,"
        " asked_by_id, asked_at) VALUES ('second_look', 'open', 'Line 2?', ?, ?, ?, ?, ?)",
        panel,
        judgement,
        *me,
        *me,
        now,
    )
    return int(site.rows("SELECT max(id) FROM review_inquiry")[0][0])


def test_second_look_of_an_outage_is_kept_through_a_reload_and_stored_once(
    site: Site, people: People
) -> None:
    people.expect(NO_CONNECTION)
    number = asked_to_look_again(site)
    page = people.page_as("reviewer")
    page.goto(f"/second-looks/{number}/")
    expect(page.locator("[data-rating][data-active]")).to_have_count(1)
    kept = (
        "caches.open('lotsawa-pages').then(async pages =>"
        " await pages.match(location.pathname) && navigator.serviceWorker.controller ? 1 : 0)"
    )
    Workbench(page).wait_until(kept, 1)
    page.keyboard.press("r")
    for key in ("1", "2", "m"):
        page.keyboard.press(key)
    page.locator("#comment").fill("Seen again.")
    page.context.set_offline(True)

    page.reload()
    expect(page.locator("#comment")).to_have_value("Seen again.")
    expect(page.locator("[name=verdict]:checked")).to_have_value("reject")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-note]")).to_contain_text("kept on this device")
    page.keyboard.press("a")
    expect(page.locator("[name=verdict]:checked")).to_have_value("reject")

    page.reload()
    expect(page.locator("[data-note]")).to_contain_text("kept on this device")
    page.context.set_offline(False)
    page.wait_for_url(f"{site.address}/")
    stored = site.rows(
        "SELECT verdict, comment FROM review_judgement WHERE comment = 'Seen again.'"
    )
    assert stored == [("reject", "Seen again.")]
    assert site.rows("SELECT state FROM review_inquiry WHERE id = ?", number) == [("answered",)]
