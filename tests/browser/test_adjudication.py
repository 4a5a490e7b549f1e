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

    def add_by_hand(self) -> str:
        """Write ADDED at the end of the final question; the text that it has then."""
        question = self.final("question")
        question.press("Control+End")
        self.page.keyboard.insert_text(ADDED)
        return question.input_value()

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


def test_errors_of_the_text_are_said_once_and_forbid_an_approval_before_it_is_sent(
    site: Site, desk: Desk
) -> None:
    panel, page = panel_with_error(site), desk.page
    with page.expect_response("**/check/"):
        desk.open(panel)
    said, final = page.locator("[data-final-checks] .findings li"), desk.final("options.0")
    expect(page.get_by_role("heading", name="Findings")).to_be_visible()
    expect(said).to_have_count(0)
    before = final.input_value()
    final.fill(desk.final("options.1").input_value())
    expect(said).not_to_have_count(0)
    final.fill(before)
    expect(said).to_have_count(0)

    desk.press("Escape", "0")
    expect(page.locator("[data-error]")).to_contain_text("The checks found errors")
    desk.press("Control+Enter")
    expect(page.locator("#adjudication")).to_have_attribute("data-panel", str(panel))
    dismiss_errors(page)
    desk.press("0", "m")
    page.keyboard.insert_text("the text is right")
    desk.settle()
    assert decision_on(site, panel) == ("approve", "the text is right")


def dismiss_errors(page: Page) -> None:
    findings = page.locator(".beside-finding")
    found = findings.filter(has=page.locator(".finding.error"))
    while found.count():
        before = findings.count()
        found.first.locator("summary").click()
        found.first.get_by_label("Why this is not a fault").fill("the letters are meant")
        found.first.get_by_role("button", name="Dismiss").click()
        expect(findings).to_have_count(before - 1)


def test_senior_mixes_fields_of_proposals_and_own_text(site: Site, desk: Desk) -> None:
    row = two_proposals(site)
    desk.open(row["id"])
    take_each_question_by_its_letter(desk)
    overwrite_a_hand_edit_only_after_asking(desk)
    desk.press("2")
    desk.cell(1, "question").click()
    expect(desk.cell(1, "question")).to_have_class(re.compile("taken"))
    typed = desk.add_by_hand()
    expect(desk.says).to_contain_text("your own text for Q")
    desk.settle()
    assert decision_on(site, row["id"])[0] == "merge"
    assert text_of(site, row["id"]) == typed


def take_each_question_by_its_letter(desk: Desk) -> None:
    for number in (1, 2):
        is_whole = desk.options(number) == desk.options(0)  # then its question is all it changes
        taken = f"proposal {number}, all texts" if is_whole else f"Q from proposal {number}"
        desk.press("Shift+Q")
        expect(desk.says).to_have_text(f"Decision: {taken}")
    desk.press("Shift+Q")
    expect(desk.says).to_have_text("Decision: approve as it stands")


def overwrite_a_hand_edit_only_after_asking(desk: Desk) -> None:
    typed, question = desk.add_by_hand(), desk.final("question")
    ask = desk.page.get_by_role("alertdialog")
    desk.press("Escape", "1")
    expect(ask).to_contain_text("You edited Q by hand")
    desk.press("Escape")
    expect(ask).to_be_hidden()
    expect(question).to_have_value(typed)
    desk.press("r", "1")
    ask.get_by_role("button", name="Replace it").click()
    expect(question).to_have_value(desk.cell(1, "question").get_attribute("data-text") or "")


def test_filter_and_order_last_and_a_dispute_can_be_skipped(site: Site, desk: Desk) -> None:
    page, filtered = desk.page, re.compile("verdicts=AE&sort=uid")
    page.goto(f"{PROJECT}/disputes/?verdicts=AE")
    page.get_by_label("Order").select_option("By item")
    page.wait_for_url(re.compile("sort=uid"))
    page.locator("tbody a").first.click()
    expect(page.locator("[data-decision]")).to_be_enabled()
    first = desk.panel
    desk.press("s")
    expect(page.locator("#adjudication")).not_to_have_attribute("data-panel", str(first))
    expect(page).to_have_url(filtered)
    expect(page.locator("[data-decision]")).to_be_enabled()
    second = desk.panel
    desk.press("1")
    desk.settle()
    expect(page).to_have_url(filtered)
    assert {first, second} - {row["id"] for row in open_disputes(site)} == {second}


def test_guideline_opens_beside_and_focus_comes_back_and_visitors_see_each_other(
    site: Site, people: People, desk: Desk
) -> None:
    page, panel = desk.page, open_disputes(site)[0]["id"]
    with page.expect_response(re.compile("/visit/")):
        desk.open(panel)
    page.get_by_role("button", name="Show differences").click()
    expect(page.locator(".matrix ins").first).to_be_visible()
    button = page.get_by_role("button", name="differences")
    button.focus()
    desk.press("g")
    expect(page.get_by_role("region", name="Guideline")).to_be_focused()
    desk.press("Escape")
    expect(button).to_be_focused()
    expect(page.get_by_role("region", name="Guideline")).to_be_hidden()

    other = people.page_as("administrator")
    other.goto(f"{PROJECT}/disputes/{panel}/")
    expect(other.locator("[data-others][role]")).to_contain_text("Also opened by")


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


def test_decision_comes_back_after_the_page_was_closed_but_not_after_a_month(
    site: Site, people: People
) -> None:
    context = people.context_as("senior")
    panel = disputes_with(site, "revise", "revise")[0]["id"]
    desk = Desk(context.new_page()).open(panel)
    desk.press("e")
    expect(desk.final("question")).to_be_focused()
    typed = desk.add_by_hand()
    kept = "typed => Object.values(localStorage).some(kept => kept.includes(JSON.stringify(typed)))"
    wait_until(desk.page, kept, value=True, arg=typed)
    write = """([id, days]) => localStorage.setItem(`lotsawa.draft.${document.body.dataset.user}.${id}`,
        JSON.stringify({at: Date.now() - days * 24 * 3600 * 1000, values: {}}))"""
    for age in (29, 31):
        desk.page.evaluate(write, [f"{age} days", age])
    desk.page.close()

    again = Desk(context.new_page()).open(panel)
    expect(again.final("question")).to_have_value(typed)
    expect(again.says).to_have_text("Decision: your own text for Q")
    of_age = "Object.keys(localStorage).filter(key => key.endsWith(' days')).map(key => key.slice(-7)).join()"
    wait_until(again.page, of_age, "29 days")


def test_asking_a_reviewer_needs_a_note_and_brings_the_next_dispute_into_the_same_page(
    site: Site, people: People, desk: Desk
) -> None:
    people.expect("status of 400")
    first, second, *_ = [row["id"] for row in open_disputes(site)]
    page = desk.open(first).page
    page.evaluate("window.isSamePage = true")
    page.get_by_text("Ask the reviewers", exact=True).click()
    note, ask = (
        page.get_by_label("Note to the reviewer"),
        page.get_by_role("button", name="Ask to look again"),
    )
    note.fill("  ")
    ask.click()
    expect(page.locator("[data-error]")).to_contain_text("Give a reason")
    note.fill("Look at line 2.")
    ask.click()
    expect(page.locator(f"#adjudication[data-panel='{second}']")).to_be_attached()
    expect(page.locator("[data-note]")).to_contain_text("The reviewer is asked.")
    desk.press("r")
    expect(desk.says).to_have_text("Decision: reject the item")
    assert page.evaluate("window.isSamePage") is True
    assert site.rows("SELECT panel_id FROM review_inquiry") == [(first,)]


def test_dispute_without_javascript_fits_a_phone_and_is_settled(site: Site, people: People) -> None:
    page = people.page_as("senior", size="phone", java_script_enabled=False)
    panel = disputes_with(site, "approve", "revise")[0]["id"]
    page.goto(f"{PROJECT}/disputes/{panel}/")
    button = page.get_by_role("button", name="Reject item").bounding_box()
    assert button is not None
    assert button["x"] + button["width"] <= SIZES["phone"]["width"]
    page.locator("input[name=judgement]").check()
    page.get_by_role("button", name="Take the chosen proposal").click()
    page.wait_for_url(lambda url: f"/{panel}/" not in url)
    assert decision_on(site, panel)[0] == "adopt"
