"""The first page: what waits for a person, what is new, and their projects."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from annotation.enums import TextSide
from annotation.glossary.actions import propose_term
from annotation.glossary.term_values import TermValues
from jobs.enums import JobState
from projects.enums import Role
from projects.models import Project
from review.enums import RoundKind, Selection
from review.models import Round
from review.rounds.actions.rounds import close_round, open_round
from review.rounds.actions.settings import RoundSettings
from tests.config.overview.test_overview import judge_next, make_items
from tests.factories import (
    JobFactory,
    MembershipFactory,
    ProjectFactory,
    UserFactory,
    make_duplicate_pair,
)
from tests.releases.builders import fill
from tests.releases.problems.test_problems import published, report

pytestmark = pytest.mark.django_db
Browsers = Callable[[User], Client]
Member = Callable[..., User]
HOME_QUERIES = 21


def open_all(project: Project, **settings: Any) -> Round:
    chosen = RoundSettings(selection=Selection.ALL, panel_size=1, **settings)
    return open_round(project=project, settings=chosen, actor=None, now=timezone.now())


def text_of(browser: Client) -> str:
    return browser.get("/").content.decode()


def test_home_without_projects_says_what_to_do(db: None, browser_of: Browsers) -> None:
    assert b"You are not in a project yet" in browser_of(UserFactory()).get("/").content
    staff = browser_of(UserFactory(is_staff=True)).get("/").content
    assert b'href="/new-project/"' in staff


def test_home_lists_own_projects_alone(
    project: Project, member: Member, browser_of: Browsers
) -> None:
    ProjectFactory(name="Hidden one")
    page = text_of(browser_of(member(Role.MANAGER)))
    assert "<h3>Ti</h3>" in page
    assert "Hidden one" not in page


def test_home_offers_items_until_none_is_left_for_the_person(
    project: Project, member: Member, browser_of: Browsers
) -> None:
    make_items(project, 1)
    round_, person = open_all(project), member(Role.REVIEWER)
    link = "/projects/ti/rounds/1/workbench/"
    assert link in text_of(browser_of(person))

    judge_next(round_, person)

    page = text_of(browser_of(person))
    assert link not in page
    assert "Nothing waits for you right now" in page
    assert "1 kept, 0 edited, 0 overturned" in page


def test_what_is_marked_as_seen_is_news_no_more(
    project: Project, member: Member, browser_of: Browsers
) -> None:
    make_items(project, 2)
    round_, person = open_all(project), member(Role.REVIEWER)
    JobFactory(
        scope="ti",
        requested_by=person.email,
        state=JobState.DONE,
        finished_at=timezone.now() - timedelta(seconds=5),
    )
    judge_next(round_, person)
    browser = browser_of(person)
    assert "1 of your judgements is decided" in text_of(browser)
    assert "/jobs/" in text_of(browser)

    assert browser.post("/seen/")["Location"] == "/"

    assert "Since you last looked" not in text_of(browser)
    judge_next(round_, person)
    assert "1 of your judgements is decided" in text_of(browser)


def test_home_shows_no_jobs_of_others(
    project: Project, member: Member, browser_of: Browsers
) -> None:
    JobFactory(
        scope="ti",
        requested_by="other@example.org",
        state=JobState.DONE,
        finished_at=timezone.now(),
    )
    assert "Since you last looked" not in text_of(browser_of(member(Role.MANAGER)))


@pytest.mark.parametrize("count", [1, 3])
def test_home_costs_the_same_for_one_project_and_three(
    member: Member,
    project: Project,
    browser_of: Browsers,
    django_assert_num_queries: Any,
    count: int,
) -> None:
    person = member(Role.SENIOR)
    others = [ProjectFactory() for _ in range(count - 1)]
    for each in others:
        MembershipFactory(project=each, user=person, role=Role.SENIOR)
    for each in (project, *others):
        make_items(each, 2)
        judge_next(open_all(each), person)
    browser = browser_of(person)
    browser.get("/")

    with django_assert_num_queries(HOME_QUERIES):
        page = browser.get("/").content.decode()

    assert page.count("Judge items") == count


def test_api_tells_what_the_page_tells(project: Project, member: Member, api_of: Any) -> None:
    make_items(project, 2)
    round_, person = open_all(project), member(Role.REVIEWER)
    judge_next(round_, person)
    api = api_of(person)

    before = api.get("/api/v1/me/home/").json()
    marked = api.post("/api/v1/me/home/")
    after = api.get("/api/v1/me/home/").json()

    place = {
        "project": "ti", "role": "reviewer", "round": 1, "round_id": round_.pk, "can_take": True,
        "disputes": 0, "second_looks": 0, "duplicates": 0, "proposals": 0, "problems": 0, "teams": 0,
        "judged_round": None,
    }  # fmt: skip
    assert before == {
        "seen_at": None,
        "projects": [place | {"fates": {"kept": 1, "edited": 0, "overturned": 0}}],
        "jobs": [],
        "benchmarks": [],
    }
    assert marked.status_code == 204
    assert after["projects"] == [place | {"fates": {"kept": 0, "edited": 0, "overturned": 0}}]
    assert after["seen_at"] is not None


def pair_to_decide(project: Project, *sides: TextSide) -> None:
    first, second = make_items(project, 2)
    for side in sides:
        make_duplicate_pair(first, second, side=side)


def test_home_lists_what_waits_for_those_who_lead(
    project: Project,
    member: Member,
    browser_of: Browsers,
    api_of: Any,
    settings: Any,
    tmp_path: Path,
) -> None:
    settings.RELEASE_FOLDER = tmp_path
    fill(project, subjects=1, tests=3, devs=1)
    report(published(project))
    reviewer = member(Role.REVIEWER)
    values = TermValues(source="river", preferred=("གཙང་པོ",))
    propose_term(project=project, values=values, actor=reviewer, now=timezone.now())
    pair_to_decide(project, TextSide.SOURCE, TextSide.TARGET)
    pair_to_decide(project, TextSide.TARGET)
    expected = {
        "/projects/ti/duplicates/": "2 pairs of duplicates to decide",
        "/projects/ti/glossary/proposals/?state=open": "1 proposal for the glossary",
        "/projects/ti/releases/problems/": "1 problem reported by readers",
    }

    for leader in (member(Role.MANAGER), member(Role.SENIOR)):
        page = text_of(browser_of(leader))
        assert [link for link in expected if f'href="{link}"' not in page] == []
        assert [words for words in expected.values() if words not in page] == []
        [told] = api_of(leader).get("/api/v1/me/home/").json()["projects"]
        assert (told["duplicates"], told["proposals"], told["problems"]) == (2, 1, 1)

    for other in (reviewer, member(Role.VIEWER)):
        page = text_of(browser_of(other))
        assert [words for words in expected.values() if words in page] == []
        [told] = api_of(other).get("/api/v1/me/home/").json()["projects"]
        assert (told["duplicates"], told["proposals"], told["problems"]) == (0, 0, 0)


def test_home_tells_a_manager_of_a_round_in_which_everything_is_judged(
    project: Project, member: Member, browser_of: Browsers
) -> None:
    make_items(project, 2)
    round_, reviewer = open_all(project), member(Role.REVIEWER)
    manager, senior = browser_of(member(Role.MANAGER)), browser_of(member(Role.SENIOR))
    judge_next(round_, reviewer)
    assert "can be closed" not in text_of(manager)

    judge_next(round_, reviewer)

    assert "Round 1 can be closed" in text_of(manager)
    assert 'href="/projects/ti/rounds/1/"' in text_of(manager)
    assert "can be closed" not in text_of(senior)
    close_round(round_=round_, actor=None, now=timezone.now())
    assert "can be closed" not in text_of(manager)


def test_home_hides_duplicates_from_a_senior_who_is_asked_to_solve_the_items(
    project: Project, member: Member, browser_of: Browsers
) -> None:
    pair_to_decide(project, TextSide.SOURCE)
    senior = browser_of(member(Role.SENIOR))
    assert "1 pair of duplicates to decide" in text_of(senior)

    open_all(project, kind=RoundKind.SOLVING)

    assert "pair of duplicates" not in text_of(senior)
