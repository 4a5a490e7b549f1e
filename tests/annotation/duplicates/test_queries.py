"""What other apps ask about duplicates: which items belong together, and which leak."""

import pytest
from django.utils import timezone

from annotation.duplicates.queries import clusters_of, cross_split_pairs
from annotation.enums import ItemState, PairState
from annotation.models import Item
from tests.annotation.duplicates.test_decisions import make_items
from tests.factories import UserFactory, make_duplicate_pair

pytestmark = pytest.mark.django_db


@pytest.fixture
def items(project):
    return make_items(project, 7)


def decided(a, b, state, **fields):
    make_duplicate_pair(
        a, b, state=state, decided_by=UserFactory(), decided_at=timezone.now(), **fields
    )


def grouped(project):
    """The clusters as sets of item ids."""
    groups: dict[int, set[int]] = {}
    for item, cluster in clusters_of(project).items():
        groups.setdefault(cluster, set()).add(item)
    return {frozenset(group) for group in groups.values()}


def test_clusters_of_joins_open_and_confirmed_pairs_of_any_kind_and_side(project, items):
    make_duplicate_pair(items[0], items[1], side="source")
    decided(items[1], items[2], PairState.DUPLICATE, kind="near", similarity=0.8)
    decided(items[2], items[3], PairState.DISTINCT)
    make_duplicate_pair(items[4], items[5], kind="semantic", similarity=0.9)
    pks = [item.pk for item in items]
    assert grouped(project) == {frozenset(pks[0:3]), frozenset(pks[4:6])}


def test_cross_split_pairs_are_open_and_of_two_active_items(project, items):
    leak = make_duplicate_pair(items[0], items[1], crosses_splits=True)
    make_duplicate_pair(items[1], items[2])
    decided(items[2], items[3], PairState.DISTINCT, crosses_splits=True)
    make_duplicate_pair(items[4], items[5], crosses_splits=True)
    Item.objects.filter(pk=items[5].pk).update(state=ItemState.EXCLUDED)
    assert list(cross_split_pairs(project)) == [leak]
