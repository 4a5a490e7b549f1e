"""While a solving round is open, no address tells a key to whom it asks.

Each address is read twice, with one key everywhere and with another one: what reads the same both
times cannot tell the key, whichever way it would have put it.
"""

import re
from collections.abc import Container, Iterator
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from annotation.models import Item, KeyChange
from projects.models import Project
from releases.models import ReleaseItem
from review.enums import RoundKind, Selection
from review.models import Round
from review.rounds.actions.rounds import close_round, discard_round, open_round
from review.rounds.actions.running import RoundChanges, change_round
from review.rounds.actions.settings import RoundSettings
from tests.permissions import url_of
from tests.shared_rows import shared_rows
from tests.world import MANAGER, REVIEWER, SENIOR, World, addresses, make_world

FRESH = re.compile(r"[-A-Za-z0-9_]{22,}")
"""What is another one in every answer: tokens, nonces and keys of forms, longer than any word here."""
NO_PAGES = {"health", "metrics", "notifications:unsubscribe", "schema"}
"""Addresses that answer in other words each time and read no item."""
TELLS = {
    "annotation:item",
    "annotation:download-items",
    "review:item-history",
    "api:items",
    "api:item",
    "api:item-history",
    "releases:detail",
}
"""Addresses that show a reviewer keys at other times."""


@pytest.fixture(scope="module")
def world_of_module(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    with shared_rows(django_db_blocker, _reviewed) as made:
        yield made


def _reviewed() -> World:
    """The world behind its review, with a key that was wrong."""
    made = make_world()
    close_round(round_=made.round, actor=None, now=timezone.now())
    KeyChange.objects.create(
        item=made.item,
        number=1,
        old_key="B",
        new_key="A",
        reason="It was wrong.",
        created_at=timezone.now(),
    )
    return made


def solve_in(world: World, **settings: Any) -> Round:
    return open_round(
        project=world.project,
        settings=RoundSettings(
            kind=RoundKind.SOLVING, selection=Selection.LIST, uids=[world.item.uid], **settings
        ),
        actor=None,
        now=timezone.now(),
    )


def telling(world: World, role: str, among: Container[str]) -> set[str]:
    """The addresses whose answers to `role` change with the keys."""
    first = answers(world, role, "A", among)
    shown = {name for name, body in first.items() if body.startswith("200")}
    second = answers(world, role, "C", shown)
    return {name for name in shown if first[name] != second[name]}


def answers(world: World, role: str, key: str, among: Container[str]) -> dict[str, str]:
    """What `role` reads at those addresses, with `key` as the key of all items."""
    with transaction.atomic():
        Item.objects.update(key=key, explanation=f"It is {key}, surely.")
        ReleaseItem.objects.update(key=key, explanation=f"It is {key}, surely.")
        KeyChange.objects.update(new_key=key)
        client = world.browser(role)
        found = {
            name: read(world, client, name, pattern)
            for name, pattern, _route in addresses()
            if name in among
        }
        transaction.set_rollback(True)
    return found


def read(world: World, client: Any, name: str, pattern: Any) -> str:
    with transaction.atomic():
        answer = client.get(url_of(world, name, pattern))
        transaction.set_rollback(True)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return FRESH.sub("", f"{answer.status_code} {body.decode(errors='replace')}")


@pytest.mark.parametrize("role", [REVIEWER, SENIOR])
def test_open_solving_round_hides_keys_at_every_address(world: World, role: str) -> None:
    solve_in(world)
    everywhere = {name for name, _pattern, _route in addresses()} - NO_PAGES

    assert telling(world, role, everywhere) == set()


def test_addresses_tell_keys_again_once_the_round_is_closed(world: World) -> None:
    close_round(round_=solve_in(world), actor=None, now=timezone.now())

    assert telling(world, REVIEWER, TELLS) == TELLS


def test_managers_and_seniors_who_are_not_asked_read_keys(world: World) -> None:
    solve_in(world, roles=[REVIEWER])
    tells = TELLS | {"review:dispute", "annotation:duplicates"}

    for role in (MANAGER, SENIOR):
        assert telling(world, role, tells) == tells


def test_reviewer_who_is_not_asked_reads_keys(world: World) -> None:
    solve_in(world, excluded_people=[world.people[REVIEWER].pk])

    assert reads_items(world)


def test_change_of_the_audience_changes_who_reads_keys(world: World) -> None:
    round_ = solve_in(world, excluded_people=[world.people[REVIEWER].pk])

    change_round(round_=round_, changes=RoundChanges(), actor=None, now=timezone.now())

    assert not reads_items(world)


def test_discarded_round_hides_nothing(world: World) -> None:
    discard_round(round_=solve_in(world), actor=None, now=timezone.now())

    assert Project.objects.get(pk=world.project.pk).solving_audience is None
    assert reads_items(world)


def test_page_that_is_closed_says_until_when(world: World) -> None:
    solve_in(world)

    answer = world.browser(REVIEWER).get(f"/projects/{world.project.slug}/items/")

    assert answer.status_code == 403
    assert "answer items without seeing the keys" in answer.content.decode()


def reads_items(world: World) -> bool:
    answer = world.browser(REVIEWER).get(f"/projects/{world.project.slug}/items/")
    assert answer.status_code in (200, 403)
    return bool(answer.status_code == 200)
