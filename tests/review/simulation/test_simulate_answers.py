"""Simulated reviewers compare and solve as competently as their profiles say."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import httpx
import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Item
from projects.models import Project
from review.answers.queries import comparison_results, solving_results
from review.enums import RoundKind
from review.models import Answer, Round
from review.simulation.answering import UNSURE_SHARE
from review.simulation.judging import PROFILES
from tests.review.kinds import add_system, close

pytestmark = pytest.mark.django_db
ITEMS = 30


def simulate(*arguments: str) -> None:
    call_command(
        "simulate_reviewers",
        "ti",
        "--reviewers",
        "2",
        "--seed",
        "5",
        *arguments,
        stdout=StringIO(),
    )


def test_simulated_people_solve_as_often_as_their_profile_says(
    opened: Callable[..., Round],
) -> None:
    round_ = opened(ITEMS, kind=RoundKind.SOLVING)

    simulate("--profile", "hasty")

    told = solving_results(close(round_)).total
    right = PROFILES["hasty"].sees_fault * (1 - UNSURE_SHARE)
    assert told.answers == 2 * ITEMS
    assert told.accuracy.low is not None
    assert told.accuracy.high is not None
    assert told.accuracy.low < right < told.accuracy.high


def test_simulated_people_approve_systems_as_often_as_these_are_sound(
    project: Project, items: Callable[[int], None], opened: Callable[..., Round]
) -> None:
    items(ITEMS)
    add_system(project)
    round_ = opened(0, kind=RoundKind.COMPARISON, panel_size=1)

    simulate("--profile", "careful", "--faulty", "mt=0.7", "--faulty", "other=0.1")

    shares = {}
    for each in comparison_results(close(round_)).systems:
        shares[each.system] = (each.approval_rate.low, each.approval_rate.high)
    careful = PROFILES["careful"]
    for system, faulty in (("mt", 0.7), ("other", 0.1)):
        truth = faulty * (1 - careful.sees_fault) + (1 - faulty) * (1 - careful.false_alarm)
        low, high = shares[system]
        assert low is not None
        assert high is not None
        assert low < truth < high
    assert (shares["mt"][1] or 0) < (shares["other"][0] or 0)


def test_simulated_people_answer_through_the_api_of_a_server(
    opened: Callable[..., Round], client_as_server: Any
) -> None:
    opened(2, kind=RoundKind.SOLVING)

    simulate("--url", "http://127.0.0.1:1")

    assert Answer.objects.count() == 4
    assert set(Answer.objects.values_list("panel__item__uid", flat=True)) == set(
        Item.objects.values_list("uid", flat=True)
    )


@pytest.fixture
def client_as_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command's HTTP client reach the site in this process."""
    real = httpx.Client
    transport = httpx.MockTransport(_answered)
    monkeypatch.setattr(httpx, "Client", lambda **options: real(transport=transport, **options))


def _answered(request: httpx.Request) -> httpx.Response:
    names = ("Authorization", "Idempotency-Key")
    answer = Client().post(
        request.url.path,
        request.content,
        content_type="application/json",
        headers={name: request.headers[name] for name in names if name in request.headers},
    )
    return httpx.Response(answer.status_code, content=answer.content)


@pytest.mark.parametrize("share", ["mt", "mt=2", "=0.5", "mt=x"])
def test_odd_share_is_refused_in_words(opened: Callable[..., Round], share: str) -> None:
    opened(1, kind=RoundKind.SOLVING)

    with pytest.raises(CommandError, match="share from 0 to 1"):
        simulate("--faulty", share)
