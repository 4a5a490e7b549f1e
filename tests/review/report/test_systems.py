"""The one table of translation systems: from a comparison where there is one, and it says so."""

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from accounts.models import User
from projects.enums import Role
from projects.models import Project
from review.enums import RoundKind
from review.models import Panel, Round
from review.report.tables import make_tables
from review.rounds.actions.rounds import close_round
from tests.review.kinds import add_system

pytestmark = pytest.mark.django_db


def printed(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def compared(project: Project, items: Callable[[int], None]) -> Round:
    items(3)
    add_system(project)
    printed("open_round", "ti", "--kind", "comparison", "--select", "all", "--force")
    printed("simulate_reviewers", "ti", "--reviewers", "2")
    round_ = Round.objects.get(kind=RoundKind.COMPARISON)
    close_round(round_=round_, actor=None, now=timezone.now())
    return round_


def test_report_and_results_of_a_comparison_have_the_same_table(compared: Round) -> None:
    results = printed("round_results", "ti", "1", "--format", "markdown")
    assert printed("review_report", "ti", "--table", "systems") == results
    assert "compared without their names (round 1, all items; n = 3 items" in results
    assert "all count as first" in results
    told = json.loads(printed("review_report", "ti", "--table", "systems", "--json"))
    rows = json.loads(printed("round_results", "ti", "1", "--json"))["systems"]
    assert told["systems"] == [{"round": 1, **row} for row in rows]
    assert told["systems_from"] == "comparison 1"


def test_report_page_shows_a_comparison_before_anything_was_reviewed(
    compared: Round, member: Any, browser_of: Callable[[User], Client]
) -> None:
    page = browser_of(member(Role.MANAGER)).get("/projects/ti/report/").content.decode()
    assert "Translation systems compared without their names (round 1, all items" in page
    assert "No figures yet" not in page


def test_without_a_comparison_the_title_says_that_first_judgements_count(
    disputed: Callable[..., Panel], project: Project
) -> None:
    disputed(2)
    [table] = make_tables(project, ["systems"])
    assert table.title.startswith(
        "Translation systems by the first judgements of the texts that went to review (n = 2 items"
    )
    told = json.loads(printed("review_report", "ti", "--table", "systems", "--json"))
    assert set(told) == {"project", "as_of", "systems"}


def test_headings_of_reviewers_name_what_each_share_is_of(
    disputed: Callable[..., Panel], project: Project
) -> None:
    disputed()
    [reviewers] = make_tables(project, ["reviewers"])
    shares = [each.heading for each in reviewers.columns if each.kind == "percent"]
    assert [heading for heading in shares if "percent of" not in heading] == []


def test_stages_name_the_dev_items_that_they_leave_out(
    disputed: Callable[..., Panel], project: Project
) -> None:
    disputed(2)
    panel = Panel.objects.order_by("-pk")[0]
    Panel.objects.filter(pk=panel.pk).update(is_dev=True)
    [stages] = make_tables(project, ["stages"])
    assert all("dev items left out: Initial 1" in part.title for part in stages.parts)
