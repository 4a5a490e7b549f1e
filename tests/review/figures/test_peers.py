"""Reviewers beside each other: agreement, severity, consistency, speed."""

import json
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest

from common.estimates import Undefined
from review.figures.peers import PeerColumns, PeerCounts, count_peers, pair_figures, person_figures
from review.outcomes import VERDICTS, parse_tally


class PeerRow(NamedTuple):
    """One judgement; `token` is its part of the panel's tally, `outcome` the panel's."""

    panel: int
    reviewer: int
    token: str
    seconds: int
    outcome: str


def columns(rows: Sequence[PeerRow]) -> PeerColumns:
    outcomes = sorted({row.outcome for row in rows})
    said = [
        (VERDICTS.index(entry.verdict), *entry.ratings)
        for row in rows
        for entry in parse_tally(row.token)
    ]
    return PeerColumns(
        panel=np.array([row.panel for row in rows]),
        reviewer=np.array([row.reviewer for row in rows]),
        said=np.array(said),
        seconds=np.array([row.seconds for row in rows]),
        outcome=np.array([outcomes.index(row.outcome) for row in rows]),
        outcomes=outcomes,
    )


def counted(rows: Sequence[PeerRow]) -> PeerCounts:
    return count_peers([columns(rows)])


ROWS = [
    row
    for panel in range(20)
    for row in (
        PeerRow(
            panel, 1, "A55" if panel < 15 else "E33", 8, "approved" if panel < 15 else "disputed"
        ),
        PeerRow(panel, 2, "A44", 40, "approved" if panel < 15 else "disputed"),
    )
]


def test_pairs_agree_as_often_as_they_gave_the_same_verdict() -> None:
    (pair,) = pair_figures(counted(ROWS))

    assert (pair.first, pair.second, pair.items) == (1, 2, 20)
    assert (pair.agreement.value, pair.agreement.n_used) == (0.75, 20)


def test_person_has_severity_consistency_and_speed() -> None:
    rows = [row._replace(panel=row.panel + 20 * n) for n in range(2) for row in ROWS]
    first, second = person_figures(counted(rows), {})

    assert first.severity["domain"].value == pytest.approx((30 * 1 + 10 * -1) / 40)
    assert second.severity["domain"].value == pytest.approx(-0.5)
    spread = math.sqrt((40 - 20**2 / 40) / 39)
    assert first.consistency["domain"] == second.consistency["domain"] == pytest.approx(spread)
    assert (first.median_seconds, first.others_median_seconds) == (8, 40)
    assert first.outcome_agreement.n_used == 30
    assert first.judgements == 40


def test_dispute_counts_with_the_decision_of_the_senior() -> None:
    decisions = {1: {("revise", "merge"): 5}, 2: {("approve", "merge"): 5}}
    first, second = person_figures(counted(ROWS), decisions)  # type: ignore[arg-type]

    assert (first.outcome_agreement.value, first.outcome_agreement.n_used) == (1, 20)
    assert second.outcome_agreement.value == 0.75


def test_nothing_is_told_of_few_items() -> None:
    (first, _second) = person_figures(counted(ROWS[:6]), {})

    assert first.peer_agreement.undefined_reason is Undefined.TOO_FEW_ITEMS
    assert first.severity["domain"].undefined_reason is Undefined.TOO_FEW_ITEMS
    assert (first.consistency["domain"], first.median_seconds) == (None, None)


def test_counts_of_rounds_add_up_and_survive_being_frozen() -> None:
    whole, parts = counted(ROWS), PeerCounts()
    for half in (ROWS[:20], ROWS[20:]):
        parts.add(PeerCounts.from_json(json.loads(json.dumps(counted(half).as_json()))))

    assert parts == whole


def test_panel_of_three_has_three_pairs() -> None:
    rows = [
        PeerRow(1, person, token, 5, "") for person, token in ((7, "A55"), (3, "E11"), (5, "A45"))
    ]
    pairs = counted(rows).pairs

    assert {key: (pair.n, pair.same, pair.sums) for key, pair in pairs.items()} == {
        (3, 5): (1, 0, [-3, -4]),
        (3, 7): (1, 0, [-4, -4]),
        (5, 7): (1, 1, [-1, 0]),
    }


def test_no_judgements_are_no_figures() -> None:
    for counts in (count_peers([]), counted([])):
        assert (pair_figures(counts), person_figures(counts, {})) == ([], [])


def test_judgements_of_a_panel_need_not_come_together() -> None:
    assert counted([*ROWS[::2], *ROWS[1::2]]) == counted(ROWS)


def test_parts_of_a_round_add_up() -> None:
    assert count_peers([columns(ROWS[:14]), columns(ROWS[14:])]) == counted(ROWS)
