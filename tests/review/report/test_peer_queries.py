"""The figures of reviewers beside a plain count of the same judgements, one by one."""

import random
import statistics
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from accounts.models import User
from projects.criteria import DEFAULT_CRITERIA, Criteria, Criterion, stored_criteria
from projects.models import Project
from review.enums import DecisionKind, InquiryKind, InquiryState, Outcome, PanelState, Verdict
from review.enums import RoundState as State
from review.figures.peers import DECIDED, LEAST_SHARED, OUTCOMES, PeerCounts
from review.models import (
    Adjudication,
    Assignment,
    Control,
    Inquiry,
    Judgement,
    Panel,
    Round,
)
from review.report import peer_queries
from review.report.peer_queries import ReviewerTables, reviewer_tables, round_peers
from tests.factories import RoundFactory
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
PANELS, SEATS, PEOPLE = 80, 3, 4
ONE = Criterion("fluency", "Fluency", "Fluency", "F", ("0 to 9",), 0, 9)
CRITERIA = {
    "two": DEFAULT_CRITERIA,
    "one": (ONE,),
    "three": tuple(
        Criterion(name, name, name, "", ("1 to 4",), 1, 4) for name in ("clear", "true", "short")
    ),
}


@pytest.fixture(params=[("two", State.OPEN), ("one", State.CLOSED), ("three", State.OPEN)])
def judged(
    request: pytest.FixtureRequest,
    project: Project,
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
) -> Round:
    """A round with everything in it that figures of reviewers tell apart.

    One of its neighbours is of another project, which rates by other criteria.
    """
    criteria, state = request.param
    project.criteria_text = stored_criteria(CRITERIA[criteria])
    project.save()
    round_ = opened(PANELS, panel_size=SEATS)
    judging = _Judging(round_, reviewers(PEOPLE), random.Random(f"{criteria} {state}"))
    judging.fill()
    judging.give_away(Panel.objects.filter(round=round_).order_by("pk")[PANELS // 2])
    Round.objects.filter(pk=round_.pk).update(
        state=state, judged_count=1, closed_at=timezone.now() if state == State.CLOSED else None
    )
    return Round.objects.select_related("project").get(pk=round_.pk)


def test_counts_and_figures_are_those_of_a_plain_count(
    judged: Round, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = _counted_plainly(judged)
    for at_once, gap in ((1, 2_000), (7, 2_000), (20_000, 2_000), (20_000, 0)):
        monkeypatch.setattr(peer_queries, "PANELS_AT_ONCE", at_once)
        monkeypatch.setattr(peer_queries, "WIDEST_GAP", gap)
        assert _plain(round_peers(judged)) == plain

    tables = reviewer_tables(judged.project)
    told = _told(judged)

    assert [row.person.pk for row in tables.reviewers] == sorted({row.reviewer_id for row in told})
    for row in tables.reviewers:
        _check_person(row.figures, told, judged.project.criteria)
    assert _pairs(tables) == _pairs_plainly(told)


def test_what_lies_in_a_wide_gap_between_ids_is_not_read() -> None:
    """Panels that a round got later may have other rounds' panels before them."""
    ids = np.array([5, 6, 2_006, 4_007, 4_008, 4_009])
    assert list(peer_queries._ranges(ids)) == [(0, 3), (3, 6)]
    assert list(peer_queries._ranges(ids[:0])) == []


def test_counts_of_a_round_without_a_decided_panel_are_none(opened: Callable[..., Round]) -> None:
    assert round_peers(opened(3)) == PeerCounts()


def test_counts_of_a_closed_round_without_judgements_are_none(
    opened: Callable[..., Round],
) -> None:
    round_ = opened(3)
    round_.state = State.CLOSED

    assert round_peers(round_) == PeerCounts()


class _Judging:
    """Judges a round at random by hand of its tables."""

    def __init__(self, round_: Round, people: list[User], chance: random.Random) -> None:
        self.round, self.people, self.chance = round_, people, chance
        self.criteria: Criteria = round_.project.criteria

    def fill(self) -> None:
        for panel in Panel.objects.filter(round=self.round).order_by("pk"):
            seats = list(Assignment.objects.filter(panel=panel).order_by("seat"))
            judges = self.chance.sample(self.people, self.chance.randint(1, SEATS))
            given = [self.judge(seat, person) for seat, person in zip(seats, judges, strict=False)]
            self.conclude(panel, given)

    def judge(self, seat: Assignment, person: User, **more: Any) -> Judgement:
        verdict = self.chance.choice([Verdict.APPROVE, Verdict.APPROVE, *Verdict])
        is_revised = verdict == Verdict.REVISE
        row: Judgement = Judgement.objects.create(
            assignment=seat,
            panel=seat.panel,
            revision=seat.panel.revision,
            reviewer=person,
            verdict=verdict,
            ratings={each.name: self.chance.choice(each.scale) for each in self.criteria},
            correction={"question": "བ", "options": list(OPTIONS)} if is_revised else None,
            active_seconds=self.chance.choice([0, 5, 5, 5, 8, 40, 600]),
            idempotency_key=uuid.uuid4().hex,
            receipt=uuid.uuid4(),
            submitted_at=timezone.now(),
            **more,
        )
        return row

    def conclude(self, panel: Panel, given: list[Judgement]) -> None:
        """Make it a control, or one that is undecided, settled, in dispute or adjudicated."""
        kind = self.chance.choice(["control", "undecided", "taken back", "settled", "disputed"])
        if kind == "control":
            self.make_control(panel)
        elif kind == "taken back":
            self.take_back(given[0])
        elif kind == "settled":
            outcome = self.chance.choice([Outcome.APPROVED, Outcome.REVISED, Outcome.REJECTED])
            _update(panel, state=PanelState.SETTLED, outcome=outcome)
        elif kind == "disputed":
            _update(panel, state=PanelState.DISPUTED, outcome=Outcome.DISPUTED)
            self.look_again(given[0])
            if self.chance.random() < 0.5:
                self.decide(panel)

    def make_control(self, panel: Panel) -> None:
        Control.objects.create(panel=panel)
        Judgement.objects.filter(panel=panel).update(is_control=True)
        _update(panel, is_control=True, state=PanelState.SETTLED, outcome=Outcome.APPROVED)

    def give_away(self, panel: Panel) -> None:
        """As if two rounds had been opened at the same time, their panels in turn."""
        Judgement.all_rows.filter(panel=panel).update(ratings={"else": 9})
        _update(panel, round=RoundFactory(), state=PanelState.SETTLED, outcome=Outcome.APPROVED)

    def take_back(self, given: Judgement) -> None:
        """The reviewer took it back and gave another one."""
        Judgement.objects.filter(pk=given.pk).update(is_withdrawn=True)
        self.judge(given.assignment, given.reviewer)
        _update(given.panel, state=PanelState.SETTLED, outcome=Outcome.REVISED)

    def look_again(self, given: Judgement) -> None:
        """A senior asked for a second look: the first judgement is told of, not the answer."""
        Judgement.objects.filter(pk=given.pk).update(is_withdrawn=True)
        Inquiry.objects.create(
            panel=given.panel,
            kind=InquiryKind.SECOND_LOOK,
            state=InquiryState.ANSWERED,
            asked_at=timezone.now(),
            judgement=given,
            reviewer=given.reviewer,
            note="look",
            answer=self.judge(given.assignment, given.reviewer),
            ended_at=timezone.now(),
        )

    def decide(self, panel: Panel) -> None:
        decision = Adjudication.objects.create(
            panel=panel,
            senior=self.people[0],
            decision=self.chance.choice([DecisionKind.APPROVE, DecisionKind.REJECT]),
            decided_at=timezone.now(),
        )
        _update(panel, state=PanelState.SETTLED, adjudication=decision)


def _update(panel: Panel, **values: Any) -> None:
    Panel.with_controls.filter(pk=panel.pk).update(**values)


def _told(round_: Round) -> list[Judgement]:
    """The judgements that figures tell of, sorted out one by one."""
    answers = {each.answer_id for each in Inquiry.objects.all()}
    asked = {each.judgement_id for each in Inquiry.objects.all()}
    rows = Judgement.all_rows.select_related("panel__adjudication").order_by("pk")
    return [
        row
        for row in rows
        if row.panel.round_id == round_.pk
        and not row.is_control
        and row.pk not in answers
        and (not row.is_withdrawn or row.pk in asked)
        and (row.panel.outcome or round_.state == State.CLOSED)
    ]


def _together(told: list[Judgement]) -> dict[tuple[int, int], list[tuple[Judgement, Judgement]]]:
    """By pair of people what both said of a panel, the one with the lower id first."""
    panels: dict[int, list[Judgement]] = defaultdict(list)
    for row in told:
        panels[row.panel_id].append(row)
    found: dict[tuple[int, int], list[tuple[Judgement, Judgement]]] = defaultdict(list)
    for rows in panels.values():
        for one, other in combinations(sorted(rows, key=lambda row: row.reviewer_id), 2):
            found[one.reviewer_id, other.reviewer_id].append((one, other))
    return found


def _counted_plainly(round_: Round) -> tuple[Any, Any]:
    told, words = _told(round_), [str(each) for each in ("approve", "revise", "reject")]
    names = [each.name for each in round_.project.criteria]
    people = {
        who: (
            Counter((row.verdict, row.panel.outcome) for row in told if row.reviewer_id == who),
            Counter(row.active_seconds for row in told if row.reviewer_id == who),
        )
        for who in {row.reviewer_id for row in told}
    }
    pairs = {}
    for key, both in _together(told).items():
        said = Counter((words.index(a.verdict), words.index(b.verdict)) for a, b in both)
        gaps = [[a.ratings[name] - b.ratings[name] for name in names] for a, b in both]
        pairs[key] = (
            [said[i, j] for i in range(3) for j in range(3)],
            [sum(column) for column in zip(*gaps, strict=True)],
            [sum(gap**2 for gap in column) for column in zip(*gaps, strict=True)],
        )
    return people, pairs


def _plain(counts: PeerCounts) -> tuple[Any, Any]:
    return (
        {who: (each.verdicts, each.seconds) for who, each in counts.people.items()},
        {key: (each.verdicts, each.sums, each.squares) for key, each in counts.pairs.items()},
    )


def _check_person(figures: Any, told: list[Judgement], criteria: Criteria) -> None:
    who = figures.reviewer
    mine = [row for row in told if row.reviewer_id == who]
    both = [
        (a, b) if a.reviewer_id == who else (b, a)
        for key, rows in _together(told).items()
        for a, b in rows
        if who in key
    ]
    assert figures.judgements == len(mine)
    assert figures.peer_agreement.value == _mean([a.verdict == b.verdict for a, b in both])
    became = [(row.verdict, _became(row)) for row in mine if _became(row)]
    assert figures.outcome_agreement.n_used == len(became)
    assert figures.outcome_agreement.value == _mean([said == word for said, word in became])
    for name in (each.name for each in criteria):
        gaps = [a.ratings[name] - b.ratings[name] for a, b in both]
        found = figures.severity[name].value, figures.consistency[name]
        if len(gaps) < LEAST_SHARED:
            assert found == (None, None)
        else:
            assert found == pytest.approx((statistics.mean(gaps), statistics.stdev(gaps)))
    assert figures.median_seconds == _median(mine)
    others = [row for row in told if row.reviewer_id != who]
    assert figures.others_median_seconds == _median(others)


def _became(row: Judgement) -> str:
    if row.panel.adjudication:
        return DECIDED[row.panel.adjudication.decision]
    return OUTCOMES.get(row.panel.outcome, "")


def _mean(right: list[bool]) -> Any:
    return pytest.approx(sum(right) / len(right)) if len(right) >= LEAST_SHARED else None


def _median(rows: list[Judgement]) -> float | None:
    seconds = [row.active_seconds for row in rows if row.active_seconds]
    return statistics.median(seconds) if len(seconds) >= 30 else None


def _pairs(tables: ReviewerTables) -> list[tuple[int, int, int, int]]:
    return [
        (row.first.pk, row.second.pk, row.figures.items, row.figures.agreement.n_used)
        for row in tables.pairs
    ]


def _pairs_plainly(told: list[Judgement]) -> list[tuple[int, int, int, int]]:
    """The pairs with the most common items first, then by their ids."""
    pairs = [(*key, len(both), len(both)) for key, both in _together(told).items()]
    return sorted(pairs, key=lambda row: (-row[2], row[:2]))
