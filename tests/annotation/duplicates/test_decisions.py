"""Deciding pairs: what changes, what is refused, and two people at once."""

import threading

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import AuditEvent
from annotation.duplicates.actions import (
    DecisionUnknown,
    DroppedNotOfPair,
    KeptItemExcluded,
    NothingDropped,
    PairAlreadyDecided,
    PairNotDecided,
    decide_pair,
    reopen_pair,
)
from annotation.enums import PAIR_TRANSITIONS, ItemState, PairState
from annotation.items.actions import ItemAlreadyExcluded, exclude_item, restore_item
from common.errors import DomainError, TextInvalid
from common.reasons import ReasonMissing, ReasonTooLong
from projects.enums import Role
from tests.factories import (
    SourceFactory,
    SubjectFactory,
    make_duplicate_pair,
    make_translated_item,
)

pytestmark = pytest.mark.both_databases


def make_items(project, count):
    common = {"source": SourceFactory(project=project), "subject": SubjectFactory(project=project)}
    return [
        make_translated_item(project=project, uid=f"q/{n}", question=f"འདྲི་བ་{n}།", **common)
        for n in range(count)
    ]


@pytest.fixture
def items(project):
    return make_items(project, 3)


@pytest.fixture
def pair(items):
    return make_duplicate_pair(items[0], items[1])


@pytest.fixture
def senior(member):
    return member(Role.SENIOR)


def drop(pair, item, actor, reason="the same question"):
    return decide_pair(
        pair=pair, state="duplicate", dropped=item, reason=reason, actor=actor, now=timezone.now()
    )


def part(pair, actor):
    return decide_pair(
        pair=pair,
        state="distinct",
        dropped=None,
        reason="differ in x",
        actor=actor,
        now=timezone.now(),
    )


class TestDecide:
    def test_duplicate_excludes_the_dropped_item_with_the_reason(self, pair, items, senior):
        decided = drop(pair, items[1], senior)
        items[1].refresh_from_db()
        assert (decided.state, decided.dropped, decided.decided_by, decided.reason) == (
            PairState.DUPLICATE,
            items[1],
            senior,
            "the same question",
        )
        assert (items[1].state, items[1].state_reason) == (ItemState.EXCLUDED, "the same question")
        assert list(AuditEvent.objects.order_by("pk").values_list("verb", flat=True)) == [
            "item.excluded",
            "duplicate.decided",
        ]

    def test_distinct_keeps_both_items(self, pair, items, senior):
        part(pair, senior)
        pair.refresh_from_db()
        assert (pair.state, pair.dropped, pair.reason) == (PairState.DISTINCT, None, "differ in x")
        for item in items[:2]:
            item.refresh_from_db()
            assert item.state == ItemState.ACTIVE

    def test_decision_holds_for_the_other_side_of_the_same_items(self, pair, items, senior):
        other = make_duplicate_pair(items[0], items[1], side="source")
        third = make_duplicate_pair(items[1], items[2])
        drop(pair, items[0], senior)
        other.refresh_from_db()
        third.refresh_from_db()
        assert (other.state, other.dropped, other.decided_by) == (
            PairState.DUPLICATE,
            items[0],
            senior,
        )
        assert third.state == PairState.OPEN

    @pytest.mark.parametrize(
        ("state", "dropped", "reason", "refusal"),
        [
            ("duplicate", None, "r", DroppedNotOfPair),
            ("duplicate", 2, "r", DroppedNotOfPair),
            ("distinct", 0, "r", NothingDropped),
            ("duplicate", 1, "", ReasonMissing),
            ("duplicate", 1, " \n", ReasonMissing),
            ("duplicate", 1, "a\0", TextInvalid),
            ("duplicate", 1, "r" * 2001, ReasonTooLong),
            ("open", None, "r", DecisionUnknown),
            ("same", None, "r", DecisionUnknown),
        ],
    )
    def test_decision_without_sense_is_refused_and_changes_nothing(
        self, pair, items, senior, state, dropped, reason, refusal
    ):
        item = None if dropped is None else items[dropped]
        with pytest.raises(refusal):
            decide_pair(
                pair=pair,
                state=state,
                dropped=item,
                reason=reason,
                actor=senior,
                now=timezone.now(),
            )
        pair.refresh_from_db()
        assert pair.state == PairState.OPEN
        assert AuditEvent.objects.count() == 0

    def test_second_decision_is_refused_and_the_first_stands(self, pair, items, senior):
        drop(pair, items[1], senior)
        for again in (
            lambda: drop(pair, items[0], senior),
            lambda: drop(pair, items[1], senior),
            lambda: part(pair, senior),
        ):
            with pytest.raises(PairAlreadyDecided):
                again()
        items[0].refresh_from_db()
        assert items[0].state == ItemState.ACTIVE

    def test_dropping_in_a_circle_always_leaves_one(self, items, senior):
        x, y, z = items
        xy, yz, xz = make_duplicate_pair(x, y), make_duplicate_pair(y, z), make_duplicate_pair(x, z)
        drop(xy, x, senior)
        drop(yz, y, senior)
        with pytest.raises(KeptItemExcluded):
            drop(xz, z, senior)
        with pytest.raises(ItemAlreadyExcluded):
            drop(xz, x, senior)
        xz.refresh_from_db()
        assert xz.state == PairState.OPEN

    @pytest.mark.django_db(transaction=True)
    def test_two_people_at_once_one_is_refused_and_one_item_stays(self, pair, items, senior):
        twin = make_duplicate_pair(items[0], items[1], side="source")
        start, outcomes = threading.Barrier(2), []

        def decide(row, item):
            try:
                start.wait()
                drop(row, item, senior)
                outcomes.append("done")
            except DomainError as refusal:
                outcomes.append(refusal.code)
            finally:
                connection.close()

        people = [
            threading.Thread(target=decide, args=pick)
            for pick in ((pair, items[0]), (twin, items[1]))
        ]
        for person in people:
            person.start()
        for person in people:
            person.join(timeout=170)
        assert sorted(outcomes) == ["done", "pair_already_decided"]
        states = sorted(item.__class__.objects.get(pk=item.pk).state for item in items[:2])
        assert states == [ItemState.ACTIVE, ItemState.EXCLUDED]


class TestReopen:
    def test_reopened_duplicate_brings_the_item_back_on_both_sides(self, pair, items, senior):
        other = make_duplicate_pair(items[0], items[1], side="source")
        drop(pair, items[1], senior)
        reopened = reopen_pair(pair=pair, reason="wrong", actor=senior, now=timezone.now())
        other.refresh_from_db()
        items[1].refresh_from_db()
        assert reopened.restored == items[1]
        for row in (reopened.pair, other):
            assert (row.state, row.dropped, row.decided_by, row.reason) == (
                PairState.OPEN,
                None,
                None,
                "",
            )
        assert items[1].state == ItemState.ACTIVE

    def test_item_excluded_anew_for_another_reason_stays_out(self, pair, items, senior):
        drop(pair, items[1], senior)
        restore_item(item=items[1], reason="r", actor=senior, now=timezone.now())
        exclude_item(item=items[1], reason="not answerable", actor=senior, now=timezone.now())
        reopened = reopen_pair(pair=pair, reason="wrong", actor=senior, now=timezone.now())
        items[1].refresh_from_db()
        assert reopened.restored is None
        assert items[1].state == ItemState.EXCLUDED

    def test_item_restored_with_the_words_of_the_decision_stays_in(self, pair, items, senior):
        drop(pair, items[1], senior, reason="r")
        restore_item(item=items[1], reason="r", actor=senior, now=timezone.now())

        reopened = reopen_pair(pair=pair, reason="wrong", actor=senior, now=timezone.now())

        assert (reopened.pair.state, reopened.restored) == (PairState.OPEN, None)

    def test_reopening_a_distinct_pair_touches_no_item(self, pair, senior):
        part(pair, senior)
        assert reopen_pair(pair=pair, reason="r", actor=senior, now=timezone.now()).restored is None

    def test_open_pair_cannot_be_reopened(self, pair, senior):
        with pytest.raises(PairNotDecided):
            reopen_pair(pair=pair, reason="r", actor=senior, now=timezone.now())

    def test_reopening_needs_a_reason(self, pair, senior):
        part(pair, senior)
        with pytest.raises(ReasonMissing):
            reopen_pair(pair=pair, reason=" ", actor=senior, now=timezone.now())

    def test_every_move_but_those_of_the_table_is_refused(self, pair, items, senior):
        moves = {
            PairState.DISTINCT: lambda: part(pair, senior),
            PairState.DUPLICATE: lambda: drop(pair, items[1], senior),
            PairState.OPEN: lambda: reopen_pair(
                pair=pair, reason="r", actor=senior, now=timezone.now()
            ),
        }
        for start in PairState:
            for target, move in moves.items():
                if pair.state != start:
                    if pair.state != PairState.OPEN:
                        moves[PairState.OPEN]()
                    if start != PairState.OPEN:
                        moves[start]()
                pair.refresh_from_db()
                if target in PAIR_TRANSITIONS[start]:
                    move()
                else:
                    with pytest.raises(DomainError):
                        move()
                pair.refresh_from_db()
