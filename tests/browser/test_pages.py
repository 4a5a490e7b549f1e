"""Every page, at each size and in both themes: readable by anyone, nothing sticks out, nothing too small."""

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from config.demo.compared import SLUG as COMPARED
from config.demo.written import SLUG as WRITTEN
from tests.browser.bench import BENCH
from tests.browser.looks import barriers, misfits
from tests.browser.people import SIZES, People, Size
from tests.browser.site import PROJECT, SLUG, Site, manage

OPEN_PAGES = (
    "/accounts/sign-in/",
    "/accounts/password-reset/",
    "/accounts/invitations/no-such/",
    "/help/",
    "/releases/",
    f"/releases/{WRITTEN}/1.0.0/",
    f"/releases/{WRITTEN}/1.0.0/items/",
    f"/releases/{WRITTEN}/1.0.0/report/",
)
MANAGER_PAGES = (
    "/",
    f"{PROJECT}/",
    f"{PROJECT}/settings/",
    f"{PROJECT}/webhooks/",
    f"{PROJECT}/members/",
    f"{PROJECT}/members/invite/",
    f"{PROJECT}/members/invite-many/",
    f"{PROJECT}/members/3/",
    f"{PROJECT}/members/offer/",
    f"{PROJECT}/members/3/pay/",
    f"{PROJECT}/statements/",
    f"{PROJECT}/statements/2026-01/",
    f"{PROJECT}/items/",
    f"{PROJECT}/items/?subject=health",
    f"{PROJECT}/items/1/",
    f"{PROJECT}/items/1/history/",
    f"{PROJECT}/items/1/comments/",
    "/notifications/",
    f"{PROJECT}/items/1/text/",
    f"{PROJECT}/findings/",
    f"{PROJECT}/findings/label_in_text/",
    f"{PROJECT}/import/",
    f"{PROJECT}/glossary/",
    f"{PROJECT}/glossary/1/",
    f"{PROJECT}/glossary/add/",
    f"{PROJECT}/glossary/import/",
    f"{PROJECT}/glossary/propose/",
    f"{PROJECT}/glossary/proposals/",
    f"{PROJECT}/concordance/?q=the&scope=all",
    f"{PROJECT}/memory/?item=health/1",
    f"{PROJECT}/duplicates/",
    f"{PROJECT}/rounds/",
    f"{PROJECT}/rounds/1/",
    f"{PROJECT}/rounds/1/pause/",
    f"{PROJECT}/rounds/1/change/",
    f"{PROJECT}/rounds/open/",
    f"{PROJECT}/rounds/guideline/",
    f"{PROJECT}/criteria/",
    f"{PROJECT}/report/",
    f"{PROJECT}/report/reviewers/",
    f"{PROJECT}/report/reviewers/3/4/",
    f"{PROJECT}/disputes/blocked/",
    f"{PROJECT}/releases/",
    f"{PROJECT}/releases/build/",
    f"{PROJECT}/releases/details/",
    f"{PROJECT}/releases/problems/",
    f"{PROJECT}/translations/choose/",
    f"{PROJECT}/translations/items/",
    f"{PROJECT}/runs/",
    f"{PROJECT}/runs/start/",
    f"{PROJECT}/models/",
    f"{PROJECT}/models/add/",
    f"{PROJECT}/prompts/",
    f"/projects/{WRITTEN}/",
    f"/projects/{WRITTEN}/items/",
    f"/projects/{WRITTEN}/rounds/2/",
    f"/projects/{COMPARED}/rounds/1/results/",
    f"/projects/{COMPARED}/translations/items/",
    "/accounts/profile/",
    "/accounts/password/",
    "/accounts/tokens/",
    "/no-such-page/",
)
ADMINISTRATOR_PAGES = (
    "/accounts/",
    "/accounts/?q=senior",
    "/accounts/2/",
    "/sign-ins/",
    "/endpoints/",
    "/audit/",
)
NOT_THERE = {"/no-such-page/": 404, "/accounts/invitations/no-such/": 410}
SENIOR_PAGES = (
    f"{PROJECT}/disputes/",
    f"{PROJECT}/disputes/?reason=verdict_split&sort=uid",
    f"{PROJECT}/disputes/settled/",
    f"{PROJECT}/disputes/bulk/?round=1",
)


@pytest.fixture(scope="module")
def axe() -> Axe:
    return Axe()


@pytest.fixture(scope="module", autouse=True)
def a_term(site: Site, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A glossary with one term of every field."""
    file = tmp_path_factory.mktemp("terms") / "terms.csv"
    columns = "source,preferred,allowed,forbidden,part_of_speech,domain,note"
    file.write_text(f"{columns}\nriver,གཙང་པོ,ཆུ་བོ,ཆུ,noun,geography,as in names\n", "utf-8")
    manage(site.var, "import_terms", SLUG, str(file))


@pytest.fixture(scope="module", autouse=True)
def a_dispute(site: Site) -> int:
    """The first dispute of the demo, as its senior sees it."""
    rows = site.ask("senior", "projects/demo/disputes/")["results"]
    return int(rows[0]["id"])


@pytest.fixture(scope="module")
def searched(site: Site) -> None:
    """Searched for duplicates, which brings their filters."""
    manage(site.var, "find_duplicates", SLUG, "--methods", "exact")


# A test ends after three minutes, so the many pages of managers are divided.
ROLES = ("", "manager", "manager again", "senior", "reviewer", "administrator")


def pages_of(
    people: People, axe: Axe, size: Size, dispute: int, role: str
) -> Iterator[tuple[str, Page]]:
    """Every page of a role in turn."""
    people.expect("status of 404", "status of 410")
    rooms = {
        "": OPEN_PAGES,
        "manager": MANAGER_PAGES[::2],
        "manager again": MANAGER_PAGES[1::2],
        "senior": (*SENIOR_PAGES, f"{PROJECT}/disputes/{dispute}/"),
        "reviewer": (
            "/",
            f"{PROJECT}/",
            f"{PROJECT}/practice/",
            "/second-looks/",
            "/my-work/",
            "/my-work/answers/",
            f"{PROJECT}/contributor/",
            f"/projects/{WRITTEN}/rounds/2/answer/",
            BENCH,
        ),
        "administrator": ADMINISTRATOR_PAGES,
    }
    page = people.page_as(role.partition(" ")[0], size=size)
    page.add_init_script(axe.axe_script)
    for path in rooms[role]:
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == NOT_THERE.get(path, 200), path
        if path == BENCH and not page.locator("#judgement").count():
            page.keyboard.press("Enter")
            page.locator("[data-rating][data-active]").wait_for(state="attached")
        expect(page.locator("[hx-trigger=load]")).to_have_count(0)  # parts that come later
        expect(page.locator(".htmx-request")).to_have_count(0)
        page.evaluate("() => document.fonts.ready.then(() => true)")
        yield path, page


@pytest.mark.parametrize("path", [f"{PROJECT}/items/", f"{PROJECT}/duplicates/"])
def test_filters_fold_on_a_phone_until_one_acts(people: People, searched: None, path: str) -> None:
    phone = people.page_as("manager", size="phone", java_script_enabled=False)
    phone.goto(f"{path}?clear")
    button = phone.get_by_role("button", name="Filter", exact=True)
    expect(button).not_to_be_visible()
    phone.locator(".filter-fold > summary").click()
    expect(button).to_be_visible()
    phone.goto(f"{path}?{'subject=health' if 'items' in path else 'key=different'}")
    expect(button).to_be_visible()
    wide = people.page_as("manager")
    wide.goto(path)
    expect(wide.get_by_role("button", name="Filter", exact=True)).to_be_visible()
    expect(wide.locator(".filter-fold > summary")).not_to_be_visible()


def test_list_of_the_api_stands_within_the_site(people: People) -> None:
    page = people.page_as("reviewer", theme="dark")
    page.goto("/api/docs/")
    page.locator(".opblock-summary-control", has_text="{id}/suggestion/").click()
    field = page.get_by_role("button", name="Try it out")
    assert field.is_visible()
    assert "rgb(255, 255, 255)" in page.evaluate(
        "getComputedStyle(document.querySelector('.api-docs')).backgroundColor"
    )
    page.get_by_role("link", name="Lotsawa").click()
    page.wait_for_url("**/")


def test_list_of_the_api_has_no_barrier(people: People, axe: Axe) -> None:
    page = people.page_as("reviewer")
    page.goto("/api/docs/")
    page.locator(".opblock-summary-control", has_text="{id}/suggestion/").click()
    page.get_by_role("button", name="Try it out").wait_for()

    assert barriers(page, axe) == []


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_page_has_no_barrier_and_a_phone_holds_it(
    people: People, axe: Axe, a_dispute: int, size: Size, role: str
) -> None:
    """Barriers in light and dark at both sizes; on phones the width, and room for a finger too."""
    found = {}
    for path, page in pages_of(people, axe, size, a_dispute, role):
        bad = misfits(page) if size == "phone" else []
        page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
        if bad := bad + barriers(page, axe):
            found[path] = bad
    assert found == {}
