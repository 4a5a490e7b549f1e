"""Evaluators start runs and read figures, and no address tells them a hidden item or its key."""

from collections.abc import Container, Iterator
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from annotation.models import Item, Revision
from evaluation.models import ModelResponse
from releases.enums import Subset
from releases.models import ReleaseItem
from review.rounds.actions.rounds import close_round
from tests.shared_rows import shared_rows
from tests.test_hidden_keys import NO_PAGES, read, telling
from tests.world import EVALUATOR, MANAGER, World, addresses, make_world

MARKS = ("མཛོད་སྦས་པ", "ຄຳລັບ", "يوشۇرۇن")
"""What only hidden items say: their question, an option, an explanation."""


@pytest.fixture(scope="module")
def world_of_module(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    with shared_rows(django_db_blocker, _hidden) as made:
        yield made


def _hidden() -> World:
    """The world after its review, with hidden items alone, which a model repeats in its answers."""
    made = make_world()
    close_round(round_=made.round, actor=None, now=timezone.now())
    question, option, explanation = MARKS
    for revision in Revision.objects.all():
        texts = [option, *revision.options[1:]]
        Revision.objects.filter(pk=revision.pk).update(
            question=question, options=texts, explanation=explanation
        )
    Item.objects.update(question=question, explanation=explanation)
    ReleaseItem.objects.update(
        subset=Subset.BLACK_BOX, source_question=question, explanation=explanation
    )
    ModelResponse.objects.update(text=f"{question} {option}", body=question)
    return made


def test_no_address_tells_an_evaluator_a_hidden_text(world: World) -> None:
    everywhere = {name for name, _pattern, _route in addresses()}

    assert marked(world, EVALUATOR, everywhere) == set()


def test_manager_reads_the_texts_that_are_looked_for(world: World) -> None:
    some = {"annotation:item", "evaluation:response", "api:run-response"}

    assert marked(world, MANAGER, some) == some


def test_no_address_tells_an_evaluator_a_key(world: World) -> None:
    everywhere = {name for name, _pattern, _route in addresses()} - NO_PAGES

    assert telling(world, EVALUATOR, everywhere) == set()


def marked(world: World, role: str, among: Container[str]) -> set[str]:
    """Return those of the addresses whose answers to `role` hold a text of hidden items."""
    client = world.browser(role)
    bodies = {
        name: plain(read(world, client, name, pattern))
        for name, pattern, _route in addresses()
        if name in among
    }
    return {name for name, body in bodies.items() if any(mark in body for mark in MARKS)}


def plain(body: str) -> str:
    """Return `body` with the escapes of JSON read."""
    return body.encode("ascii", "backslashreplace").decode("unicode_escape")


def test_evaluator_resumes_and_reads_a_run(world: World) -> None:
    client, run = world.browser(EVALUATOR), world.run
    page = client.get(f"/projects/ti/runs/{run.pk}/")

    assert page.status_code == 200
    assert client.get(f"/api/v1/jobs/{run.job_id}/").status_code == 200
    assert "/responses/" not in page.content.decode()
    assert "/export/" not in page.content.decode()


def test_evaluator_starts_runs_on_published_releases_alone(world: World) -> None:
    client = world.browser(EVALUATOR)
    sent = {"release": "2.0.0", "model": world.model_spec.name, "prompt": "p"}

    with transaction.atomic():
        refused = post(client, sent)
        assert (refused.status_code, refused.json()["code"]) == (404, "release_unknown")
        assert post(client, sent | {"release": "1.0.0"}).status_code == 202
        transaction.set_rollback(True)


def post(client: Any, sent: dict[str, str]) -> Any:
    return client.post("/api/v1/projects/ti/runs/", sent, content_type="application/json")


def test_invitations_offer_the_role(world: World) -> None:
    page = world.browser(MANAGER).get("/projects/ti/members/invite/").content.decode()

    assert 'value="evaluator"' in page
    assert (
        "/runs/import/" not in world.browser(EVALUATOR).get("/projects/ti/runs/").content.decode()
    )
