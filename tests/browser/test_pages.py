"""Every page: readable by anyone, nothing sticks out of a phone, nothing is too small for a finger."""

import pytest
from playwright.sync_api import Page, expect

from config.demo.compared import SLUG as COMPARED
from config.demo.written import SLUG as WRITTEN
from tests.browser.looks import barriers, misfits
from tests.browser.people import SIZES, People
from tests.browser.site import PROJECT, Site
from tests.browser.workbench import WORKBENCH, Workbench

WORLD = "furnished"
A_DISPUTE = f"{PROJECT}/disputes/first/"
"""The first that is open; its id depends on what was judged."""
# By who opens them and what they are about.
PAGES = {
    ("", "the public"): (
        "/accounts/sign-in/",
        "/accounts/password-reset/",
        "/accounts/invitations/no-such/",
        "/help/",
        "/releases/",
        f"/releases/{WRITTEN}/1.0.0/",
        f"/releases/{WRITTEN}/1.0.0/items/",
        f"/releases/{WRITTEN}/1.0.0/report/",
    ),
    ("manager", "home and account"): (
        "/",
        "/notifications/",
        "/accounts/profile/",
        "/accounts/password/",
        "/accounts/tokens/",
        "/no-such-page/",
        f"{PROJECT}/",
        f"/projects/{WRITTEN}/",
        f"{PROJECT}/settings/",
        f"{PROJECT}/webhooks/",
    ),
    ("manager", "people"): (
        f"{PROJECT}/members/",
        f"{PROJECT}/members/invite/",
        f"{PROJECT}/members/invite-many/",
        f"{PROJECT}/members/3/",
        f"{PROJECT}/members/offer/",
        f"{PROJECT}/members/3/pay/",
        f"{PROJECT}/statements/",
        f"{PROJECT}/statements/2026-01/",
    ),
    ("manager", "items"): (
        f"{PROJECT}/items/",
        f"{PROJECT}/items/?subject=health",
        f"{PROJECT}/items/1/",
        f"{PROJECT}/items/1/history/",
        f"{PROJECT}/items/1/comments/",
        f"{PROJECT}/items/1/text/",
        f"/projects/{WRITTEN}/items/",
        f"{PROJECT}/findings/",
        f"{PROJECT}/findings/label_in_text/",
        f"{PROJECT}/import/",
    ),
    ("manager", "language"): (
        f"{PROJECT}/glossary/",
        f"{PROJECT}/glossary/1/",
        f"{PROJECT}/glossary/add/",
        f"{PROJECT}/glossary/import/",
        f"{PROJECT}/glossary/propose/",
        f"{PROJECT}/glossary/proposals/",
        f"{PROJECT}/concordance/?q=the&scope=all",
        f"{PROJECT}/memory/?item=health/1",
        f"{PROJECT}/duplicates/",
        f"{PROJECT}/translation-jobs/",
        f"{PROJECT}/translation-jobs/start/",
        f"{PROJECT}/translation-jobs/prompt/",
        f"{PROJECT}/make-items/",
        f"{PROJECT}/making-jobs/",
        f"{PROJECT}/making-jobs/start/",
        f"{PROJECT}/making-jobs/prompt/",
        f"{PROJECT}/sampling-jobs/",
        f"{PROJECT}/sampling-jobs/start/",
        f"{PROJECT}/sampling-jobs/prompt/",
        f"{PROJECT}/explanation-jobs/",
        f"{PROJECT}/explanation-jobs/start/",
        f"{PROJECT}/screenings/",
        f"{PROJECT}/screenings/start/",
        f"{PROJECT}/screenings/prompts/unique/",
        f"{PROJECT}/screenings/calibration/",
        f"{PROJECT}/submissions/",
        f"/boards/{WRITTEN}/1.0.0/",
    ),
    ("manager", "rounds"): (
        f"{PROJECT}/rounds/",
        f"{PROJECT}/rounds/1/",
        f"{PROJECT}/rounds/1/pause/",
        f"{PROJECT}/rounds/1/change/",
        f"{PROJECT}/rounds/open/",
        f"{PROJECT}/rounds/guideline/",
        f"/projects/{WRITTEN}/rounds/2/",
        f"/projects/{COMPARED}/rounds/1/results/",
        f"{PROJECT}/criteria/",
    ),
    ("manager", "report and choices"): (
        f"{PROJECT}/report/",
        f"{PROJECT}/report/reviewers/",
        f"{PROJECT}/report/reviewers/3/4/",
        f"{PROJECT}/disputes/blocked/",
        f"{PROJECT}/translations/choose/",
        f"{PROJECT}/translations/items/",
        f"/projects/{COMPARED}/translations/items/",
    ),
    ("manager", "releases and runs"): (
        f"{PROJECT}/releases/",
        f"{PROJECT}/releases/build/",
        f"{PROJECT}/releases/details/",
        f"{PROJECT}/releases/problems/",
        f"{PROJECT}/runs/",
        f"{PROJECT}/runs/start/",
        f"{PROJECT}/models/",
        f"{PROJECT}/models/add/",
        f"{PROJECT}/prompts/",
    ),
    ("senior", "disputes"): (
        f"{PROJECT}/disputes/",
        f"{PROJECT}/disputes/?reason=verdict_split&sort=uid",
        f"{PROJECT}/disputes/settled/",
        f"{PROJECT}/disputes/bulk/?round=1",
        A_DISPUTE,
    ),
    ("reviewer", "work"): (
        "/",
        f"{PROJECT}/",
        f"{PROJECT}/practice/",
        "/second-looks/",
        "/my-work/",
        "/my-work/answers/",
        f"{PROJECT}/contributor/",
        f"/projects/{WRITTEN}/rounds/2/answer/",
        WORKBENCH,
    ),
    ("administrator", "the site"): (
        "/accounts/",
        "/accounts/?q=senior",
        "/accounts/2/",
        "/sign-ins/",
        "/endpoints/",
        "/audit/",
    ),
}
NOT_THERE = {"/no-such-page/": 404, "/accounts/invitations/no-such/": 410}
ON_A_PHONE_TOO = {"/", f"{PROJECT}/items/", A_DISPUTE, WORKBENCH}
"""What is built otherwise on a phone, and is looked at there in full too."""


@pytest.mark.parametrize(("role", "about"), PAGES, ids=[about for _role, about in PAGES])
def test_pages_have_no_barrier_and_a_phone_holds_them(
    people: People, site: Site, role: str, about: str
) -> None:
    people.expect("status of 404", "status of 410")
    page = people.page_as(role)
    found = {}
    for path in PAGES[role, about]:
        visit(page, path, site)
        bad = misfits(page)
        bad += barriers(page)
        if path in ON_A_PHONE_TOO:
            page.set_viewport_size(SIZES["phone"])  # type: ignore[arg-type]
            bad += barriers(page)
            page.set_viewport_size(SIZES["desktop"])  # type: ignore[arg-type]
        if bad:
            found[path] = bad
    assert found == {}


def visit(page: Page, path: str, site: Site) -> None:
    """Open a page, and wait until the parts are there that come later."""
    if path == WORKBENCH:
        Workbench(page).open()
    elif path == A_DISPUTE:
        first = site.ask("senior", "projects/demo/disputes/")["results"][0]["id"]
        page.goto(f"{PROJECT}/disputes/{first}/")
    else:
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == NOT_THERE.get(path, 200), path
    expect(page.locator("[hx-trigger=load], .htmx-request")).to_have_count(0)


def test_filters_fold_on_a_phone_until_one_acts(people: People) -> None:
    phone = people.page_as("manager", size="phone", java_script_enabled=False)
    button = phone.get_by_role("button", name="Filter", exact=True)
    for path, choice in (("items", "subject=health"), ("duplicates", "key=different")):
        phone.goto(f"{PROJECT}/{path}/?clear")
        expect(button).not_to_be_visible()
        phone.locator(".filter-fold > summary").click()
        expect(button).to_be_visible()
        phone.goto(f"{PROJECT}/{path}/?{choice}")
        expect(button).to_be_visible()
        phone.set_viewport_size(SIZES["desktop"])  # type: ignore[arg-type]
        phone.goto(f"{PROJECT}/{path}/?clear")
        expect(button).to_be_visible()
        expect(phone.locator(".filter-fold > summary")).not_to_be_visible()
        phone.set_viewport_size(SIZES["phone"])  # type: ignore[arg-type]


# Closed operations of a method look alike, and axe takes long for all of them.
KEEP_ONE_OF_EACH_METHOD = """() => {
    const seen = new Set();
    for (const one of document.querySelectorAll('.opblock:not(.is-open)')) {
        if (seen.has(one.className)) one.remove();
        seen.add(one.className);
    }
    if (seen.size < 3) throw new Error(`only ${[...seen]}`);
}"""


def test_list_of_the_api_stands_within_the_site_and_has_no_barrier(people: People) -> None:
    page = people.page_as("reviewer", theme="dark")
    page.goto("/api/docs/")
    page.locator(".opblock-summary-control", has_text="{id}/suggestion/").click()
    page.get_by_role("button", name="Try it out").wait_for()
    assert "rgb(255, 255, 255)" in page.evaluate(
        "getComputedStyle(document.querySelector('.api-docs')).backgroundColor"
    )
    page.evaluate(KEEP_ONE_OF_EACH_METHOD)
    assert barriers(page) == []
    page.get_by_role("link", name="Lotsawa").click()
    page.wait_for_url("**/")
