"""Keys with which most experts disagree: opened at the close, settled by a senior."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import AuditEvent, User
from annotation.enums import TranslationState
from annotation.items.keys import KeyStale, KeyUnknown, correct_key
from common.reasons import ReasonMissing
from projects.enums import Role
from projects.models import Project
from review.disputes.actions.adjudication import (
    DecisionContent,
    DisputeSettled,
    KeyInDispute,
    OwnJudgement,
    adjudicate_panel,
)
from review.disputes.actions.key_disputes import NoKeyDispute, settle_key_dispute
from review.disputes.actions.reopening import KeyAdjudicationStands, reopen_dispute
from review.disputes.queries import disputes_for
from review.enums import Outcome, PanelState, RoundKind
from review.models import KeyAdjudication, Panel, Round
from review.rounds.actions.rounds import close_round
from tests.review.kinds import solve

pytestmark = pytest.mark.django_db


@pytest.fixture
def answered(
    opened: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> Callable[..., Panel]:
    """A closed solving round of one item, key A, answered as told: answered("B", "B")."""

    def make(*choices: str, panel_size: int = 0) -> Panel:
        round_ = opened(1, kind=RoundKind.SOLVING, panel_size=panel_size or len(choices))
        for user, choice in zip(reviewers(len(choices)), choices, strict=True):
            solve(round_, user, choice)
        close_round(round_=round_, actor=None, now=timezone.now())
        return round_.panels.select_related("round__project", "item", "revision").get()

    return make


@pytest.mark.parametrize(
    ("choices", "panel_size", "state"),
    [
        (("B", "B"), 2, PanelState.DISPUTED),
        (("B", "C"), 2, PanelState.DISPUTED),  # they disagree with the key, not with each other
        (("A", "B"), 2, PanelState.UNFINISHED),
        (("A", "A"), 2, PanelState.UNFINISHED),
        (("", ""), 2, PanelState.UNFINISHED),  # who cannot say does not disagree
        (("B", ""), 2, PanelState.UNFINISHED),
        (("B", "B", "A"), 3, PanelState.DISPUTED),
        (("B", "B"), 3, PanelState.DISPUTED),  # the missing one could not change it
        (("B",), 3, PanelState.UNFINISHED),
        (("B",), 1, PanelState.DISPUTED),
    ],
)
def test_close_opens_a_dispute_where_more_than_half_of_the_seats_disagree_with_the_key(
    answered: Callable[..., Panel], choices: tuple[str, ...], panel_size: int, state: PanelState
) -> None:
    assert answered(*choices, panel_size=panel_size).state == state


def test_dispute_says_how_many_disagree(answered: Callable[..., Panel]) -> None:
    panel = answered("B", "C", "A")

    assert panel.outcome == Outcome.DISPUTED
    assert panel.reasons == [{"code": "experts_disagree", "against": 2, "answers": 3}]
    assert panel.reason_codes == "experts_disagree"
    assert panel.uid_key == panel.item.uid_order
    assert panel.decided_at is not None


def test_settle_corrects_the_key_and_leaves_the_text(
    answered: Callable[..., Panel], member: Callable[..., User]
) -> None:
    panel, senior = answered("B", "B"), member(Role.SENIOR)

    adjudication = _settle(panel, senior, key="B")

    panel.refresh_from_db()
    panel.item.refresh_from_db()
    translation = panel.item.working_translation
    assert (panel.state, panel.item.key) == (PanelState.SETTLED, "B")
    assert adjudication.change is not None
    assert (adjudication.change.old_key, adjudication.change.new_key) == ("A", "B")
    assert adjudication.change.author == senior
    assert translation is not None
    assert translation.state == TranslationState.PENDING
    assert AuditEvent.objects.filter(verb="panel.key_settled", actor=senior).count() == 1


def test_settle_with_the_same_key_lets_it_stand(
    answered: Callable[..., Panel], member: Callable[..., User]
) -> None:
    panel = answered("B", "B")

    adjudication = _settle(panel, member(Role.SENIOR), key="A")

    panel.item.refresh_from_db()
    assert (panel.item.key, adjudication.change) == ("A", None)


def test_settle_twice_is_told(answered: Callable[..., Panel], member: Callable[..., User]) -> None:
    panel = answered("B", "B")
    _settle(panel, member(Role.SENIOR), key="A")

    with pytest.raises(DisputeSettled):
        _settle(panel, member(Role.SENIOR), key="B")

    assert KeyAdjudication.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"key": "F"}, KeyUnknown),
        ({"key": "nonsense"}, KeyUnknown),
        ({"reason": "  "}, ReasonMissing),
        ({"seen_key": "C"}, KeyStale),
    ],
)
def test_settle_refuses_what_cannot_be_and_leaves_the_dispute(
    answered: Callable[..., Panel],
    member: Callable[..., User],
    changes: dict[str, str],
    error: type[Exception],
) -> None:
    panel = answered("B", "B")

    with pytest.raises(error):
        _settle(panel, member(Role.SENIOR), **{"key": "B", **changes})

    panel.refresh_from_db()
    assert panel.state == PanelState.DISPUTED


def test_settle_after_the_key_was_corrected_elsewhere_is_refused(
    answered: Callable[..., Panel], member: Callable[..., User]
) -> None:
    panel = answered("B", "B")
    now = timezone.now()
    correct_key(item=panel.item, key="C", reason="misprint", actor=None, now=now)

    with pytest.raises(KeyStale):
        _settle(panel, member(Role.SENIOR), key="B", seen_key="A")


def test_settle_by_who_answered_is_refused_and_their_queue_leaves_it_out(
    project: Project,
    opened: Callable[..., Round],
    member: Callable[..., User],
) -> None:
    senior, other = member(Role.SENIOR), member(Role.SENIOR)
    round_ = opened(1, kind=RoundKind.SOLVING, panel_size=1)
    solve(round_, senior, "B")
    close_round(round_=round_, actor=None, now=timezone.now())
    panel = round_.panels.select_related("round__project", "item").get()

    assert not disputes_for(project, senior).exists()
    assert disputes_for(project, other).get() == panel
    with pytest.raises(OwnJudgement):
        _settle(panel, senior, key="B")


def test_adjudicate_panel_refuses_a_dispute_about_a_key(
    answered: Callable[..., Panel], member: Callable[..., User]
) -> None:
    panel = answered("B", "B")

    with pytest.raises(KeyInDispute):
        adjudicate_panel(
            panel=panel,
            senior=member(Role.SENIOR),
            content=DecisionContent(kind="approve", reason="fine"),
            now=timezone.now(),
        )


def test_settle_refuses_a_dispute_of_a_review(
    disputed: Callable[..., Panel], member: Callable[..., User]
) -> None:
    with pytest.raises(NoKeyDispute):
        _settle(disputed(), member(Role.SENIOR), key="B")


def _settle(panel: Panel, senior: User, **said: Any) -> KeyAdjudication:
    values: dict[str, Any] = {"seen_key": "A", "reason": "the source says so", **said}
    return settle_key_dispute(panel=panel, senior=senior, now=timezone.now(), **values)


def test_adjudication_on_a_key_is_not_reopened_and_the_way_out_is_named(
    answered: Callable[..., Panel], member: Callable[..., User]
) -> None:
    panel, senior = answered("B", "B"), member(Role.SENIOR)
    _settle(panel, senior, key="B")
    settled = Panel.objects.get(pk=panel.pk)

    with pytest.raises(KeyAdjudicationStands, match="correct it on the item's page"):
        reopen_dispute(panel=settled, senior=senior, reason="a slip", now=timezone.now())
