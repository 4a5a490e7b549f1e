"""Every pair of states of rounds, seats and panels, through the one helper that moves rows."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import pytest
from django.db import models
from django.utils import timezone

from accounts.models import User
from common.db import move
from common.errors import DomainError
from review.enums import (
    INQUIRY_TRANSITIONS,
    PANEL_TRANSITIONS,
    ROUND_TRANSITIONS,
    SEAT_TRANSITIONS,
    InquiryState,
    Outcome,
    PanelState,
    RoundState,
    SeatState,
)
from review.models import Assignment, Panel, Round

pytestmark = pytest.mark.django_db

OUTCOMES = {PanelState.DISPUTED: Outcome.DISPUTED, PanelState.SETTLED: Outcome.APPROVED}


def expect_move(
    row: models.Model, to: str, table: Mapping[str, frozenset[str]], **fields: Any
) -> None:
    rows = type(row)._default_manager.filter(pk=row.pk)
    source = rows.values_list("state", flat=True).get()
    if to in table[source]:
        assert move(rows, to=to, transitions=table, refusal=DomainError, **fields) == 1
        assert rows.get().state == to
    else:
        with pytest.raises(DomainError):
            move(rows, to=to, transitions=table, refusal=DomainError, **fields)
        assert rows.get().state == source


@pytest.mark.parametrize(("source", "target"), product(RoundState.values, repeat=2))
def test_round_moves_only_as_its_table_says(
    opened: Callable[..., Round], source: str, target: str
) -> None:
    round_ = opened(1)
    Round.objects.filter(pk=round_.pk).update(state=source)

    expect_move(round_, target, ROUND_TRANSITIONS)


@pytest.mark.parametrize(("source", "target"), product(PanelState.values, repeat=2))
def test_panel_moves_only_as_its_table_says(
    opened: Callable[..., Round], source: str, target: str
) -> None:
    opened(1)
    panel = Panel.objects.get()
    Panel.objects.update(state=source, outcome=OUTCOMES.get(PanelState(source), ""))

    expect_move(panel, target, PANEL_TRANSITIONS, outcome=OUTCOMES.get(PanelState(target), ""))


@pytest.mark.parametrize(("source", "target"), product(SeatState.values, repeat=2))
def test_seat_moves_only_as_its_table_says(
    opened: Callable[..., Round], reviewers: Callable[[int], list[User]], source: str, target: str
) -> None:
    opened(1, panel_size=1)
    (user,) = reviewers(1)
    seat = Assignment.objects.get()

    def fields(state: str) -> dict[str, Any]:
        is_held = state in (SeatState.CLAIMED, SeatState.JUDGED)
        return {"reviewer": user if is_held else None, "expires_at": timezone.now()}

    Assignment.objects.update(state=source, **fields(source))

    expect_move(seat, target, SEAT_TRANSITIONS, **fields(target))


@pytest.mark.parametrize(
    ("table", "states"),
    [
        (ROUND_TRANSITIONS, RoundState),
        (SEAT_TRANSITIONS, SeatState),
        (PANEL_TRANSITIONS, PanelState),
    ],
)
def test_table_names_every_state_and_no_other(
    table: Mapping[str, frozenset[str]], states: Any
) -> None:
    assert set(table) == set(states)
    assert frozenset().union(*table.values()) <= set(states)


@pytest.mark.parametrize(("source", "target"), product(InquiryState.values, repeat=2))
def test_inquiry_moves_only_as_its_table_says(source: str, target: str) -> None:
    assert (target in INQUIRY_TRANSITIONS[source]) == (
        source == InquiryState.OPEN and target != InquiryState.OPEN
    )
