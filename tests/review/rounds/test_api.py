"""The API of rounds and guidelines: what the pages can, programs can."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from projects.enums import Role
from projects.models import Project
from review.models import Guideline, Judgement, Panel, Round
from tests.factories import RUBRIC, RoundFactory, UserFactory

pytestmark = pytest.mark.django_db
Api = Callable[[User], APIClient]
Member = Callable[..., User]
GUIDELINES = "/api/v1/projects/ti/guidelines/"
ROUNDS = "/api/v1/projects/ti/rounds/"
WRITTEN = {"text": "Judge with care.", "rubric": RUBRIC}


def test_round_tells_its_settings_progress_and_figures(
    opened: Callable[..., Round],
    member: Member,
    judge: Callable[..., Judgement],
    api_of: Api,
) -> None:
    round_ = opened(2, panel_size=1)
    judge(round_, member(Role.REVIEWER))

    answer = api_of(member(Role.VIEWER)).get(f"/api/v1/rounds/{round_.pk}/")

    body = answer.json()
    assert answer.status_code == 200
    assert (body["number"], body["state"], body["panel_size"]) == (1, "open", 1)
    assert body["progress"] == {
        "panels": 2, "settled": 1, "disputed": 0, "judging": 1, "seats": 2, "seats_judged": 1,
    }  # fmt: skip
    assert body["figures"]["stage"] == {"code": "initial", "number": 0, "part": 1}


def test_rounds_come_in_pages(opened: Callable[..., Round], member: Member, api_of: Api) -> None:
    first_round = opened(1)
    same = {"project": first_round.project, "guideline": first_round.guideline}
    RoundFactory.create(number=2, state="closed", **same)
    api = api_of(member(Role.MANAGER))

    first = api.get(ROUNDS, {"page_size": 1}).json()
    second = api.get(first["next"]).json()

    assert [each["number"] for each in first["results"] + second["results"]] == [1, 2]
    assert (first["previous"], second["next"]) == (None, None)


def test_round_of_another_project_is_404(opened: Callable[..., Round], api_of: Api) -> None:
    round_ = opened(1)
    assert api_of(UserFactory()).get(f"/api/v1/rounds/{round_.pk}/").status_code == 404


@pytest.mark.parametrize("allowed", [True, False])
def test_round_is_opened_with_the_same_judges_allowed_or_not(
    items: Callable[[int], None], member: Member, api_of: Api, allowed: bool
) -> None:
    items(1)
    said = {"panel_size": 1, "is_same_panel_allowed": allowed}
    member(Role.REVIEWER)

    answer = api_of(member(Role.MANAGER)).post(ROUNDS, said, format="json")

    assert (answer.status_code, answer.json()["is_same_panel_allowed"]) == (201, allowed)
    assert Round.objects.get().is_same_panel_allowed is allowed


@pytest.mark.parametrize(("source", "words"), [("en", "the source"), ("bo", "no source")])
def test_guideline_until_one_is_stored_is_the_one_that_the_first_round_takes(
    project: Project, member: Member, api_of: Api, browser_of: Any, opened: Any,
    source: str, words: str,
) -> None:  # fmt: skip
    Project.objects.update(source_language=source, target_language="bo")
    reviewer = member(Role.REVIEWER)

    (first,) = api_of(reviewer).get(GUIDELINES).json()["results"]
    page = browser_of(reviewer).get("/projects/ti/rounds/guideline/").content.decode()
    project.refresh_from_db()
    opened(1)
    (stored,) = api_of(reviewer).get(GUIDELINES).json()["results"]

    assert (first["version"], first["created_at"]) == (0, None)
    assert words in first["text"]
    assert words in page
    assert stored["version"] == 1
    assert (first["text"], first["rubric"]) == (stored["text"], stored["rubric"])


def test_guideline_written_by_a_manager_is_the_next_version(
    project: Project, member: Member, api_of: Api
) -> None:
    api = api_of(member(Role.MANAGER))

    first, second = (
        api.post(GUIDELINES, {**WRITTEN, "text": text}, format="json") for text in ("One.", "Two.")
    )

    assert (first.status_code, second.status_code) == (201, 201)
    listed = api_of(member(Role.REVIEWER)).get(GUIDELINES).json()["results"]
    assert [(row["version"], row["text"]) for row in listed] == [(2, "Two."), (1, "One.")]
    assert listed[0]["rubric"] == RUBRIC


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({}, "text"),
        ({"text": "x"}, "rubric"),
        ({**WRITTEN, "text": " "}, "text"),
        ({**WRITTEN, "text": ["x"]}, "text"),
        ({**WRITTEN, "rubric": {**RUBRIC, "domain": ["one", "two"]}}, "rubric.domain"),
        ({**WRITTEN, "rubric": {**RUBRIC, "cultural": [""] * 6}}, "rubric.cultural"),
        ({**WRITTEN, "version": 7}, "version"),
    ],
)
def test_guideline_that_is_not_whole_is_refused_with_its_field(
    project: Project, member: Member, api_of: Api, said: dict[str, Any], field: str
) -> None:
    answer = api_of(member(Role.MANAGER)).post(GUIDELINES, said, format="json")

    assert answer.status_code == 400
    assert any(name == field or name.startswith(f"{field}.") for name in answer.json()["fields"])
    assert not Guideline.objects.exists()


def test_disputes_come_in_keyset_pages_worst_first(
    disputed: Callable[..., Panel], member: Member, api_of: Api
) -> None:
    disputed(6)
    last = Panel.objects.order_by("-pk")[0]
    Panel.objects.filter(pk=last.pk).update(severity=99)
    api = api_of(member(Role.SENIOR))

    pages = [api.get("/api/v1/projects/ti/disputes/?page_size=2").json()]
    while pages[-1]["next"]:
        pages.append(api.get(pages[-1]["next"]).json())

    listed = [row["id"] for page in pages for row in page["results"]]
    assert listed == [last.pk, *Panel.objects.order_by("pk").values_list("pk", flat=True)[:5]]
    assert [len(page["results"]) for page in pages] == [2, 2, 2]
    back = api.get(pages[1]["previous"]).json()
    assert back["results"] == pages[0]["results"]


def test_disputes_at_a_forged_cursor_are_refused_in_words(
    project: Project, member: Member, api_of: Api
) -> None:
    answer = api_of(member(Role.SENIOR)).get("/api/v1/projects/ti/disputes/?cursor=x")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_cursor")


@pytest.mark.parametrize(
    ("ignored", "selection"),
    [
        ({"uids": ["s/00000"]}, "list"),
        ({"item_filter": {"q": "s/00000"}}, "filter"),
        ({"since_round": 1, "selection": "all"}, "changed"),
    ],
)
def test_choice_that_the_selection_would_leave_aside_is_refused(
    project: Project, member: Member, api_of: Api, ignored: dict[str, Any], selection: str
) -> None:
    api, (field, *_others) = api_of(member(Role.MANAGER)), ignored

    for address in (ROUNDS, f"{ROUNDS}preview/"):
        answer = api.post(address, ignored, format="json")
        words = [f"Give this only with the selection “{selection}”."]
        assert (answer.status_code, answer.json()["fields"]) == (400, {field: words})

    assert not Round.objects.exists()


def test_wrong_choice_is_told_which_there_are(
    project: Project, member: Member, api_of: Api
) -> None:
    typed = {"selection": "not_approved", "roles": ["viewer"]}
    answer = api_of(member(Role.MANAGER)).post(ROUNDS, typed, format="json")
    assert answer.status_code == 400
    assert answer.json()["fields"] == {
        "selection": [
            "Choose from: not-approved, approved, changed, findings, filter, list, all, sample."
        ],
        "roles.0": ["Choose from: reviewer, senior."],
    }
