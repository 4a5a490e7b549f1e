"""What systems took beside what experts say of them: the price, and approved items for it."""

import csv
import io
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from annotation.asking.queries import Totals
from annotation.models import TranslationCall
from annotation.translating.queries import SystemTotals, totals_by_system, totals_of
from endpoints.providers.base import ChatReply, ChatRequest
from projects.enums import Role
from projects.models import Project
from review.answers.costs import SystemCost, system_cost
from review.answers.figures import SystemFigures
from review.answers.queries import comparison_results
from review.answers.tables import comparison_table
from review.enums import RoundKind
from review.figures.stages import approval_rate
from review.models import Answer, Round
from review.rounds.actions.rounds import close_round
from tests.annotation.translating.builders import good, make_job, work_off
from tests.factories import ModelSpecFactory
from tests.review.kinds import compare, opinion


class Priced:
    """Answers well and says that each answer took 1,000 and 500 tokens."""

    endpoint = "priced"

    async def complete(self, request: ChatRequest) -> ChatReply:
        return ChatReply(good(request), prompt_tokens=1000, completion_tokens=500)

    async def aclose(self) -> None:
        """Nothing is open."""


def figures(approved: int, judged: int) -> SystemFigures:
    share = approval_rate(approved, judged)
    return SystemFigures("s", judged, approved, share, {}, share, share, share)


def took(translated: int, price: str | None) -> SystemTotals:
    totals = Totals(
        calls=10, failed_calls=2, prompt_tokens=100, completion_tokens=50,
        price=None if price is None else Decimal(price),
    )  # fmt: skip
    return SystemTotals(translated, totals)


def test_a_dollar_buys_the_approved_share_of_what_it_translates() -> None:
    cost = system_cost(figures(3, 4), took(80, "0.5"), [1, 2, 3, 4], dict.fromkeys(range(1, 5), 30))
    # 80 items for half a dollar are 160 for one, of which three in four are approved
    assert cost == SystemCost(
        took=took(80, "0.5"), approved_per_dollar=120.0, approved_per_hour=90.0
    )


def test_what_was_not_measured_has_no_figure() -> None:
    cases = {
        "no job": (None, {1: 30.0}, (None, 120.0)),
        "no price": (took(1, None), {1: 30.0}, (None, 120.0)),
        "free": (took(1, "0"), {1: 30.0}, (None, 120.0)),
        "a time is missing": (took(1, "1"), {1: None}, (1.0, None)),
        "no time at all": (took(1, "1"), {}, (1.0, None)),
    }
    for name, (taken, seconds, expected) in cases.items():
        cost = system_cost(figures(1, 1), taken, [1], seconds)
        assert (cost.approved_per_dollar, cost.approved_per_hour) == expected, name


@pytest.fixture
def compared(
    project: Project,
    items: Callable[[int], None],
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
) -> Round:
    """A closed comparison of "mt" with "priced", whose second text one of two people rejects."""
    items(2)
    spec = ModelSpecFactory(project=project, prompt_price="1", completion_price="2")
    job = work_off(make_job(project, spec=spec, system="priced", strategy="self_check"), Priced())
    assert job.error == ""
    round_ = opened(0, kind=RoundKind.COMPARISON)
    for number, user in enumerate(reviewers(2)):
        for place in range(2):
            yes = not (number and place)
            said = {"mt": opinion(), "priced": opinion(is_approved=yes)}
            compare(round_, user, said)
    Answer.objects.update(active_seconds=60)
    return close_round(round_=round_, actor=None, now=timezone.now())


@pytest.mark.django_db
def test_table_of_a_comparison_has_calls_price_and_what_they_bought(compared: Round) -> None:
    results = comparison_results(compared)

    assert [each["cost"] for each in results.systems_json()] == [
        {
            "translated": None, "calls": None, "prompt_tokens": None, "completion_tokens": None,
            "price": None, "approved_per_dollar": None,
            # two texts, and two people who spent half of a minute on each
            "approved_per_hour": 60.0,
        },
        {
            "translated": 2, "calls": 4, "prompt_tokens": 4000, "completion_tokens": 2000,
            "price": "0.0080", "approved_per_dollar": 125.0, "approved_per_hour": 30.0,
        },
    ]  # fmt: skip
    _main, costs = comparison_table(results).printed()
    assert [each.name for each in costs.columns] == [
        "system", "items_judged", "approval_rate", "translated", "calls", "prompt_tokens",
        "completion_tokens", "price", "approved_per_dollar", "approved_per_hour",
    ]  # fmt: skip


@pytest.mark.django_db
def test_report_prints_costs_in_each_format(
    compared: Round, capsys: pytest.CaptureFixture[str]
) -> None:
    def printed(*more: str) -> str:
        call_command("review_report", compared.project.slug, "--table", "systems", *more)
        return capsys.readouterr().out

    mt, priced = csv.DictReader(io.StringIO(printed("--format", "csv")))
    assert (mt["price"], mt["calls"]) == ("", "")
    assert (priced["price"], priced["approved_per_dollar"]) == ("0.008", "125.0")
    assert "| priced | 2 | 50.0 [" in printed("--format", "markdown")
    assert "0.0080 & 125.00 & 30.00" in printed("--format", "latex")
    assert json.loads(printed("--json"))["systems"][1]["cost"]["price"] == "0.0080"


@pytest.mark.django_db
def test_pages_of_the_results_and_the_report_show_what_a_dollar_bought(
    compared: Round, member: Any, browser_of: Callable[[User], Client]
) -> None:
    browser, slug = browser_of(member(Role.MANAGER)), compared.project.slug
    for path in (f"/projects/{slug}/rounds/1/results/", f"/projects/{slug}/report/"):
        page = browser.get(path).content.decode()
        assert "Approved items per dollar" in page, path
        assert "125.00" in page, path


@pytest.mark.django_db
def test_costs_take_three_queries_more_for_any_number_of_jobs(
    compared: Round, project: Project, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(3):
        first = totals_by_system(project, ["mt", "priced"])
    spec = ModelSpecFactory(project=project, prompt_price="1", completion_price="2")
    other = make_job(project, spec=spec, system="third")
    work_off(other, Priced())

    with django_assert_num_queries(3):
        both = totals_by_system(project, ["mt", "priced", "third"])
    assert both == first | {"third": SystemTotals(2, totals_of(other))}


@pytest.mark.django_db
def test_a_call_without_tokens_leaves_the_price_of_its_system_open(
    compared: Round, project: Project
) -> None:
    call: Any = TranslationCall.objects.order_by("pk").first()
    TranslationCall.objects.filter(pk=call.pk).update(prompt_tokens=None)
    found = totals_by_system(project, ["priced"])["priced"].totals
    assert (found.calls, found.prompt_tokens, found.price) == (4, 3000, None)
