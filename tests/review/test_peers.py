"""Reviewers beside each other: agreement, severity, consistency, speed."""

import json
import math

import pytest

from review.agreement import Undefined
from review.peers import PeerCounts, PeerRow, count_peers, pair_figures, person_figures

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
    (pair,) = pair_figures(count_peers(ROWS))

    assert (pair.first, pair.second, pair.items) == (1, 2, 20)
    assert (pair.agreement.value, pair.agreement.n_used) == (0.75, 20)


def test_person_has_severity_consistency_and_speed() -> None:
    rows = [row._replace(panel=row.panel + 20 * n) for n in range(2) for row in ROWS]
    first, second = person_figures(count_peers(rows), {})

    assert first.severity["domain"].value == pytest.approx((30 * 1 + 10 * -1) / 40)
    assert second.severity["domain"].value == pytest.approx(-0.5)
    spread = math.sqrt((40 - 20**2 / 40) / 39)
    assert first.consistency["domain"] == second.consistency["domain"] == pytest.approx(spread)
    assert (first.median_seconds, first.others_median_seconds) == (8, 40)
    assert first.outcome_agreement.n_used == 30
    assert first.judgements == 40


def test_dispute_counts_with_the_decision_of_the_senior() -> None:
    decisions = {1: {("revise", "merge"): 5}, 2: {("approve", "merge"): 5}}
    first, second = person_figures(count_peers(ROWS), decisions)  # type: ignore[arg-type]

    assert (first.outcome_agreement.value, first.outcome_agreement.n_used) == (1, 20)
    assert second.outcome_agreement.value == 0.75


def test_nothing_is_told_of_few_items() -> None:
    (first, _second) = person_figures(count_peers(ROWS[:6]), {})

    assert first.peer_agreement.undefined_reason is Undefined.TOO_FEW_ITEMS
    assert first.severity["domain"].undefined_reason is Undefined.TOO_FEW_ITEMS
    assert (first.consistency["domain"], first.median_seconds) == (None, None)


def test_counts_of_rounds_add_up_and_survive_being_frozen() -> None:
    whole, parts = count_peers(ROWS), PeerCounts()
    for half in (ROWS[:20], ROWS[20:]):
        parts.add(PeerCounts.from_json(json.loads(json.dumps(count_peers(half).as_json()))))

    assert parts == whole


def test_panel_of_three_has_three_pairs() -> None:
    rows = [
        PeerRow(1, person, token, 5, "") for person, token in ((7, "A55"), (3, "E11"), (5, "A45"))
    ]
    pairs = count_peers(rows).pairs

    assert {key: (pair.n, pair.same, pair.sums) for key, pair in pairs.items()} == {
        (3, 5): (1, 0, [-3, -4]),
        (3, 7): (1, 0, [-4, -4]),
        (5, 7): (1, 1, [-1, 0]),
    }


def test_no_judgements_are_no_figures() -> None:
    counts = count_peers([])

    assert (pair_figures(counts), person_figures(counts, {})) == ([], [])
