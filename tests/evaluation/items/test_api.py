"""The API of item analysis, and who sees which items."""

from collections.abc import Callable

import pytest
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from accounts.models import User
from evaluation.models import ReviewSuggestion
from projects.enums import Role
from projects.models import Project
from tests.evaluation.items.builders import GOOD, WEAK, analysed, answered_run, six_items
from tests.evaluation.items.test_actions import DOUBTED
from tests.factories import GuidelineFactory

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Api = Callable[[User], APIClient]
ROOT = "/api/v1/projects/ti"


@pytest.fixture
def manager(project: Project, member: Member, api_of: Api) -> APIClient:
    return api_of(member(Role.MANAGER))


def test_hidden_items_are_for_managers_only(
    project: Project, manager: APIClient, member: Member, api_of: Api
) -> None:
    analysed(six_items(project, hidden=2), [GOOD, GOOD, WEAK])
    viewer = api_of(member(Role.VIEWER))

    every = manager.get(f"{ROOT}/item-analysis/").json()["results"]
    some = viewer.get(f"{ROOT}/item-analysis/").json()["results"]

    assert [each["uid"] for each in every] == [f"history/test-{n}" for n in range(6)]
    assert [each["uid"] for each in some] == [f"history/test-{n}" for n in range(4)]
    assert every[0]["chosen"] == {"A": 0.6667, "B": 0.3333, "C": 0, "D": 0}
    for role in (Role.SENIOR, Role.REVIEWER):
        assert api_of(member(role)).get(f"{ROOT}/item-analysis/").status_code == 403
    assert viewer.get(f"{ROOT}/suggestions/").status_code == 403


def test_list_is_filtered_and_sorted_and_refuses_unknown_names(
    project: Project, manager: APIClient
) -> None:
    analysed(six_items(project), DOUBTED)

    def uids(query: str) -> list[str]:
        rows = manager.get(f"{ROOT}/item-analysis/?{query}").json()["results"]
        return [each["uid"].rpartition("-")[2] for each in rows]

    assert uids("filter=none") == ["3"]
    assert "1" in uids("filter=key")
    assert uids("sort=difficulty")[0] == "3"
    first = manager.get(f"{ROOT}/item-analysis/?sort=difficulty&page_size=4").json()
    rest = manager.get(first["next"]).json()["results"]
    assert len({each["uid"] for each in [*first["results"], *rest]}) == 6
    answer = manager.get(f"{ROOT}/item-analysis/?filter=odd")
    assert (answer.status_code, answer.json()["code"]) == (400, "filter_unknown")


@pytest.mark.parametrize("models", [1, 3])
def test_lists_take_a_fixed_number_of_queries(
    project: Project,
    manager: APIClient,
    django_assert_num_queries: DjangoAssertNumQueries,
    models: int,
) -> None:
    analysed(six_items(project), DOUBTED[:models])
    for path, queries in (("item-analysis", 7), ("item-analyses", 5), ("suggestions", 4)):
        with django_assert_num_queries(queries):
            assert manager.get(f"{ROOT}/{path}/").status_code == 200


def test_analysis_is_started_and_told_of(project: Project, manager: APIClient) -> None:
    release = six_items(project)
    answered_run(release, "model-1", GOOD)

    answer = manager.post(f"{ROOT}/item-analyses/", {"release": "1.0.0"}, format="json")

    assert answer.status_code == 202
    told = manager.get(f"{ROOT}/item-analyses/").json()
    assert [(each["release"], each["job"]) for each in told] == [("1.0.0", answer.json()["job"])]
    wrong = {"release": "1.0.0", "source_release": "other:2.0.0"}
    answer = manager.post(f"{ROOT}/item-analyses/", wrong, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "reference_unknown")


def test_suggestions_are_sent_and_dismissed(project: Project, manager: APIClient) -> None:
    GuidelineFactory(project=project)
    analysed(six_items(project), DOUBTED)
    rows = manager.get(f"{ROOT}/suggestions/").json()["results"]
    strengths = [each["strength"] for each in rows]
    assert strengths == sorted(strengths, reverse=True)
    assert rows[0]["kind"] == "key_doubted"
    assert "3 of 3 strong models choose C, the key is B" in rows[0]["text"]

    sent = manager.post(f"{ROOT}/suggestions/send/", {"ids": [rows[0]["id"]]}, format="json")
    path = f"{ROOT}/suggestions/{rows[1]['id']}/dismiss/"
    dismissed = manager.post(path, {"reason": "too easy"}, format="json")

    assert (sent.status_code, sent.json()["panels"]) == (201, 1)
    assert dismissed.status_code == 204
    states = ReviewSuggestion.objects.filter(pk__in=[rows[0]["id"], rows[1]["id"]])
    assert list(states.order_by("-strength").values_list("state", flat=True)) == [
        "sent",
        "dismissed",
    ]
    told = manager.get(f"{ROOT}/suggestions/found/").json()
    assert [(each["kind"], each["sent"], each["judged"]) for each in told] == [
        ("key_doubted", 1, 0)
    ]
