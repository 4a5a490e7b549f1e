"""The API of the report: its files are those of the pages, and behind the figures of reviewers stand items."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from common.months import parse_month
from projects.enums import Role
from review.models import Judgement, Panel, Round
from review.people.actions import close_statement
from review.report.tables import TABLES
from tests.factories import UserFactory
from tests.permissions import ADDRESSES
from tests.world import MANAGER, World, make_world

pytestmark = pytest.mark.django_db
Api = Callable[[User], APIClient]
Browser = Callable[[User], Client]
Dispute = Callable[..., Panel]
Member = Callable[..., User]
ROOT = "/api/v1/projects/ti"
MARCH = parse_month("2025-03")


def same_file(first: Any, second: Any) -> bool:
    """Whether two answers are the same download."""
    names = ("Content-Type", "Content-Disposition")
    heads = [[answer.headers[name] for name in names] for answer in (first, second)]
    return heads[0] == heads[1] and first.getvalue() == second.getvalue()


def test_report_exports_are_the_files_of_the_page(
    disputed: Dispute, member: Member, api_of: Api, browser_of: Browser
) -> None:
    disputed()
    manager = member(Role.MANAGER)
    browser, api = browser_of(manager), api_of(manager)
    wrong = []
    for table, name in product(TABLES, ("csv", "latex", "markdown")):
        page = browser.get(f"/projects/ti/report/{table}.{name}")
        export = api.get(f"{ROOT}/report/export/", {"table": table, "format": name})
        if export.status_code != 200 or not same_file(export, page):
            wrong.append((table, name, export.status_code))
    assert wrong == []


def test_report_exports_refuse_what_the_caller_may_not_have_or_nobody_has(
    disputed: Dispute, member: Member, api_of: Api
) -> None:
    disputed()
    api = api_of(member(Role.REVIEWER))

    assert api.get(f"{ROOT}/report/export/", {"table": "pairs"}).status_code == 403
    for query, field in ({"table": "no"}, "table"), ({"format": "xlsx"}, "format"):
        answer = api.get(f"{ROOT}/report/export/", query)
        assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])


def test_pair_lists_the_items_that_both_judged_with_what_each_said(
    disputed: Dispute, member: Member, api_of: Api
) -> None:
    panel = disputed(3)
    first, second = panel.judgements.order_by("pk")
    address = f"{ROOT}/report/pairs/{first.reviewer.email.upper()}/{second.reviewer.email}/"
    api = api_of(member(Role.MANAGER))

    listed = api.get(address).json()["results"]

    assert [row["item"] for row in listed] == ["s/00002", "s/00001", "s/00000"]
    assert {name: value for name, value in listed[-1].items() if name != "round"} == {
        "item": panel.item.uid,
        "item_id": panel.item_id,
        "subject": panel.item.subject.slug,
        "outcome": "disputed",
        "first": {"verdict": first.verdict, "ratings": first.ratings},
        "second": {"verdict": second.verdict, "ratings": second.ratings},
    }
    Judgement.objects.filter(panel=panel).update(verdict="reject", correction=None)
    assert len(api.get(address, {"differing": "true"}).json()["results"]) == 2
    assert api.get(address, {"difering": "true"}).status_code == 400


def test_pair_tells_nothing_of_a_panel_that_is_being_judged_or_of_others(
    opened: Callable[..., Round], member: Member, judge: Callable[..., Judgement], api_of: Api
) -> None:
    round_ = opened(1, panel_size=3)
    first, second = member(), member()
    judge(round_, first)
    judge(round_, second)
    api, never = api_of(member(Role.MANAGER)), UserFactory()

    assert api.get(f"{ROOT}/report/pairs/{first.email}/{second.email}/").json()["results"] == []
    for email in (never.email, "nobody@example.org"):
        answer = api.get(f"{ROOT}/report/pairs/{first.email}/{email}/")
        assert (answer.status_code, answer.json()["code"]) == (404, "reviewer_unknown")


def test_questions_are_those_of_the_page(
    disputed: Dispute, member: Member, api_of: Api, browser_of: Browser
) -> None:
    panel = disputed(30)
    slow, quick = (each.reviewer for each in panel.judgements.order_by("pk"))
    Judgement.objects.filter(reviewer=slow).update(active_seconds=100)
    Judgement.objects.filter(reviewer=quick).update(active_seconds=10)
    manager = member(Role.MANAGER)

    told = api_of(manager).get(f"{ROOT}/report/questions/").json()

    speed = {each["reviewer"]: each for each in told if "median" in each["text"]}
    assert set(speed) == {slow.email, quick.email}
    assert speed[quick.email]["member"] == quick.memberships.get().pk
    page = browser_of(manager).get("/projects/ti/report/reviewers/").content.decode()
    assert all(each["text"] in page for each in told)


@pytest.fixture
def world(db: None) -> World:
    return make_world()


@pytest.mark.parametrize(
    ("page", "export", "formats"),
    [
        ("review:results-file", "results/export", ["csv", "latex", "markdown"]),
        ("review:answers-file", "answers/export", ["csv", "jsonl"]),
    ],
)
def test_exports_of_a_solving_round_are_the_files_of_its_page(
    world: World, page: str, export: str, formats: list[str]
) -> None:
    assert page in ADDRESSES
    browser, number = world.browser(MANAGER), world.solving.number
    for name in formats:
        kind = page.partition(":")[2].removesuffix("-file")
        file = browser.get(f"/projects/ti/rounds/{number}/{kind}.{name}")
        answer = browser.get(f"/api/v1/rounds/{world.solving.pk}/{export}/", {"format": name})
        assert answer.status_code == 200
        assert same_file(answer, file)


def test_statement_export_is_the_file_of_its_page(
    opened: Callable[..., Round], member: Member, judge: Callable[..., Judgement],
    project: Any, api_of: Api, browser_of: Browser,
) -> None:  # fmt: skip
    judge(opened(1), member())
    Judgement.objects.update(submitted_at=timezone.now().replace(year=2025, month=3))
    close_statement(project=project, month=MARCH, actor=None, now=timezone.now())
    manager = member(Role.MANAGER)

    export = api_of(manager).get(f"{ROOT}/statements/2025-03/export/")
    page = browser_of(manager).get("/projects/ti/statements/2025-03.csv")

    assert export.headers["Content-Disposition"] == page.headers["Content-Disposition"]
    lines = export.getvalue().splitlines()
    assert (len(lines), lines) == (2, page.getvalue().splitlines())
