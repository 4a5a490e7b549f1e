"""The pages and files of the report: for whom, as of when, and how many queries they cost."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from jobs.models import Job
from projects.enums import Role
from projects.models import Project
from review.models import Judgement, Panel, ReliabilityEstimate, Round
from review.report import kept
from review.report.actions.reliability import (
    estimate_reliability,
    perform_reliability,
    start_reliability,
)
from review.report.tables import NAMED, PUBLIC
from review.rounds.actions.rounds import close_round
from tests.factories import SubjectFactory

pytestmark = pytest.mark.django_db
Browser = Callable[[User], Client]
Dispute = Callable[..., Panel]
Member = Callable[..., User]


def test_report_comes_as_a_file(disputed: Dispute, member: Member, browser_of: Browser) -> None:
    disputed()
    Panel.objects.update(outcome="disputed")
    browser = browser_of(member(Role.MANAGER))
    wrong = []
    for table, name in product([*PUBLIC, *NAMED], ("csv", "latex", "markdown", "json")):
        answer = browser.get(f"/projects/ti/report/{table}.{name}")
        is_named = f"ti-{table}." in answer.headers.get("Content-Disposition", "")
        is_empty = table in {"categories", "candidates"} and name in {"latex", "markdown"}
        found = (answer.status_code, is_named, not answer.content)
        if found != (200, True, is_empty):
            wrong.append((table, name, *found))
    assert wrong == []


def test_figures_of_reviewers_are_for_managers(
    disputed: Dispute, member: Member, browser_of: Browser, api_of: Any
) -> None:
    disputed()
    told = []
    for role in (Role.SENIOR, Role.REVIEWER, Role.VIEWER):
        user = member(role)
        browser, api = browser_of(user), api_of(user)
        for table in NAMED:
            page = browser.get(f"/projects/ti/report/{table}.csv")
            answer = api.get(f"/api/v1/projects/ti/report/?table={table}")
            if (page.status_code, answer.status_code) != (403, 403):
                told.append((role, table))
        told += set(NAMED) & set(api.get("/api/v1/projects/ti/report/").json())
    assert told == []


def test_api_gives_a_manager_all_tables_or_one(
    disputed: Dispute, member: Member, api_of: Any
) -> None:
    disputed()
    api = api_of(member(Role.MANAGER))

    assert set(api.get("/api/v1/projects/ti/report/").json()) == {
        "project", "as_of", *PUBLIC, *NAMED,
    }  # fmt: skip
    one = api.get("/api/v1/projects/ti/report/?table=pairs").json()
    assert set(one) == {"project", "as_of", "pairs"}
    assert [pair["items"] for pair in one["pairs"]] == [1]
    assert api.get("/api/v1/projects/ti/report/?table=no").status_code == 400
    refused = api.get("/api/v1/projects/ti/report/?as-of=1")
    assert (refused.status_code, refused.json()["code"]) == (409, "round_not_closed")
    assert api.get("/api/v1/projects/ti/report/?as-of=9").status_code == 404


def test_report_page_shows_each_closed_round(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    round_ = disputed(2).round
    close_round(round_=round_, actor=None, now=timezone.now())
    browser = browser_of(member(Role.VIEWER))

    page = browser.get("/projects/ti/report/?as-of=1").content.decode()

    assert '<option value="1" selected>' in page
    assert "/projects/ti/report/subjects.latex?as-of=1" in page
    assert "/report/reviewers/" not in page
    assert browser.get("/projects/ti/report/?as-of=x").status_code == 404


def test_chart_of_subjects_says_what_it_shows_and_of_which_stage(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    disputed(2)
    one, _other = Panel.objects.order_by("pk")
    one.item.subject = SubjectFactory(project=one.item.project)
    one.item.save()
    Panel.objects.filter(pk=one.pk).update(subject=one.item.subject)
    Panel.objects.update(outcome="disputed")

    page = browser_of(member(Role.VIEWER)).get("/projects/ti/report/").content.decode()

    assert "<figcaption>Final approval, Initial <" in page


def test_report_page_without_rounds_says_so(
    project: Project, member: Member, browser_of: Browser
) -> None:
    assert "No figures yet" in browser_of(member()).get("/projects/ti/report/").content.decode()


def test_cell_of_the_matrix_leads_to_the_common_items(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel = disputed(3)
    first, second = (each.reviewer for each in panel.judgements.order_by("pk"))
    browser = browser_of(member(Role.MANAGER))
    address = f"/projects/ti/report/reviewers/{first.pk}/{second.pk}/"

    assert address in browser.get("/projects/ti/report/reviewers/").content.decode()
    page = browser.get(address).content.decode()
    assert page.count("Revise") == page.count("Reject") == 3
    assert page.count("s/0000") == 3
    assert browser.get(f"{address}?differing=1").content.decode().count("s/0000") == 3


def test_pair_page_tells_nothing_of_a_panel_that_is_being_judged(
    opened: Callable[..., Round],
    member: Member,
    judge: Callable[..., Judgement],
    browser_of: Browser,
) -> None:
    round_ = opened(1, panel_size=3)
    first, second = member(), member()
    judge(round_, first)
    judge(round_, second)
    page = browser_of(member(Role.MANAGER)).get(
        f"/projects/ti/report/reviewers/{first.pk}/{second.pk}/"
    )

    assert "judged no item together" in page.content.decode()


@pytest.fixture
def many(disputed: Dispute) -> Panel:
    return disputed(15)


def test_reliability_is_estimated_by_a_job_once(many: Panel, project: Project) -> None:
    job = start_reliability(project=project, actor=None, now=timezone.now())
    progress: Any = type("Progress", (), {"start": lambda *_a: None})()

    told = perform_reliability(job, progress)

    assert told == {"judgements": 30}
    assert perform_reliability(job, progress) == {}
    row = ReliabilityEstimate.objects.get()
    assert (row.as_of, row.content["items"], len(row.content["reviewers"])) == (1, 15, 2)


def test_api_starts_the_estimate_once_and_for_managers_alone(
    many: Panel, member: Member, browser_of: Browser
) -> None:
    manager, address = browser_of(member(Role.MANAGER)), "/api/v1/projects/ti/reliability/"

    started, again = (manager.post(address, content_type="application/json") for _time in range(2))

    assert (started.status_code, started.json()) == (202, {"job": Job.objects.get().pk})
    assert (again.status_code, again.json()["code"]) == (409, "reliability_running")
    assert browser_of(member(Role.SENIOR)).post(address).status_code == 403


def test_second_estimate_at_once_is_refused(
    many: Panel, member: Member, browser_of: Browser
) -> None:
    browser = browser_of(member(Role.MANAGER))
    address = "/projects/ti/report/reviewers/estimate/"

    assert browser.post(address).status_code == 302
    assert browser.post(address).status_code == 409
    assert Job.objects.count() == 1


def test_page_says_as_of_when_reliability_was_estimated(
    many: Panel, project: Project, member: Member, browser_of: Browser
) -> None:
    estimate_reliability(project=project, job=None, now=timezone.now())
    page = browser_of(member(Role.MANAGER)).get("/projects/ti/report/reviewers/").content.decode()

    assert "from 30 verdicts on 15 items, up to round 1" in page


def test_reviewers_of_a_large_round_are_counted_after_the_page_is_there(
    disputed: Dispute, member: Member, browser_of: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    disputed(2)
    monkeypatch.setattr(kept, "LARGE_ROUND", 2)
    browser = browser_of(member(Role.MANAGER))
    address = "/projects/ti/report/reviewers/"

    def shown(query: str = "") -> tuple[bool, bool]:
        page = browser.get(address + query).content.decode()
        return 'hx-get="?counted=1"' in page, "Reviewers compared" in page

    assert shown() == (True, False)
    assert shown("?counted=1") == (False, True)
    assert shown() == (False, True)


@pytest.mark.parametrize("count", [1, 3])
def test_pages_ask_a_fixed_number_of_queries(
    disputed: Dispute,
    member: Member,
    browser_of: Browser,
    django_assert_num_queries: Any,
    count: int,
) -> None:
    disputed(count)
    browser = browser_of(member(Role.MANAGER))
    for address, queries in (("/projects/ti/report/", 14), ("/projects/ti/report/reviewers/", 18)):
        browser.get(address)
        with django_assert_num_queries(queries):
            assert browser.get(address).status_code == 200
