"""Practice: three items by keyboard, without barriers, on a phone too."""

from playwright.sync_api import expect

from tests.browser.looks import barriers, misfits
from tests.browser.people import SIZES, People
from tests.browser.site import Site


def test_three_items_are_practised_and_counted_nowhere(site: Site, people: People) -> None:
    before = site.rows("SELECT count(*) FROM review_judgement")
    page = people.page_as("reviewer")
    page.goto("/")
    page.get_by_role("link", name="Practise").click()
    for number, verdict in enumerate(("Approve", "Revise", "Reject"), 1):
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Practice item {number} of 3")
        expect(page.locator("[data-rating][data-active]")).to_have_count(1)
        page.keyboard.press(verdict[0].lower() if verdict != "Revise" else "e")
        page.keyboard.press("Escape")
        page.get_by_role("checkbox", name="structure" if number == 2 else "wrong key").check()
        page.keyboard.press("Control+Enter")
        expect(page.locator("[data-error]").filter(visible=True)).to_have_count(2)
        names_nobody = page.get_by_text("Nobody can be named in this comment")
        expect(names_nobody).to_be_hidden()
        page.keyboard.press("m")
        page.keyboard.type("Ask @pema")
        expect(names_nobody).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("5")
        page.keyboard.press("4")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("That is right.")).to_be_visible()
        if number == 2:
            assert barriers(page) == []
            assert misfits(page) == []
            page.set_viewport_size(SIZES["desktop"])  # type: ignore[arg-type]
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")
    assert site.rows("SELECT count(*) FROM review_judgement") == before
