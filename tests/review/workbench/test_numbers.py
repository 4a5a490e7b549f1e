"""A text that changes numbers against its source is taken only when that is confirmed."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.models import Item, Revision, Translation
from projects.enums import Role
from projects.models import Project
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.items.actions import edit_text
from review.models import Adjudication, Judgement, Panel, Round
from review.outcomes import Correction
from review.workbench.actions.numbers import NumbersUnconfirmed
from review.workbench.judgement_rows import csv, jsonl
from tests.factories import make_translated_item
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Judge = Callable[..., Judgement]
NUMBERED = Correction("འདྲི་བ་༡༢།", OPTIONS)
WORDS = "In your text, but not in the source: 12."


def current() -> Revision:
    translation = Translation.objects.select_related("current_revision").get()
    assert translation.current_revision
    return translation.current_revision


def split(opened: Callable[..., Round], member: Member, judge: Judge, **said: Any) -> Panel:
    """A dispute between a correction with another number and a rejection."""
    round_ = opened(1)
    judge(round_, member(), correction=NUMBERED, **said)
    judge(round_, member(), verdict="reject")
    return Panel.objects.get()


def settle(panel: Panel, senior: User, **said: Any) -> Adjudication:
    return adjudicate_panel(
        panel=panel, senior=senior, content=DecisionContent(**said), now=timezone.now()
    )


def test_correction_with_another_number_is_refused_in_words(
    opened: Callable[..., Round], member: Member, judge: Judge
) -> None:
    round_ = opened(1)

    with pytest.raises(NumbersUnconfirmed) as refused:
        judge(round_, member(), correction=NUMBERED)

    assert (refused.value.status, refused.value.fields) == (400, {"correction.question": [WORDS]})
    assert not Judgement.objects.exists()


def test_confirmed_number_is_stored_with_judgement_and_revision(
    opened: Callable[..., Round], member: Member, judge: Judge
) -> None:
    round_ = opened(1, panel_size=1)

    made = judge(round_, member(), correction=NUMBERED, numbers_confirmed=True)

    assert made.numbers_confirmed
    assert current().question == NUMBERED.question
    assert current().numbers_confirmed


def test_confirmation_is_not_stored_where_nothing_needed_it(
    opened: Callable[..., Round], member: Member, judge: Judge
) -> None:
    made = judge(
        opened(1),
        member(),
        correction=Correction("འདྲི་བ་གསར་པ།", OPTIONS),
        numbers_confirmed=True,
    )

    assert not made.numbers_confirmed


def test_refused_judgement_is_taken_with_the_confirmation_under_the_same_key(
    opened: Callable[..., Round], member: Member, judge: Judge
) -> None:
    round_, reviewer = opened(1), member()
    with pytest.raises(NumbersUnconfirmed):
        judge(round_, reviewer, correction=NUMBERED, key="same")

    made = judge(round_, reviewer, correction=NUMBERED, key="same", numbers_confirmed=True)

    assert Judgement.objects.get() == made


def test_export_tells_the_confirmation(
    opened: Callable[..., Round], member: Member, judge: Judge
) -> None:
    round_ = opened(1)
    judge(round_, member(), correction=NUMBERED, numbers_confirmed=True)
    judge(round_, member())
    rows, numbers = Judgement.objects.all(), {round_.pk: 1}

    lines = "".join(jsonl(rows, numbers)).splitlines()
    cells = [line.rsplit(",", 1)[1] for line in "".join(csv(rows, numbers)).splitlines()]

    assert [json.loads(line)["numbers_confirmed"] for line in lines] == [True, False]
    assert cells == ["numbers_confirmed", "true", "false"]


def test_api_refuses_a_judgement_without_and_takes_it_with_the_confirmation(
    opened: Callable[..., Round], member: Member, api_of: Callable[[User], APIClient]
) -> None:
    round_ = opened(1)
    api = api_of(member())
    claim = api.post(f"/api/v1/rounds/{round_.pk}/claim/").json()
    body = {
        "verdict": "revise",
        "ratings": {"domain": 4, "cultural": 4},
        "revision": claim["revision"]["id"],
        "correction": NUMBERED.as_json(),
    }
    url = f"/api/v1/assignments/{claim['assignment']}/judgement/"

    refused = api.post(url, body, format="json", headers={"Idempotency-Key": "k"})
    taken = api.post(
        url,
        {**body, "numbers_confirmed": True},
        format="json",
        headers={"Idempotency-Key": "k"},
    )

    assert (refused.status_code, refused.json()["code"]) == (400, "numbers_unconfirmed")
    assert refused.json()["fields"] == {"correction.question": [WORDS]}
    assert taken.status_code == 201


def test_senior_is_asked_for_a_number_that_nobody_confirmed(
    opened: Callable[..., Round], member: Member, judge: Judge
) -> None:
    round_ = opened(1)
    judge(round_, member(), correction=Correction("འདྲི་བ་གསར་པ།", OPTIONS))
    judge(round_, member(), verdict="reject")
    panel, senior = Panel.objects.get(), member(Role.SENIOR)

    with pytest.raises(NumbersUnconfirmed):
        settle(panel, senior, kind="merge", correction=NUMBERED)
    made = settle(panel, senior, kind="merge", correction=NUMBERED, numbers_confirmed=True)

    assert made.numbers_confirmed
    assert made.resulting_revision is not None
    assert made.resulting_revision.numbers_confirmed


def test_senior_takes_a_number_that_its_reviewer_confirmed(
    opened: Callable[..., Round], member: Member, judge: Judge
) -> None:
    panel = split(opened, member, judge, numbers_confirmed=True)

    made = settle(
        panel, member(Role.SENIOR), kind="adopt", judgement=panel.judgements.get(verdict="revise")
    )

    assert made.numbers_confirmed


def test_senior_is_asked_for_a_number_beside_the_confirmed_one(
    opened: Callable[..., Round], member: Member, judge: Judge
) -> None:
    panel = split(opened, member, judge, numbers_confirmed=True)
    both = Correction(f"{NUMBERED.question} ༧", OPTIONS)

    with pytest.raises(NumbersUnconfirmed) as refused:
        settle(panel, member(Role.SENIOR), kind="merge", correction=both)

    assert refused.value.fields == {
        "correction.question": ["In your text, but not in the source: 7."]
    }


def test_text_changed_by_hand_needs_the_confirmation(project: Project, member: Member) -> None:
    item: Item = make_translated_item(project=project, options=list(OPTIONS))
    typed: dict[str, Any] = {
        "item": item,
        "base": current(),
        "question": NUMBERED.question,
        "options": OPTIONS,
        "actor": member(Role.SENIOR),
        "now": timezone.now(),
    }

    with pytest.raises(NumbersUnconfirmed):
        edit_text(**typed)
    made = edit_text(**typed, numbers_confirmed=True)

    assert made.numbers_confirmed


def test_text_that_was_wrong_already_needs_no_confirmation_for_other_words(
    project: Project, member: Member
) -> None:
    item = make_translated_item(project=project, question="འདྲི་བ་༡༢།", options=list(OPTIONS))

    made = edit_text(
        item=item,
        base=current(),
        question="འདྲི་བ་གསར་པ་༡༢།",
        options=OPTIONS,
        actor=member(Role.SENIOR),
        now=timezone.now(),
    )

    assert not made.numbers_confirmed


def test_api_refuses_a_text_without_the_confirmation(
    project: Project, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    item = make_translated_item(project=project, options=list(OPTIONS))
    url = f"/api/v1/projects/ti/items/{item.pk}/text/"
    api = api_of(member(Role.MANAGER))

    refused = api.post(url, NUMBERED.as_json(), format="json")
    taken = api.post(url, {**NUMBERED.as_json(), "numbers_confirmed": True}, format="json")

    assert (refused.status_code, refused.json()["code"]) == (400, "numbers_unconfirmed")
    assert taken.status_code == 200
