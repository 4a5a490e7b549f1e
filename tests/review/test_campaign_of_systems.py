"""A campaign over the texts of two systems with planted rates: each table is one command."""

import json
import random
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.models import User
from annotation.models import Item
from projects.models import Project
from review.enums import Selection
from review.models import Judgement, Round
from review.outcomes import Correction
from review.rounds.actions.rounds import close_round, open_round
from review.rounds.actions.settings import RoundSettings
from tests.factories import SourceFactory, SubjectFactory, make_translated_item
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
PLANTED = {"good-mt": 0.85, "poor-mt": 0.4}
EACH = 40


@pytest.fixture
def campaign(
    project: Project,
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Judgement],
) -> dict[str, float]:
    """Two rounds: one of all items, one of those not approved, in which every text is approved.

    Returns the share of each system's texts that the first one approved.
    """
    chance = random.Random(7)
    source, subject = SourceFactory(project=project), SubjectFactory(project=project)
    for system in PLANTED:
        for number in range(EACH):
            uid = f"{system}/{number:03d}"
            make_translated_item(
                project=project, source=source, subject=subject, uid=uid, system=system
            )
    user, other = reviewers(2)
    approved = dict.fromkeys(PLANTED, 0)
    round_ = opened_round(project, Selection.ALL)
    for panel in round_.panels.select_related("item").order_by("position"):
        system = panel.item.uid.partition("/")[0]
        is_good = chance.random() < PLANTED[system]
        approved[system] += is_good
        said = {} if is_good else {"correction": Correction("ཞུས་དག་ཟིན།", OPTIONS)}
        judge(round_, user, **said)
    close_round(round_=round_, actor=None, now=timezone.now())
    second = opened_round(project, Selection.NOT_APPROVED)
    for _panel in second.panels.all():
        judge(second, other)
    close_round(round_=second, actor=None, now=timezone.now())
    return {system: count / EACH for system, count in approved.items()}


def opened_round(project: Project, selection: Selection) -> Round:
    settings = RoundSettings(panel_size=1, selection=selection, is_same_panel_allowed=True)
    return open_round(project=project, settings=settings, actor=None, now=timezone.now())


def table(name: str) -> list[dict[str, Any]]:
    out = StringIO()
    call_command("review_report", "ti", "--table", name, "--json", stdout=out)
    rows: list[dict[str, Any]] = json.loads(out.getvalue())[name]
    return rows


def test_tables_of_systems_and_stages_find_the_planted_rates(campaign: dict[str, float]) -> None:
    found = {row["name"]: row["approval_rate"] for row in table("systems")}

    assert set(found) == set(PLANTED)
    for system, planted in PLANTED.items():
        assert found[system]["value"] == pytest.approx(campaign[system])
        assert found[system]["low"] <= planted <= found[system]["high"]
    assert found["poor-mt"]["high"] < found["good-mt"]["low"]

    first, second = table("stages")
    share = sum(campaign.values()) / len(campaign)
    rate = first["approval_rate"]
    assert rate["value"] == pytest.approx(share)
    assert rate["low"] <= sum(PLANTED.values()) / len(PLANTED) <= rate["high"]
    assert second["approval_rate"]["value"] == 1
    assert second["cumulative"]["approval_rate"]["value"] == 1
    assert Item.objects.count() == len(PLANTED) * EACH
