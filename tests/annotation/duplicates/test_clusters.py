"""Clusters are kept by the actions; after any sequence of these they are as if made from the pairs."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from annotation.duplicates.actions import decide_pair, reopen_pair
from annotation.duplicates.clusters import join_items, measure_clusters, regroup_clusters
from annotation.duplicates.dedupe.clusters import components
from annotation.duplicates.queries import clusters_of
from annotation.enums import ItemState, PairState, TextSide
from annotation.items.actions import exclude_item, restore_item
from annotation.models import DuplicateCluster, DuplicatePair, Item
from common.errors import DomainError
from projects.models import Project
from tests.annotation.duplicates.test_decisions import make_items
from tests.factories import UserFactory, make_duplicate_pair

pytestmark = pytest.mark.both_databases

Measures = tuple[frozenset[int], bool, bool, bool, float, int, int]


def stored(project: Project) -> set[Measures]:
    members: dict[int, set[int]] = {}
    for item, cluster in clusters_of(project).items():
        members.setdefault(cluster, set()).add(item)
    return {
        (
            frozenset(members[row.pk]),
            row.is_open,
            row.has_same_key,
            row.crosses_splits,
            row.similarity,
            row.item_count,
            row.pair_count,
        )
        for row in DuplicateCluster.objects.filter(project=project)
    }


def rebuilt(project: Project) -> set[Measures]:
    """The clusters as the pairs and items alone say that they are."""
    pairs = list(DuplicatePair.objects.filter(project=project).select_related("a", "b"))
    joining = [pair for pair in pairs if pair.state != PairState.DISTINCT]
    groups = components((pair.a_id, pair.b_id) for pair in joining)
    return {_measured(group, [p for p in joining if p.a_id in group]) for group in groups}


def _measured(group: tuple[int, ...], pairs: list[DuplicatePair]) -> Measures:
    waiting = [
        pair
        for pair in pairs
        if pair.state == PairState.OPEN and {pair.a.state, pair.b.state} == {str(ItemState.ACTIVE)}
    ]
    return (
        frozenset(group),
        bool(waiting),
        all(pair.has_same_key for pair in waiting),
        any(pair.crosses_splits for pair in waiting),
        max((pair.similarity for pair in waiting), default=0.0),
        len({item for pair in waiting for item in (pair.a_id, pair.b_id)}),
        len({(pair.a_id, pair.b_id) for pair in waiting}),
    )


class Steps:
    """Actions by number on six items; what an action refuses changes nothing."""

    def __init__(self, items: list[Item], actor: User) -> None:
        self.items = items
        self.actor = actor

    def find(self, one: int, other: int) -> None:
        a, b = sorted((self.items[one], self.items[other]), key=lambda item: item.pk)
        side = TextSide.SOURCE if one < other else TextSide.TARGET
        if a != b and not DuplicatePair.objects.filter(a=a, b=b, side=side).exists():
            fields = {"similarity": 0.5 + one / 20, "crosses_splits": other == 3}
            make_duplicate_pair(a, b, side=side, has_same_key=one != 2, **fields)

    def call_different(self, one: int, other: int) -> None:
        self._decide(one, PairState.DISTINCT, lambda _pair: None)

    def drop(self, one: int, other: int) -> None:
        self._decide(one, PairState.DUPLICATE, lambda pair: pair.a if other % 2 else pair.b)

    def reopen(self, one: int, other: int) -> None:
        if pair := self._pair(one):
            reopen_pair(pair=pair, reason="look again", actor=self.actor, now=timezone.now())

    def exclude(self, one: int, other: int) -> None:
        exclude_item(item=self.items[one], reason="bad", actor=self.actor, now=timezone.now())

    def restore(self, one: int, other: int) -> None:
        restore_item(item=self.items[one], reason="good", actor=self.actor, now=timezone.now())

    def outdate(self, one: int, other: int) -> None:
        pair = self._pair(one)
        if pair and pair.state == PairState.OPEN:
            cluster = pair.cluster_id
            pair.delete()
            regroup_clusters([cluster])

    def _decide(
        self, number: int, state: PairState, dropped: Callable[[DuplicatePair], Item | None]
    ) -> None:
        if pair := self._pair(number):
            decide_pair(
                pair=pair,
                state=state,
                dropped=dropped(pair),
                reason="compared",
                actor=self.actor,
                now=timezone.now(),
            )

    @staticmethod
    def _pair(number: int) -> DuplicatePair | None:
        pairs = list(DuplicatePair.objects.select_related("a", "b", "project").order_by("pk"))
        return pairs[number % len(pairs)] if pairs else None


NAMES = (
    "find",
    "find",
    "find",
    "call_different",
    "drop",
    "reopen",
    "exclude",
    "restore",
    "outdate",
)
STEP = st.tuples(st.sampled_from(NAMES), st.integers(0, 5), st.integers(0, 5))


@pytest.mark.django_db
@given(steps=st.lists(STEP, max_size=14))
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_sequence_of_actions_leaves_the_clusters_that_the_pairs_make(
    project: Project, steps: list[tuple[str, int, int]]
) -> None:
    _forget_last_example()
    items = list(Item.objects.order_by("pk")) or make_items(project, 6)
    world = Steps(items, UserFactory())
    for name, one, other in steps:
        with suppress(DomainError):
            getattr(world, name)(one, other)
        assert stored(project) == rebuilt(project)


def _forget_last_example() -> None:
    """Hypothesis runs all examples in one transaction."""
    DuplicatePair.objects.all().delete()
    DuplicateCluster.objects.all().delete()
    Item.objects.update(state=ItemState.ACTIVE, state_reason="")


def test_pair_between_two_clusters_merges_them_into_the_older(project: Project) -> None:
    a, b, c, d = make_items(project, 4)
    older, newer = make_duplicate_pair(a, b), make_duplicate_pair(c, d)
    make_duplicate_pair(b, c)
    newer.refresh_from_db()
    assert (newer.cluster_id, DuplicateCluster.objects.count()) == (older.cluster_id, 1)


def test_pairs_of_one_batch_share_a_cluster_when_they_share_an_item(project: Project) -> None:
    a, b, c, d, e = make_items(project, 5)
    edges = [(a.pk, b.pk), (b.pk, c.pk), (d.pk, e.pk)]
    one, same, other = join_items(project.pk, edges)
    assert one == same != other


def test_cluster_without_pairs_is_removed(project: Project) -> None:
    a, b = make_items(project, 2)
    pair = make_duplicate_pair(a, b)
    pair.delete()
    measure_clusters([pair.cluster_id or 0])
    assert not DuplicateCluster.objects.exists()


def test_number_of_queries_to_join_does_not_depend_on_the_number_of_pairs(
    project: Project, django_assert_num_queries: Callable[[int], object]
) -> None:
    items = [item.pk for item in make_items(project, 60)]
    with django_assert_num_queries(3):
        join_items(project.pk, list(zip(items[::2], items[1::2], strict=True)))
