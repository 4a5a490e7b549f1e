"""Checks of a typed text: what they say, for whom, and that nothing is stored."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.checks.actions import check_revision, dismiss_finding
from annotation.models import Finding, Item, Revision
from projects.enums import Role
from projects.models import Project
from review.enums import Selection
from review.models import Assignment, Panel, Round
from review.rounds.actions.rounds import open_round
from review.rounds.actions.settings import RoundSettings
from tests.factories import make_translated_item
from tests.review.conftest import OPTIONS
from tests.review.kinds import take

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
Member = Callable[..., User]
Browser = Callable[[User], Client]
CHECK = "/projects/ti/rounds/1/check/"
GLUED = "དྲིས་བ། \nA. གཅིག \nB. གཉིས། \nC. གསུམ། \nD. བཞི།"


def typed(seat: Assignment, **texts: str) -> dict[str, Any]:
    options = {f"option_{n}": text for n, text in enumerate(OPTIONS)}
    return {"assignment": seat.pk, "question": "འདྲི་བ།", **options, **texts}


@pytest.fixture
def plain(opened: Open) -> Open:
    """A round on items whose sources have no numbers."""

    def make(count: int) -> Round:
        round_ = opened(count)
        Item.objects.update(question="问题", options=["甲", "乙", "丙", "丁"])
        return round_

    return make


def everything() -> dict[str, list[Any]]:
    return {
        model._meta.label: list(model._default_manager.order_by("pk").values())
        for model in [*apps.get_app_config("annotation").get_models(), Assignment, Panel]
    }


def broken_item(project: Project) -> Item:
    """An item whose options are glued into its question."""
    item = make_translated_item(project=project, question=GLUED, options=[])
    check_revision(revision=Revision.objects.get(), now=timezone.now())
    return item


def on_all(project: Project) -> Round:
    return open_round(
        project=project,
        settings=RoundSettings(selection=Selection.ALL),
        actor=None,
        now=timezone.now(),
    )


def test_check_says_what_is_wrong_and_where_and_stores_nothing(
    plain: Open, member: Member, browser_of: Browser
) -> None:
    reviewer = member()
    seat = take(plain(1), reviewer)
    before = everything()

    answer = browser_of(reviewer).post(CHECK, typed(seat, question="འདྲི་བ་༡༢། (", option_1=""))

    assert answer.json()["findings"] == [
        {
            "code": "empty_text",
            "severity": "error",
            "field": "options.1",
            "message": "This field has no text.",
            "spans": [],
        },
        {
            "code": "numbers_differ",
            "severity": "warning",
            "field": "question",
            "message": "Numbers that are not in the source: 12.",
            "spans": [["question", 7, 9]],
        },
        {
            "code": "brackets_unbalanced",
            "severity": "warning",
            "field": "question",
            "message": "The bracket “(” has no counterpart.",
            "spans": [["question", 11, 12]],
        },
    ]
    assert answer.json()["numbers"] == [
        {
            "field": "question",
            "place": "question",
            "message": "In your text, but not in the source: 12.",
        }
    ]
    assert everything() == before


def test_check_of_several_fields_with_one_fault_is_one_message(
    plain: Open, member: Member, browser_of: Browser
) -> None:
    reviewer = member()
    seat = take(plain(1), reviewer)

    answer = browser_of(reviewer).post(CHECK, typed(seat, option_1="", option_2=""))

    assert [each["message"] for each in answer.json()["findings"]] == [
        "Option B, option C: This field has no text."
    ]


def test_check_offers_the_repair_of_what_was_typed(
    opened: Open, member: Member, browser_of: Browser
) -> None:
    reviewer = member()
    seat = take(opened(1), reviewer)
    empty = dict.fromkeys(("option_0", "option_1", "option_2", "option_3"), "")

    answer = browser_of(reviewer).post(CHECK, typed(seat, question=GLUED, **empty))

    assert answer.json()["repair"] == {
        "label": "Give each option its field",
        "question": "དྲིས་བ།",
        "options": ["གཅིག", "གཉིས།", "གསུམ།", "བཞི།"],
    }


def test_check_leaves_out_what_was_dismissed_in_an_unchanged_field(
    project: Project, member: Member, browser_of: Browser
) -> None:
    make_translated_item(project=project, question="འདྲི་བ་༡༢།", options=list(OPTIONS))
    check_revision(revision=Revision.objects.get(), now=timezone.now())
    dismiss_finding(
        finding=Finding.objects.get(code="numbers_differ"),
        reason="meant",
        actor=member(Role.SENIOR),
        now=timezone.now(),
    )
    reviewer = member()
    seat = take(on_all(project), reviewer)
    browser = browser_of(reviewer)

    same = browser.post(CHECK, typed(seat, question="འདྲི་བ་༡༢།", option_0="གཅིག་"))
    other = browser.post(CHECK, typed(seat, question="འདྲི་བ་༡༢། །"))

    assert same.json()["findings"] == []
    assert [each["code"] for each in other.json()["findings"]] == ["numbers_differ"]


def test_check_is_for_the_holder_of_the_seat(
    opened: Open, member: Member, browser_of: Browser
) -> None:
    seat = take(opened(1), member())

    assert browser_of(member()).post(CHECK, typed(seat)).status_code == 404


@pytest.mark.parametrize("rubbish", ["", "x", "-1", "9" * 30])
def test_check_of_no_seat_is_not_found(
    opened: Open, member: Member, browser_of: Browser, rubbish: str
) -> None:
    opened(1)

    assert browser_of(member()).post(CHECK, {"assignment": rubbish}).status_code == 404


def test_check_of_a_text_that_is_too_long_is_not_found(
    opened: Open, member: Member, browser_of: Browser
) -> None:
    reviewer = member()
    seat = take(opened(1), reviewer)

    assert browser_of(reviewer).post(CHECK, typed(seat, question="x" * 20_001)).status_code == 404


def test_check_takes_few_queries(
    opened: Open, member: Member, browser_of: Browser, django_assert_num_queries: Any
) -> None:
    reviewer = member()
    seat = take(opened(3), reviewer)
    browser = browser_of(reviewer)

    with django_assert_num_queries(5):
        browser.post(CHECK, typed(seat, question="འདྲི་བ་གསར་པ།"))


def test_api_checks_the_text_of_a_seat(
    opened: Open, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    reviewer = member()
    seat = take(opened(1), reviewer)
    body = {"question": "འདྲི་བ་༡༢།", "options": list(OPTIONS)}
    url = f"/api/v1/assignments/{seat.pk}/check/"

    answer = api_of(reviewer).post(url, body, format="json")

    assert [each["code"] for each in answer.json()["findings"]] == ["numbers_differ"]
    assert api_of(member()).post(url, body, format="json").status_code == 404


def test_senior_checks_a_final_text(
    disputed: Callable[..., Panel], member: Member, browser_of: Browser
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    body = {"question": "འདྲི་བ་༡༢།", **{f"option_{n}": t for n, t in enumerate(OPTIONS)}}
    url = f"/projects/ti/disputes/{panel.pk}/check/"

    assert browser_of(senior).post(url, body).json()["numbers"]
    assert browser_of(member()).post(url, body).status_code == 403


def test_workbench_brings_the_repair_of_a_broken_text(
    project: Project, member: Member, browser_of: Browser
) -> None:
    broken_item(project)
    reviewer = member()
    take(on_all(project), reviewer)

    page = browser_of(reviewer).get("/projects/ti/rounds/1/workbench/")

    assert page.context["repair"].texts == ["དྲིས་བ།", "གཅིག", "གཉིས།", "གསུམ།", "བཞི།"]
    assert json.loads(page.context["repair"].texts_json) == page.context["repair"].texts


def test_item_page_leads_to_the_repair_for_those_who_may_edit(
    project: Project, member: Member, browser_of: Browser
) -> None:
    item = broken_item(project)
    address = f"/projects/ti/items/{item.pk}/text/?repair"

    senior = browser_of(member(Role.SENIOR))
    page = senior.get(f"/projects/ti/items/{item.pk}/").content.decode()
    form = senior.get(address)

    assert f'href="{address}"' in page
    assert [row.target_text for row in form.context["rows"]] == [
        "དྲིས་བ།",
        "གཅིག",
        "གཉིས།",
        "གསུམ།",
        "བཞི།",
    ]
    reviewer = browser_of(member()).get(f"/projects/ti/items/{item.pk}/").content.decode()
    assert address not in reviewer


def test_sound_item_has_no_repair(project: Project, member: Member, browser_of: Browser) -> None:
    item = make_translated_item(project=project, options=list(OPTIONS))
    browser = browser_of(member(Role.SENIOR))

    assert "?repair" not in browser.get(f"/projects/ti/items/{item.pk}/").content.decode()
    page = browser.get(f"/projects/ti/items/{item.pk}/text/?repair")
    assert [row.target_text for row in page.context["rows"]] == ["འདྲི་བ།", *OPTIONS]


def test_item_page_prints_each_finding_once(
    project: Project, member: Member, browser_of: Browser
) -> None:
    item = make_translated_item(project=project, question="འདྲི་བ་༡༢།", options=list(OPTIONS))
    Item.objects.update(question="问题")
    check_revision(revision=Revision.objects.get(), now=timezone.now())

    page = browser_of(member(Role.SENIOR)).get(f"/projects/ti/items/{item.pk}/")

    assert page.content.decode().count("Numbers that are not in the source: 12.") == 1


def test_text_form_asks_for_the_confirmation_and_takes_it(
    project: Project, member: Member, browser_of: Browser
) -> None:
    item = make_translated_item(project=project, options=list(OPTIONS))
    browser = browser_of(member(Role.SENIOR))
    url = f"/projects/ti/items/{item.pk}/text/"
    body = {"base": Revision.objects.get().pk, "question": "འདྲི་བ་༡༢།"}
    body |= {f"option_{n}": text for n, text in enumerate(OPTIONS)}

    refused = browser.post(url, body)
    taken = browser.post(url, {**body, "numbers_confirmed": "1"})

    assert refused.status_code == 400
    assert refused.context["numbers"] == ["question: In your text, but not in the source: 12."]
    assert 'name="numbers_confirmed"' in refused.content.decode()
    assert taken.status_code == 302
    assert Revision.objects.latest("pk").numbers_confirmed
