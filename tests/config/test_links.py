"""No page leads its reader to a closed door: every link and form that a role is shown may be followed by it."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

import pytest
from django.utils import timezone

from projects.models import Project
from review.enums import RoundKind, Selection
from review.rounds.actions.rounds import close_round, open_round
from review.rounds.actions.settings import RoundSettings
from tests.world import MEMBERS, REVIEWER, SENIOR, World

MOST_PAGES = 240
REFUSED = 400


class Links(HTMLParser):
    """The addresses of a page's links within the site, without their fragment."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        address = dict(attrs).get("href") or ""
        if tag == "a" and re.match(r"/(?!static|accounts)", address):
            self.found.append(address.split("#")[0])


@pytest.mark.parametrize("role", MEMBERS)
def test_every_link_that_a_role_is_shown_opens(world: World, role: str) -> None:
    assert shut_doors(world, role) == set()


@pytest.mark.parametrize("role", [REVIEWER, SENIOR])
def test_every_link_opens_while_a_solving_round_hides_keys(world: World, role: str) -> None:
    close_round(round_=world.round, actor=None, now=timezone.now())
    settings = RoundSettings(
        kind=RoundKind.SOLVING, selection=Selection.LIST, uids=[world.item.uid]
    )
    open_round(project=world.project, settings=settings, actor=None, now=timezone.now())
    assert shut_doors(world, role) == set()


@pytest.mark.parametrize("role", [REVIEWER, SENIOR])
def test_every_link_opens_while_a_round_hides_its_control_items(world: World, role: str) -> None:
    Project.objects.update(is_browsing_closed=True)
    assert shut_doors(world, role) == set()


def shut_doors(world: World, role: str) -> set[str]:
    """The links that lead `role` to a refusal."""
    return {
        f"{source} → {address}: {status}"
        for source, address, status in walk(world, role)
        if status >= REFUSED
    }


def walk(world: World, role: str) -> Iterator[tuple[str, str, int]]:
    """Follow every link from the home page on; yield where each stood and how it was answered."""
    browser = world.browser(role)
    waiting = [("", "/")]
    seen = {asked_by("/")}
    while waiting and len(seen) < MOST_PAGES:
        source, address = waiting.pop(0)
        answer = browser.get(address)
        yield source, address, answer.status_code
        if "html" not in answer.get("Content-Type", "") or answer.status_code != 200:
            continue
        for link in Links(answer.content.decode()).found:
            if asked_by(link) not in seen:
                seen.add(asked_by(link))
                waiting.append((address, link))


def asked_by(address: str) -> tuple[str, frozenset[str]]:
    """The path and the names in the query: pages and filters of one list need one visit."""
    parts = urlsplit(address)
    return parts.path, frozenset(parse_qs(parts.query))
