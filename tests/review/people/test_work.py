"""What became of one's judgements: outcome, accepted text and reason, and nobody's name."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from common.months import Month
from projects.enums import Role
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.enums import DecisionKind, Fate
from review.models import Judgement, Panel, Round
from review.outcomes import Correction
from review.people.work import (
    MonthOfWork,
    WorkFilter,
    accepted_text,
    fates_since,
    months_of_work,
    own_text,
    reason_of,
    work_of,
)
from review.rounds.actions.rounds import close_round
from tests.review.conftest import OPTIONS

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]
Member = Callable[..., User]
Dispute = Callable[..., Panel]
NEW = Correction("འདྲི་བ་གསར་པ།", OPTIONS)
OLD = Correction("འདྲི་བ།", OPTIONS)


def told(user: User, **wanted: Any) -> list[tuple[str, str, Correction | None]]:
    rows: Any = work_of(user, WorkFilter(**wanted)).order_by("pk")
    return [(row.verdict, row.fate, accepted_text(row)) for row in rows]


def fate_of(judgement: Judgement) -> str:
    rows: Any = work_of(judgement.reviewer, WorkFilter())
    return str(rows.get(pk=judgement.pk).fate)


def settle(panel: Panel, senior: User, **content: Any) -> None:
    adjudicate_panel(
        panel=panel,
        senior=senior,
        content=DecisionContent(reason="because", **content),
        now=timezone.now(),
    )


def test_open_panel_tells_only_ones_own_part(opened: Open, reviewers: People, judge: Judge) -> None:
    first, second = reviewers(2)
    judge(opened(1), first, correction=NEW)

    assert told(first) == [("revise", Fate.WAITING, None)]
    assert told(second) == []


def test_agreed_approval_is_kept(opened: Open, reviewers: People, judge: Judge) -> None:
    round_ = opened(1)
    for person in reviewers(2):
        judge(round_, person)

    assert {told(each.reviewer)[0] for each in Judgement.objects.all()} == {
        ("approve", Fate.KEPT, OLD)
    }


def test_agreed_correction_is_kept_with_its_text(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(1)
    first, second = reviewers(2)
    judge(round_, first, correction=NEW)
    judge(round_, second, correction=NEW)

    assert told(first) == told(second) == [("revise", Fate.KEPT, NEW)]


def test_outvoted_approval_is_edited(opened: Open, reviewers: People, judge: Judge) -> None:
    round_ = opened(1, panel_size=3, verdict_rule="majority")
    *two, third = reviewers(3)
    for person in two:
        judge(round_, person, correction=NEW)
    judge(round_, third)

    assert told(third) == [("approve", Fate.EDITED, NEW)]


@pytest.mark.parametrize(
    ("content", "revised", "rejected", "accepted"),
    [
        ({"kind": DecisionKind.APPROVE}, Fate.EDITED, Fate.OVERTURNED, OLD),
        ({"kind": DecisionKind.ADOPT}, Fate.KEPT, Fate.OVERTURNED, NEW),
        (
            {"kind": DecisionKind.ADOPT, "fields": ["options.0"]},
            Fate.EDITED,
            Fate.OVERTURNED,
            Correction("འདྲི་བ།", ("ཀ", *OPTIONS[1:])),
        ),
        ({"kind": DecisionKind.MERGE, "correction": NEW}, Fate.KEPT, Fate.OVERTURNED, NEW),
        (
            {"kind": DecisionKind.MERGE, "correction": Correction("མཐའ།", OPTIONS)},
            Fate.EDITED,
            Fate.OVERTURNED,
            Correction("མཐའ།", OPTIONS),
        ),
        ({"kind": DecisionKind.REJECT}, Fate.OVERTURNED, Fate.KEPT, None),
    ],
)
def test_settled_dispute_tells_what_became_of_each(
    opened: Open,
    reviewers: People,
    judge: Judge,
    member: Member,
    content: dict[str, Any],
    revised: Fate,
    rejected: Fate,
    accepted: Correction | None,
) -> None:
    round_ = opened(1)
    first, second = reviewers(2)
    by_parts = "fields" in content
    correction = Correction("འདྲི་བ་གསར་པ།", ("ཀ", *OPTIONS[1:])) if by_parts else NEW
    correcting = judge(round_, first, correction=correction)
    rejecting = judge(round_, second, verdict="reject")
    assert {fate_of(correcting), fate_of(rejecting)} == {Fate.DISPUTED}
    if content["kind"] == DecisionKind.ADOPT:
        content = content | {"judgement": correcting}

    settle(correcting.panel, member(Role.SENIOR), **content)

    assert told(first) == [("revise", revised, accepted)]
    assert told(second) == [("reject", rejected, accepted)]
    rows = work_of(first, WorkFilter())
    assert (reason_of(rows[0]), own_text(rows[0])) == ("because", correction)


def test_panel_closed_before_its_time_has_no_outcome(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(1)
    person = reviewers(1)[0]
    judge(round_, person)
    close_round(round_=round_, actor=None, now=timezone.now())

    assert told(person) == [("approve", Fate.UNDECIDED, None)]


def test_filters_narrow_the_work(opened: Open, reviewers: People, judge: Judge) -> None:
    round_ = opened(2)
    first, second = reviewers(2)
    early = judge(round_, first)
    judge(round_, first)
    judge(round_, second)
    Judgement.objects.filter(pk=early.pk).update(submitted_at=datetime(2026, 1, 31, 23, tzinfo=UTC))

    def count(**wanted: Any) -> int:
        return work_of(first, WorkFilter(**wanted)).count()

    found = [
        count(),
        count(project="ti"),
        count(project="other"),
        count(round=1),
        count(round=2),
        count(fate=Fate.KEPT),
        count(fate=Fate.WAITING),
        count(month=Month(2026, 1)),
        count(month=Month(2026, 2)),
    ]
    assert found == [2, 2, 0, 2, 0, 1, 1, 1, 0]


def test_months_count_agreement_of_what_is_decided(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(3, panel_size=1)
    person = reviewers(1)[0]
    first = judge(round_, person, active_seconds=0)
    judge(round_, person, verdict="reject")
    judge(round_, person)
    january = datetime(2026, 1, 10, tzinfo=UTC)
    Judgement.objects.update(submitted_at=january, active_seconds=60)
    Judgement.objects.filter(pk=first.pk).update(submitted_at=datetime(2025, 12, 31, tzinfo=UTC))

    assert months_of_work(person, WorkFilter()) == [
        MonthOfWork(Month(2025, 12), judgements=1, decided=1, agreed=1, active_seconds=60),
        MonthOfWork(Month(2026, 1), judgements=2, decided=2, agreed=2, active_seconds=120),
    ]


def test_fates_since_count_by_project_what_was_decided_later(
    disputed: Dispute, member: Member
) -> None:
    panel = disputed(1)
    before = timezone.now()
    settle(panel, member(Role.SENIOR), kind=DecisionKind.REJECT)
    revising = panel.judgements.get(verdict="revise").reviewer
    rejecting = panel.judgements.get(verdict="reject").reviewer
    project = panel.round.project_id

    assert fates_since(revising, before) == {project: {"overturned": 1}}
    assert fates_since(rejecting, None) == {project: {"kept": 1}}
    assert fates_since(revising, timezone.now()) == {}


@pytest.mark.parametrize("left", ["removed", "viewer"])
def test_texts_of_a_project_that_one_may_not_read_are_not_told(
    opened: Open, reviewers: People, judge: Judge, left: str
) -> None:
    person = reviewers(1)[0]
    judge(opened(1), person)
    if left == "removed":
        person.memberships.all().delete()
    else:
        person.memberships.update(role=Role.VIEWER)

    assert told(person) == []
