"""How texts stand where they are read: in one line, large enough, in order, and nothing over or under them."""

import json

from playwright.sync_api import Locator, Page, expect

from tests.browser.people import SIZES, People
from tests.browser.site import PROJECT, Site
from tests.browser.workbench import Workbench

UYGHUR = "تۆۋەندىكىلەرنىڭ قايسىسى توغرا؟\n(1) $x = 1$، (2) $y = 2$، (3) $z = 3$"
LIST = ["بىر", "ئىككى", "ئۈچ", "$a$، $b$"]
DISPLAY = r"ག་རེ་རེད། $$\int_{0}^{1} \frac{\sqrt{a+b+c+d+e+f+g+h+i+j+k+l}}{x^2+y^2+z^2+u^2+v^2+w^2} dx$$ རེད།"
READING_SIZE = 16
# An empty box stands on the baseline of the line that it is put into.
BASELINE = """element => {
    const mark = document.createElement('span');
    mark.style.cssText = 'display: inline-block; width: 0; height: 0';
    element.prepend(mark);
    const { bottom } = mark.getBoundingClientRect();
    mark.remove();
    return bottom;
}"""
SIZE = "element => parseFloat(getComputedStyle(element).fontSize)"
CUT = """all => all.filter(one => {
    const box = one.getBoundingClientRect();
    for (let at = one.parentElement; at && at !== document.body; at = at.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(at);
        if (overflowX === 'visible' && overflowY === 'visible') continue;
        const around = at.getBoundingClientRect();
        const isOut = box.right > around.right + 1 || box.left < around.left - 1;
        if (isOut && overflowX !== 'auto' && overflowX !== 'scroll') return true;
        if ((box.bottom > around.bottom + 1 || box.top < around.top - 1) && overflowY === 'hidden') return true;
    }
    return false;
}).map(one => one.outerHTML.slice(0, 80))"""


def write(
    site: Site, *, question: str, options: list[str] | None = None, language: str = "bo"
) -> None:
    site.rows("UPDATE annotation_revision SET question = ?", question)
    if options:
        site.rows("UPDATE annotation_revision SET options = ?", json.dumps(options))
    site.rows("UPDATE projects_project SET target_language = ?", language)


def lefts(formulas: Locator) -> list[float]:
    found: list[float] = formulas.evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().left)"
    )
    return found


def bottom(page: Page, selector: str) -> float:
    box = page.locator(selector).first.bounding_box()
    assert box, selector
    return box["y"] + box["height"]


def test_uyghur_is_as_large_in_a_comparison_as_on_the_workbench_and_its_list_goes_on_to_the_left(
    site: Site, people: People
) -> None:
    site.begin("comparing")
    write(site, question=UYGHUR, options=LIST, language="ug")
    page = people.page_as("reviewer")
    page.goto(f"{PROJECT}/rounds/2/answer/")
    page.get_by_role("button", name="Take the next item").click()
    text = page.locator(".compare .target-text").first
    expect(text.locator("math")).to_have_count(3)
    page.wait_for_load_state()  # until then a style sheet may be missing
    compared = text.evaluate(SIZE)
    places = lefts(text.locator("math"))
    assert places == sorted(places, reverse=True)
    site.begin("demo")
    write(site, question=UYGHUR, options=LIST, language="ug")
    workbench = Workbench(people.page_as("reviewer")).open()
    shown = workbench.page.locator("[data-shown]").first
    assert shown.evaluate(SIZE) == compared >= READING_SIZE
    places = lefts(shown.locator("math"))
    assert len(places) == 3
    assert places == sorted(places, reverse=True)


def test_source_and_translation_stand_on_one_baseline_and_the_focused_page_has_no_line_around_it(
    people: People,
) -> None:
    page = Workbench(people.page_as("reviewer")).open().page
    source = page.locator(".workbench-form [data-source], .workbench-form .source").first
    shown = page.locator("[data-shown]").first
    assert abs(source.evaluate(BASELINE) - shown.evaluate(BASELINE)) <= 2
    assert 1 <= shown.evaluate(SIZE) / source.evaluate(SIZE) <= 1.5
    page.keyboard.press("Tab")
    line = page.locator("main").evaluate(
        "main => { main.tabIndex = -1; main.focus({ focusVisible: true });"
        " return [main.matches(':focus-visible'), getComputedStyle(main).outlineStyle]; }"
    )
    assert line == [True, "none"]


def test_repair_and_submit_of_a_long_item_are_above_the_fold(site: Site, people: People) -> None:
    site.reserve("reviewer", fault="label_in_text")
    long = "འདི་ལྟར་སྨྲའོ། " + " ".join(f"{number} བོད་ཀྱི་སྐད་ཡིག་ནི་གལ་ཆེན་པོ་རེད།" for number in range(80))
    site.rows("UPDATE annotation_revision SET question = ?", long)
    page = Workbench(people.page_as("reviewer")).open().page
    assert page.viewport_size == SIZES["desktop"]
    expect(page.locator("[data-repair]")).to_be_visible()
    for selector in ("[data-repair]", ".judgement-part .send"):
        assert bottom(page, selector) <= SIZES["desktop"]["height"], selector


def test_display_formula_is_not_cut_in_the_matrix_of_a_dispute(site: Site, people: People) -> None:
    site.begin("judged")
    write(site, question=DISPLAY)
    page = people.page_as("senior")
    page.goto(f"{PROJECT}/disputes/")
    page.locator("tbody th a").first.click()
    formulas = page.locator(".matrix math[display=block]")
    expect(formulas.first).to_be_visible()
    page.wait_for_load_state()  # until then a style sheet may be missing
    assert formulas.evaluate_all(CUT) == []


def test_reopening_covers_no_other_button_of_its_row(site: Site, people: People) -> None:
    site.begin("judged")
    page = people.page_as("senior")
    page.goto(f"{PROJECT}/disputes/?reason=only-score_gap")
    page.get_by_role("link", name="Settle all that match").click()
    page.get_by_label("Reason for all").fill("both approve")
    page.get_by_role("button", name="Approve").click()
    expect(page.locator(".messages")).to_contain_text("Settled:")
    for size in ("desktop", "phone"):
        page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
        page.goto(f"{PROJECT}/disputes/settled/")
        row = page.locator("tbody tr").first
        link = row.get_by_role("link", name="Extend the guideline")
        for state in ("closed", "open"):
            link.scroll_into_view_if_needed()
            assert link.evaluate(
                "link => { const box = link.getBoundingClientRect();"
                " return link.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)); }"
            ), (size, state)
            row.locator("summary").click()
