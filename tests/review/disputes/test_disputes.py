"""What a senior sees of a dispute: rows, distinct proposals, votes without a text."""

from collections.abc import Callable

import pytest

from accounts.models import User
from review.disputes.presenters import history, matrix
from review.enums import PanelState, RoundKind, RoundState
from review.models import Judgement, Panel, Round
from review.outcomes import Correction
from tests.factories import RoundFactory
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db


def shown(panel: Panel, typed: dict[str, str] | None = None):  # type: ignore[no-untyped-def]
    return matrix(panel, list(panel.judgements.all()), typed)


@pytest.fixture
def five(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Judgement],
) -> Panel:
    """Five judgements: three revise with two different texts, one approves, one rejects."""
    round_ = opened(1, panel_size=5)
    people = reviewers(5)
    same = Correction("འདྲི་བ་གསར་པ།", OPTIONS)
    judge(round_, people[0], correction=same, comment="first", tags=["terminology"])
    judge(round_, people[1], correction=same, domain=2)
    judge(round_, people[2], correction=Correction("འདྲི་བ།", ("ཀ", *OPTIONS[1:])))
    judge(round_, people[3], comment="fine")
    judge(round_, people[4], verdict="reject")
    return Panel.objects.get()


def test_identical_corrections_are_one_proposal_and_votes_without_text_no_column(
    five: Panel,
) -> None:
    found = shown(five)

    assert sorted(len(proposal.votes) for proposal in found.proposals) == [1, 2]
    assert sorted(vote.verdict for vote in found.votes) == ["approve", "reject"]
    assert (found.judged, found.approvals, found.is_wide) == (5, 1, False)
    double = next(proposal for proposal in found.proposals if len(proposal.votes) == 2)
    assert {vote.comment for vote in double.votes} == {"first", ""}
    assert {tuple(vote.tags) for vote in double.votes} == {("terminology",), ()}
    assert five.judgements.get(pk=double.judgement).correction["question"] == "འདྲི་བ་གསར་པ།"


def test_each_cell_shows_a_difference_only_where_its_text_differs(five: Panel) -> None:
    found = shown(five)

    changed = {
        tuple(bool(row.cells[index].diff) for row in found.rows)
        for index in range(len(found.proposals))
    }
    assert changed == {(True, False, False, False, False), (False, True, False, False, False)}
    assert [row.text.label for row in found.rows] == ["Q", "A", "B", "C", "D"]


def test_matrix_is_the_same_each_time_and_keeps_what_was_typed(five: Panel) -> None:
    again = shown(Panel.objects.get(), {"option_1": "ཁ"})

    assert again.proposals == shown(five).proposals
    assert [row.text.edited_text for row in again.rows] == [None, None, "ཁ", None, None]


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (RoundKind.REVIEW, [(1, "no outcome")]),
        (RoundKind.COMPARISON, []),
        (RoundKind.SOLVING, []),
    ],
)
def test_history_has_the_rounds_that_judged_the_text(
    five: Panel, kind: RoundKind, told: list[tuple[int, str]]
) -> None:
    first = Round.objects.filter(pk=five.round_id)
    first.update(kind=kind, state=RoundState.CLOSED, judged_count=0)
    Panel.objects.filter(pk=five.pk).update(state=PanelState.UNFINISHED, outcome="")
    later = Panel.objects.get()
    about = {"project": five.round.project, "guideline": five.round.guideline}
    later.pk, later.round_id = None, RoundFactory(number=2, **about).pk
    later.save()

    assert [(past.number, past.outcome) for past in history(later)] == told
