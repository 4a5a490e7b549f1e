"""Opinions of models are compared with what experts settled on the same text."""

import json
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.models import User
from annotation.models import Item, Opinion
from annotation.screening.actions import ScreeningSettings, start_screening
from projects.models import Project
from review.models import Judgement, Panel, Round
from review.screening.queries import calibrations
from tests.factories import ModelSpecFactory

pytestmark = pytest.mark.django_db


def give(project: Project, screen: str, doubts: dict[str, float]) -> None:
    """Store an opinion on every item; those of `doubts` are doubted with that confidence."""
    start_screening(
        project=project,
        settings=ScreeningSettings(model=ModelSpecFactory(project=project), screens=(screen,)),
        actor=None,
        now=timezone.now(),
    )
    for opinion in Opinion.objects.filter(screen=screen, state="open").select_related("item"):
        doubt = doubts.get(opinion.item.uid)
        Opinion.objects.filter(pk=opinion.pk).update(
            state="fine" if doubt is None else "doubt",
            confidence=0.9 if doubt is None else doubt,
            words=".",
        )


def test_screens_are_held_against_outcomes_or_the_tags_that_say_the_same(
    project: Project,
    opened: Callable[..., Round],
    judge: Callable[..., Judgement],
    reviewers: Callable[[int], list[User]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    round_ = opened(3, panel_size=1)
    (expert,) = reviewers(1)
    first = judge(round_, expert, verdict="reject", tags=("accuracy",), comment="Wrong.").panel.item
    second = judge(round_, expert).panel.item
    third = Item.objects.exclude(pk__in=[first.pk, second.pk]).get()
    give(project, "grammar", {first.uid: 0.8, second.uid: 0.6})
    give(project, "unique", {first.uid: 0.8, third.uid: 0.9})
    assert Panel.objects.filter(state="settled").count() == 2

    grammar, unique = calibrations(project)

    assert (grammar.screen, grammar.judged, grammar.faulty) == ("grammar", 2, 1)
    assert [(p.threshold, p.precision.value, p.recall.value) for p in grammar.points] == [
        (0.8, 1.0, 1.0),
        (0.6, 0.5, 1.0),
    ]
    # Rejected, but not for its key or for having no answer.
    assert (unique.screen, unique.judged, unique.faulty) == ("unique", 2, 0)
    assert [(p.precision.value, p.recall.value) for p in unique.points] == [(0.0, None)]

    call_command("calibrate_screens", "ti", "--json")
    printed = json.loads(capsys.readouterr().out)["screens"]
    assert [(each["screen"], each["is_calibrated"]) for each in printed] == [
        ("grammar", True),
        ("unique", True),
    ]


def test_screen_whose_texts_nobody_judged_says_that_it_is_not_calibrated(
    project: Project, opened: Callable[..., Round], capsys: pytest.CaptureFixture[str]
) -> None:
    opened(1, panel_size=1)
    give(project, "context", {})
    call_command("calibrate_screens", "ti", "--json")
    (found,) = json.loads(capsys.readouterr().out)["screens"]
    assert (found["judged"], found["is_calibrated"], found["thresholds"]) == (0, False, [])


def test_round_is_opened_on_the_items_that_screens_doubt_most(
    project: Project, items: Callable[[int], None], reviewers: Callable[[int], list[User]]
) -> None:
    items(4)
    reviewers(2)
    first, second, third, _fourth = Item.objects.order_by("uid")
    give(project, "grammar", {first.uid: 0.5, second.uid: 0.9, third.uid: 0.4})
    give(project, "context", {first.uid: 0.7})
    call_command("open_round", "ti", "--select", "doubted:2")
    panels = Panel.objects.order_by("item__uid")
    assert [panel.item_id for panel in panels] == [first.pk, second.pk]
