"""The same keys on every page that has keys, under four layouts; what is stored is read back through the API."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.layouts import LAYOUTS, Layout
from tests.browser.people import People
from tests.browser.site import PROJECT, SLUG, Site
from tests.browser.workbench import Workbench

COMPARING, SOLVING = f"{PROJECT}/rounds/2/answer/", f"{PROJECT}/rounds/3/answer/"
CRITERIA = ("domain", "cultural")
LEVELS = "012345"
SEQUENCES = 60
ELSEWHERE = LAYOUTS[1:3]
"""Two layouts for pages that hand their keys to the machine that is tested under all of them."""
PLAY = """async ([mode, letters, sequences]) => {
    const {begin, press} = await import('/static/js/keys.js');
    await import('/static/js/key-modes.js');
    const settings = {areOn: true, letters};
    return sequences.map(events => {
        let state = begin(mode, events[0].isOther);
        return events.map(event => {
            const [next, action] = press(state, event, settings);
            state = next;
            return action;
        }).filter(Boolean);
    });
}"""


# The machine alone: many sequences, each under every layout.


@pytest.fixture
def machine(people: People) -> Page:
    page = people.page_as()
    page.goto("/")
    return page


def sequences(keys: str) -> Iterator[str]:
    draw = random.Random(20261128)
    for _number in range(SEQUENCES):
        yield "".join(draw.choices(keys, k=draw.randint(1, 14)))


def played(
    page: Page, mode: Mapping[str, Any], letters: Mapping[str, str], layout: Layout, keys: str
) -> list[list[dict[str, Any]]]:
    """What the machine says to do for each sequence; somebody has typed on this layout before."""
    is_other = layout.name in ("tibetan", "cyrillic")
    events = [
        [{**layout.event(key), "isOther": is_other} for key in each] for each in sequences(keys)
    ]
    named = [[action, letter] for action, letter in letters.items()]
    found: list[list[dict[str, Any]]] = page.evaluate(PLAY, [mode, named, events])
    return found


def compared(keys: str) -> dict[str, str]:
    """What a sequence says in a comparison of two texts, told by a pattern instead of states."""
    said, text = {}, "1"
    token = re.compile(r"([dc])[6-9]*([0-5])|([12])|([ar])|.")
    for criterion, level, number, verdict in token.findall(keys):
        if criterion:
            said[f"{text} {'domain' if criterion == 'd' else 'cultural'}"] = level
        elif verdict:
            said[f"{text} verdict"] = "approve" if verdict == "a" else "reject"
        text = number or text
    return said


def judged(keys: str) -> dict[str, str]:
    """What a sequence says of one item: each digit rates, and goes on to the other criterion."""
    said, aim = {}, 0
    for key in keys:
        if key in "dc":
            aim = "dc".index(key)
        elif key in LEVELS:
            said[CRITERIA[aim]] = key
            aim = 1 - aim
        elif key in "aer":
            said["verdict"] = {"a": "approve", "e": "revise", "r": "reject"}[key]
    return said


def said_by(actions: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    said = {}
    for action in actions:
        place = f"{action['text']} " if "text" in action else ""
        if action["do"] == "rate":
            said[place + action["criterion"]] = action["level"]
        elif action["do"] in ("approve", "revise", "reject"):
            said[f"{place}verdict"] = action["do"]
    return said


def test_any_sequence_says_the_same_under_every_layout(machine: Page) -> None:
    criteria = [{"name": name, "levels": list(LEVELS)} for name in CRITERIA]
    letters = {"approve": "a", "revise": "e", "reject": "r", "domain": "d", "cultural": "c"}
    comparing = {"kind": "comparing", "texts": ["1", "2"], "text": "1", "criteria": criteria}
    judging = {"kind": "judging", "aim": "domain", "criteria": criteria}
    wrong = []
    for mode, keys, meant in (
        (comparing, "12dcar0345679x?", compared),
        (judging, "aerdc0123457x", judged),
    ):
        for layout in LAYOUTS:
            found = played(machine, mode, letters, layout, keys)
            wrong += [
                (layout.name, mode["kind"], sequence, said_by(actions))
                for sequence, actions in zip(sequences(keys), found, strict=True)
                if said_by(actions) != meant(sequence)
            ]
    assert wrong == []


def test_options_columns_and_rows_are_the_same_under_every_layout(machine: Page) -> None:
    solving = {"kind": "solving", "options": list("ABCD")}
    settling = {"kind": "settling", "columns": list("012"), "rows": ["Q", "A", "B"]}
    by_key = {**dict(zip("abcd", "ABCD", strict=True)), **dict(zip("1234", "ABCD", strict=True))}
    wrong = []
    for layout in LAYOUTS:
        found = played(machine, solving, {}, layout, "abcdx012349")
        for sequence, actions in zip(sequences("abcdx012349"), found, strict=True):
            meant = [by_key.get(key, "unsure") for key in sequence if key in by_key or key == "0"]
            if [action["option"] for action in actions] != meant:
                wrong.append((layout.name, sequence, actions))
        found = played(machine, settling, {}, layout, "0123QABXqab")
        for sequence, actions in zip(sequences("0123QABXqab"), found, strict=True):
            meant = [key for key in sequence if key in "012QAB"]
            if [action.get("column") or action["row"] for action in actions] != meant:
                wrong.append((layout.name, sequence, actions))
    assert wrong == []


# The pages: somebody works through items, each on another keyboard.


def answers(site: Site) -> list[dict[str, Any]]:
    """The reviewer's own answers, the latest first."""
    rows: list[dict[str, Any]] = site.ask("reviewer", "me/work/answers/")["results"]
    return rows


def opinions(row: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (text["is_approved"], text["ratings"]["domain"], text["ratings"]["cultural"])
        for text in row["texts"]
    ]


def open_next(page: Page, before: str = "") -> str:
    """Wait for an item whose keys act; returns its name."""
    expect(page.locator("form[data-ready]")).to_be_attached()
    expect(page.locator("main h1")).not_to_have_text(before or "-")
    return page.locator("main h1").inner_text()


COMPARISONS = (
    ("1ad4c52rd3c3", "", [(True, 4, 5), (False, 3, 3)]),
    ("2rd3c31ad4c5", "", [(True, 4, 5), (False, 3, 3)]),
    ("ad4c52ad5c1d0", "", [(True, 4, 5), (True, 0, 1)]),  # the first text is the current one
    # After a rating a digit is a text again: the second one is not rated before it is gone to.
    ("1d94ac5r2da1d2c2a", "2rc0d5", [(True, 2, 2), (False, 5, 0)]),
)


def test_comparison_stores_what_its_keys_say(site: Site, people: People) -> None:
    site.begin("comparing")
    page = people.page_as("reviewer")
    page.goto(COMPARING)
    page.get_by_role("button", name="Take the next item").click()
    name = ""
    for layout, (keys, more, meant) in zip(LAYOUTS, COMPARISONS, strict=True):
        name = open_next(page, name)
        layout.press(page, *keys, "submit")
        if more:
            said = page.locator(".send-answer [data-error]")
            expect(said).to_contain_text("text 2: Domain alignment · text 2: Cultural alignment")
            layout.press(page, *more, "submit")
        open_next(page, name)
        row = answers(site)[0]
        assert opinions(row) == meant, (layout.name, keys)
        assert [text["rank"] for text in row["texts"]] == [None, None]
    LAYOUTS[0].press(page, *"d?")
    expect(page.locator("#keymap")).to_be_visible()
    expect(page.locator("[data-criterion][data-active]")).to_have_count(0)
    page.keyboard.press("Escape")
    LAYOUTS[0].press(page, "2")  # a text: what was pressed before the help is forgotten
    expect(page.locator("[data-text='2']")).to_have_attribute("aria-current", "true")
    page.keyboard.press("m")
    expect(page.locator("#comment")).to_be_focused()
    page.keyboard.type("1a2r")
    expect(page.locator(".compare input:checked:not([value=''])")).to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    page.wait_for_url("**again=*")
    assert len(answers(site)) == len(LAYOUTS) - 1


def test_what_is_typed_before_the_script_listens_is_not_lost(site: Site, people: People) -> None:
    site.begin("comparing")
    page = people.page_as("reviewer")
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.goto(COMPARING)
    page.route("**/js/answering.js", hold)
    page.get_by_role("button", name="Take the next item").click()
    page.locator("[data-text='2']").wait_for()
    for key in "2rd3c41ad5c0":
        page.keyboard.press(key)
    page.keyboard.press("Control+Enter")
    while not waiting:
        page.wait_for_timeout(20)
    waiting[0].continue_()
    page.unroute("**/js/answering.js")
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    assert opinions(answers(site)[0]) == [(True, 5, 0), (False, 3, 4)]


def test_solving_stores_what_its_keys_say(site: Site, people: People) -> None:
    site.begin("solving")
    page = people.page_as("reviewer")
    page.goto(SOLVING)
    page.get_by_role("button", name="Take the next item").click()
    name = ""
    for layout, keys, meant in zip(
        LAYOUTS, ("ac", "b4", "c0", "d1"), ("C", "D", "", "A"), strict=True
    ):
        name = open_next(page, name)
        layout.press(page, *keys, "submit")
        open_next(page, name)
        assert answers(site)[0]["choice"] == meant, layout.name


def said_in(judgement: Mapping[str, Any]) -> tuple[Any, ...]:
    return (judgement["verdict"], *(judgement["ratings"][name] for name in CRITERIA))


def test_workbench_stores_what_its_keys_say_and_u_undoes_the_last_act(
    site: Site, people: People
) -> None:
    workbench = Workbench(people.page_as("reviewer")).open()
    for layout, keys, meant in zip(
        LAYOUTS,
        ("r41", "rc2d5", "ar10", "rd3d4c5"),
        (("reject", 4, 1), ("reject", 5, 2), ("reject", 1, 0), ("reject", 4, 5)),
        strict=True,
    ):
        seat, item = workbench.seat, workbench.item
        layout.press(workbench.page, *keys, "submit")
        workbench.wait_for_another(seat)
        workbench.wait_until_sent()
        row = site.judgements()[item]
        assert said_in(row) == meant, layout.name
    skipped = workbench.item
    workbench.skip()
    workbench.press("u")  # the skip, not the judgement before it
    expect(workbench.form).to_have_attribute("data-item", skipped)
    assert item in site.judgements()
    seat = workbench.seat
    workbench.press(*"r23", "Control+Enter")
    workbench.wait_for_another(seat)
    workbench.wait_until_sent()
    workbench.press("u")
    expect(workbench.form).to_have_attribute("data-item", skipped)
    expect(workbench.page.locator("input[name=cultural][value='3']")).to_be_checked()
    assert skipped not in site.judgements()
    # Two items in one breath: what is pressed while the next one is fetched is for it.
    before = set(site.judgements())
    LAYOUTS[0].press(workbench.page, *"d4", "submit", *"r15", "submit")
    expect(workbench.form).not_to_have_attribute("data-item", skipped)
    workbench.wait_until_sent()
    stored = site.judgements()
    assert said_in(stored[skipped]) == ("reject", 4, 3)
    [following] = set(stored) - before - {skipped}
    assert said_in(stored[following]) == ("reject", 1, 5)


def test_practice_and_disputes_take_the_same_keys(site: Site, people: People) -> None:
    site.begin("judged")
    reviewer = people.page_as("reviewer")
    for layout in ELSEWHERE:
        reviewer.goto(f"{PROJECT}/practice/1/")
        expect(reviewer.locator("[data-rating][data-active]")).to_have_count(1)
        layout.press(reviewer, *"rac3d4")
        chosen = reviewer.locator(
            "[name=verdict]:checked, [data-rating] input:checked"
        ).evaluate_all("all => all.map(({ value }) => value)")
        assert chosen == ["approve", "4", "3"], layout.name
    senior = people.page_as("senior")
    listed = site.ask("senior", f"projects/{SLUG}/disputes/?page_size=200")["results"]
    proposed = [row for row in listed if any(said["correction"] for said in row["judgements"])]
    for layout, row in zip(ELSEWHERE, proposed, strict=False):
        senior.goto(f"{PROJECT}/disputes/{row['id']}/")
        expect(senior.locator("[data-decision]")).to_be_enabled()
        senior.evaluate("window.isSame = true")
        layout.press(senior, *"0r1", "submit")
        expect(senior.locator("#adjudication")).not_to_have_attribute("data-panel", str(row["id"]))
        assert senior.evaluate("window.isSame")  # no page was loaded
        settled = site.ask("senior", f"projects/{SLUG}/disputes/settled/")["results"][0]
        assert (settled["id"], settled["decision"]) == (row["id"], "adopt"), layout.name
