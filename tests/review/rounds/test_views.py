"""The pages of rounds: opening and closing, the guideline, figures as files, and what each page costs."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from projects.enums import Role
from projects.models import Project
from review.enums import SeatState
from review.models import Assignment, Guideline, Panel, Round
from review.rounds.actions.rounds import close_round
from tests.factories import RUBRIC

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Member = Callable[..., User]
Browser = Callable[[User], Client]
Dispute = Callable[..., Panel]
WORKBENCH = "/projects/ti/rounds/1/workbench/"
OPEN_PAGE = "/projects/ti/rounds/open/"


def test_form_of_a_project_without_texts_and_people_leads_to_both(
    items: Callable[[int], None], member: Member, browser_of: Browser, project: Project
) -> None:
    browser = browser_of(member(Role.MANAGER))
    main = browser.get(OPEN_PAGE).content.decode().partition("<main")[2]
    assert 'href="/projects/ti/import/"' in main
    assert '<a class="btn primary" href="/projects/ti/members/"' in main
    items(1)
    main = browser.get(OPEN_PAGE).content.decode().partition("<main")[2]
    assert 'href="/projects/ti/import/"' not in main


def test_round_is_opened_and_closed_by_forms(
    items: Callable[[int], None], member: Member, browser_of: Browser, project: Project
) -> None:
    items(2)
    browser = browser_of(member(Role.MANAGER))
    typed = {
        "panel_size": 1, "selection": "all", "seed": 0, "verdict_rule": "unanimous", "score_gap": 2,
        "reservation_minutes": 30, "is_same_panel_allowed": "no", "is_unfinishable_allowed": "on",
    }  # fmt: skip

    assert browser.post("/projects/ti/rounds/open/", {**typed, "panel_size": 99}).status_code == 400
    assert browser.post("/projects/ti/rounds/open/", typed)["Location"] == "/projects/ti/rounds/1/"
    assert Round.objects.get().is_same_panel_allowed is False
    again = browser.post("/projects/ti/rounds/open/", typed)
    assert again.status_code == 400
    assert "still open" in again.content.decode()
    shown = browser.get("/projects/ti/rounds/open/").content.decode()
    assert "Round 1 is still open" in shown
    assert 'href="/projects/ti/rounds/1/"' in shown
    assert "panel_size" not in shown
    assert browser.post("/projects/ti/rounds/1/close/")["Location"] == "/projects/ti/rounds/1/"
    assert browser.post("/projects/ti/rounds/1/close/").status_code == 409


@pytest.mark.parametrize("number", [99_999_999, 2**63, 10**30])
def test_number_that_no_round_and_no_dispute_has_is_404(
    member: Member, browser_of: Browser, number: int
) -> None:
    browser = browser_of(member(Role.SENIOR))

    assert browser.get(f"/projects/ti/rounds/{number}/").status_code == 404
    assert browser.get(f"/projects/ti/disputes/{number}/").status_code == 404
    answer = browser.post(f"/projects/ti/rounds/{number}/submit/", {"assignment": "1"})
    assert answer.status_code == 404


def test_guideline_is_written_as_the_next_version(
    project: Project, member: Member, browser_of: Browser
) -> None:
    browser = browser_of(member(Role.MANAGER))
    lines = {name: "\n".join(RUBRIC[name]) for name in RUBRIC}

    refused = browser.post(
        "/projects/ti/rounds/guideline/", {"text": "T", **lines, "domain": "one\ntwo"}
    )
    stored = browser.post("/projects/ti/rounds/guideline/", {"text": "**T**", **lines})

    assert (refused.status_code, stored.status_code) == (400, 302)
    assert Guideline.objects.get().rubric == RUBRIC
    assert "<strong>T</strong>" in browser.get("/projects/ti/rounds/guideline/").content.decode()


PAGES = {
    "/projects/ti/rounds/": (Role.MANAGER, 12),
    "/projects/ti/rounds/1/": (Role.MANAGER, 15),
    OPEN_PAGE: (Role.MANAGER, 19),
    "/projects/ti/rounds/guideline/": (Role.MANAGER, 6),
    "/projects/ti/disputes/": (Role.SENIOR, 9),
    WORKBENCH: (Role.REVIEWER, 10),
    "dispute": (Role.SENIOR, 20),
}


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("path", PAGES)
def test_page_asks_a_fixed_number_of_queries(
    disputed: Dispute,
    member: Member,
    browser_of: Browser,
    django_assert_num_queries: Any,
    path: str,
    count: int,
) -> None:
    panel = disputed(count)
    role, queries = PAGES[path]
    user = member(role)
    if path == WORKBENCH:
        Assignment.objects.create(
            panel=panel, round=panel.round, position=1, seat=9, reviewer=user, state=SeatState.CLAIMED,
            claimed_at=timezone.now(), expires_at=timezone.now() + timedelta(1),
        )  # fmt: skip
    if path == OPEN_PAGE:
        close_round(round_=panel.round, actor=None, now=timezone.now())
    browser = browser_of(user)
    address = f"/projects/ti/disputes/{panel.pk}/" if path == "dispute" else path
    browser.get(address)

    with django_assert_num_queries(queries):
        assert browser.get(address).status_code == 200


@pytest.mark.parametrize(("seats", "is_listed"), [(0, False), (2, True)])
def test_settings_of_a_round_list_its_further_judgements(
    opened: Callable[..., Round],
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
    seats: int,
    is_listed: bool,
) -> None:
    opened(1, uncertain_seats=seats)

    page = browser_of(member(Role.MANAGER)).get("/projects/ti/rounds/1/").content.decode()

    assert ("Further judgements where people disagree" in page) is is_listed
