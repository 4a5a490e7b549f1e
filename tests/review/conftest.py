"""A project with translated items, reviewers and an open round."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from projects.criteria import DEFAULT_NAMES
from projects.enums import Role
from projects.models import Project
from review.enums import Selection
from review.models import Judgement, Panel, Round
from review.outcomes import Correction
from review.rounds.actions.rounds import open_round
from review.rounds.actions.settings import RoundSettings
from review.seats.actions.seats import claim_seat
from review.workbench.actions.judgements import JudgementContent, submit_judgement
from tests.factories import SourceFactory, SubjectFactory, make_translated_item

OPTIONS = ("གཅིག", "གཉིས", "གསུམ", "བཞི")


def content(**said: Any) -> JudgementContent:
    """An approval with 4 and 4, unless said otherwise; a correction makes it a revise."""
    ratings = {name: said.pop(name, 4) for name in DEFAULT_NAMES}
    fields = {name: value for name, value in said.items() if name != "key"}
    verdict = "revise" if "correction" in fields else "approve"
    return JudgementContent(**{"verdict": verdict, "ratings": ratings, **fields})


@pytest.fixture
def items(project: Project) -> Callable[[int], None]:
    """Make `count` sound items in one subject of `project`."""
    source, subject = SourceFactory(project=project), SubjectFactory(project=project)

    def make(count: int) -> None:
        for number in range(count):
            make_translated_item(
                project=project, source=source, subject=subject, uid=f"s/{number:05d}"
            )

    return make


@pytest.fixture
def opened(project: Project, items: Callable[[int], None]) -> Callable[..., Round]:
    """Make items and open a round on all of them: opened(3, panel_size=1)."""

    def make(count: int = 1, **settings: Any) -> Round:
        if count:
            items(count)
        settings.setdefault("selection", Selection.ALL)
        return open_round(
            project=project, settings=RoundSettings(**settings), actor=None, now=timezone.now()
        )

    return make


@pytest.fixture
def reviewers(member: Callable[..., User]) -> Callable[[int], list[User]]:
    def make(count: int) -> list[User]:
        return [member(Role.REVIEWER) for _ in range(count)]

    return make


@pytest.fixture
def pema(member: Callable[..., User]) -> User:
    return member(Role.REVIEWER, name="Pema")


@pytest.fixture
def tashi(member: Callable[..., User]) -> User:
    return member(Role.REVIEWER, name="Tashi")


@pytest.fixture
def senior(member: Callable[..., User]) -> User:
    return member(Role.SENIOR, name="Sonam")


@pytest.fixture
def judge() -> Callable[..., Judgement]:
    """Claim the next seat of a round and judge it: judge(round_, user, verdict="reject")."""

    def make(round_: Round, user: User, **said: Any) -> Judgement:
        seat = claim_seat(round_=round_, reviewer=user, now=timezone.now())
        assert seat is not None
        return submit_judgement(
            assignment=seat,
            reviewer=user,
            revision_id=seat.panel.revision_id,
            content=content(**said),
            idempotency_key=said.get("key", uuid.uuid4().hex),
            now=timezone.now(),
        )

    return make


@pytest.fixture
def disputed(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Judgement],
) -> Callable[..., Panel]:
    """A dispute: one revises the question, the other rejects; disputed(3) gives the first of three."""

    def make(count: int = 1) -> Panel:
        round_ = opened(count)
        first, second = reviewers(2)
        for _number in range(count):
            judge(round_, first, correction=Correction("འདྲི་བ་གསར་པ།", OPTIONS), comment="better")
            judge(round_, second, verdict="reject")
        return Panel.objects.order_by("pk")[0]

    return make
