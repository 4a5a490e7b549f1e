"""A whole day of a reviewer, a senior and a manager by keyboard; what is stored is asked of the API.

On SQLite, or on the server that LOTSAWA_TEST_DATABASE_URL names.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from config.management.commands.load_demo import PASSWORD
from tests.browser.people import People
from tests.browser.site import ADDRESSES, PROJECT, SLUG, Site, manage
from tests.browser.workbench import Workbench

pytestmark = pytest.mark.slow

ADDED = "་ལེགས།"
JOB_MS = 60_000
NEW_ITEMS = [
    {
        "uid": f"rivers/{number}",
        "subject": "rivers",
        "split": "test",
        "question": f"Which of these {number} rivers is the longest?",
        "options": ["Yarlung Tsangpo", "Kyi Chu", "Nyang Chu", "Rong Chu"],
        "key": "A",
    }
    for number in (3, 4)
]
NEW_TEXTS = [
    {
        "uid": item["uid"],
        "system": "demo-mt",
        "question": "གཙང་པོ་འདི་དག་ལས་རིང་ཤོས་གང་རེད།",
        "options": ["ཡར་ཀླུང་གཙང་པོ།", "སྐྱིད་ཆུ།", "ཉང་ཆུ།", "རོང་ཆུ།"],
    }
    for item in NEW_ITEMS
]


@pytest.fixture
def site(request: pytest.FixtureRequest) -> Site:
    is_server = "LOTSAWA_TEST_DATABASE_URL" in os.environ
    site: Site = request.getfixturevalue("server_site" if is_server else "shared_site")
    return site


def sign_in(page: Page, role: str) -> None:
    page.goto("/accounts/sign-in/")
    page.get_by_label("E-mail").focus()
    page.keyboard.type(ADDRESSES[role])
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda address: "sign-in" not in address)


def sign_out(page: Page) -> None:
    """By the menu of a page at a desk; then the pages are closed."""
    page.goto("/")
    enter(page.locator("summary[aria-label^=Menu]"))
    enter(page.get_by_role("button", name="Sign out"))
    expect(page.get_by_label("Password")).to_be_visible()
    assert page.request.get(f"/api/v1/projects/{SLUG}/").status in (401, 403)


def enter(control: Locator) -> None:
    """Press Enter on what the keyboard has gone to."""
    control.focus()
    control.press("Enter")


def open_round(site: Site, number: int, *words: str) -> None:
    """The manager's part of a reviewer's day: close one round and open the next."""
    manage(site.var, "close_round", SLUG, str(number))
    manage(site.var, "open_round", SLUG, *words)


# The reviewer.


def test_day_of_a_reviewer(site: Site, people: People) -> None:
    site.begin("demo")
    page = people.page_as()
    sign_in(page, "reviewer")
    workbench = Workbench(page).open()
    guideline = page.locator("#beside-guideline")
    workbench.press("g")
    expect(guideline).to_be_visible()
    workbench.press("Escape")
    workbench.press("g")
    expect(guideline).to_be_hidden()

    before = site.judgements()
    given = judge_twenty(site, workbench)
    stored = {uid: row for uid, row in site.judgements().items() if uid not in before}
    assert {uid: said_in(row) for uid, row in stored.items()} == given
    assert any("see the glossary" in row["comment"] for row in stored.values())

    open_round(site, 1, "--kind", "comparison", "--select", "all")
    take_next(page, 2)
    for keys, meant in (
        ("1ad4c52rd3c3", [(True, 4, 5), (False, 3, 3)]),
        ("2ad5c51rd0c1", [(False, 0, 1), (True, 5, 5)]),
    ):
        answer(page, keys)
        assert opinions(latest_answer(site)) == meant
    page.keyboard.press("u")
    page.wait_for_url("**again=*")
    assert opinions(latest_answer(site)) == [(True, 4, 5), (False, 3, 3)]

    open_round(site, 2, "--kind=solving", "--select=all", "--panel-size=1")
    take_next(page, 3)
    for key, meant in (("a", "A"), ("2", "B"), ("0", "")):
        answer(page, key)
        assert latest_answer(site)["choice"] == meant

    practise(page)
    assert set(site.judgements()) == set(before) | set(given)
    sign_out(page)


def judge_twenty(site: Site, workbench: Workbench) -> dict[str, tuple[str, int, int]]:
    """Judge twenty items, each in one of the ways there are; what was said, by item."""
    given: dict[str, tuple[str, int, int]] = {}
    is_repaired = False
    while len(given) < 20:
        number, item = len(given), workbench.item
        if number == 4:
            workbench.skip()
            workbench.press("u")  # the skip is undone
            expect(workbench.form).to_have_attribute("data-item", item)
        if number == 9:
            workbench.skip()
            assert workbench.item != item
            item = workbench.item
        if not is_repaired and workbench.page.locator("[data-repair]").is_visible():
            workbench.press("f", "4", "3")
            expect(workbench.page.locator(".finding.error")).to_have_count(0)
            given[item] = ("revise", 4, 3)
            is_repaired = True
        elif number % 5 == 1:
            workbench.revise(ADDED)
            given[item] = ("revise", 3, 2)
        elif number % 5 == 3:
            workbench.press("r", "1", "0")
            given[item] = ("reject", 1, 0)
        else:
            workbench.approve()
            given[item] = ("approve", 5, 4)
        if number == 6:
            workbench.press("m")
            workbench.page.keyboard.insert_text("see the glossary")
            workbench.press("Escape")
        workbench.submit_and_wait()
        if number == 12:
            workbench.press("u")
            expect(workbench.form).to_have_attribute("data-item", item)
            assert item not in site.judgements()
            workbench.press("r", "d", "2", "2")
            given[item] = ("reject", 2, 2)
            workbench.submit_and_wait()
    assert is_repaired
    return given


def said_in(row: dict[str, Any]) -> tuple[str, int, int]:
    return (row["verdict"], row["ratings"]["domain"], row["ratings"]["cultural"])


def take_next(page: Page, number: int) -> None:
    page.goto(f"{PROJECT}/rounds/{number}/answer/")
    enter(page.get_by_role("button", name="Take the next item"))


def answer(page: Page, keys: str) -> None:
    expect(page.locator("form[data-ready]")).to_be_attached()
    item = page.locator("main h1").inner_text()
    for key in (*keys, "Control+Enter"):
        page.keyboard.press(key)
    expect(page.locator("main h1")).not_to_have_text(item)


def latest_answer(site: Site) -> dict[str, Any]:
    row: dict[str, Any] = site.ask("reviewer", "me/work/answers/")["results"][0]
    return row


def opinions(row: dict[str, Any]) -> list[tuple[bool, int, int]]:
    return [
        (text["is_approved"], text["ratings"]["domain"], text["ratings"]["cultural"])
        for text in row["texts"]
    ]


def practise(page: Page) -> None:
    """Three items; Enter goes from one to the next and home."""
    page.goto(f"{PROJECT}/practice/")
    for number, verdict in enumerate("aer", 1):
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Practice item {number} of 3")
        expect(page.locator("[data-rating][data-active]")).to_have_count(1)
        for key in (verdict, "Escape", "d", "5", "4"):
            page.keyboard.press(key)
        tag = page.get_by_role("checkbox", name="structure" if number == 2 else "wrong key")
        tag.press("Space")
        page.keyboard.press("Control+Enter")
        expect(
            page.get_by_text("That is right.").or_(page.get_by_text("Look again."))
        ).to_be_visible()
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")


# The senior.


def test_day_of_a_senior(site: Site, people: People) -> None:
    site.begin("judged")
    page = people.page_as()
    sign_in(page, "senior")
    page.goto(f"{PROJECT}/disputes/")
    enter(page.locator("tbody th a").first)
    settled = []
    for keys, decision in (("r", "reject"), ("1", "adopt"), ("e", "merge")):
        dispute = ready(page)
        page.evaluate("window.isSame = true")
        page.keyboard.press(keys)
        if keys == "e":
            page.keyboard.press("Control+End")
            page.keyboard.insert_text(ADDED)
            page.keyboard.press("Escape")
        page.keyboard.press("m")
        page.keyboard.insert_text(f"Because of dispute {dispute}")
        page.keyboard.press("Control+Enter")
        gone_on_from(page, dispute)
        assert page.evaluate("window.isSame")  # no page was loaded
        row = site.ask("senior", f"projects/{SLUG}/disputes/settled/")["results"][0]
        assert (row["id"], row["reason"]) == (dispute, f"Because of dispute {dispute}")
        settled.append((row["decision"], decision))
    assert [stored for stored, _meant in settled] == [meant for _stored, meant in settled]

    asked = []
    for button, note in (("Ask to look again", "Line 2?"), ("Ask for one more judgement", "")):
        dispute = ready(page)
        enter(page.locator("details.ask-reviewers summary"))
        if note:
            page.get_by_label("Note to the reviewer").focus()
            page.keyboard.insert_text(note)
        enter(page.get_by_role("button", name=button))
        gone_on_from(page, dispute)
        asked.append(dispute)
    waiting = [row["id"] for row in disputes(site, "waiting=yes")]
    assert sorted(waiting) == sorted(asked)
    assert not set(asked) & {row["id"] for row in disputes(site)}

    left_out = settle_many(site, page)
    assert left_out in {row["id"] for row in disputes(site)}
    reopened = reopen(site, page)
    assert reopened in {row["id"] for row in disputes(site)}
    sign_out(page)


def ready(page: Page) -> int:
    """The id of the dispute that is shown, once its keys act."""
    expect(page.locator("[data-decision]")).to_be_enabled()
    return int(page.locator("#adjudication").get_attribute("data-panel") or 0)


def gone_on_from(page: Page, dispute: int) -> None:
    another = page.locator(f"#adjudication:not([data-panel='{dispute}'])")
    expect(another).to_be_attached()


def disputes(site: Site, query: str = "") -> list[dict[str, Any]]:
    path = f"projects/{SLUG}/disputes/?page_size=200&{query}"
    rows: list[dict[str, Any]] = site.ask("senior", path)["results"]
    return rows


def settle_many(site: Site, page: Page) -> int:
    """Approve a filter at once but for one; the id of that one."""
    page.goto(f"{PROJECT}/disputes/?reason=only-score_gap")
    enter(page.get_by_role("link", name="Settle all that match"))
    row = page.locator("tbody tr").first
    expect(row.locator("td").first).not_to_be_empty()  # its source
    uid = row.locator("th").inner_text()
    [left_out] = [each["id"] for each in disputes(site) if each["item"] == uid]
    row.get_by_role("checkbox").press("Space")
    listed = page.locator("tbody tr").count()
    page.get_by_label("Reason for all").focus()
    page.keyboard.insert_text("both approve")
    enter(page.get_by_role("button", name=re.compile("^Approve")))
    expect(page.locator(".messages")).to_contain_text(f"Settled: {listed - 1}.")
    rows = site.ask("senior", f"projects/{SLUG}/disputes/settled/?page_size=200")["results"]
    together = [each["id"] for each in rows if each["reason"] == "both approve"]
    assert len(together) == listed - 1
    assert left_out not in together
    return int(left_out)


def reopen(site: Site, page: Page) -> int:
    """Take the latest decision back; the id of its dispute."""
    page.goto(f"{PROJECT}/disputes/settled/")
    row = page.locator("tbody tr").first
    uid = row.locator("th a").inner_text()
    enter(row.locator("summary"))
    row.get_by_label("Reason").focus()
    page.keyboard.insert_text("a slip")
    enter(row.get_by_role("button", name="Reopen the dispute"))
    expect(page.get_by_role("heading", name="Earlier on this item")).to_be_visible()
    [found] = [each["id"] for each in disputes(site) if each["item"] == uid]
    return int(found)


# The manager.


def test_day_of_a_manager(site: Site, people: People, tmp_path: Path) -> None:
    site.begin("judged")
    site.start("worker", "calls worker")
    page = people.page_as()
    page.on("dialog", lambda dialog: dialog.accept())
    sign_in(page, "manager")

    before = uids(site)
    for name, rows in (("rivers.jsonl", NEW_ITEMS), ("rivers-mt.jsonl", NEW_TEXTS)):
        import_rows(page, tmp_path / name, rows)
    assert set(uids(site)) - set(before) == {item["uid"] for item in NEW_ITEMS}

    page.goto(f"{PROJECT}/rounds/1/")
    enter(page.get_by_role("button", name="Close the round"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("closed")
    number = open_next_round(page)
    opened = site.ask("manager", f"projects/{SLUG}/rounds/")["results"]
    assert [each["state"] for each in opened] == ["closed", "open"]
    manager = site.ask("manager", "me/")["id"]
    assert (opened[1]["number"], opened[1]["substitute"]) == (number, manager)

    page.goto(f"{PROJECT}/report/")
    stage = site.ask("manager", f"projects/{SLUG}/report/")["stages"][0]
    shown = page.locator("main")
    expect(shown).to_contain_text(f"{stage['approval_rate']['value'] * 100:.1f}")

    page.goto(f"{PROJECT}/releases/build/")
    told = site.ask("manager", f"projects/{SLUG}/readiness/")
    codes = {matter["code"] for matter in told["blocking"]}
    assert "simulated_judgements" in codes
    for matter in told["blocking"]:
        expect(page.locator("main [role=alert]").filter(has_text=matter["detail"])).to_be_visible()
    sign_out(page)


def uids(site: Site) -> list[str]:
    listed = site.ask("manager", f"projects/{SLUG}/items/?page_size=1000")["results"]
    return [row["uid"] for row in listed]


def import_rows(page: Page, file: Path, rows: list[dict[str, Any]]) -> None:
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    file.write_text("\n".join(lines), encoding="utf-8")
    page.goto(f"{PROJECT}/import/")
    page.locator("input[type=file][name=file]").set_input_files(file)
    page.get_by_label("Licence").fill("CC-BY-4.0")
    enter(page.locator("main form footer button.primary"))
    expect(page.locator("main")).to_contain_text("done", timeout=JOB_MS)


def open_next_round(page: Page) -> int:
    """Open a round of all items: its disputes might be left without a senior, so name a substitute."""
    page.goto(f"{PROJECT}/rounds/open/")
    page.locator("input[name=selection][value=not-approved]").press("Space")
    check = page.get_by_role("button", name="Check who may judge")
    enter(check)
    warning = page.get_by_text("Every senior is asked to judge")
    expect(warning).to_be_visible()
    page.get_by_label("Substitute for the seniors").select_option(label="Pema (manager)")
    enter(check)
    expect(warning).to_be_hidden()
    enter(page.get_by_role("button", name="Open the round"))
    page.wait_for_url(re.compile(r"/rounds/\d+/$"))
    return int(page.url.rstrip("/").rpartition("/")[2])
