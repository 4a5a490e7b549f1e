"""The page, the downloads and the API of one's own work."""

import csv
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from projects.enums import Role
from projects.models import Project
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.models import Judgement, Panel, Round
from review.outcomes import Correction
from tests.factories import MembershipFactory, ProjectFactory, UserFactory
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]
Member = Callable[..., User]
Browser = Callable[[User], Client]
Dispute = Callable[..., Panel]
NEW = Correction("འདྲི་བ་གསར་པ།", OPTIONS)
PAGE = "/my-work/"
API = "/api/v1/me/work/"
PAGE_QUERIES = 10


def page_of(browser: Client, **wanted: Any) -> str:
    answer = browser.get(PAGE, wanted)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.fixture
def settled(disputed: Dispute, member: Member) -> Panel:
    """A dispute that a senior has settled by rejecting the item."""
    panel = disputed()
    adjudicate_panel(
        panel=panel,
        senior=member(Role.SENIOR, name="Tashi"),
        content=DecisionContent(kind="reject", reason="nobody asks this"),
        now=timezone.now(),
    )
    return panel


def test_page_tells_the_outcome_and_the_reason_and_nobodys_name(
    settled: Panel, browser_of: Browser
) -> None:
    mine, other = settled.judgements.order_by("pk")

    text = page_of(browser_of(mine.reviewer))

    assert "overturned" in text
    assert "nobody asks this" in text
    for name in (other.reviewer.name, other.reviewer.email, "Tashi"):
        assert name not in text


def test_page_shows_how_the_accepted_text_differs_from_mine(
    opened: Open, reviewers: People, judge: Judge, browser_of: Browser
) -> None:
    round_ = opened(1, panel_size=3, verdict_rule="majority")
    first, second, third = reviewers(3)
    judge(round_, third)
    judge(round_, first, correction=NEW)
    before = page_of(browser_of(third))
    judge(round_, second, correction=NEW)

    after = page_of(browser_of(third))

    assert "<ins>" not in before
    assert "waiting for the panel" in before
    assert "<ins>" in after
    assert "Accepted, compared with yours" in after


def test_months_are_written_as_on_statements_of_work(settled: Panel, browser_of: Browser) -> None:
    mine = settled.judgements.order_by("pk")[0]
    Judgement.objects.filter(pk=mine.pk).update(submitted_at=datetime(2026, 11, 3, tzinfo=UTC))

    text = page_of(browser_of(mine.reviewer))

    assert '<th scope="row">Nov 2026</th>' in text


def test_page_without_work_says_so(member: Member, browser_of: Browser) -> None:
    assert "You have not judged anything yet" in page_of(browser_of(member(Role.REVIEWER)))


@pytest.mark.parametrize("query", ["month=2026-13", "fate=odd", "round=x", "project=other"])
def test_odd_filter_is_refused(
    settled: Panel, browser_of: Browser, api_of: Any, query: str
) -> None:
    person = settled.judgements.first().reviewer  # type: ignore[union-attr]

    assert browser_of(person).get(f"{PAGE}?{query}").status_code == 400
    assert browser_of(person).get(f"/my-work.csv?{query}").status_code == 400
    if not query.startswith("project"):
        assert api_of(person).get(f"{API}?{query}").status_code == 400


def test_api_gives_ones_judgements_with_what_became_of_them(settled: Panel, api_of: Any) -> None:
    mine = settled.judgements.order_by("pk")[0]

    answer = api_of(mine.reviewer).get(API).json()

    assert answer["results"] == [
        {
            "id": mine.pk,
            "project": "ti",
            "round": 1,
            "item": settled.item.uid,
            "submitted_at": mine.submitted_at.isoformat().replace("+00:00", "Z"),
            "verdict": "revise",
            "ratings": {"domain": 4, "cultural": 4},
            "tags": [],
            "comment": "better",
            "correction": NEW.as_json(),
            "outcome": "rejected",
            "fate": "overturned",
            "accepted": None,
            "reason": "nobody asks this",
            "active_seconds": 0,
            "opinions": [],
        }
    ]


def test_api_gives_nothing_of_others_while_the_panel_is_open(
    opened: Open, reviewers: People, judge: Judge, api_of: Any
) -> None:
    first, second = reviewers(2)
    round_ = opened(1)
    judge(round_, second, correction=NEW)

    (row,) = api_of(second).get(API).json()["results"]

    assert (row["outcome"], row["fate"], row["accepted"]) == ("", "waiting", None)
    assert api_of(first).get(API).json()["results"] == []


def test_downloads_hold_the_rows_of_the_api(
    settled: Panel, browser_of: Browser, api_of: Any
) -> None:
    person = settled.judgements.order_by("pk")[0].reviewer
    api, browser = api_of(person), browser_of(person)
    (row,) = api.get(API).json()["results"]
    nested = {"ratings", "opinions"}
    flat = {name: value for name, value in row.items() if name not in nested} | row["ratings"]

    def text(answer: Any) -> str:
        return b"".join(answer.streaming_content).decode()

    for answer in (browser.get("/my-work.jsonl"), api.get(f"{API}export/")):
        assert json.loads(text(answer)) == flat
    for answer in (browser.get("/my-work.csv"), api.get(f"{API}export/?format=csv")):
        (line,) = csv.DictReader(io.StringIO(text(answer).lstrip("\ufeff")))
        assert (line["item"], line["fate"]) == (row["item"], "overturned")
        assert json.loads(line["correction"]) == row["correction"]
    assert api.get(f"{API}export/?format=xlsx").status_code == 400


@pytest.mark.parametrize("count", [1, 3])
def test_page_costs_the_same_for_one_row_and_three(
    opened: Open,
    reviewers: People,
    judge: Judge,
    browser_of: Browser,
    django_assert_num_queries: Any,
    count: int,
) -> None:
    round_ = opened(3, panel_size=1)
    person = reviewers(1)[0]
    for _number in range(count):
        judge(round_, person)
    browser = browser_of(person)
    browser.get(PAGE)

    with django_assert_num_queries(PAGE_QUERIES):
        browser.get(PAGE)


@pytest.mark.parametrize("page", [PAGE, "/my-work/answers/"])
def test_members_can_ask_for_a_project_before_they_begin(
    project: Project, member: Any, browser_of: Browser, page: str
) -> None:
    browser = browser_of(member(Role.REVIEWER))

    assert browser.get(f"{page}?project={project.slug}").status_code == 200
    assert browser_of(UserFactory()).get(f"{page}?project={project.slug}").status_code == 400


def test_filter_by_project_offers_only_places_of_ones_work(
    settled: Panel, browser_of: Browser
) -> None:
    person = settled.judgements.order_by("pk")[0].reviewer
    MembershipFactory(user=person, project=ProjectFactory(slug="empty", name="Empty"))

    text = page_of(browser_of(person), project="ti")

    assert "Empty" not in text
    assert settled.item.uid in text
    assert "You have not judged" in page_of(browser_of(UserFactory()))
