"""Seniors settle disputes by keyboard, and by plain forms where there is no script."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.people import SIZES, People
from tests.browser.site import PROJECT, SLUG, Site
from tests.browser.workbench import wait_until

WORLD = "judged"
ADDED = "་ལེགས།"


class Desk:
    """The senior's hands on the page of one dispute."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @property
    def panel(self) -> int:
        return int(self.page.locator("#adjudication").get_attribute("data-panel") or 0)

    @property
    def says(self) -> Locator:
        return self.page.locator("[data-says]")

    def open(self, panel: int) -> "Desk":
        self.page.goto(f"{PROJECT}/disputes/{panel}/")
        expect(self.page.locator("[data-decision]")).to_be_enabled()
        return self

    def cell(self, column: int, field: str) -> Locator:
        return self.page.locator(f"td[data-column='{column}'][data-field='{field}']")

    def options(self, column: int) -> list[str | None]:
        cells = self.page.locator(f"td[data-column='{column}'][data-field^='options']").all()
        return [cell.get_attribute("data-text") for cell in cells]

    def final(self, field: str) -> Locator:
        return self.page.locator(f"textarea[data-field='{field}']")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def settle(self) -> None:
        """Settle, and wait until the server has gone on to another page."""
        before = self.page.url
        self.press("Control+Enter")
        self.page.wait_for_url(lambda url: url != before)
        assert "adjudicate" not in self.page.url, self.page.get_by_role("alert").inner_text()


@pytest.fixture
def desk(people: People) -> Desk:
    return Desk(people.page_as("senior"))


def open_disputes(site: Site) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = site.ask("senior", f"projects/{SLUG}/disputes/?page_size=200")[
        "results"
    ]
    return rows


def disputes_with(site: Site, *verdicts: str) -> list[dict[str, Any]]:
    """Open disputes whose judgements have these verdicts, in any order."""
    return [
        row
        for row in open_disputes(site)
        if sorted(said["verdict"] for said in row["judgements"]) == sorted(verdicts)
    ]


def two_proposals(site: Site) -> dict[str, Any]:
    """An open dispute in which both reviewers give another text of the question."""
    rows = disputes_with(site, "revise", "revise")
    return next(
        row
        for row in rows
        if len({said["correction"]["question"] for said in row["judgements"]}) > 1
        and row["revision"]["question"]
        not in [s["correction"]["question"] for s in row["judgements"]]
    )


def panel_with_error(site: Site) -> int:
    """An open dispute whose text has an open error."""
    rows = site.rows(
        "SELECT p.id FROM review_panel p JOIN annotation_finding f ON f.revision_id = p.revision_id"
        " WHERE p.state = 'disputed' AND f.severity = 'error' AND f.dismissed_at IS NULL"
    )
    return int(rows[0][0])


def decision_on(site: Site, panel: int) -> tuple[str, str]:
    """(decision, reason) of the one adjudication stored for a panel."""
    [stored] = site.rows(
        "SELECT decision, reason FROM review_adjudication WHERE panel_id = ?", panel
    )
    return stored[0], stored[1]


def text_of(site: Site, panel: int) -> str:
    """The question of the translation's current revision."""
    [(question,)] = site.rows(
        "SELECT r.question FROM review_panel p JOIN annotation_revision judged ON judged.id ="
        " p.revision_id JOIN annotation_translation t ON t.id = judged.translation_id"
        " JOIN annotation_revision r ON r.id = t.current_revision_id WHERE p.id = ?",
        panel,
    )
    return str(question)


def test_faults_of_the_current_text_are_said_once_and_those_of_another_text_below(
    site: Site, desk: Desk
) -> None:
    desk.page.goto(f"{PROJECT}/disputes/")
    with desk.page.expect_response("**/check/"):
        desk.open(panel_with_error(site))
    said = desk.page.locator("[data-final-checks] .findings li")
    expect(desk.page.get_by_role("heading", name="Findings")).to_be_visible()
    expect(said).to_have_count(0)
    desk.final("options.0").fill(desk.final("options.1").input_value())
    expect(said).not_to_have_count(0)


def test_draft_of_a_dispute_of_long_ago_is_dropped_by_any_page(people: People) -> None:
    page = people.page_as("senior")
    page.goto(PROJECT)
    write = """([id, days]) => localStorage.setItem(`lotsawa.draft.${document.body.dataset.user}.${id}`,
        JSON.stringify({at: Date.now() - days * 24 * 3600 * 1000, values: {}}))"""
    page.evaluate(write, ["dispute-1", 31])
    page.evaluate(write, ["dispute-2", 29])
    page.reload()
    left = "Object.keys(localStorage).filter(key => key.startsWith('lotsawa.draft.'))"
    wait_until(page, f"{left}.length", 1)
    assert page.evaluate(left)[0].endswith(".dispute-2")


def test_senior_approves_as_it_stands_and_gets_the_next_dispute(site: Site, desk: Desk) -> None:
    panel = disputes_with(site, "approve", "revise")[0]["id"]
    desk.open(panel).press("0")
    expect(desk.says).to_have_text("Decision: approve as it stands")
    desk.settle()
    assert decision_on(site, panel)[0] == "approve"
    assert panel not in [row["id"] for row in open_disputes(site)]
    assert desk.panel != panel


def test_senior_takes_a_whole_proposal(site: Site, desk: Desk) -> None:
    panel = disputes_with(site, "approve", "revise")[0]["id"]
    desk.open(panel).press("1")
    expect(desk.says).to_have_text("Decision: proposal 1, all texts")
    desk.settle()
    assert decision_on(site, panel)[0] == "adopt"


def test_senior_mixes_fields_of_proposals_and_own_text(site: Site, desk: Desk) -> None:
    row = two_proposals(site)
    desk.open(row["id"]).press("2")
    desk.cell(1, "question").click()
    expect(desk.cell(1, "question")).to_have_class(re.compile("taken"))
    desk.final("question").press("Control+End")
    desk.page.keyboard.insert_text(ADDED)
    expect(desk.says).to_contain_text("your own text for Q")
    typed = desk.final("question").input_value()
    desk.settle()
    assert decision_on(site, row["id"])[0] == "merge"
    assert text_of(site, row["id"]) == typed


def test_hand_edit_is_overwritten_only_after_asking(site: Site, desk: Desk) -> None:
    row = two_proposals(site)
    desk.open(row["id"]).final("question").press("Control+End")
    desk.page.keyboard.insert_text(ADDED)
    typed = desk.final("question").input_value()
    ask = desk.page.get_by_role("alertdialog")
    desk.press("Escape", "1")
    expect(ask).to_contain_text("You edited Q by hand")
    desk.press("Escape")
    expect(ask).to_be_hidden()
    assert desk.final("question").input_value() == typed
    desk.press("r", "1")
    ask.get_by_role("button", name="Replace it").click()
    text = desk.cell(1, "question").get_attribute("data-text")
    expect(desk.final("question")).to_have_value(text or "")


def test_letter_with_shift_takes_the_next_text_of_its_row(site: Site, desk: Desk) -> None:
    row = two_proposals(site)
    desk.open(row["id"])
    for number in (1, 2):
        is_whole = desk.options(number) == desk.options(0)  # then its question is all it changes
        taken = f"proposal {number}, all texts" if is_whole else f"Q from proposal {number}"
        desk.press("Shift+Q")
        expect(desk.says).to_have_text(f"Decision: {taken}")
    desk.press("Shift+Q")
    expect(desk.says).to_have_text("Decision: approve as it stands")


def test_open_errors_forbid_an_approval_before_it_is_sent(site: Site, desk: Desk) -> None:
    panel = panel_with_error(site)
    desk.open(panel).press("0")
    alert = desk.page.locator("[data-error]")
    expect(alert).to_contain_text("The checks found errors")
    desk.press("Control+Enter")
    expect(desk.page.locator("#adjudication")).to_have_attribute("data-panel", str(panel))
    while desk.page.locator(".beside-finding .finding.error").count():
        before = desk.page.locator(".beside-finding").count()
        found = desk.page.locator(".beside-finding:has(.finding.error)").first
        found.locator("summary").click()
        found.get_by_label("Why this is not a fault").fill("the letters are meant")
        found.get_by_role("button", name="Dismiss").click()
        expect(desk.page.locator(".beside-finding")).to_have_count(before - 1)
    desk.press("0", "m")
    desk.page.keyboard.insert_text("the text is right")
    desk.settle()
    assert decision_on(site, panel) == ("approve", "the text is right")


def test_filter_and_order_last_and_a_dispute_can_be_skipped(site: Site, desk: Desk) -> None:
    desk.page.goto(f"{PROJECT}/disputes/?verdicts=AE")
    desk.page.get_by_label("Order").select_option("By item")
    desk.page.wait_for_url(re.compile("sort=uid"))
    desk.page.locator("tbody a").first.click()
    expect(desk.page.locator("[data-decision]")).to_be_enabled()
    first = desk.panel
    desk.press("s")
    expect(desk.page.locator("#adjudication")).not_to_have_attribute("data-panel", str(first))
    assert "verdicts=AE&sort=uid" in desk.page.url
    expect(desk.page.locator("[data-decision]")).to_be_enabled()
    second = desk.panel
    desk.press("1")
    desk.settle()
    assert "verdicts=AE&sort=uid" in desk.page.url
    assert {first, second} - {row["id"] for row in open_disputes(site)} == {second}


def test_guideline_opens_beside_and_focus_comes_back(site: Site, desk: Desk) -> None:
    desk.open(open_disputes(site)[0]["id"])
    button = desk.page.get_by_role("button", name="Show differences")
    button.click()
    expect(desk.page.locator(".matrix ins").first).to_be_visible()
    button = desk.page.get_by_role("button", name="differences")
    button.focus()
    desk.press("g")
    expect(desk.page.get_by_role("region", name="Guideline")).to_be_focused()
    desk.press("Escape")
    expect(button).to_be_focused()
    expect(desk.page.get_by_role("region", name="Guideline")).to_be_hidden()


def test_page_says_who_else_has_the_dispute_open(site: Site, people: People) -> None:
    address = f"{PROJECT}/disputes/{open_disputes(site)[0]['id']}/"
    desk = people.page_as("senior")
    with desk.expect_response(re.compile("/visit/")):
        desk.goto(address)
    other = people.page_as("administrator")
    other.goto(address)
    expect(other.locator("[data-others][role]")).to_contain_text("Also opened by")


def test_senior_settles_a_filter_at_once_and_reopens_one(site: Site, desk: Desk) -> None:
    desk.page.goto(f"{PROJECT}/disputes/?reason=only-score_gap")
    desk.page.get_by_role("link", name="Settle all that match").click()
    expect(desk.page.locator("tbody tr").first).to_be_visible()
    desk.page.get_by_label("Reason for all").fill("both approve")
    desk.page.get_by_role("button", name=re.compile("^Approve")).click()
    expect(desk.page.locator(".messages")).to_contain_text("Settled:")
    desk.page.get_by_role("link", name="Settled by you").click()
    row = desk.page.locator("tbody tr").first
    row.locator("summary").click()
    row.get_by_label("Reason").fill("a slip")
    row.get_by_role("button", name="Reopen the dispute").click()
    expect(desk.page.get_by_role("heading", name="Earlier on this item")).to_be_visible()
    assert desk.panel in [row["id"] for row in open_disputes(site)]


def test_senior_writes_a_text_by_hand(site: Site, desk: Desk) -> None:
    panel = disputes_with(site, "revise", "revise")[0]["id"]
    desk.open(panel).press("e")
    expect(desk.page.locator("textarea[name=question]")).to_be_focused()
    desk.press("Control+End")
    desk.page.keyboard.insert_text(ADDED)
    desk.press("Escape", "m")
    desk.page.keyboard.insert_text("both miss a word")
    desk.settle()
    assert decision_on(site, panel) == ("merge", "both miss a word")
    assert text_of(site, panel).endswith(ADDED)


def test_senior_rejects_only_with_a_reason_when_all_are_overruled(
    site: Site, people: People, desk: Desk
) -> None:
    people.expect("status of 400")
    panel = disputes_with(site, "approve", "revise")[0]["id"]
    desk.open(panel).press("r")
    expect(desk.says).to_have_text("Decision: reject the item")
    desk.press("Control+Enter")
    expect(desk.page.get_by_role("alert")).to_contain_text("Give a reason")
    expect(desk.says).to_have_text("Decision: reject the item")
    desk.press("m")
    desk.page.keyboard.insert_text("no such plant grows there")
    desk.settle()
    assert decision_on(site, panel) == ("reject", "no such plant grows there")


def test_decision_comes_back_after_the_page_was_closed(site: Site, people: People) -> None:
    context = people.context_as("senior")
    panel = disputes_with(site, "revise", "revise")[0]["id"]
    desk = Desk(context.new_page()).open(panel)
    desk.press("e", "Control+End")
    desk.page.keyboard.insert_text(ADDED)
    typed = desk.page.locator("textarea[name=question]").input_value()
    kept = "typed => Object.values(localStorage).some(kept => kept.includes(JSON.stringify(typed)))"
    wait_until(desk.page, kept, value=True, arg=typed)
    desk.page.close()
    again = Desk(context.new_page()).open(panel)
    assert again.page.locator("textarea[name=question]").input_value() == typed
    expect(again.says).to_have_text("Decision: your own text for Q")


def test_asking_a_reviewer_brings_the_next_dispute_into_the_same_page(
    site: Site, people: People, desk: Desk
) -> None:
    first, second, *_ = [row["id"] for row in open_disputes(site)]
    desk.open(first)
    desk.page.evaluate("window.isSamePage = true")
    desk.page.get_by_text("Ask the reviewers", exact=True).click()
    desk.page.get_by_label("Note to the reviewer").fill("Look at line 2.")
    desk.page.get_by_role("button", name="Ask to look again").click()
    expect(desk.page.locator(f"#adjudication[data-panel='{second}']")).to_be_attached()
    expect(desk.page.get_by_text("The reviewer is asked.", exact=False)).to_be_visible()
    desk.press("r")
    expect(desk.says).to_have_text("Decision: reject the item")
    assert desk.page.evaluate("window.isSamePage") is True
    assert site.rows("SELECT panel_id FROM review_inquiry") == [(first,)]


def test_asking_without_a_note_says_what_is_missing_and_keys_go_on(
    people: People, site: Site, desk: Desk
) -> None:
    people.expect("status of 400")
    panel = open_disputes(site)[0]["id"]
    desk.open(panel)
    desk.page.get_by_text("Ask the reviewers", exact=True).click()
    desk.page.get_by_label("Note to the reviewer").fill("  ")
    desk.page.get_by_role("button", name="Ask to look again").click()
    expect(desk.page.locator("[data-error]")).to_contain_text("Give a reason")
    desk.page.locator("h1").click()
    desk.press("r")
    expect(desk.says).to_have_text("Decision: reject the item")
    assert desk.panel == panel


def test_dispute_is_settled_without_javascript(site: Site, people: People) -> None:
    page = people.page_as("senior", java_script_enabled=False)
    panel = disputes_with(site, "approve", "revise")[0]["id"]
    page.goto(f"{PROJECT}/disputes/{panel}/")
    page.locator("input[name=judgement]").check()
    page.get_by_role("button", name="Take the chosen proposal").click()
    assert decision_on(site, panel)[0] == "adopt"
    assert panel not in [row["id"] for row in open_disputes(site)]


def test_dispute_without_javascript_fits_a_phone(site: Site, people: People) -> None:
    page = people.page_as("senior", size="phone", java_script_enabled=False)
    page.goto(f"{PROJECT}/disputes/{open_disputes(site)[-1]['id']}/")
    button = page.get_by_role("button", name="Reject item").bounding_box()
    assert button is not None
    assert button["x"] + button["width"] <= SIZES["phone"]["width"]
