"""Whoever wrote a text, alone, with others or by a correction that was adopted, never decides on it."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from accounts.models import User
from projects.enums import Role
from projects.models import Project
from review.disputes import queries
from review.disputes.actions.adjudication import DecisionContent, OwnJudgement, adjudicate_panel
from review.models import Judgement, Panel, Round
from review.outcomes import Correction
from review.seats.actions.seats import claim_seat
from tests.review.conftest import OPTIONS
from tests.review.kinds import close

pytestmark = pytest.mark.django_db

Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]
Member = Callable[..., User]
NEW_TEXT = Correction("འདྲི་བ་གསར་པ།", OPTIONS)


@pytest.fixture
def revised_by_two(opened: Open, member: Member, judge: Judge) -> tuple[User, User]:
    """A senior and a reviewer gave the same correction, which is the text now; the round is over."""
    senior, reviewer = member(Role.SENIOR), member(Role.REVIEWER)
    round_ = opened(1)
    judge(round_, reviewer, correction=NEW_TEXT)
    judge(round_, senior, correction=NEW_TEXT)
    close(round_)
    return senior, reviewer


@pytest.fixture
def adopted(opened: Open, member: Member, judge: Judge) -> tuple[User, User]:
    """Of a senior's correction and a reviewer's rejection the correction was adopted."""
    senior, reviewer = member(Role.SENIOR), member(Role.REVIEWER)
    round_ = opened(1)
    said = judge(round_, senior, correction=NEW_TEXT)
    judge(round_, reviewer, verdict="reject")
    adjudicate_panel(
        panel=Panel.objects.get(),
        senior=member(Role.SENIOR),
        content=DecisionContent(kind="adopt", judgement=said),
        now=timezone.now(),
    )
    close(round_)
    return senior, reviewer


def next_round(opened: Open) -> Round:
    return opened(0, is_same_panel_allowed=True)


def round_after_next(opened: Open) -> Round:
    """A round that asks others, and in the one before it none of them judged."""
    between = next_round(opened)
    Round.objects.filter(pk=between.pk).update(judged_count=1)
    close(between)
    return opened(0, is_same_panel_allowed=False)


def test_claim_never_offers_a_text_to_those_who_wrote_it_together(
    opened: Open, revised_by_two: tuple[User, User], reviewers: People
) -> None:
    round_ = round_after_next(opened)
    for writer in revised_by_two:
        assert claim_seat(round_=round_, reviewer=writer, now=timezone.now()) is None
    assert claim_seat(round_=round_, reviewer=reviewers(1)[0], now=timezone.now())


def test_claim_never_offers_a_text_to_whose_correction_was_adopted(
    opened: Open, adopted: tuple[User, User]
) -> None:
    round_ = round_after_next(opened)
    writer, other = adopted
    assert claim_seat(round_=round_, reviewer=writer, now=timezone.now()) is None
    assert claim_seat(round_=round_, reviewer=other, now=timezone.now())


@pytest.mark.parametrize("way", ["revised_by_two", "adopted"])
def test_dispute_is_not_for_a_senior_who_wrote_the_text(
    request: pytest.FixtureRequest,
    project: Project,
    opened: Open,
    member: Member,
    reviewers: People,
    judge: Judge,
    way: str,
) -> None:
    writer = request.getfixturevalue(way)[0]
    other = member(Role.SENIOR)
    round_ = next_round(opened)
    first, second = reviewers(2)
    judge(round_, first)
    judge(round_, second, verdict="reject")
    panel = Panel.objects.get(round=round_)

    assert not writer.has_perm("review.adjudicate_panel", panel)
    assert other.has_perm("review.adjudicate_panel", panel)
    assert list(queries.disputes_for(project, writer)) == []
    assert list(queries.disputes_for(project, other)) == [panel]
    with pytest.raises(OwnJudgement):
        adjudicate_panel(
            panel=panel,
            senior=writer,
            content=DecisionContent(kind="approve"),
            now=timezone.now(),
        )


def test_correction_that_was_overruled_keeps_nobody_from_the_new_text(
    opened: Open, member: Member, judge: Judge
) -> None:
    reviser, other, senior = member(), member(), member(Role.SENIOR)
    round_ = opened(1)
    judge(round_, reviser, correction=NEW_TEXT)
    judge(round_, other, verdict="reject")
    adjudicate_panel(
        panel=Panel.objects.get(),
        senior=senior,
        content=DecisionContent(kind="merge", correction=Correction("གཞན།", OPTIONS)),
        now=timezone.now(),
    )
    close(round_)
    round_ = round_after_next(opened)

    assert claim_seat(round_=round_, reviewer=senior, now=timezone.now()) is None
    assert claim_seat(round_=round_, reviewer=reviser, now=timezone.now())


def test_who_approved_has_not_written_what_the_others_revised(
    project: Project, opened: Open, member: Member, reviewers: People, judge: Judge
) -> None:
    senior = member(Role.SENIOR)
    round_ = opened(1, panel_size=3, verdict_rule="majority")
    judge(round_, senior)
    for reviewer in reviewers(2):
        judge(round_, reviewer, correction=NEW_TEXT)
    close(round_)

    assert Panel.objects.get().outcome == "revised"
    round_ = round_after_next(opened)
    assert claim_seat(round_=round_, reviewer=senior, now=timezone.now())
