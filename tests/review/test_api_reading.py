"""What the pages of disputes, second looks, choices of texts and own work show, by the API."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.enums import Severity
from annotation.models import Finding
from projects.enums import Role
from projects.models import Project
from review.choosing.text_choices import ChoiceFilter, choice_rows, items_to_choose
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.disputes.actions.reopening import reopen_dispute
from review.enums import DecisionKind, RoundKind
from review.models import Answer, Judgement, Panel, Round
from tests.review.kinds import add_system
from tests.test_schema_answers import document, faults_of
from tests.world import MANAGER, REVIEWER, SENIOR, World, make_world

pytestmark = pytest.mark.django_db
Api = Callable[[User], APIClient]
Member = Callable[..., User]
ROOT = "/api/v1/projects/ti"


@pytest.fixture
def world(db: None) -> World:
    return make_world()


def test_dispute_tells_what_helps_to_decide_and_names_nobody(
    disputed: Callable[..., Panel], member: Member, api_of: Api
) -> None:
    panel, senior, now = disputed(), member(Role.SENIOR), timezone.now()
    content = DecisionContent(kind=DecisionKind.APPROVE, reason="It stands.")
    adjudicate_panel(panel=panel, senior=senior, content=content, now=now)
    panel.refresh_from_db()
    reopen_dispute(panel=panel, senior=senior, reason="Too early.", now=now)
    Finding.objects.create(
        revision=panel.revision,
        code="empty_text",
        severity=Severity.WARNING,
        field="options.0",
        created_at=now,
    )

    answer = api_of(senior).get(f"/api/v1/disputes/{panel.pk}/")

    body, item = answer.json(), panel.item
    assert (body["item"], body["item_id"], body["state"]) == (item.uid, item.pk, "disputed")
    assert (body["source"]["question"], body["source"]["key"]) == (item.question, item.key)
    assert [each["code"] for each in body["findings"]] == ["empty_text"]
    (past,) = body["history"]
    (adjudication,) = past["adjudications"]
    assert (adjudication["reason"], adjudication["withdrawn"]) == ("It stands.", "Too early.")
    assert body["answers"] is None
    text = answer.content.decode()
    assert not [each for each in User.objects.all() if each.email in text or each.name in text]


def test_dispute_about_a_key_tells_the_answers_without_names(world: World) -> None:
    Answer.objects.update(comment="It is B.")
    body = world.browser(SENIOR).get(f"/api/v1/disputes/{world.key_dispute.pk}/").json()
    assert body["answers"] == {
        "choices": {"B": 1},
        "unsure": 0,
        "comments": [{"choice": "B", "comment": "It is B."}],
    }


def test_dispute_says_what_it_waits_for(world: World) -> None:
    panel = world.second_look.panel
    body = world.browser(MANAGER).get(f"/api/v1/disputes/{panel.pk}/").json()
    assert (body["waits_for"]["id"], body["waits_for"]["kind"]) == (
        world.second_look.pk,
        "second_look",
    )


def test_second_look_has_all_that_answering_it_takes(world: World) -> None:
    look, browser = world.second_look, world.browser(REVIEWER)
    address = f"/api/v1/second-looks/{look.pk}/"

    body = browser.get(address).json()
    said = {name: body["said"][name] for name in ("verdict", "ratings", "tags", "comment")}
    sent = browser.post(
        f"{address}judgement/",
        said | {"revision": body["revision"], "verdict": "reject"},
        content_type="application/json",
        headers={"Idempotency-Key": "again"},
    )

    item, revision = look.panel.item, look.panel.revision
    assert (body["note"], body["item_id"]) == ("Read line 2.", item.pk)
    assert body["source"]["question"] == item.question
    assert body["text"]["options"] == revision.options
    assert said["verdict"] == "approve"
    assert sent.status_code == 201
    assert Judgement.objects.get(pk=sent.json()["judgement"]).verdict == "reject"


def test_items_to_choose_are_those_of_the_page_with_whole_texts(
    project: Project, items: Callable[[int], None], member: Member, api_of: Api
) -> None:
    items(2)
    add_system(project, "b")
    api = api_of(member(Role.MANAGER))

    listed = api.get(f"{ROOT}/translations/items/").json()["results"]

    rows = choice_rows(list(items_to_choose(project, ChoiceFilter()).order_by("uid_order")), None)
    assert [row["uid"] for row in listed] == [row.item.uid for row in rows]
    for told, row in zip(listed, rows, strict=True):
        assert [each["system"] for each in told["texts"]] == [side.system for side in row.sides]
        assert [each["question"] for each in told["texts"]] == [
            side.revision.question for side in row.sides
        ]
        assert [each["is_chosen"] for each in told["texts"]].count(True) == 1
    chosen = {"uid": listed[0]["uid"], "system": "b"}
    assert api.post(f"{ROOT}/translations/choose/", chosen, format="json").status_code == 200
    again = api.get(f"{ROOT}/translations/items/").json()["results"][0]["texts"]
    assert [each["system"] for each in again if each["is_chosen"]] == ["b"]
    refused = api.get(f"{ROOT}/translations/items/", {"round": 9})
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["round"])


def test_months_of_own_work_add_up(
    opened: Callable[..., Round], member: Member, judge: Callable[..., Judgement], api_of: Api
) -> None:
    round_, user = opened(3, panel_size=1), member(Role.REVIEWER)
    for _ in range(3):
        judge(round_, user)
    Judgement.objects.update(active_seconds=10)
    first_pk = Judgement.objects.order_by("pk").values_list("pk", flat=True)[0]
    march = timezone.now().replace(year=2025, month=3, day=4)
    Judgement.objects.filter(pk=first_pk).update(submitted_at=march, active_seconds=40)
    api = api_of(user)

    latest, first = api.get("/api/v1/me/work/months/").json()

    done: list[Any] = [
        [month[name] for name in ("judgements", "decided", "agreed", "active_seconds", "answers")]
        for month in (first, latest)
    ]
    assert done == [[1, 1, 1, 40, 0], [2, 2, 2, 20, 0]]
    assert first["month"] == "2025-03"
    assert len(api.get("/api/v1/me/work/months/", {"month": "2025-03"}).json()) == 1


@pytest.mark.parametrize(
    ("settings", "calls"),
    [
        ({}, ["claim", "reserve"]),
        ({"has_blind_reading": True}, ["claim", "reserve"]),
        ({"kind": RoundKind.SOLVING}, ["take"]),
        ({"kind": RoundKind.COMPARISON}, ["take"]),
    ],
)
def test_seats_are_told_as_the_schema_says(
    project: Project, items: Callable[[int], None], opened: Callable[..., Round],
    member: Member, api_of: Api, settings: dict[str, Any], calls: list[str],
) -> None:  # fmt: skip
    items(1)
    add_system(project)
    round_, api = opened(0, panel_size=1, **settings), api_of(member(Role.REVIEWER))
    for call in calls:
        operation = document()["paths"][f"/api/v1/rounds/{{id}}/{call}/"]["post"]

        answer = api.post(f"/api/v1/rounds/{round_.pk}/{call}/")

        assert answer.status_code == 200
        assert faults_of(answer, operation) == []
        assert undescribed(answer.json(), operation) == []


def test_decisions_are_told_as_the_schema_says(
    disputed: Callable[..., Panel], member: Member, api_of: Api
) -> None:
    panel, api = disputed(), api_of(member(Role.SENIOR))
    dispute = f"/api/v1/disputes/{panel.pk}/"
    calls: list[tuple[str, dict[str, Any]]] = [
        ("visit", {}),
        ("adjudication", {"decision": "approve", "reason": "It stands."}),
        ("reopening", {"reason": "Too early."}),
        ("further-seat", {}),
        ("take-back", {}),
    ]
    for call, body in calls:
        operation = document()["paths"][f"/api/v1/disputes/{{id}}/{call}/"]["post"]
        answer = api.post(f"{dispute}{call}/", body, format="json")
        assert answer.status_code < 300, answer.content
        assert faults_of(answer, operation) == []
        assert undescribed(answer.json(), operation) == []


def undescribed(body: dict[str, Any], operation: dict[str, Any]) -> list[str]:
    """The names in an answer that its schema does not have, down to the parts of parts."""
    (said,) = [each for status, each in operation["responses"].items() if status in ("200", "201")]
    return list(_undescribed(body, said["content"]["application/json"]["schema"], ""))


def _undescribed(part: Any, schema: dict[str, Any], place: str) -> Iterator[str]:
    schema = _resolved(schema)
    if isinstance(part, list):
        for each in part:
            yield from _undescribed(each, schema.get("items", {}), place)
    elif isinstance(part, dict) and "additionalProperties" not in schema:
        for name, value in part.items():
            if name in schema.get("properties", {}):
                yield from _undescribed(value, schema["properties"][name], f"{place}.{name}")
            else:
                yield f"{place}.{name}"


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without the steps that lead to it: a name, or one that may be null."""
    while True:
        if "$ref" in schema:
            schema = document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        elif parts := schema.get("allOf") or schema.get("anyOf"):
            schema = parts[0]
        else:
            return schema
