"""A stranger's whole day: an account, the terms, the questions, wrong answers, right ones, a score.

After the first page, the public leaderboard, they follow links and e-mails alone.
"""

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import FilePayload, Page, expect

from config.demo import compared, submitted
from tests.browser.looks import barriers, misfits
from tests.browser.mail import find_invitation, find_link
from tests.browser.people import SIZES, People
from tests.browser.site import Site

ACCOUNT = f"/submit/{compared.SLUG}/{submitted.VERSION}/account/"
"""What managers give to people without an account."""
BOARD = f"/boards/{compared.SLUG}/{submitted.VERSION}/"
ADDRESS = "dolma@strangers.example"
RESULT = re.compile(r"https?://\S+/submissions/\d+/")
SCORED_MS = 60_000


def open_account(page: Page, site: Site) -> None:
    """Fill in the form for an account; its e-mail leads to the page where answers are sent."""
    page.get_by_label("Name").fill("སྒྲོལ་མ་")
    page.get_by_label("E-mail").fill(ADDRESS)
    page.get_by_role("button", name="Send the link").click()
    page.goto(find_invitation(site.var / "mail", ADDRESS))
    for field in page.locator("input[type=password]").all():
        field.fill("eight winds, one lamp")
    page.locator("main form button.primary").click()
    expect(page.get_by_role("heading", name="Terms, version")).to_be_visible()


def accept_terms(page: Page) -> None:
    expect(page.locator("main")).to_contain_text("Do not train models on these items.")
    page.get_by_label("Affiliation").fill("University of Lhasa")
    page.get_by_label("Name of a new team").fill("ལྷ་ས་")
    page.get_by_label("I accept the terms").check()
    page.get_by_role("button", name="Accept and continue").click()
    expect(page.get_by_role("heading", name="ལྷ་ས་")).to_be_visible()


def open_part(page: Page) -> None:
    """Go by Home to the page where answers are sent."""
    page.get_by_role("link", name="Lotsawa", exact=True).click()
    expect(page.locator("main")).not_to_contain_text("You are not in a project yet")
    page.get_by_role("link", name=f"Open {submitted.VERSION}").click()


def download(page: Page) -> list[dict[str, Any]]:
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download the questions").click()
    lines = Path(waiting.value.path()).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def send(page: Page, answers: dict[str, Any]) -> None:
    content = json.dumps(answers, ensure_ascii=False).encode()
    file = FilePayload(name="answers.json", mimeType="application/json", buffer=content)
    page.get_by_label("Answers").set_input_files(file)
    page.get_by_label("Model").fill("my-model 7B")
    page.get_by_role("button", name="Send", exact=True).click()


def wait_for_score(page: Page) -> None:
    """Leave the page and come back, as somebody does who waits."""
    address = page.url
    for _time in range(SCORED_MS // 500):
        if page.locator("dd", has_text=re.compile("^scored$")).count():
            return
        page.wait_for_timeout(500)
        page.goto(address)
    raise AssertionError(page.locator("main").inner_text())


def bad_looks(page: Page) -> list[str]:
    return barriers(page) + misfits(page)


def test_a_stranger_s_whole_day(site: Site, people: People) -> None:
    site.start("worker", "calls worker")
    people.expect("422")
    page = people.page_as()
    page.goto(BOARD)
    page.get_by_role("link", name="Submissions", exact=True).click()
    page.get_by_role("link", name="Ask for an account").click()
    open_account(page, site)
    accept_terms(page)
    expect(page.get_by_role("heading", name="New submission")).to_be_visible()
    assert bad_looks(page) == []
    items = download(page)
    assert all("answer" not in item and item["question"] for item in items)
    answers: dict[str, Any] = {item["id"]: "A" for item in items}
    first = next(iter(answers))

    send(page, {**answers, first: "Z", "hidden-nobody": "B"})
    faults = page.locator("main [data-faults]")
    expect(faults).to_contain_text("hidden-nobody")
    expect(faults).to_contain_text(first)
    expect(page.locator("main")).to_contain_text("your quota is untouched")
    assert bad_looks(page) == []

    send(page, answers)
    expect(page.get_by_role("heading", level=1)).to_have_text("my-model 7B")
    page.goto(find_link(site.var / "mail", ADDRESS, RESULT))
    expect(page.locator("main")).to_contain_text(re.compile(r"Accuracy: \d+\.\d %"))
    assert bad_looks(page) == []
    open_part(page)
    page.get_by_role("region", name="Submissions").get_by_role("link", name="my-model 7B").click()
    expect(page.locator("main")).to_contain_text(re.compile(r"Accuracy: \d+\.\d %"))
    page.set_viewport_size(SIZES["phone"])  # type: ignore[arg-type]
    for name in ("Lotsawa", f"Open {submitted.VERSION}"):
        page.get_by_role("link", name=name).first.click()
        page.wait_for_load_state()
        assert bad_looks(page) == []

    phone = people.page_as(size="phone")
    phone.goto(BOARD)
    entry = phone.locator("tbody tr", has_text="ལྷ་ས་")
    expect(entry).to_contain_text("my-model 7B")
    expect(entry).to_contain_text("file of answers, self-reported")
    assert bad_looks(phone) == []
