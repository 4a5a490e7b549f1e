"""The demo's arena, translations and submissions, made in this process by the stand-in models."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from annotation.enums import TranslatedState
from annotation.models import TranslatedItem
from arena.models import Arena, ArenaCall
from config.demo import compared, contest, submitted, translated, written
from projects.models import Project
from submissions.models import Submission

pytestmark = pytest.mark.django_db


def printed(*command: Any) -> dict[str, Any]:
    out = StringIO()
    call_command(*command, json=True, stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_demo_has_an_arena_two_strategies_compared_and_submissions() -> None:
    printed("load_demo", "--judgements", "0")
    assert not printed("load_demo")["is_new"]

    arena = Arena.objects.get(project__slug=written.SLUG, name=contest.NAME)
    standings = {row["name"]: row["rate"]["share"] for row in arena.figures["contestants"]}
    assert 30 <= arena.battles.count() <= 50
    assert set(standings) == set(contest.CONTESTANTS)
    assert standings["stand-in-strong"] > standings["stand-in-weak"]
    assert not ArenaCall.objects.filter(verdict="").exists()

    project = Project.objects.get(slug=translated.SLUG)
    systems = {row["system"]: row for row in printed("round_results", project.slug, 1)["systems"]}
    items = TranslatedItem.objects.filter(translation_job__project=project)
    assert set(systems) == set(translated.STRATEGIES)
    assert items.filter(state=TranslatedState.TRANSLATED).count() == 2 * project.items.count()
    assert project.rounds.get().state == "closed"
    assert all(row["cost"]["calls"] and row["cost"]["price"] for row in systems.values())
    assert systems["rank"]["cost"]["calls"] > systems["single"]["cost"]["calls"]

    sent = Submission.objects.filter(release__project__slug=compared.SLUG).order_by("pk")
    assert [(each.team.name, each.model) for each in sent] == [
        (team, model) for team, models in submitted.TEAMS.items() for model in models
    ]
    assert {each.state for each in sent} == {"scored"}
    assert all(each.scores.get().n >= 5 for each in sent)
