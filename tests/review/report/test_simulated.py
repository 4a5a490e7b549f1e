"""Figures of which programs gave some say so in every table, as files and on pages."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.models import AuditEvent, User
from projects.enums import Role
from projects.models import Project
from review.models import Judgement, Panel, Round
from review.report.tables import TABLES, make_tables

pytestmark = pytest.mark.django_db

SAID = "simulated: not reviewed by people; a program gave"


@pytest.fixture
def simulated(opened: Callable[..., Round]) -> Round:
    round_ = opened()
    call_command("simulate_reviewers", "ti", "--reviewers", "2", verbosity=0)
    return round_


def test_simulated_reviewers_are_marked_once_and_for_good(simulated: Round) -> None:
    call_command("simulate_reviewers", "ti", "--reviewers", "2", verbosity=0)
    judges = User.objects.filter(judgements__panel__round=simulated).distinct()
    assert {each.is_simulated for each in judges} == {True}
    assert AuditEvent.objects.filter(verb="user.simulated").count() == 2


def test_every_table_says_what_programs_gave(simulated: Round, project: Project) -> None:
    tables = [each for each in make_tables(project, TABLES) if each.rows]
    assert tables
    for table in tables:
        titles = [table.title, *(part.title for part in table.parts)]
        assert [title for title in titles if SAID not in title] == [], table.name


def test_files_give_how_many_judgements_programs_gave(simulated: Round) -> None:
    count = str(Judgement.objects.count())
    text = io.StringIO()
    call_command("review_report", "ti", "--table", "stages", "--format", "csv", stdout=text)
    rows = list(csv.DictReader(io.StringIO(text.getvalue())))
    assert {row["simulated_judgements"] for row in rows} == {count}
    text = io.StringIO()
    call_command("review_report", "ti", "--table", "stages", "--json", stdout=text)
    assert str(json.loads(text.getvalue())["simulated_judgements"]) == count


def test_pages_say_it_beside_the_figures(
    simulated: Round, member: Any, browser_of: Callable[[User], Client]
) -> None:
    browser = browser_of(member(Role.MANAGER))
    number = simulated.number
    for address in (
        *("/projects/ti/", "/projects/ti/report/", "/projects/ti/report/reviewers/?counted"),
        *("/projects/ti/rounds/", f"/projects/ti/rounds/{number}/"),
    ):
        assert SAID in browser.get(address).content.decode().replace("Simulated", "simulated"), (
            address
        )
    found = browser.get("/api/v1/projects/ti/overview/").json()
    assert found["simulated_judgements"] == Judgement.objects.count()


def test_tables_of_people_say_nothing_of_programs(
    disputed: Callable[..., Panel], project: Project
) -> None:
    disputed()
    assert not any("simulated" in each.title for each in make_tables(project, TABLES))
