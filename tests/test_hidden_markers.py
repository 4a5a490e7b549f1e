"""What is hidden of a release is told to nobody below its managers, at any address.

One item of the world is hidden in its release, with texts that stand nowhere else, answers of
models to it and a battle on it. Those who work on texts find its texts where they work on them, and
the id that the release gives it nowhere beside them.
"""

import json
import logging
from collections.abc import Callable, Container, Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from accounts.actions import record_event
from accounts.models import User
from annotation.items.keys import correct_key
from annotation.models import Item
from arena.models import Arena, Battle, Contestant
from evaluation.models import ModelResponse
from notifications.actions.counting import recount
from notifications.enums import Kind
from notifications.models import Notification
from notifications.worker import notify
from releases.enums import HiddenPart, Subset
from submissions.actions.flagging import flag_submission
from submissions.models import FollowedKeys, KeyCopy, Submission, Team
from tests.factories import UserFactory
from tests.permissions import ADDRESSES, url_of
from tests.releases.markers import found_in
from tests.shared_rows import shared_rows
from tests.submissions.builders import NOW, join, take_submissions
from tests.world import (
    EVALUATOR,
    MANAGER,
    REVIEWER,
    SENIOR,
    VIEWER,
    World,
    addresses,
    make_world,
)
from webhooks.enums import CHOSEN
from webhooks.models import Webhook
from webhooks.sending import Outcome, Outgoing
from webhooks.worker import send_webhooks

SUBMITTER = "submitter"
HIDDEN_ID = "ཀླུ་hidden-id«&»"
COPY = "ཀླུ་copy«&»"
"""The recipient of a copy of the keys, and a flag that names it."""
SECRET = "ཀླུ་secret«&»"
"""By which the questions to the team's endpoints are marked."""
TEXTS = {
    f"ཀླུ་{where}«&»"
    for where in (
        "copy",
        "source",
        "question",
        "option",
        "explanation",
        "metadata",
        "uid",
        "response",
        "secret",
    )
}
BEGINNING = "ཀླུ་"
"""Of every planted text: what does not hold it holds none of them."""
WORK_ON_TEXTS = {"annotation", "review", "prompts"}
"""Apps in which reviewers and seniors read the texts of items, hidden ones too."""
NO_PAGES = {"health", "metrics", "schema"}


@pytest.fixture(scope="module")
def world_of_module(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    with shared_rows(django_db_blocker, _with_hidden_item) as made:
        yield made


def _with_hidden_item() -> World:
    made = make_world()
    take_submissions(made.project, is_board_public=True, accepts_endpoints=True)
    _plant(made)
    _submit(made)
    _hold_arena(made)
    return made


def _plant(world: World) -> None:
    item, response = world.item, world.response
    options = ["ཀླུ་option«&»", "2", "3", "4"]
    texts = {"question": "ཀླུ་source«&»", "explanation": "ཀླུ་explanation«&»"}
    Item.objects.filter(pk=item.pk).update(
        **texts, uid="ཀླུ་uid«&»", options=options, metadata={"note": "ཀླུ་metadata«&»"}
    )
    assert item.working_translation
    revisions = item.working_translation.revisions
    revisions.update(question="ཀླུ་question«&»", options=options)
    world.release.items.filter(item=item).update(
        uid="ཀླུ་uid«&»", public_id=HIDDEN_ID, subset=Subset.BLACK_BOX,
        source_question="ཀླུ་source«&»", explanation="ཀླུ་explanation«&»",
    )  # fmt: skip
    ModelResponse.objects.filter(pk=response.pk).update(text="ཀླུ་response«&» A")
    type(world.release).objects.filter(pk=world.release.pk).update(
        hidden_part=HiddenPart.CLOSED, black_box_share=1.0,
        counts={"items": 1, "test": 1, "dev": 0, "open": 0, "black_box": 1},
    )  # fmt: skip


def _submit(world: World) -> None:
    """A submission, of a person in a team who is no member, that follows a copy of the keys."""
    world.people[SUBMITTER] = UserFactory(email="submitter@example.org")
    sender = join(world.project, world.people[SUBMITTER])
    Team.objects.filter(pk=sender.team_id).update(mark_secret=SECRET)
    sent = Submission.objects.create(
        pk=1, release=world.release, team=sender.team, sent_by=sender.user, model="m",
        answers=["A"], digest="0" * 64, day="2026-11-20", month="2026-11", day_slot=1,
        month_slot=1, sent_at=NOW,
    )  # fmt: skip
    flag_submission(submission=sent, note=COPY, actor=world.people[MANAGER], now=NOW)
    copy = KeyCopy.objects.create(
        release=world.release, number=1, recipient=COPY, created_at=NOW,
        false_keys={HIDDEN_ID: ["B", "A", 4]}, created_by=world.people[MANAGER],
    )  # fmt: skip
    FollowedKeys.objects.create(
        submission=sent, key_copy=copy, followed=1, wrong=1, count=1, chance=0.001
    )


def _hold_arena(world: World) -> None:
    """An arena with a battle of two models on the hidden item."""
    arena = Arena.objects.create(
        pk=1, project=world.project, release=world.release, name="First", plan="balanced",
        rubric="{question} {answer_a} {answer_b}", created_at=NOW,
    )  # fmt: skip
    first, second = (
        Contestant.objects.create(arena=arena, name=name, run=run)
        for name, run in (("one", world.run), ("other", None))
    )
    placed = world.release.items.get(public_id=HIDDEN_ID)
    Battle.objects.create(
        arena=arena, release_item=placed, first=first, second=second, is_sampled=False
    )


def told_to(world: World, role: str, method: str, among: Container[str]) -> dict[str, set[str]]:
    """The secrets that each of these addresses tells to `role`."""
    found: dict[str, set[str]] = {}
    client = world.browser(role)
    for name, pattern, _route in addresses():
        if name in among and ADDRESSES[name].of(method):
            told = _read(client, method, url_of(world, name, pattern))
            if found_in(told, {BEGINNING}) and (secrets := found_in(told, TEXTS | {HIDDEN_ID})):
                found[name] = secrets
    return found


def closed_to(role: str) -> set[str]:
    """The addresses where `role` may find no text of a hidden item."""
    works_on_texts = role in (REVIEWER, SENIOR)
    return {
        name
        for name, pattern, _route in addresses()
        if name not in NO_PAGES and not (works_on_texts and _app(pattern) in WORK_ON_TEXTS)
    }


def _app(pattern: URLPattern) -> str:
    return str(pattern.callback.__module__.partition(".")[0])


def _read(client: Client, method: str, address: str) -> bytes:
    """What a request gets, headers too; what it changed is taken back."""
    with transaction.atomic():
        answer: Any = getattr(client, method)(address)
        transaction.set_rollback(True)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return b"\n".join([repr(answer.headers).encode(), body])


@pytest.mark.parametrize(
    ("method", "role"),
    [
        *(("get", role) for role in (SENIOR, REVIEWER, VIEWER, EVALUATOR, SUBMITTER)),
        *(("post", role) for role in (EVALUATOR, SUBMITTER)),
    ],
)
def test_no_address_tells_what_is_hidden(
    world: World, method: str, role: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    assert told_to(world, role, method, closed_to(role)) == {}
    assert found_in(caplog.text.encode(), TEXTS | {HIDDEN_ID}) == set()


def test_reviewers_do_not_learn_which_of_their_items_is_hidden(world: World) -> None:
    every = {name for name, _pattern, _route in addresses()} - NO_PAGES
    told = told_to(world, REVIEWER, "get", every - closed_to(REVIEWER))

    assert told["annotation:item"] >= {"ཀླུ་question«&»", "ཀླུ་option«&»"}
    assert [name for name, secrets in told.items() if HIDDEN_ID in secrets] == []


def test_managers_read_of_copies_of_keys(world: World) -> None:
    pages = {"submissions:manage", "submissions:key-copies", "submissions:key-copy-file"}
    told = told_to(world, MANAGER, "get", pages | {"api:project-submissions", "api:key-copies"})

    assert told == {
        "submissions:manage": {COPY},
        "submissions:key-copies": {COPY},
        "submissions:key-copy-file": {COPY, HIDDEN_ID},
        "api:project-submissions": {COPY},
        "api:key-copies": {COPY},
    }


def test_managers_read_no_secret_of_a_team(world: World) -> None:
    every = {name for name, _pattern, _route in addresses()} - NO_PAGES
    told = told_to(world, MANAGER, "get", every)

    assert "submissions:manage" in told
    assert [name for name, secrets in told.items() if SECRET in secrets] == []


def test_managers_read_the_planted_texts(world: World) -> None:
    told = told_to(world, MANAGER, "get", {"evaluation:response", "annotation:item"})

    assert told["evaluation:response"] >= {"ཀླུ་question«&»", "ཀླུ་response«&»"}
    assert told["annotation:item"] >= {"ཀླུ་source«&»", "ཀླུ་option«&»", "ཀླུ་uid«&»"}


def test_no_message_tells_what_is_hidden(
    world: World, deliver: Callable[[], list[Any]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    User.objects.update(digest="daily")
    Webhook.objects.update(events=dict.fromkeys(CHOSEN, 0))
    _let_things_happen(world)
    posted: list[Outgoing] = []

    def post(outgoing: Sequence[Outgoing], **_options: Any) -> list[Outcome]:
        posted.extend(outgoing)
        return [Outcome(500, "status")] * len(outgoing)

    notify()
    notify(clock=lambda: timezone.now() + timedelta(days=8))
    send_webhooks(send=post)
    mails = deliver()

    names = {json.loads(each.body)["type"] for each in posted}
    assert names >= {"release.published", "dispute.opened"}
    assert mails
    told = [each.body for each in posted]
    told += [mail.message().as_bytes() + mail.body.encode() for mail in mails]
    assert found_in(b"\n".join([*told, caplog.text.encode()]), TEXTS | {HIDDEN_ID}) == set()


def _let_things_happen(world: World) -> None:
    """A corrected key and a dispute of the hidden item, an unread line on it, and a release."""
    told = world.people[REVIEWER]
    Notification.objects.create(
        user=told, project=world.project, kind=Kind.SETTLED, item=world.item, key="1",
        created_at=timezone.now() - timedelta(days=1),
    )  # fmt: skip
    recount({told.pk})
    item, panel = Item.objects.get(pk=world.item.pk), world.held_seat.panel
    correct_key(item=item, key="C", reason="Wrong.", actor=world.people[SENIOR], now=timezone.now())
    for verb, target in (
        ("panel.disputed", f"panel:{panel.pk}"),
        ("release.published", f"release:{world.release.pk}"),
    ):
        record_event(
            actor=world.people[MANAGER], verb=verb, target=target, scope="ti",
            data={"version": "1.0.0"}, now=timezone.now(),
        )  # fmt: skip
