"""Other candidates of a strategy are offered to the holder of a seat, without names and ranks."""

import json
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.models import Item
from endpoints.providers.base import ChatRequest
from projects.enums import Role
from projects.models import Project
from review.models import Assignment, Round
from review.seats.actions.seats import claim_seat
from tests.annotation.translating.builders import make_items, make_job, work_off

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]


def text(word: str) -> dict[str, object]:
    return {
        "question": f"{word} 80℃ $\\rho_{{0}}$",
        "options": [f"{word} ཀ", f"{word} ཁ", f"{word} DNA ག", "20"],
    }


def three_candidates() -> Callable[[ChatRequest], str]:
    """Answer with three candidates, the last of which cannot be used, and the scores of two."""
    words = iter(("ཆུ།", "མེ།"))

    def reply(request: ChatRequest) -> str:
        if "score" in request.messages[-1].content.splitlines()[-1]:
            return json.dumps({"scores": [3, 9]})
        word = next(words, None)
        return json.dumps(text(word) if word else {"question": ""}, ensure_ascii=False)

    return reply


@pytest.fixture
def seat(project: Project, member: Member, opened: Callable[..., Round]) -> Assignment:
    make_items(project, 1)
    started = make_job(project, strategy="best_of_n", concurrency=1)
    work_off(started, three_candidates())
    assert started.items.get().revision.question.startswith("མེ།")
    round_ = opened(0)
    found = claim_seat(round_=round_, reviewer=member(Role.REVIEWER), now=timezone.now())
    assert found is not None
    return found


def test_holder_gets_the_other_candidate_and_nothing_of_its_origin(
    seat: Assignment, browser_of: Browser
) -> None:
    url = reverse("review:proposals", args=["ti", seat.round.number])

    answer = browser_of(seat.reviewer).post(url, {"assignment": seat.pk}).json()

    options = {"option_0": "ཆུ། ཀ", "option_1": "ཆུ། ཁ", "option_2": "ཆུ། DNA ག", "option_3": "20"}
    assert answer == {
        "title": "Other translations",
        "use": "Start from this one",
        "proposals": [
            {"question": "ཆུ། 80℃ $\\rho_{0}$", **options, "answer": "", "explanation": ""}
        ],
    }


def test_api_gives_the_holder_the_same_and_others_nothing(seat: Assignment, member: Member) -> None:
    url = reverse("api:proposals", args=[seat.pk])
    client = APIClient()
    client.force_authenticate(seat.reviewer)
    assert client.get(url).json() == [text("ཆུ།")]
    client.force_authenticate(member(Role.REVIEWER))
    assert client.get(url).status_code == 404


def test_nothing_is_proposed_before_the_source_is_shown(seat: Assignment) -> None:
    Round.objects.filter(pk=seat.round_id).update(has_blind_reading=True)
    client = APIClient()
    client.force_authenticate(seat.reviewer)
    assert client.get(reverse("api:proposals", args=[seat.pk])).json() == []


def test_text_of_no_strategy_has_no_proposals(seat: Assignment) -> None:
    Item.objects.get().translations.update(system="mt")
    seat.panel.revision.translated_item.calls.all().delete()
    client = APIClient()
    client.force_authenticate(seat.reviewer)
    assert client.get(reverse("api:proposals", args=[seat.pk])).json() == []
