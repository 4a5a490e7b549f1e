"""Each text of an item that asks for a translation stands in its own language, on screens of any size."""

import json

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.looks import STICKS_OUT
from tests.browser.people import People, Size
from tests.browser.site import PROJECT, Site
from tests.browser.workbench import Workbench

TIBETAN = "བོད་ཀྱི་ལོ་རྒྱུས་ནང་ལྷ་ས་ནི་གལ་ཆེ་ཤོས་ཀྱི་གྲོང་ཁྱེར་ཞིག་ཡིན་པ་རེད།" * 6
LAO = "ນະຄອນຫຼວງວຽງຈັນເປັນເມືອງທີ່ມີປະຫວັດສາດອັນຍາວນານທີ່ສຸດຂອງປະເທດ" * 6
UYGHUR = "ئۈرۈمچى شىنجاڭنىڭ ئەڭ چوڭ شەھىرى بولۇپ، ئۇنىڭ ئاھالىسى ناھايىتى كۆپ. " * 4
CHINESE = "拉萨是一座有很长历史的城市，每年有许多人来这里旅行。" * 6
ENGLISH = "Vientiane is the city with the longest history in the country. " * 4
TEXTS = {
    "zh-bo": (CHINESE, TIBETAN),
    "ug-zh": (UYGHUR, CHINESE),
    "lo-en": (LAO, ENGLISH),
    "en-bo": (ENGLISH, TIBETAN),
}
FONT = {"bo": "Tibetan", "zh": "SC", "ug": "Naskh", "lo": "Lao"}
READ = """element => {
    const { direction, fontFamily } = getComputedStyle(element);
    return { lang: element.lang, direction, fontFamily };
}"""
# A box that hides what is over is as high as what is in it, letters with vowels above and below included.
CLIPPED = """all => all.filter(one => getComputedStyle(one).overflowY !== 'visible'
    && one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)
    .map(one => one.outerHTML.slice(0, 100))"""


def write(site: Site, direction: str) -> None:
    """Let every item of the demo ask for a translation of its question."""
    texts = TEXTS[direction]
    site.rows(
        "UPDATE annotation_item SET kind = 'translation', key = '', options = '[]', question = ?,"
        " answer = ?, metadata = ?",
        *texts,
        json.dumps({"direction": direction}),
    )
    site.rows("UPDATE annotation_revision SET options = '[]', question = ?, answer = ?", *texts)
    site.rows("DELETE FROM annotation_finding")


def assert_is_in(text: Locator, language: str) -> None:
    expect(text).to_be_visible()
    found = text.evaluate(READ)
    assert found["lang"] == language
    assert found["direction"] == ("rtl" if language == "ug" else "ltr")
    fonts = found["fontFamily"]
    assert {code for code, name in FONT.items() if name in fonts} == ({language} & FONT.keys())


def assert_fits(page: Page, texts: Locator) -> None:
    assert page.evaluate(STICKS_OUT) == []
    assert texts.evaluate_all(CLIPPED) == []


@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("direction", TEXTS)
def test_both_texts_of_a_direction_stand_in_their_languages(
    direction: str, size: Size, site: Site, people: People
) -> None:
    source, target = direction.split("-")
    write(site, direction)

    page = Workbench(people.page_as("reviewer", size=size)).open().page
    shown = page.locator("[data-shown]")
    assert_is_in(shown.first, source)
    assert_is_in(shown.last, target)
    assert_fits(page, shown)

    (item,) = site.rows("SELECT min(id) FROM annotation_item WHERE project_id = 1")
    page = people.page_as("manager", size=size)
    page.goto(f"{PROJECT}/items/{item[0]}/")
    page.wait_for_load_state()  # until then a style sheet may be missing
    texts = page.locator(".rows .target-text")
    assert_is_in(texts.first, source)
    assert_is_in(texts.last, target)
    assert_fits(page, texts)


def test_special_characters_and_wylie_are_for_texts_in_their_language_only(
    site: Site, people: People
) -> None:
    """English became Tibetan while it was typed."""
    write(site, "en-bo")
    workbench = Workbench(people.page_as("reviewer")).open()
    page = workbench.page
    bar = page.locator(".insert-bar")
    workbench.press("e")
    areas = page.locator("textarea.target-edit:visible")
    areas.last.click()
    page.locator("[data-wylie]").click()
    areas.last.fill("")
    areas.last.press_sequentially("bod ")
    expect(areas.last).to_have_value("བོད་")

    areas.first.click()
    expect(bar).to_have_count(0)
    areas.first.fill("")
    areas.first.press_sequentially("bod ")
    expect(areas.first).to_have_value("bod ")
