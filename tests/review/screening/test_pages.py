"""The page and the API of calibration, and sending what screens doubt to review."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from annotation.models import Item
from annotation.screening.queries import thresholds
from projects.enums import Role
from projects.models import Project
from review.models import Judgement, Round
from tests.factories import make_translated_item
from tests.review.screening.test_queries import give

pytestmark = pytest.mark.django_db
Member = Callable[..., User]


def test_page_shows_each_screen_beside_what_experts_settled(
    project: Project,
    manager: Client,
    opened: Callable[..., Round],
    judge: Callable[..., Judgement],
    reviewers: Callable[[int], list[User]],
) -> None:
    round_ = opened(2, panel_size=1)
    (expert,) = reviewers(1)
    faulty = judge(round_, expert, verdict="reject", tags=("accuracy",), comment="Wrong.").panel
    give(project, "grammar", {faulty.item.uid: 0.8})
    url = reverse("review:screen-calibration", args=["ti"])
    page = manager.get(url)
    assert [
        (label, each.judged, [point.threshold for point in points])
        for label, each, points in page.context["found"]
    ] == [("given away by grammar", 1, [0.8])]
    assert "1.00" in page.content.decode()


def test_screen_that_nobody_can_be_held_against_says_that_it_is_not_calibrated(
    project: Project, manager: Client
) -> None:
    make_translated_item(project=project)
    give(project, "grammar", {})
    page = manager.get(reverse("review:screen-calibration", args=["ti"]))
    assert "Not calibrated" in page.content.decode()


def test_manager_chooses_a_threshold_and_takes_it_back(project: Project, manager: Client) -> None:
    url = reverse("review:screen-calibration", args=["ti"])
    assert manager.post(url, {"screen": "context", "confidence": "2"}).status_code == 400
    assert manager.post(url, {"screen": "context", "confidence": "0.7"}).status_code == 302
    assert thresholds(project) == {"context": 0.7}
    assert 'value="0.7"' in manager.get(url).content.decode()
    assert manager.post(url, {"screen": "context", "confidence": ""}).status_code == 302
    assert thresholds(project) == {}


def test_button_fills_the_form_of_a_round_with_the_items_that_screens_doubt_most(
    project: Project, manager: Client
) -> None:
    for _number in range(3):
        make_translated_item(project=project)
    uids = [*Item.objects.order_by("pk").values_list("uid", flat=True)]
    give(project, "grammar", {uids[0]: 0.3, uids[2]: 0.8})
    form = manager.get(reverse("review:open-round", args=["ti"]), {"doubted": 200}).context["form"]
    assert form["selection"].value() == "list"
    assert form["uids"].value() == f"{uids[2]}\n{uids[0]}"
    plain = manager.get(reverse("review:open-round", args=["ti"]), {"doubted": "many"})
    assert plain.context["form"]["selection"].value() == "not-approved"


def test_api_tells_the_calibration_the_threshold_and_the_doubted_items(
    project: Project, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    uids = [make_translated_item(project=project).uid for _number in range(2)]
    give(project, "grammar", {uids[0]: 0.3, uids[1]: 0.8})
    api = api_of(member(Role.MANAGER))
    url = "/api/v1/projects/ti/screenings/"
    chosen = {"screen": "grammar", "confidence": 0.5}
    assert api.post(f"{url}calibration/", chosen, format="json").json() == {
        "chosen": {"grammar": 0.5}
    }
    told = api.get(f"{url}calibration/").json()
    assert (told["chosen"], [each["is_calibrated"] for each in told["screens"]]) == (
        {"grammar": 0.5},
        [False],
    )
    assert api.get(f"{url}doubted/").json() == {"uids": [uids[1]]}
    assert api.get(f"{url}doubted/", {"limit": 0}).status_code == 400
