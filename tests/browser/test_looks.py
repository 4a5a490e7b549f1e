"""How pages are set: sizes, places and widths that once were wrong."""

from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Page, expect

from config.demo.written import SLUG as WRITTEN
from tests.browser.looks import SMALLEST_TARGET
from tests.browser.people import SIZES, People
from tests.browser.site import PROJECT
from tests.browser.workbench import Workbench

IS_WITHIN = """menu => {
    menu.open = true;
    const box = menu.querySelector('.menu-sheet').getBoundingClientRect();
    return box.left >= 0 && box.right <= document.documentElement.clientWidth;
}"""
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


def follow(page: Page, link: Locator) -> None:
    """Go where `link` leads and wait until the page is styled: a click does not wait for style sheets."""
    page.goto(link.get_attribute("href") or "")


def test_pages_of_a_manager_have_their_places_at_a_desk(people: People) -> None:
    page = people.page_as("manager")
    names_on_the_card_of_a_project_have_the_size_of_the_words(page)
    fields_and_button_of_a_filter_stand_on_one_line(page)
    panels_and_cells_have_their_places(page)
    page.goto(f"/releases/{WRITTEN}/1.0.0/")
    assert scale_of(page.locator(".chart.across").first) == pytest.approx(1, abs=0.1)
    interval_stands_out_from_its_bar(page)


def test_pages_of_a_manager_have_their_places_on_a_phone(people: People) -> None:
    page = people.page_as("manager", size="phone")
    letters_of_a_lying_chart_are_as_large_as_those_of_the_text(page)
    rows_boxes_and_buttons_have_room(page)
    page.set_viewport_size(SIZES["small phone"])  # type: ignore[arg-type]
    menus_open_within_a_phone(page)
    long_names_and_wide_fields_keep_their_places(page)


def names_on_the_card_of_a_project_have_the_size_of_the_words(page: Page) -> None:
    page.goto("/")
    card = page.locator(f"a.card[href='{PROJECT}/']")
    name = card.locator(".inline[lang=en]")
    assert style(name, "fontSize") == style(name.locator(".."), "fontSize")
    assert style(card.locator(".inline[lang=bo]"), "fontSize") > style(name, "fontSize")
    names, words = card.locator("p").all()
    assert box(words)["y"] - box(names)["bottom"] >= 4


def test_disputes_and_their_parts_have_their_places(people: People) -> None:
    page = visit(people, "senior", f"{PROJECT}/disputes/")
    fields = page.locator(".filters select").all()
    button = page.get_by_role("button", name="Filter", exact=True)
    assert {round(box(field)["bottom"]) for field in fields} == {round(box(button)["bottom"])}
    reasons = page.locator("td .why").filter(has=page.locator("li:nth-child(2)")).first
    heading = page.get_by_role("columnheader", name="Why")
    assert box(reasons.locator("li").first)["x"] - box(heading)["x"] < 20
    for size in (SIZES["desktop"], SIZES["phone"]):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        chips = [box(chip) for chip in reasons.locator("li").all()]
        for one, other in pairwise(chips):
            assert other["x"] - one["right"] >= 4 or other["y"] - one["bottom"] >= 4, size
    parts_of_a_dispute_share_letters_margins_and_lines(page)


def parts_of_a_dispute_share_letters_margins_and_lines(page: Page) -> None:
    follow(page, page.locator("main table a").first)
    final = page.locator(".matrix .final textarea").first
    assert style(final, "fontFamily") == style(
        page.locator(".matrix .target-text").first, "fontFamily"
    )
    take = page.locator(".take-btn").first
    assert box(take)["right"] == pytest.approx(box(final)["right"], abs=2)
    places = ("[data-skip]", "[data-decide=edit]", "[data-decide=reject]", "[data-settle]")
    *others, settle = [box(page.locator(f".decision {place}")) for place in places]
    assert len({round(other["y"]) for other in others}) == 1
    assert settle["y"] - others[0]["bottom"] >= 8
    assert others[-1]["right"] == pytest.approx(settle["right"], abs=1)


def test_dialog_and_menu_of_a_reviewer_s_phone_fit_it(people: People) -> None:
    page = people.page_as("reviewer", size="phone")
    Workbench(page).open()
    page.keyboard.press("?")
    expect(page.locator("dialog[open]")).to_be_visible()
    found = box(page.locator("dialog[open]"))
    assert (found["x"], found["width"]) == (0, SIZES["phone"]["width"])
    page.set_viewport_size(SIZES["small phone"])  # type: ignore[arg-type]
    page.goto(f"{PROJECT}/glossary/")
    assert page.locator(".page-actions > .menu").evaluate(IS_WITHIN)


def fields_and_button_of_a_filter_stand_on_one_line(page: Page) -> None:
    for path in ("findings", "findings/dismissed"):
        page.goto(f"{PROJECT}/{path}/")
        choice = page.locator("#finding-system")
        button = page.get_by_role("button", name="Show")
        assert box(choice)["bottom"] == pytest.approx(box(button)["bottom"], abs=1), path


def panels_and_cells_have_their_places(page: Page) -> None:
    page.goto(f"{PROJECT}/rounds/guideline/")
    text, other = page.locator(".panel.prose"), page.locator(".panel.flush").first
    assert style(text.locator("> *").first, "marginTop") == "0px"
    assert box(text)["width"] == box(other)["width"]
    page.goto(f"{PROJECT}/criteria/")
    group = page.locator("fieldset.panel").first
    assert box(group.locator("legend"))["y"] > box(group)["y"] + 8
    page.goto(f"{PROJECT}/statements/")
    number, state = page.locator("thead th").nth(1), page.locator("thead th").nth(2)
    assert style(number, "paddingRight") == style(state, "paddingLeft") == "14px"
    page.goto(f"{PROJECT}/items/")
    search = page.locator("#id_q")
    assert search.evaluate("field => field.scrollWidth <= field.clientWidth")


def letters_of_a_lying_chart_are_as_large_as_those_of_the_text(page: Page) -> None:
    page.goto(f"{PROJECT}/report/")
    chart = page.locator(".chart.across").first
    letters = chart.locator("text")
    assert float(style(letters.first, "fontSize")[:-2]) * scale_of(chart) > 10.5
    assert min(box(text)["x"] for text in letters.all()) >= box(chart)["x"]


def scale_of(chart: Locator) -> float:
    width: float = chart.evaluate("chart => chart.viewBox.baseVal.width")
    return box(chart)["width"] / width


def interval_stands_out_from_its_bar(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(f"{PROJECT}/report/")
    edge, line = page.locator(".whisker-edge").first, page.locator(".whisker").first
    expect(edge).to_have_attribute("d", line.get_attribute("d") or "")
    assert style(edge, "stroke") not in {style(line, "stroke"), "none"}


def test_lists_of_the_administrator_have_their_places(people: People) -> None:
    page = visit(people, "administrator", "/sign-ins/")
    fields = page.locator(".filters .field > :not(label)").all()
    heights = [box(field)["height"] for field in fields]
    assert max(heights) - min(heights) < 1
    page.goto("/audit/")
    assert box(page.locator("td time").first)["height"] < 25
    page.set_viewport_size(SIZES["phone"])  # type: ignore[arg-type]
    after, rows = page.locator(".pagination .btn"), page.locator(".panel.flush").first
    assert box(after)["x"] == box(rows)["x"]


def rows_boxes_and_buttons_have_room(page: Page) -> None:
    page.goto(f"{PROJECT}/import/")
    cell = page.locator("td[data-label='Optional columns']").filter(has_text="–").first
    assert box(cell)["height"] > 36  # two lines
    page.goto(f"{PROJECT}/releases/build/")
    check = page.locator(".check").filter(has=page.locator(".help")).first
    assert box(check.locator("input"))["y"] - box(check)["y"] < 10
    page.goto(f"{PROJECT}/items/?findings=error")
    follow(page, page.locator("main tbody a").first)
    dismiss = page.locator(".finding + details > summary, .finding summary").first
    assert box(dismiss)["height"] >= SMALLEST_TARGET


def menus_open_within_a_phone(page: Page) -> None:
    for path in ("items", "glossary"):
        page.goto(f"{PROJECT}/{path}/")
        assert page.locator(".page-actions > .menu").evaluate(IS_WITHIN), path
    for path in ("members", "findings/label_in_text"):
        page.goto(f"{PROJECT}/{path}/")
        assert page.locator("td.actions .menu").first.evaluate(IS_WITHIN), path
    page.goto(f"{PROJECT}/items/")
    page.locator(".page-actions > .btn").evaluate_all("all => all.forEach(one => one.remove())")
    assert page.locator(".page-actions > .menu").evaluate(IS_WITHIN), "the only action"


def long_names_and_wide_fields_keep_their_places(page: Page) -> None:
    page.goto(f"{PROJECT}/")
    page.locator(".where").evaluate("name => name.textContent = name.textContent.repeat(4)")
    assert box(page.locator(".subnav-fold > summary svg"))["width"] == 20

    page.goto(f"{PROJECT}/rounds/1/change/")
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

    page.goto(f"{PROJECT}/items/?subject=health")
    place = page.locator(".filters .field:not(.grow)").first
    place.evaluate(
        """field => field.querySelector('select').outerHTML = '<input type="month" placeholder="2026-11">'"""
    )
    assert box(place.locator("input"))["right"] <= box(place)["right"]
