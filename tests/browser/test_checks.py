"""Checks while typing: what the server says is in the text, and the repair is one key."""

from playwright.sync_api import expect

from tests.browser.people import People
from tests.browser.site import Site
from tests.browser.workbench import Workbench


def workbench_of(people: People, role: str = "reviewer", *, fault: str = "") -> Workbench:
    """The workbench with an item that has `fault`, else with one that has no error."""
    people.site.reserve(role, fault=fault)
    return Workbench(people.page_as(role)).open()


def test_a_cause_in_several_texts_is_told_once_and_marked_in_each(people: People) -> None:
    """Nothing blinks with each key while the server is asked; what was typed and taken back is marked again."""
    workbench = workbench_of(people, fault="label_in_text")
    told = workbench.page.locator("[data-spans*='options.0:'][data-spans*='options.1:']").first
    places = told.get_attribute("data-spans") or ""
    fields = {place.split(":")[0].replace("options.", "option_") for place in places.split()}
    assert len(fields) > 1
    cells = workbench.page.locator("[data-target]")
    for field in fields:
        cell = cells.filter(has=workbench.page.locator(f"[name={field}]"))
        expect(cell.locator(".text-marks mark").first).to_be_attached()

    marks, first = cells.locator(".text-marks mark"), workbench.page.locator("[name=option_0]")
    before = marks.count()
    workbench.answer_checks_never()
    workbench.press("e")
    first.press("Home")
    first.press("x")
    expect(cells.filter(has=first).locator(".text-marks mark")).to_have_count(0)
    expect(marks).to_have_count(before - 1)
    first.press("Backspace")
    expect(marks).to_have_count(before)


def test_a_repair_is_one_key_and_undone_shows_what_is_said_of_its_own_text(
    site: Site, people: People
) -> None:
    workbench = workbench_of(people, fault="label_in_text")
    item, page = workbench.item, workbench.page
    workbench.press("f")
    expect(page.locator("[name=verdict][value=revise]")).to_be_checked()
    expect(page.locator(".finding.error")).to_have_count(0)
    workbench.press("4", "3")  # not into the text
    workbench.submit_and_wait()
    row = site.judgements()[item]
    assert row["ratings"] == {"domain": 4, "cultural": 3}
    assert all(text.strip() for text in row["correction"]["options"])

    workbench.answer_checks_never()
    workbench.press("u")
    expect(workbench.form).to_have_attribute("data-item", item)
    expect(page.locator("[name=verdict][value=revise]")).to_be_checked()
    expect(page.locator(".finding.error")).to_have_count(0)
    expect(page.locator("[data-repair]")).to_be_hidden()


def test_tab_goes_from_text_to_text_and_f2_to_the_characters(people: People) -> None:
    workbench = workbench_of(people)
    page = workbench.page
    workbench.press("e")
    expect(workbench.area).to_be_focused()
    workbench.press("Tab")
    expect(page.locator("[name=option_0]")).to_be_focused()
    expect(page.locator(".insert-bar button").first).to_be_visible()  # its script comes later
    workbench.press("F2")
    expect(page.locator(".insert-bar button").first).to_be_focused()
    workbench.press("ArrowRight", "Enter")
    expect(page.locator("[name=option_0]")).to_be_focused()
    workbench.press("Tab")
    expect(page.locator("[name=option_1]")).to_be_focused()
    workbench.press("Shift+Tab", "Shift+Tab")
    expect(workbench.area).to_be_focused()


def test_answer_that_is_a_number_stays_in_sight_while_it_is_revised(
    site: Site, people: People
) -> None:
    site.reserve("reviewer")
    held = "(SELECT p.item_id FROM review_panel p JOIN review_assignment a ON a.panel_id = p.id"
    held += " WHERE a.state = 'claimed' ORDER BY a.claimed_at DESC LIMIT 1)"
    site.rows(
        "UPDATE annotation_item SET kind = 'number', key = '4711', options = '[]'"
        f" WHERE id = {held}"
    )
    workbench = Workbench(people.page_as("reviewer")).open()
    answer = workbench.page.locator(".target", has_text="4711")
    expect(answer.locator(".target-text")).to_be_visible()
    workbench.press("e")
    expect(workbench.area).to_be_focused()
    expect(answer.locator(".target-text")).to_be_visible()


def test_a_number_is_marked_while_it_is_typed_and_needs_a_tick(site: Site, people: People) -> None:
    workbench = workbench_of(people)
    item, page = workbench.item, workbench.page
    workbench.revise(" 98765")
    expect(page.locator(".number-changes")).to_contain_text("98765")
    marked = page.locator(".text-marks mark", has_text="98765")
    expect(marked).to_be_visible()
    area, mark = workbench.area.bounding_box(), marked.bounding_box()
    assert area
    assert mark
    assert area["y"] <= mark["y"] <= mark["y"] + mark["height"] <= area["y"] + area["height"]
    workbench.submit()
    box = page.locator("[name=numbers_confirmed]")
    expect(box).to_be_focused()
    error = page.locator("[data-error=verdict]")
    expect(error).to_contain_text("You changed a number or formula")
    workbench.press("Space")
    workbench.submit_and_wait()
    stored = site.rows(
        "SELECT j.numbers_confirmed FROM review_judgement j JOIN review_panel p ON p.id = j.panel_id"
        " JOIN annotation_item i ON i.id = p.item_id WHERE i.uid = ?",
        item,
    )
    assert (1,) in stored


def test_approving_a_text_with_an_error_asks_first_and_goes_by_submitting_twice(
    site: Site, people: People
) -> None:
    workbench = workbench_of(people, fault="label_in_text")
    page, item, seat = workbench.page, workbench.item, workbench.seat
    workbench.press("a", "4", "4", "Control+Enter")
    again = page.get_by_role("button", name="Look again")
    expect(again).to_be_focused()
    asked, sends = again.bounding_box(), page.locator(".judgement-part .send").bounding_box()
    assert asked and sends and asked["y"] + asked["height"] <= sends["y"]  # nothing covers it
    workbench.press("Enter")
    expect(again).to_be_hidden()
    assert workbench.item == item
    for key in ("Control+Enter", "r"):
        workbench.press(key)
        expect(again).to_be_visible(visible=key != "r")
    workbench.press("a", "Control+Enter")
    expect(again).to_be_visible()
    workbench.press("Control+Enter")
    workbench.wait_for_another(seat)
    workbench.wait_until_sent()
    assert site.judgements()[item]["verdict"] == "approve"
    expect(again).to_be_hidden()


def test_a_number_typed_without_a_line_can_be_confirmed(site: Site, people: People) -> None:
    workbench = workbench_of(people)
    people.expect("ERR_INTERNET_DISCONNECTED")
    item, page = workbench.item, workbench.page
    workbench.revise(" 1")  # the script of the checks is there from now on
    expect(page.locator(".number-changes")).to_be_visible()
    page.context.set_offline(True)
    workbench.press("e")
    page.keyboard.insert_text("98765")
    workbench.press("Escape")
    expect(page.locator(".number-changes")).to_contain_text("cannot check the numbers")
    page.locator("[name=numbers_confirmed]").check()
    workbench.submit()
    workbench.wait_until_waiting(
        1
    )  # back before that, the check would answer and ask for another tick
    page.context.set_offline(False)
    workbench.wait_until_sent()
    assert site.judgements()[item]["correction"]["question"].endswith("198765")


def test_correction_that_leaves_an_option_empty_is_not_sent(people: People) -> None:
    workbench = workbench_of(people, fault="option_count")
    item = workbench.item
    workbench.revise(" ཡིན་ནམ།")
    workbench.press("Control+Enter")
    expect(workbench.page.locator("[data-error=verdict]")).to_contain_text("Fill in the empty ones")
    assert workbench.item == item
