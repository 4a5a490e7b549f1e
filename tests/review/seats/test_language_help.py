"""Language help where people judge: terms beside the texts, and nothing of others' open work."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.index import refresh_search_texts
from annotation.memory.queries import Concordance, concordance, similar_items
from annotation.models import Item, Revision, Translation
from projects.models import Project
from review.models import Judgement, Panel, Round
from review.outcomes import Correction
from review.seats.actions.seats import claim_seat
from tests.factories import make_term
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]
Browser = Callable[[User], Client]
WORKBENCH = "/projects/ti/rounds/1/workbench/"
RESERVE = "/projects/ti/rounds/1/reserve/"
SECRET = "གསང་བའི་ཚིག"


def found(project: Project) -> list[Item]:
    """What any search of the language help knows of the secret."""
    searched = concordance(project, Concordance(q=SECRET, scope="all"))
    return [*searched, *(match.item for match in similar_items(project, SECRET))]


@pytest.mark.parametrize("state", ["pending", "approved"])
def test_correction_in_an_open_panel_is_in_no_search_before_the_panel_is_settled(
    project: Project, opened: Open, reviewers: People, judge: Judge, browser_of: Browser, state: str
) -> None:
    first, second = reviewers(2)
    round_ = opened(1, panel_size=2)
    Translation.objects.update(state=state)
    text = Correction(SECRET, OPTIONS)
    judge(round_, first, correction=text)
    assert found(project) == []
    page = browser_of(second).get("/projects/ti/concordance/", {"q": SECRET, "scope": "all"})
    assert "<mark>" not in page.content.decode()

    judge(round_, second, correction=text)

    assert Panel.objects.get().state == "settled"
    assert found(project) == [Item.objects.get()]


def test_disputed_correction_is_in_no_search(
    project: Project, opened: Open, reviewers: People, judge: Judge
) -> None:
    first, second = reviewers(2)
    round_ = opened(1, panel_size=2)
    judge(round_, first, correction=Correction(SECRET, OPTIONS))
    judge(round_, second, verdict="reject")
    assert Panel.objects.get().state == "disputed"
    assert found(project) == []


def test_workbench_and_its_parts_name_the_terms_of_the_item(
    project: Project, opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    round_ = opened(2)
    Item.objects.update(question="哪个民族？")
    make_term(project)
    claim_seat(round_=round_, reviewer=user, now=timezone.now())
    page = browser_of(user).get(WORKBENCH).content.decode()
    assert page.count("data-term-hits") == 1
    assert "language-help.js" in page
    assert 'data-key="propose"' in page
    parts = browser_of(user).post(RESERVE, headers={"Lotsawa-Fragment": "items"}).content.decode()
    assert parts.count("data-term-hits") == parts.count("<template")


def test_item_without_terms_has_no_list_of_them(
    project: Project, opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    make_term(project)
    claim_seat(round_=opened(1), reviewer=user, now=timezone.now())
    assert "data-term-hits" not in browser_of(user).get(WORKBENCH).content.decode()


def test_glossary_costs_the_workbench_no_query(
    project: Project,
    opened: Open,
    reviewers: People,
    browser_of: Browser,
) -> None:
    (user,) = reviewers(1)
    round_ = opened(1)
    Item.objects.update(question="哪个民族？")
    claim_seat(round_=round_, reviewer=user, now=timezone.now())
    client = browser_of(user)
    before = queries(client)
    make_term(project)
    client.get(WORKBENCH)
    assert queries(client) == before


def queries(client: Client) -> int:
    with CaptureQueriesContext(connection) as captured:
        client.get(WORKBENCH)
    return len(captured)


def test_claim_names_the_terms(
    project: Project, opened: Open, reviewers: People, api_of: Callable[[User], APIClient]
) -> None:
    (user,) = reviewers(1)
    round_ = opened(1)
    Item.objects.update(question="哪个民族？")
    refresh_search_texts(Item.objects.values_list("pk", flat=True))
    make_term(project, forbidden=("རིགས་རྒྱུད",))
    claimed = api_of(user).post(f"/api/v1/rounds/{round_.pk}/claim/").json()
    assert claimed["glossary"] == [
        {
            "field": "question",
            "source": "民族",
            "preferred": ["མི་རིགས"],
            "allowed": [],
            "forbidden": ["རིགས་རྒྱུད"],
            "note": "",
            "state": "missing",
        }
    ]


def test_dispute_page_names_the_terms_of_the_current_text(
    project: Project,
    opened: Open,
    reviewers: People,
    judge: Judge,
    browser_of: Browser,
    member: Any,
) -> None:
    first, second = reviewers(2)
    round_ = opened(1, panel_size=2)
    Item.objects.update(question="哪个民族？")
    make_term(project)
    judge(round_, first)
    judge(round_, second, verdict="reject")
    senior = member("senior")
    panel = Panel.objects.get()
    page = browser_of(senior).get(f"/projects/ti/disputes/{panel.pk}/").content.decode()
    assert page.count("data-term-hits") == 1
    assert Revision.objects.count() == 1
