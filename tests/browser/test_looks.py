"""How pages are set: sizes, places and widths that once were wrong."""

from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Page, expect

from config.demo.written import SLUG as WRITTEN
from tests.browser.bench import Bench
from tests.browser.looks import SMALLEST_TARGET
from tests.browser.people import SIZES, People
from tests.browser.site import PROJECT

STYLE = "(element, name) => getComputedStyle(element)[name]"


def style(place: Locator, name: str) -> str:
    value: str = place.evaluate(STYLE, name)
    return value


def box(place: Locator) -> dict[str, float]:
    found = place.bounding_box()
    assert found is not None
    return {**found, "right": found["x"] + found["width"], "bottom": found["y"] + found["height"]}


def visit(people: People, role: str, path: str, **options: object) -> Page:
    page = people.page_as(role, **options)
    page.goto(path)
    return page


def test_name_of_a_latin_language_is_as_large_as_the_words_around_it(people: People) -> None:
    page = visit(people, "manager", "/")
    card = page.locator(f"a.card[href='{PROJECT}/']")
    name = card.locator(".inline[lang=en]")
    assert style(name, "fontSize") == style(name.locator(".."), "fontSize")
    assert style(card.locator(".inline[lang=bo]"), "fontSize") > style(name, "fontSize")


def test_tibetan_name_does_not_reach_into_the_description(people: People) -> None:
    page = visit(people, "manager", "/")
    card = page.locator(f"a.card[href='{PROJECT}/']")
    names, words = card.locator("p").all()
    assert box(words)["y"] - box(names)["bottom"] >= 4


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_reasons_of_a_dispute_stand_apart_and_below_their_heading(
    people: People, size: str
) -> None:
    page = visit(people, "senior", f"{PROJECT}/disputes/", size=size)
    reasons = page.locator("td .why").filter(has=page.locator("li:nth-child(3)")).first
    chips = [box(chip) for chip in reasons.locator("li").all()]
    for one, other in pairwise(chips):
        assert other["x"] - one["right"] >= 4 or other["y"] - one["bottom"] >= 4
    if size == "desktop":
        heading = page.get_by_role("columnheader", name="Why")
        assert chips[0]["x"] - box(heading)["x"] < 20


def test_row_of_a_stacked_table_is_as_tall_as_its_label(people: People) -> None:
    page = visit(people, "manager", f"{PROJECT}/import/", size="phone")
    cell = page.locator("td[data-label='Optional columns']").filter(has_text="–").first
    assert box(cell)["height"] > 36  # two lines


def test_dialog_of_a_phone_takes_its_whole_width(people: People) -> None:
    page = people.page_as("reviewer", size="phone")
    Bench(page).open()
    page.keyboard.press("?")
    found = box(page.locator("dialog[open]"))
    assert (found["x"], found["width"]) == (0, SIZES["phone"]["width"])


def test_fields_and_button_of_a_filter_stand_on_one_line(people: People) -> None:
    page = visit(people, "manager", f"{PROJECT}/findings/")
    choice, button = page.locator("#finding-system"), page.get_by_role("button", name="Show")
    assert box(choice)["bottom"] == pytest.approx(box(button)["bottom"], abs=1)
    page = visit(people, "administrator", "/sign-ins/")
    fields = page.locator(".filters .field > :not(label)").all()
    heights = [box(field)["height"] for field in fields]
    assert max(heights) - min(heights) < 1


def test_final_text_has_the_letters_of_the_texts_beside_it(people: People) -> None:
    page = visit(people, "senior", f"{PROJECT}/disputes/")
    page.locator("main table a").first.click()
    final = page.locator(".matrix .final textarea").first
    beside = page.locator(".matrix .target-text").first
    assert style(final, "fontFamily") == style(beside, "fontFamily")


def test_take_button_of_a_phone_keeps_the_margin_of_the_texts(people: People) -> None:
    page = visit(people, "senior", f"{PROJECT}/disputes/", size="phone")
    page.locator("main table a").first.click()
    take, final = page.locator(".take-btn").first, page.locator(".matrix .final textarea").first
    assert box(take)["right"] == pytest.approx(box(final)["right"], abs=2)


def test_guideline_begins_at_the_top_of_its_panel_and_is_as_wide_as_the_others(
    people: People,
) -> None:
    page = visit(people, "manager", f"{PROJECT}/rounds/guideline/")
    text, other = page.locator(".panel.prose"), page.locator(".panel.flush").first
    assert style(text.locator("> *").first, "marginTop") == "0px"
    assert box(text)["width"] == box(other)["width"]


def test_heading_of_a_criterion_is_within_its_panel(people: People) -> None:
    page = visit(people, "manager", f"{PROJECT}/criteria/")
    group = page.locator("fieldset.panel").first
    assert box(group.locator("legend"))["y"] > box(group)["y"] + 8


def test_letters_of_a_lying_chart_are_as_large_as_those_of_the_text(people: People) -> None:
    page = visit(people, "", f"/releases/{WRITTEN}/1.0.0/")
    chart = page.locator(".chart.across").first
    scale = box(chart)["width"] / chart.evaluate("chart => chart.viewBox.baseVal.width")
    assert scale == pytest.approx(1, abs=0.1)


def test_interval_stands_out_from_its_bar(people: People) -> None:
    page = visit(people, "manager", f"{PROJECT}/report/", theme="dark")
    edge, line = page.locator(".whisker-edge").first, page.locator(".whisker").first
    expect(edge).to_have_attribute("d", line.get_attribute("d") or "")
    assert style(edge, "stroke") not in {style(line, "stroke"), "none"}


def test_time_of_an_event_stays_on_one_line(people: People) -> None:
    page = visit(people, "administrator", "/audit/")
    time = page.locator("td time").first
    assert box(time)["height"] < 25


def test_filters_of_disputes_and_their_button_stand_on_one_line(people: People) -> None:
    page = visit(people, "senior", f"{PROJECT}/disputes/")
    fields = page.locator(".filters select").all()
    button = page.get_by_role("button", name="Filter", exact=True)
    assert {round(box(field)["bottom"]) for field in fields} == {round(box(button)["bottom"])}


def test_words_after_a_number_stand_apart_from_it(people: People) -> None:
    page = visit(people, "manager", f"{PROJECT}/statements/")
    number, state = page.locator("thead th").nth(1), page.locator("thead th").nth(2)
    assert style(number, "paddingRight") == style(state, "paddingLeft") == "14px"


def test_placeholder_of_the_search_of_items_is_not_cut(people: People) -> None:
    field = visit(people, "manager", f"{PROJECT}/items/").locator("#id_q")
    assert field.evaluate("field => field.scrollWidth <= field.clientWidth")


def test_letters_of_a_lying_chart_of_the_report_are_as_large_as_elsewhere(people: People) -> None:
    page = visit(people, "manager", f"{PROJECT}/report/", size="phone")
    chart = page.locator(".chart.across").first
    scale = box(chart)["width"] / chart.evaluate("chart => chart.viewBox.baseVal.width")
    assert float(style(chart.locator("text").first, "fontSize")[:-2]) * scale > 10.5
    assert min(box(text)["x"] for text in chart.locator("text").all()) >= box(chart)["x"]


def test_box_with_a_long_help_stands_beside_its_first_line(people: People) -> None:
    page = visit(people, "manager", f"{PROJECT}/releases/build/", size="phone")
    check = page.locator(".check").filter(has=page.locator(".help")).first
    assert box(check.locator("input"))["y"] - box(check)["y"] < 10


IS_WITHIN = """menu => {
    menu.open = true;
    const box = menu.querySelector('.menu-sheet').getBoundingClientRect();
    return box.left >= 0 && box.right <= document.documentElement.clientWidth;
}"""


@pytest.mark.parametrize(
    ("role", "path"),
    [
        ("manager", f"{PROJECT}/items/"),
        ("manager", f"{PROJECT}/glossary/"),
        ("reviewer", f"{PROJECT}/glossary/"),
    ],
)
def test_menu_of_a_pages_actions_opens_within_a_phone(people: People, role: str, path: str) -> None:
    page = visit(people, role, path, size="small phone")
    menu = page.locator(".page-actions > .menu")
    assert menu.evaluate(IS_WITHIN)


def test_menu_that_is_the_only_action_opens_within_a_phone(people: People) -> None:
    page = visit(people, "manager", f"{PROJECT}/items/", size="small phone")
    page.locator(".page-actions > .btn").evaluate_all("all => all.forEach(one => one.remove())")
    assert page.locator(".page-actions > .menu").evaluate(IS_WITHIN)


@pytest.mark.parametrize("path", [f"{PROJECT}/members/", f"{PROJECT}/findings/label_in_text/"])
def test_menu_of_a_row_opens_within_a_phone(people: People, path: str) -> None:
    page = visit(people, "manager", path, size="small phone")
    assert page.locator("td.actions .menu").first.evaluate(IS_WITHIN)


def test_next_of_a_phone_begins_where_the_list_does(people: People) -> None:
    page = visit(people, "administrator", "/audit/", size="phone")
    after, rows = page.locator(".pagination .btn"), page.locator(".panel.flush").first
    assert box(after)["x"] == box(rows)["x"]


def test_arrow_of_the_sections_stays_large_beside_a_long_name(people: People) -> None:
    page = visit(people, "manager", f"{PROJECT}/", size="small phone")
    page.locator(".where").evaluate("name => name.textContent = name.textContent.repeat(4)")
    assert box(page.locator(".subnav-fold > summary svg"))["width"] == 20


def test_choices_of_two_lines_stand_apart_on_a_phone(people: People) -> None:
    page = visit(people, "manager", f"{PROJECT}/rounds/1/change/", size="small phone")
    names = page.locator(".field > div > div > label")
    names.evaluate_all("all => all.forEach(one => one.append(' of a long name'.repeat(5)))")
    first, second = (
        one.evaluate(
            """label => {
                const range = document.createRange();
                range.selectNodeContents(label);
                const {top, bottom} = range.getBoundingClientRect();
                return [top, bottom];
            }"""
        )
        for one in names.all()[:2]
    )
    assert second[0] - first[1] >= 8


def test_field_of_a_month_is_no_wider_than_its_place(people: People) -> None:
    page = visit(people, "manager", f"{PROJECT}/items/?subject=health", size="small phone")
    place = page.locator(".filters .field:not(.grow)").first
    place.evaluate(
        """field => field.querySelector('select').outerHTML = '<input type="month" placeholder="2026-11">'"""
    )
    assert box(place.locator("input"))["right"] <= box(place)["right"]


def test_choice_of_dismissed_findings_and_its_button_stand_on_one_line(people: People) -> None:
    page = visit(people, "manager", f"{PROJECT}/findings/dismissed/")
    choice, button = page.locator("#finding-system"), page.get_by_role("button", name="Show")
    assert box(choice)["bottom"] == pytest.approx(box(button)["bottom"], abs=1)


def test_other_decisions_of_a_phone_stand_on_one_line_above_settling(people: People) -> None:
    page = visit(people, "senior", f"{PROJECT}/disputes/", size="phone")
    page.locator("main table a").first.click()
    places = ("[data-skip]", "[data-decide=edit]", "[data-decide=reject]", "[data-settle]")
    *others, settle = [box(page.locator(f".decision {place}")) for place in places]
    assert len({round(other["y"]) for other in others}) == 1
    assert settle["y"] - others[0]["bottom"] >= 8
    assert others[-1]["right"] == pytest.approx(settle["right"], abs=1)


def test_dismissing_is_no_smaller_than_a_finger_on_a_phone(people: People) -> None:
    page = visit(people, "manager", f"{PROJECT}/items/?findings=error", size="phone")
    page.locator("main tbody a").first.click()
    dismiss = page.locator(".finding + details > summary, .finding summary").first
    assert box(dismiss)["height"] >= SMALLEST_TARGET
