"""How item texts are shown and typed on the pages: formulas, sizes, marks, scripts."""

import json
import random
import re

import pytest
from playwright.sync_api import Page, expect

from annotation.diffs import diff
from tests.annotation.test_diffs import CASES
from tests.browser.people import People, Size
from tests.browser.site import PROJECT, Site
from tests.browser.workbench import Workbench

FORMULA = r"ཚེག $f(x)=\frac{1}{x}$ དང་ $5 དང་ ཧཱུྃ༔ སྒྲུབ།"


RIGHT_TO_LEFT = "قايسىسى توغرا؟ $x^2$"
SUMS = ["بىر", "10 - 4 = 6", "-2", "تۆت"]


@pytest.fixture
def site(shared_site: Site) -> Site:
    """A demo whose every question holds a formula, a price and a tall stack."""
    shared_site.begin("demo")
    write(shared_site, question=FORMULA, options=["ཀ", "ཁ", "ག", "ང"])
    return shared_site


def write(site: Site, *, question: str, options: list[str], language: str = "bo") -> None:
    text = (question, json.dumps(options))
    site.rows("UPDATE annotation_revision SET question = ?, options = ?", *text)
    site.rows("UPDATE projects_project SET target_language = ?", language)


@pytest.fixture
def workbench(people: People) -> Workbench:
    return Workbench(people.page_as("reviewer")).open()


def shown(page: Page) -> str:
    return page.locator("[data-shown]").first.inner_text()


def test_formulas_as_typed_and_larger_letters_are_remembered_from_page_to_page(
    workbench: Workbench,
) -> None:
    page = workbench.page
    expect(page.locator("[data-shown] mfrac").first).to_be_visible()
    assert "$f(x)" not in shown(page)
    assert "$5 དང" in shown(page)
    size = "getComputedStyle(document.querySelector('[data-shown]')).fontSize"
    before = float(page.evaluate(size).removesuffix("px"))

    page.get_by_label("How texts are shown").first.click()
    page.get_by_role("button", name="Formulas as typed").click()
    page.get_by_label("Larger").click()
    expect(page.locator("[data-text-size-shown]")).to_have_text("115 %")
    assert shown(page) == FORMULA

    page.reload()
    workbench.wait_until_ready()
    assert shown(page) == FORMULA
    expect(page.locator("[data-text-toggle=raw]")).to_have_attribute("aria-pressed", "true")
    assert float(page.evaluate(size).removesuffix("px")) == pytest.approx(1.15 * before)
    expect(page.locator("[data-text-size-shown]")).to_have_text("115 %")


@pytest.fixture
def leftward(site: Site) -> None:
    write(site, question=RIGHT_TO_LEFT, options=SUMS, language="ug")


@pytest.mark.usefixtures("leftward")
def test_text_from_right_to_left_is_read_and_typed_so_and_sums_from_the_left(
    people: People,
) -> None:
    """A sum without letters stands with the other options; from the right it would be 6 = 4 - 10."""
    workbench = Workbench(people.page_as("reviewer")).open()
    formula = workbench.page.locator("[data-shown] math").first
    assert formula.evaluate("one => getComputedStyle(one).direction") == "ltr"
    sides = workbench.page.locator("[data-shown]").evaluate_all(
        """all => all.map(one => [getComputedStyle(one).direction, sideOf(one)]);
        function sideOf(one) {
            const text = document.createRange();
            text.selectNodeContents(one);
            const box = one.getBoundingClientRect();
            const { left, right } = text.getBoundingClientRect();
            return box.right - right < left - box.left ? "right" : "left";
        }"""
    )
    assert sides == [
        ["rtl", "right"],
        ["rtl", "right"],
        ["ltr", "right"],
        ["ltr", "right"],
        ["rtl", "right"],
    ]
    workbench.press("e")
    expect(workbench.area).to_have_attribute("dir", "rtl")
    area = workbench.page.locator("textarea[name=option_2]")
    expect(area).to_have_attribute("dir", "ltr")
    area.fill("-2 ياكى 2")
    expect(area).to_have_attribute("dir", "rtl")
    area.fill("-3")
    expect(area).to_have_attribute("dir", "ltr")


@pytest.mark.usefixtures("leftward")
def test_text_from_right_to_left_is_read_so_in_a_history_and_in_a_table(people: People) -> None:
    page = people.page_as("senior")
    page.goto(f"{PROJECT}/items/1/")
    texts = page.locator(".timeline .options").first.locator("li > span")
    expect(texts).to_have_count(5)
    sides = texts.evaluate_all("all => all.map(one => one.dir)")
    assert sides == ["rtl", "rtl", "ltr", "ltr", "rtl"]
    page.goto(f"{PROJECT}/disputes/")
    page.locator("main table a").first.click()
    text = page.locator(".matrix .target-text").first
    expect(text).to_be_visible()
    page.wait_for_load_state()  # until then a style sheet may be missing
    assert text.evaluate("one => getComputedStyle(one).textAlign") == "start"
    assert text.evaluate("one => getComputedStyle(one).direction") == "rtl"


def made_up() -> list[tuple[str, str]]:
    """Pairs of texts, some alike and some not, some long enough for a table of many cells."""
    chance = random.Random(7)
    pieces = "ཀ དང བོད ་ ། a 12 中 ກາ ю".split() + [" "]
    pairs = []
    for length in [*range(40)] * 5 + [300, 400]:
        some = pieces[: chance.randint(2, len(pieces))]
        old = [chance.choice(some) for _ in range(length)]
        new = [chance.choice(pieces) if chance.random() < 0.2 else piece for piece in old]
        other = [chance.choice(some) for _ in range(length)]
        pairs.append(("".join(old), "".join(chance.choice([new, other]))))
    return pairs


def test_editor_marks_invisible_characters_inserts_special_ones_and_has_room_for_tall_stacks(
    workbench: Workbench,
) -> None:
    page = workbench.page
    latin_within_tibetan_is_as_large_as_latin_outside(page)
    text = shown(page)
    mark_invisible_characters(page)
    expect(page.locator("[data-shown] .sign.space").first).to_be_visible()
    assert shown(page) == text

    workbench.press("e")
    expect(workbench.area).to_be_focused()
    tall_stacks_have_room(page)
    special_character_is_inserted_and_undone(workbench)
    workbench.press("e", "End")
    page.keyboard.insert_text("ཀ\u200bཁ\u00a0ག")
    titles = page.locator(".edit-signs .sign[title]")
    expect(titles).to_have_count(2)
    named = titles.evaluate_all("signs => signs.map(one => one.title)")
    assert named == ["ZWSP U+200B", "NBSP U+00A0"]
    assert page.evaluate(
        """() => {
            const [over, under] = [".edit-signs", "textarea[name=question]"]
                .map((one) => document.querySelector(one).getBoundingClientRect());
            return [over.x - under.x, over.y - under.y, over.width - under.width, over.height - under.height];
        }"""
    ) == pytest.approx([0, 0, 0, 0], abs=1)
    workbench.press("Escape")
    expect(page.locator(".edit-signs")).to_have_count(0)


def mark_invisible_characters(page: Page) -> None:
    page.get_by_label("How texts are shown").first.click()
    page.get_by_role("button", name="Spaces and invisible characters").click()
    page.keyboard.press("Escape")


def special_character_is_inserted_and_undone(workbench: Workbench) -> None:
    before = workbench.area.input_value()
    bar = workbench.page.get_by_role("toolbar", name="Special characters")
    workbench.press("Home")
    bar.get_by_role("button", name="nyis shad").click()
    expect(workbench.area).to_be_focused()
    expect(workbench.area).to_have_value(re.compile("༎"))
    workbench.press("Control+z")
    expect(workbench.area).to_have_value(before)

    workbench.press("F2", "ArrowRight")
    expect(bar.get_by_role("button", name="shad", exact=True)).to_be_focused()
    workbench.press("Enter")
    expect(workbench.area).to_be_focused()
    assert len(workbench.area.input_value()) == len(before) + 1
    workbench.press("Escape")
    expect(bar).to_have_count(0)


def tall_stacks_have_room(page: Page) -> None:
    room = page.evaluate(
        """() => {
            const area = document.querySelector("textarea[name=question]");
            const look = getComputedStyle(area);
            return [parseFloat(look.paddingTop), parseFloat(look.paddingBottom), area.scrollHeight - area.clientHeight];
        }"""
    )
    assert room[0] >= 6
    assert room[1] >= 6
    assert room[2] == 0


def latin_within_tibetan_is_as_large_as_latin_outside(page: Page) -> None:
    """Where none of the fonts of the interface is known by name, it is not."""
    width = """language => {
        const run = document.createElement("span");
        run.textContent = "NaCl";
        run.lang = language;
        document.querySelector("main").append(run);
        const {width} = run.getBoundingClientRect();
        run.remove();
        return width;
    }"""
    assert page.evaluate(width, "bo") == pytest.approx(page.evaluate(width, "en"), 0.03)


# Each as the EWTS standard has it; made with one converter and held against another.
WYLIE = """
ka ཀ  kha ཁ  ga ག  nga ང  ca ཅ  cha ཆ  ja ཇ  nya ཉ  ta ཏ  tha ཐ  da ད  na ན  pa པ
pha ཕ  ba བ  ma མ  tsa ཙ  tsha ཚ  dza ཛ  wa ཝ  zha ཞ  za ཟ  'a འ  ya ཡ  ra ར  la ལ
sha ཤ  sa ས  ha ཧ  a ཨ  bod བོད  yig ཡིག  skad སྐད  bsgrubs བསྒྲུབས  brgyad བརྒྱད
gnas གནས  dbang དབང  mkha' མཁའ  g.yag གཡག  gyag གྱག  bla བླ  rlung རླུང  lha ལྷ
dwags དྭགས  rtswa རྩྭ  grwa གྲྭ  'khrungs འཁྲུངས  mngon མངོན  dmyal དམྱལ  smyon སྨྱོན
bzhugs བཞུགས  'dzam འཛམ  mtsho མཚོ  gtsang གཙང  btsun བཙུན  'tshogs འཚོགས  sngags སྔགས
dkyil དཀྱིལ  gzhung གཞུང  snang སྣང  sman སྨན  spyod སྤྱོད  rdo རྡོ  rje རྗེ
bu'i བུའི  dge'o དགེའོ  bka' བཀའ  rgyal རྒྱལ  khams ཁམས  sgra སྒྲ  rnams རྣམས  dpe དཔེ
thams ཐམས  cad ཅད  mkhyen མཁྱེན  slob སློབ  klu ཀླུ  zla ཟླ  srog སྲོག  chags ཆགས
hrul ཧྲུལ  mi'am མིའམ  yin ཡིན  na'ang ནའང  oM ཨོཾ  hU~M ཧཱུྃ  hUM ཧཱུཾ  paN+Di པཎྜི
badz+ra བཛྲ  pad+ma པདྨ  swA སྭཱ  hA ཧཱ  sarba སརྦ  dharma དྷརྨ  tshwa ཚྭ  'bras འབྲས
blta བལྟ  brlabs བརླབས  bsnyen བསྙེན  'byung འབྱུང  gzugs གཟུགས  phywa ཕྱྭ  khri ཁྲི
stong སྟོང  brgya བརྒྱ  rtsis རྩིས  bslab བསླབ  mthar མཐར  'gro འགྲོ  dgongs དགོངས
legs ལེགས  nyams ཉམས  -ta ཊ  -tha ཋ  -da ཌ  -dha ཌྷ  -na ཎ  -sha ཥ  k+Sha ཀྵ  fa ཕ༹  va བ༹
f+ra ཕ༹ྲ  pha^ ཕ༹  sarva སརབ༹  k+Ya ཀྻ  k+Wa ཀྺ  k+Ra ཀྼ  R+ka ཪྐ  b+h+rUM བྷྲཱུཾ
""".split()
NOT_WYLIE = "NaCl bsg kx k q x1 24 - + . g. hello+ A-B ga+ha +ka ka+ Ra Ya W ^ pa-".split()


def test_scripts_find_the_differences_of_the_server_and_the_tibetan_of_every_wylie_syllable(
    people: People,
) -> None:
    cases = [(case["old"], case["new"], case["segments"]) for case in CASES]
    cases += [(old, new, [list(segment) for segment in diff(old, new)]) for old, new in made_up()]
    typed, tibetan = WYLIE[::2], WYLIE[1::2]
    assert len(typed) > 100
    page = people.page_as()
    page.goto("/help/")
    found = page.evaluate(
        """async ([texts, words]) => {
            const { diff } = await import("/static/js/graphemes.js");
            const { syllable } = await import("/static/js/wylie.js");
            return [texts.map(([old, young]) => diff(old, young)), words.map(syllable)];
        }""",
        [[case[:2] for case in cases], [*typed, *NOT_WYLIE]],
    )
    assert found[0] == [case[2] for case in cases]
    assert found[1] == [*tibetan, *[""] * len(NOT_WYLIE)]


LONG_MONGOLIAN = "ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ\u202fᠶᠢᠨ ᠡᠭᠡᠰᠢᠭ ᠬᠡᠳᠦᠢ ᠪᠤᠢ᠃ 1206 ᠣᠨ\u202fᠳᠤ NaCl ᠪᠠᠶᠢᠭᠤᠯᠪᠠ᠃ " * 24
"""What traditional Mongolian needs is a place that is wide, which a phone is not."""
REACH = """all => all.map(one => {
    const box = one.getBoundingClientRect();
    const place = one.parentElement.getBoundingClientRect();
    return [box.right <= place.right + 8, one.scrollWidth > one.clientWidth, getComputedStyle(one).overflowX];
})"""


@pytest.fixture
def upright(site: Site) -> None:
    options = ["ᠲᠠᠪᠤ", "ᠳᠣᠯᠣᠭ᠎ᠠ", "2.5 kg", "ᠤᠰᠤ"]
    write(site, question=LONG_MONGOLIAN, options=options, language="mn-Mong")


@pytest.mark.usefixtures("upright")
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_long_text_from_top_to_bottom_stays_in_its_place_and_is_scrolled_there(
    people: People, size: Size
) -> None:
    page = people.page_as("reviewer", size=size)
    workbench = Workbench(page).open()
    long, *short = page.locator("[data-shown]").evaluate_all(REACH)
    assert long == [True, True, "auto"]
    assert [each[:2] for each in short] == [[True, False]] * 4
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    mark_invisible_characters(page)
    workbench.press("e")
    expect(workbench.area).to_be_focused()
    assert workbench.area.evaluate_all(REACH)[0] == [True, True, "auto"]
    expect(page.locator(".edit-signs")).to_be_attached()
    workbench.area.evaluate("area => area.scrollLeft = 50")
    workbench.wait_until("document.querySelector('.edit-signs').scrollLeft", 50)
    workbench.press("x")
    same = "document.querySelector('.text-marks')?.scrollLeft === document.querySelector('textarea[name=question]').scrollLeft"
    workbench.wait_until(same, value=True)
    name = page.locator(".insert-bar button", has_text="NNBSP")
    assert name.evaluate("one => [getComputedStyle(one).writingMode, one.scrollWidth > one.clientWidth]") == [
        "horizontal-tb",
        False,
    ]  # fmt: skip
    workbench.press("Escape")
    expect(page.locator(".edit-signs")).to_have_count(0)
    workbench.press("t")
    change = page.locator("[data-shown] ins").last
    assert change.evaluate("one => getComputedStyle(one).backgroundSize").endswith("px 100%")


@pytest.mark.usefixtures("upright")
def test_text_from_top_to_bottom_leaves_lists_and_the_final_text_low(people: People) -> None:
    page = people.page_as("senior")
    page.goto(f"{PROJECT}/disputes/")
    rows = page.locator("main tbody tr")
    tops = rows.first.locator("td, th").evaluate_all(
        "all => all.map(one => getComputedStyle(one).verticalAlign)"
    )
    assert set(tops) == {"top"}
    assert rows.first.evaluate("row => row.offsetHeight") < 300
    rows.first.locator("a").first.click()
    expect(page.locator("[data-decision]")).to_be_enabled()
    page.wait_for_load_state()  # until then a style sheet may be missing
    finals = page.locator(".matrix .final textarea")
    assert finals.nth(1).evaluate("area => area.offsetHeight") < 150


def test_text_from_top_to_bottom_keeps_its_letters_while_invisible_characters_are_marked(
    site: Site, people: People
) -> None:
    """The browser would drop what stands after a mark around a lone vowel separator or joiner."""
    shaped = "ᠲᠣᠮᠢᠶ\u180eᠠ ᠬ\u180bᠠ ᠶ\u200d H₂O ᠶᠠᠭᠤ ᠪᠤᠢ"
    write(site, question=shaped, options=["ᠲᠠᠪᠤ"] * 4, language="mn-Mong")
    page = people.page_as("reviewer")
    Workbench(page).open()
    height = """() => {
        const range = document.createRange();
        range.selectNodeContents(document.querySelector("[data-shown]"));
        return range.getBoundingClientRect().height;
    }"""
    before = page.evaluate(height)
    mark_invisible_characters(page)
    titles = page.locator("[data-shown]").first.locator(".sign[title]")
    expect(titles).to_have_count(3)
    assert titles.evaluate_all("all => all.map(one => one.title)") == [
        "MVS U+180E",
        "FVS1 U+180B",
        "ZWJ U+200D",
    ]
    assert page.evaluate(height) == pytest.approx(before, rel=0.05)
    assert shown(page) == shaped


@pytest.fixture
def wylie(workbench: Workbench) -> Workbench:
    """The editor of the question, empty, with the Wylie switch on."""
    workbench.press("e")
    expect(workbench.area).to_be_focused()
    workbench.area.fill("")
    workbench.page.keyboard.type("bod ")
    assert workbench.area.input_value() == "bod "
    switch = workbench.page.get_by_role("button", name="Wylie")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    workbench.area.fill("")
    return workbench


def test_wylie_is_converted_while_typing_or_when_one_leaves_the_text(wylie: Workbench) -> None:
    page = wylie.page
    page.keyboard.type("bod yig gi NaCl dang/ skad/ bsgrubs ")
    assert wylie.area.input_value() == "བོད་ཡིག་གི་NaCl དང་། སྐད། བསྒྲུབས་"
    wylie.press("Control+z")
    assert wylie.area.input_value().endswith("bsgrubs")
    wylie.area.fill("")
    page.keyboard.type('gang yin? (bod) "skad", f(a) NaCl!')
    assert wylie.area.input_value() == 'གང་ཡིན? (བོད) "སྐད", f(a) NaCl!'
    last_syllable_is_converted_when_one_leaves(wylie)
    page.reload()
    wylie.wait_until_ready()
    wylie.press("e")
    expect(page.get_by_role("button", name="Wylie")).to_have_attribute("aria-pressed", "true")


def last_syllable_is_converted_when_one_leaves(wylie: Workbench) -> None:
    """No other key ends a text without a tsheg. A word that was there before is no Wylie."""
    for key in ("Tab", "Escape"):
        wylie.area.fill("")
        wylie.page.keyboard.type("bod skad")
        wylie.press(key)
        assert wylie.area.input_value() == "བོད་སྐད", key
        wylie.press("e")
    wylie.area.fill("Big Ben big")
    wylie.press("End", "Escape")
    assert wylie.area.input_value() == "Big Ben big"


def test_wylie_of_a_keyboard_that_does_not_name_its_keys_is_converted(wylie: Workbench) -> None:
    """As phones do: each letter is a composition, and then a space comes."""
    session = wylie.page.context.new_cdp_session(wylie.page)
    unnamed = """area => area.dispatchEvent(new KeyboardEvent(
        "keydown", {key: "Unidentified", keyCode: 229, bubbles: true, cancelable: true}))"""
    for syllable in ("bod", "skad"):
        for end in range(1, len(syllable) + 1):
            wylie.area.evaluate(unnamed)
            values = {"text": syllable[:end], "selectionStart": end, "selectionEnd": end}
            session.send("Input.imeSetComposition", values)
        session.send("Input.insertText", {"text": syllable})
        wylie.area.evaluate(unnamed)
        session.send("Input.insertText", {"text": " "})
    assert wylie.area.input_value() == "བོད་སྐད་"
    expect(wylie.area).to_have_attribute("autocapitalize", "none")
