"""A shared computer: who signs out leaves nothing behind but what they ask to keep."""

from playwright.sync_api import Page, expect

from config.management.commands.load_demo import PASSWORD
from tests.browser.people import People
from tests.browser.site import ADDRESSES, Site
from tests.browser.workbench import Workbench

LEFT = """
async () => {
  const left = {};
  const database = await new Promise((resolve, reject) => {
    const request = indexedDB.open("lotsawa");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  for (const store of database.objectStoreNames) {
    left[store] = await new Promise((resolve) => {
      const request = database.transaction(store).objectStore(store).count();
      request.onsuccess = () => resolve(request.result);
    });
  }
  database.close();
  const drafts = Object.keys(localStorage).filter((key) => key.startsWith("lotsawa.draft.")).length;
  const pages = (await caches.keys()).length ? await (await caches.open("lotsawa-pages")).keys() : [];
  return {...left, drafts, pages: pages.filter(({url}) => url.endsWith("/workbench/")).length};
}
"""


def sign_out(page: Page) -> None:
    page.locator("summary[aria-label^=Menu]").click()
    page.get_by_role("button", name="Sign out").click()


def test_person_who_signs_out_is_asked_about_unsent_work_and_leaves_nothing_else(
    site: Site, people: People
) -> None:
    # The check of what was typed last may come after the session's end.
    people.expect(r"net::ERR_", r"/check/: .*\b401\b")
    site.reserve("reviewer")
    workbench = Workbench(people.context_as("reviewer").new_page()).open()
    page, dialog = workbench.page, workbench.page.locator("#sign-out")
    workbench.wait_until_kept(6)
    workbench.wait_until_page_is_kept()
    item, seat = workbench.item, workbench.seat
    page.route("**/submit/", lambda route: route.abort())
    workbench.approve()
    workbench.submit()
    workbench.wait_for_another(seat)
    workbench.revise("ཀ")

    sign_out(page)
    expect(dialog.locator("li")).to_have_text([item, "Drafts: 1"])
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    sign_out(page)
    dialog.get_by_role("button", name="Keep it and sign out").click()
    expect(page.get_by_label("Password")).to_be_visible()
    kept = page.evaluate(LEFT)

    page.get_by_label("E-mail").fill(ADDRESSES["reviewer"])
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{site.address}/")
    sign_out(page)
    dialog.get_by_role("button", name="Delete it and sign out").click()
    expect(page.get_by_label("Password")).to_be_visible()
    left = page.evaluate(LEFT)

    assert kept == {"items": 0, "outbox": 1, "refused": 0, "drafts": 2, "pages": 0}
    assert sum(left.values()) == 0
