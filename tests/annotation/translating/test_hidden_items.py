"""The text of a hidden item goes only to endpoints that the project allows for it."""

import pytest

from accounts.models import AuditEvent
from annotation.index import refresh_items
from annotation.models import Item, Translation
from annotation.translating.actions import (
    NothingToTranslate,
    TranslationSettings,
    allow_hidden_items,
    estimate_translation,
)
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatRequest
from projects.models import Project
from releases.enums import Subset
from tests.annotation.translating.builders import (
    NOW,
    good,
    make_items,
    make_job,
    outcomes,
    work_off,
)
from tests.factories import (
    ModelSpecFactory,
    ReleaseFactory,
    make_release_item,
    store_translated_item,
)

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
SECRET = "秘密的水在100℃时的密度是多少"


@pytest.fixture
def hidden(project: Project) -> Item:
    """An approved item in the black box of a release, which is like the open items."""
    item = store_translated_item(
        project=project, question="གསང་བ།", system="other", options=["ཀ", "ཁ", "ག", "ང"]
    )
    Item.objects.filter(pk=item.pk).update(
        question=SECRET, options=["很大", "很小", "没有", "很多"]
    )
    Translation.objects.filter(item=item).update(state="approved")
    refresh_items([item.pk])
    item.refresh_from_db()
    make_release_item(ReleaseFactory(project=project), item, subset=Subset.BLACK_BOX)
    return item


@pytest.fixture
def spec(project: Project) -> ModelSpec:
    return ModelSpecFactory(project=project)


def settings(spec: ModelSpec) -> TranslationSettings:
    return TranslationSettings(system="m1", strategy="single", model=spec)


def test_hidden_item_is_left_out_and_counted(
    project: Project, hidden: Item, spec: ModelSpec
) -> None:
    found = estimate_translation(project=project, settings=settings(spec))
    assert (found.items, found.hidden_count) == (0, 1)
    with pytest.raises(NothingToTranslate):
        make_job(project, spec=spec)


def test_hidden_item_is_no_example_for_other_items(
    project: Project, hidden: Item, spec: ModelSpec
) -> None:
    make_items(project, 1)
    sent: list[str] = []

    def note(request: ChatRequest) -> str:
        sent.extend(turn.content for turn in request.messages)
        return good(request)

    started = make_job(project, spec=spec)
    work_off(started, note)
    assert outcomes(started) == [("translated", "")]
    assert sent
    assert not any("秘密" in text or "གསང་བ" in text for text in sent)


def test_item_that_is_hidden_after_the_start_fails_without_being_sent(
    project: Project, spec: ModelSpec
) -> None:
    item = store_translated_item(project=project, system="other")
    started = make_job(project, spec=spec)
    make_release_item(ReleaseFactory(project=project), item, subset=Subset.BLACK_BOX)
    work_off(started, lambda request: pytest.fail("a hidden item was sent"))
    assert outcomes(started) == [("failed", "hidden")]


def test_project_may_allow_an_endpoint_and_take_it_back(
    project: Project, hidden: Item, spec: ModelSpec
) -> None:
    values = {"endpoint": spec.endpoint, "project": project, "actor": None, "now": NOW}
    for _twice in range(2):
        allow_hidden_items(is_allowed=True, **values)
    assert estimate_translation(project=project, settings=settings(spec)).items == 1

    allow_hidden_items(is_allowed=False, **values)
    assert estimate_translation(project=project, settings=settings(spec)).hidden_count == 1
    verbs = AuditEvent.objects.filter(target=f"endpoint:{spec.endpoint_id}").order_by("pk")
    assert list(verbs.values_list("verb", flat=True)) == [
        "endpoint.hidden_items_allowed",
        "endpoint.hidden_items_kept",
    ]


def test_judge_at_another_endpoint_must_be_allowed_too(
    project: Project, hidden: Item, spec: ModelSpec
) -> None:
    allow_hidden_items(
        endpoint=spec.endpoint, project=project, is_allowed=True, actor=None, now=NOW
    )
    judge = ModelSpecFactory(project=project)
    ranked = TranslationSettings(system="m1", strategy="rank", model=spec, judge=judge)
    assert estimate_translation(project=project, settings=ranked).hidden_count == 1
