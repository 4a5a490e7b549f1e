"""Changing a text by hand: who may, what becomes of it, and when it is refused."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from annotation.enums import Origin, TranslationState
from annotation.items.revisions import approve_translation
from annotation.models import Item, Revision, Translation
from projects.enums import Role
from projects.models import Project
from review.models import Judgement, Round
from tests.factories import ItemFactory, make_translated_item
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]
TYPED = {f"option_{n}": text for n, text in enumerate(OPTIONS)}
BODY = {"question": "འདྲི་བ་གསར་པ།", "options": list(OPTIONS)}


@pytest.fixture
def item(project: Project) -> Item:
    return make_translated_item(project=project, uid="law/1", options=list(OPTIONS))


def current(item: Item) -> Revision:
    translation = Translation.objects.select_related("current_revision").get(item=item)
    assert translation.current_revision
    return translation.current_revision


def post(browser: Client, item: Item, **typed: Any) -> Any:
    form = {"question": "འདྲི་བ་གསར་པ།", **TYPED, "base": current(item).pk, **typed}
    return browser.post(f"/projects/ti/items/{item.pk}/text/", form)


@pytest.mark.parametrize("role", [Role.SENIOR, Role.MANAGER])
def test_changed_text_is_a_new_revision_that_waits_for_review(
    item: Item, member: Member, browser_of: Browser, role: Role
) -> None:
    approve_translation(revision=current(item))
    author = member(role)
    response = post(browser_of(author), item, question=" འདྲི་བ་༡༢། ", numbers_confirmed="1")
    made = current(item)
    assert (response.status_code, response["Location"]) == (302, f"/projects/ti/items/{item.pk}/")
    assert (made.number, made.question, made.options, made.origin, made.author) == (
        2,
        "འདྲི་བ་༡༢།",
        list(OPTIONS),
        Origin.HUMAN,
        author,
    )
    assert made.translation.state == TranslationState.PENDING
    assert made.findings.filter(code="numbers_differ").exists()


def test_check_shows_findings_of_what_was_typed_and_stores_nothing(
    item: Item, member: Member, browser_of: Browser
) -> None:
    page = post(browser_of(member(Role.SENIOR)), item, question="འདྲི་བ་༧༧།", act="check")
    text = page.content.decode()
    assert page.status_code == 200
    assert "འདྲི་བ་༧༧།" in text
    assert 'class="finding' in text
    assert current(item).number == 1


def test_text_is_not_changed_while_it_is_being_judged(
    opened: Callable[..., Round], member: Member, browser_of: Browser, api_of: Any
) -> None:
    opened(1, panel_size=2)
    item, senior = Item.objects.get(), member(Role.SENIOR)
    page = browser_of(senior).get(f"/projects/ti/items/{item.pk}/text/")
    sent = post(browser_of(senior), item)
    answer = api_of(senior).post(f"/api/v1/projects/ti/items/{item.pk}/text/", BODY, format="json")
    assert [page.status_code, sent.status_code, answer.status_code] == [200, 409, 409]
    assert "Save the text" not in page.content.decode()
    assert "close the round first" in page.content.decode()
    assert answer.json()["code"] == "text_being_judged"
    assert current(item).number == 1


def test_text_in_dispute_is_changed_by_settling_it(
    opened: Callable[..., Round],
    judge: Callable[..., Judgement],
    reviewers: Callable[[int], list[User]],
    member: Member,
    api_of: Callable[[User], APIClient],
) -> None:
    round_ = opened(1, panel_size=2)
    one, other = reviewers(2)
    judge(round_, one)
    judge(round_, other, verdict="reject")
    item = Item.objects.get()
    url = f"/api/v1/projects/ti/items/{item.pk}/text/"
    answer = api_of(member(Role.MANAGER)).post(url, BODY, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "text_in_dispute")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({**BODY, "options": ["ཀ"]}, 400, "judgement_invalid"),
        ({**BODY, "question": " "}, 400, "judgement_invalid"),
        ({"question": "འདྲི་བ།", "options": list(OPTIONS)}, 400, "revision_unchanged"),
        ({**BODY, "revision": 10**9}, 409, "revision_stale"),
    ],
)
def test_api_refuses_a_text_that_cannot_be(
    item: Item,
    member: Member,
    api_of: Callable[[User], APIClient],
    body: Any,
    status: int,
    code: str,
) -> None:
    url = f"/api/v1/projects/ti/items/{item.pk}/text/"
    answer = api_of(member(Role.SENIOR)).post(url, body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert current(item).number == 1


def test_api_changes_the_text_and_answers_with_the_item(
    item: Item, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    url = f"/api/v1/projects/ti/items/{item.pk}/text/"
    answer = api_of(member(Role.SENIOR)).post(
        url, {**BODY, "revision": current(item).pk}, format="json"
    )
    assert answer.status_code == 200
    assert answer.json()["translation"]["number"] == 2


def test_text_that_changed_meanwhile_keeps_what_was_typed(
    item: Item, member: Member, browser_of: Browser
) -> None:
    browser = browser_of(member(Role.SENIOR))
    seen = current(item).pk
    post(browser, item)
    late = post(browser, item, question="ངའི་ཡིག", base=seen)
    assert late.status_code == 409
    assert "ངའི་ཡིག" in late.content.decode()
    assert current(item).number == 2


def test_item_without_a_text_has_nothing_to_edit(
    project: Project, member: Member, browser_of: Browser
) -> None:
    item = ItemFactory(project=project)
    page = browser_of(member(Role.SENIOR)).get(f"/projects/ti/items/{item.pk}/text/")
    assert page.status_code == 409
    assert "no translation yet" in page.content.decode()
