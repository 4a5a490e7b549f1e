"""The pages of item analysis and of suggestions to review."""

from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import User
from evaluation.models import ItemFigure, ReviewSuggestion
from projects.enums import Role
from projects.models import Project
from review.models import Round
from tests.evaluation.builders import make_release
from tests.evaluation.items.builders import GOOD, WEAK, analysed, answered_run, six_items
from tests.evaluation.items.test_actions import DOUBTED
from tests.factories import GuidelineFactory, ProjectFactory

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]
ROOT = "/projects/ti"


def text_of(client: Client, path: str) -> str:
    answer = client.get(f"{ROOT}{path}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_page_without_analysis_says_how_to_get_one(manager: Client) -> None:
    assert "No analysis yet" in text_of(manager, "/item-analysis/")
    assert "No run yet" in text_of(manager, "/item-analysis/start/")


def test_page_lists_items_and_says_when_it_is_out_of_date(
    project: Project, manager: Client
) -> None:
    release = six_items(project)
    analysed(release, [GOOD, GOOD, WEAK])
    shown = text_of(manager, "/item-analysis/?sort=difficulty")
    assert "history/test-5" in shown
    assert "Figures rest on 3 models" in shown
    assert "out of date" not in shown

    answered_run(release, "model-9", WEAK)

    assert "out of date" in text_of(manager, "/item-analysis/")


def test_item_shows_options_and_answers(project: Project, manager: Client) -> None:
    analysed(six_items(project), DOUBTED)
    placed = ItemFigure.objects.get(position=1).placed_id
    shown = text_of(manager, f"/item-analysis/items/{placed}/")
    assert "ལན་ 1 ཀ" in shown
    assert "How often strong models choose each option, A 0.0 %, B 0.0 %, C 100.0 %" in shown
    assert "model-4" in shown


def test_viewers_never_see_hidden_items_nor_answers(
    project: Project, member: Member, browser_of: Browser
) -> None:
    analysed(six_items(project, hidden=2), DOUBTED)
    viewer = browser_of(member(Role.VIEWER))
    rows = dict(ItemFigure.objects.values_list("position", "placed"))

    assert "history/test-5" not in text_of(viewer, "/item-analysis/")
    assert "model-4" not in text_of(viewer, f"/item-analysis/items/{rows[0]}/")
    assert viewer.get(f"{ROOT}/item-analysis/items/{rows[5]}/").status_code == 404


def test_analysis_is_started_with_a_release_of_another_project_that_one_manages(
    project: Project, manager: Client, member: Member
) -> None:
    other = ProjectFactory(slug="zh", target_language="zh")
    for each in (project, other):
        release = make_release(each, subjects={"history": ""}, tests=6, version="1.0.0")
        answered_run(release, "model-1", GOOD)

    refused = manager.post(
        f"{ROOT}/item-analysis/start/", {"release": "1.0.0", "source_release": "zh:1.0.0"}
    )
    assert refused.status_code == 400
    assert "whose runs you manage" in refused.content.decode()
    started = manager.post(f"{ROOT}/item-analysis/start/", {"release": "1.0.0"})
    assert started.status_code == 302


def test_one_click_opens_a_round_on_the_selected_suggestions(
    project: Project, manager: Client
) -> None:
    GuidelineFactory(project=project)
    analysed(six_items(project), DOUBTED)
    shown = text_of(manager, "/suggestions/")
    assert "3 of 3 strong models choose C" in shown
    found = ReviewSuggestion.objects.get(kind="key_doubted")

    answer = manager.post(f"{ROOT}/suggestions/", {"ids": [found.pk], "panel_size": 2})

    round_ = Round.objects.get()
    assert answer.headers["Location"] == f"{ROOT}/rounds/{round_.number}/"
    assert "What experts found" in text_of(manager, "/suggestions/?state=sent")


def test_refusals_of_the_queue_are_shown(project: Project, manager: Client) -> None:
    GuidelineFactory(project=project)
    analysed(six_items(project), DOUBTED)
    answer = manager.post(f"{ROOT}/suggestions/", {"panel_size": 2})
    assert answer.status_code == 400
    assert "Select from 1 to 500" in answer.content.decode()
    found = ReviewSuggestion.objects.get(kind="key_doubted")
    answer = manager.post(f"{ROOT}/suggestions/{found.pk}/dismiss/", {"reason": ""})
    assert answer.status_code == 400
    answer = manager.post(f"{ROOT}/suggestions/{found.pk}/dismiss/", {"reason": "no"}, follow=True)
    assert f"Dismissed: {found.placed.uid}" in answer.content.decode()
