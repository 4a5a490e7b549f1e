"""No page leads its reader to a closed door: every link and form that a role is shown may be followed by it."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from tests.world import MEMBERS, World, make_world

MOST_PAGES = 120
SHUT = (403, 404)


class Links(HTMLParser):
    """The addresses of a page's links within the site, without their query and fragment."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        address = dict(attrs).get("href") or ""
        if tag == "a" and re.match(r"/(?!static|accounts)", address):
            self.found.append(address.split("#")[0].split("?")[0])


@pytest.mark.django_db
@pytest.mark.parametrize("role", MEMBERS)
def test_every_link_that_a_role_is_shown_opens(role: str) -> None:
    shut = {
        f"{source} → {address}"
        for source, address, status in walk(make_world(), role)
        if status in SHUT
    }
    assert shut == set()


def walk(world: World, role: str) -> Iterator[tuple[str, str, int]]:
    """Follow every link from the home page on; yield where each stood and how it was answered."""
    browser = world.browser(role)
    waiting = [("", "/")]
    seen = {"/"}
    while waiting and len(seen) < MOST_PAGES:
        source, address = waiting.pop(0)
        answer = browser.get(address)
        yield source, address, answer.status_code
        if "html" not in answer.get("Content-Type", "") or answer.status_code != 200:
            continue
        for link in Links(answer.content.decode()).found:
            if link not in seen:
                seen.add(link)
                waiting.append((address, link))
