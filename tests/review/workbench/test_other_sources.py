"""An item in further source languages: on the workbench, in the API, and before a model that translates."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.items.other_sources import OtherSource, other_sources
from annotation.models import Item
from annotation.translating.briefs import brief_of
from projects.models import Project
from prompts.actions import ensure_translation_prompt
from review.models import Round

pytestmark = pytest.mark.django_db
IN_ENGLISH = {"question_en": "How many lamps?", "options_en": ["Two <b>", "Three"]}


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        (IN_ENGLISH, [OtherSource("en", "How many lamps?", ("Two <b>", "Three"))]),
        ({"question_zh": "多少？"}, [OtherSource("zh", "多少？")]),
        ({"question_zh_Hant": "多少？"}, [OtherSource("zh-Hant", "多少？")]),
        ({"question_mn": "Хэд?", "question_en": "How?"}, [OtherSource("en", "How?"), OtherSource("mn", "Хэд?")]),
        ({"question_en": "How?", "options_en": "A, B"}, [OtherSource("en", "How?")]),
        ({"question_en": "How?", "options_en": ["A", 2]}, [OtherSource("en", "How?")]),
        ({"question_id": "17", "question_type": "a", "question_": "b", "question": "c"}, []),
        ({"question_bo": "ག་ཚོད།", "question_ja": "いくつ？"}, []),
        ({"question_en": " ", "question_zh": 4, "options_mn": ["A"]}, []),
    ],
)  # fmt: skip
def test_names_that_end_in_a_known_language_are_sources(
    metadata: dict[str, Any], expected: list[OtherSource]
) -> None:
    project = Project(source_language="ja", target_language="bo")
    assert other_sources(Item(metadata=metadata), project) == expected


@pytest.fixture
def english(
    opened: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> tuple[Round, User]:
    """A round of one item that has an English text too, and a reviewer."""
    reviewer, *_others = reviewers(2)
    round_ = opened(1)
    Item.objects.update(metadata=IN_ENGLISH)
    return round_, reviewer


def test_reviewer_finds_the_item_in_english_on_the_page_and_in_the_api(
    english: tuple[Round, User], browser_of: Callable[[User], Client]
) -> None:
    round_, reviewer = english
    browser = browser_of(reviewer)
    place = f"/projects/{round_.project.slug}/rounds/{round_.number}/"
    browser.post(f"{place}claim/")
    page = browser.get(f"{place}workbench/").content.decode()
    assert '<p lang="en">How many lamps?</p>' in page
    assert "Two &lt;b&gt;</li>" in page
    api = APIClient()
    api.force_authenticate(reviewer)
    claim = api.post(f"/api/v1/rounds/{round_.pk}/claim/").json()
    assert claim["source"]["others"] == [
        {"language": "en", "question": "How many lamps?", "options": ["Two <b>", "Three"]}
    ]


def test_model_that_translates_is_shown_the_item_in_english(english: tuple[Round, User]) -> None:
    prompt = ensure_translation_prompt(project=english[0].project, now=timezone.now())
    item = Item.objects.get()
    told = brief_of(item, prompt, without=()).task
    assert 'English (English, en): {"question": "How many lamps?", "options": ["Two <b>"' in told
    item.metadata = {}
    assert "other languages" not in brief_of(item, prompt, without=()).task
