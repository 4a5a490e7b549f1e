"""Practice items: what is planted, what counts as found, and that nothing of it is stored."""

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from annotation.enums import TranslationState
from annotation.models import Item, Translation
from projects.enums import Role
from projects.models import Project
from review.models import Judgement, Round
from review.practice.items import COUNT, PracticeText, practice_items
from review.practice.texts import texts_of

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
Member = Callable[..., User]
Browser = Callable[[User], Client]
Api = Callable[[User], APIClient]
PAGE = "/projects/ti/practice/"
API = "/api/v1/projects/ti/practice/"
TEXT = PracticeText("s", ("a", "b", "c"), "t", ("x", "y", "z"), 2)


def approve_all() -> None:
    Translation.objects.update(state=TranslationState.APPROVED)


def test_items_have_no_fault_exchanged_options_and_a_wrong_key() -> None:
    sound, swapped, wrong = practice_items([TEXT] * COUNT)
    assert sound.text == TEXT
    assert swapped.text.target_options == ("z", "y", "x")
    assert wrong.text.key == 0
    assert [row["is_key"] for row in wrong.text.rows] == [False, True, False, False]


@pytest.mark.parametrize(
    ("number", "verdict", "tags", "is_found"),
    [
        (1, "approve", [], True),
        (1, "revise", ["grammar"], False),
        (2, "revise", ["structure"], True),
        (2, "revise", ["accuracy", "grammar"], True),
        (2, "revise", [], False),
        (2, "reject", ["structure"], False),
        (3, "reject", ["wrong_key"], True),
        (3, "reject", ["duplicate"], False),
    ],
)
def test_found_is_who_says_the_verdict_and_a_fitting_tag(
    number: int, verdict: str, tags: list[str], is_found: bool
) -> None:
    item = practice_items([TEXT] * COUNT)[number - 1]
    assert item.is_found(verdict, tags) is is_found


@pytest.mark.parametrize(
    "text",
    [
        PracticeText("s", ("a", "b"), "t", ("x", "x"), 0),
        PracticeText("s", ("a", "b"), "t", ("x",), 0),
        PracticeText("s", ("a", "b"), " ", ("x", "y"), 0),
        PracticeText("s", ("a",), "t", ("x",), 0),
        PracticeText("s", ("a", "b"), "t", ("x", "y"), -1),
    ],
)
def test_text_in_which_a_fault_would_not_show_is_not_usable(text: PracticeText) -> None:
    assert TEXT.is_usable
    assert not text.is_usable


def test_own_items_are_approved_sound_and_in_no_open_round(
    project: Project, items: Callable[[int], None], opened: Open
) -> None:
    assert not texts_of(project)[1]
    items(3)
    assert not texts_of(project)[1]  # not approved yet
    approve_all()
    found, are_own = texts_of(project)
    assert are_own
    assert [text.source for text in found] == list(
        Item.objects.order_by("uid").values_list("question", flat=True)
    )
    Item.objects.filter(uid="s/00000").update(has_open_findings=True)
    assert not texts_of(project)[1]
    Item.objects.update(has_open_findings=False)
    opened(0)
    assert not texts_of(project)[1]


def test_texts_cost_the_same_whatever_the_project_holds(
    project: Project, items: Callable[[int], None], django_assert_num_queries: Any
) -> None:
    items(5)
    approve_all()
    with django_assert_num_queries(2):
        texts_of(project)


def test_practice_gives_feedback_and_stores_nothing(
    project: Project, member: Member, browser_of: Browser
) -> None:
    user = member(Role.REVIEWER)
    browser = browser_of(user)

    first = browser.get(PAGE).content.decode()
    wrong = browser.post(f"{PAGE}1/", {"verdict": "reject", "tags": ["grammar"]})
    right = browser.post(f"{PAGE}2/", {"verdict": "revise", "tags": ["structure"]})
    last = browser.post(f"{PAGE}3/", {"verdict": "reject", "tags": ["wrong_key"]})

    assert "Practice item 1 of 3" in first
    assert "Look again." in wrong.content.decode()
    assert "That is right." in right.content.decode()
    assert f"{PAGE}3/" in right.content.decode()
    assert "Start working" in last.content.decode()
    assert not any(model.objects.exists() for model in apps.get_app_config("review").get_models())


@pytest.mark.parametrize(
    "said", [{}, {"verdict": "maybe"}, {"verdict": "approve", "tags": ["x"]}, {"verdict": "\0"}]
)
def test_rubbish_is_refused(
    project: Project, member: Member, browser_of: Browser, said: dict[str, Any]
) -> None:
    answer = browser_of(member(Role.REVIEWER)).post(f"{PAGE}1/", said)
    assert answer.status_code == 400
    assert browser_of(member(Role.REVIEWER)).get(f"{PAGE}99/").status_code == 404


def test_home_offers_practice_until_the_first_judgement(
    opened: Open, member: Member, browser_of: Browser, judge: Callable[..., Judgement]
) -> None:
    user = member(Role.REVIEWER)
    round_ = opened(2)
    assert PAGE in browser_of(user).get("/").content.decode()
    assert PAGE not in browser_of(member(Role.VIEWER)).get("/").content.decode()
    judge(round_, user)
    assert PAGE not in browser_of(user).get("/").content.decode()
    assert PAGE in browser_of(user).get("/projects/ti/rounds/guideline/").content.decode()


def test_practice_by_api_is_that_of_the_page_and_stores_nothing(
    project: Project, items: Callable[[int], None], member: Member, api_of: Api
) -> None:
    items(3)
    approve_all()
    api = api_of(member(Role.REVIEWER))

    told = api.get(API).json()
    feedback = [
        api.post(f"{API}{number}/", said, format="json").json()["is_found"]
        for number, said in (
            (1, {"verdict": "approve"}),
            (2, {"verdict": "revise", "tags": ["structure"]}),
            (2, {"verdict": "approve"}),
            (3, {"verdict": "reject", "tags": ["wrong_key"]}),
        )
    ]

    sound, swapped, wrong = practice_items(texts_of(project)[0])
    assert (told["are_own"], told["target_language"]) == (True, project.target_language)
    assert [each["translation"]["options"] for each in told["items"]] == [
        list(each.text.target_options) for each in (sound, swapped, wrong)
    ]
    assert [each["key"] for each in told["items"]] == [
        "ABCDEF"[each.text.key] for each in (sound, swapped, wrong)
    ]
    assert feedback == [True, True, False, True]
    assert not any(model.objects.exists() for model in apps.get_app_config("review").get_models())


def test_practice_by_api_says_what_is_wrong_in_words(
    project: Project, member: Member, api_of: Api
) -> None:
    api = api_of(member(Role.REVIEWER))

    feedback = api.post(f"{API}3/", {"verdict": "approve"}, format="json").json()

    assert (feedback["is_found"], "Reject" in feedback["explanation"]) == (False, True)
    assert api.get(API).json()["are_own"] is False
    assert api.post(f"{API}4/", {"verdict": "approve"}, format="json").status_code == 404
    refused = api.post(f"{API}1/", {"verdict": "maybe"}, format="json")
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["verdict"])
