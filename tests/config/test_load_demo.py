"""`load_demo` leaves the whole demo or nothing of it."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import User
from config.demo import compared, written
from endpoints.models import ModelSpec
from endpoints.providers.personas import PERSONAS
from projects.models import Project
from review.enums import Outcome
from review.models import Answer, Panel

pytestmark = pytest.mark.django_db


def load(**options: Any) -> dict[str, Any]:
    out = StringIO()
    options = {"judgements": 2} | options
    call_command("load_demo", json=True, stdout=out, stderr=StringIO(), **options)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_demo_that_broke_off_at_its_last_step_is_loaded_whole_the_next_time() -> None:
    with pytest.raises(CommandError):
        load(endpoint="no address")
    assert (Project.objects.count(), User.objects.count()) == (0, 0)

    loaded = load()

    assert loaded["is_new"]
    assert ModelSpec.objects.filter(project__slug="demo").count() == len(PERSONAS)
    assert load() == loaded | {"is_new": False}


def test_first_project_has_disputes_of_each_kind_to_settle() -> None:
    load(judgements=30)
    open_ones = Panel.objects.filter(item__project__slug="demo", outcome=Outcome.DISPUTED)
    codes = {reason["code"] for panel in open_ones for reason in panel.reasons}
    assert codes == {"verdict_split", "score_gap", "different_corrections"}


def test_second_project_has_a_public_release_and_a_round_of_solving() -> None:
    load()

    project = Project.objects.get(slug=written.SLUG)
    release = project.releases.get()
    reviewed, solved = project.rounds.order_by("number")
    assert Client().get(f"/releases/{project.slug}/{release.version}/").status_code == 200
    assert release.counts["items"] == project.items.count()
    assert set(project.items.values_list("kind", flat=True)) == {"choice", "number", "open"}
    assert (reviewed.state, solved.state, solved.kind) == ("closed", "open", "solving")
    assert Answer.objects.filter(panel__round=solved).count() == written.SOLVED


def test_third_project_compared_two_systems_and_reviewed_the_better_texts() -> None:
    load()

    out = StringIO()
    call_command("round_results", compared.SLUG, 1, json=True, stdout=out)
    rows = {row["system"]: row for row in json.loads(out.getvalue())["systems"]}
    project = Project.objects.get(slug=compared.SLUG)
    comparison, review = project.rounds.order_by("number")
    reviewed = review.panels.values_list("revision__translation__system", flat=True)
    assert list(rows) == ["demo-mt", "demo-mt-2"]
    assert rows["demo-mt-2"]["approved"] > rows["demo-mt"]["approved"]
    assert all(row["bleu"]["n_used"] for row in rows.values())
    assert (comparison.state, review.state) == ("closed", "closed")
    assert set(reviewed) == set(rows)


def test_start_that_broke_off_before_the_release_makes_up_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patched, pytest.raises(RuntimeError):
        patched.setattr(written, "show_to_everybody", broken_off)
        load()

    assert not load()["is_new"]
    assert Project.objects.get(slug=written.SLUG).rounds.count() == 2


def broken_off(**_of: object) -> None:
    raise RuntimeError("the machine was turned off")
