"""Which items become examples, tests and the black box, and what holds from version to version."""

import random
from functools import partial
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from releases import splits
from releases.splits import DEV, Carving, Placement, SplitRule, black_box_quota, uid_order

place_items = partial(splits.place_items, secret="the project's")
RULE = SplitRule(dev_per_subject=2, black_box_share=0.25, seed=7)


class Candidate(NamedTuple):
    uid: str
    subject: str
    is_dev: bool


def candidates(subject: str, tests: int, devs: int = 0) -> list[Candidate]:
    return [Candidate(f"{subject}/{n}", subject, is_dev=False) for n in range(tests)] + [
        Candidate(f"{subject}/dev-{n}", subject, is_dev=True) for n in range(devs)
    ]


def hidden_of(placements: tuple[Placement[Candidate], ...]) -> set[str]:
    return {place.uid for place in placements if place.subset == "black-box"}


def test_place_items_gives_whole_result_in_file_order() -> None:
    rule = SplitRule(dev_per_subject=1, black_box_share=0.0, seed=0)
    given_items = [
        Candidate("b/1", "b", is_dev=False),
        Candidate("a/10", "a", is_dev=False),
        Candidate("a/9", "a", is_dev=False),
        Candidate("a/dev-10", "a", is_dev=True),
        Candidate("a/dev-9", "a", is_dev=True),
    ]
    b1, a10, a9, _dev10, dev9 = given_items
    assert place_items(given_items, rule) == (
        Placement(dev9, "dev", "open"),
        Placement(a9, "test", "open"),
        Placement(a10, "test", "open"),
        Placement(b1, "test", "open"),
    )


def test_place_items_with_too_few_dev_items_never_takes_a_test_item() -> None:
    placed = place_items(candidates("a", 5, devs=1), RULE)
    assert [place.uid for place in placed if place.split == "dev"] == ["a/dev-0"]
    assert sum(place.split == "test" for place in placed) == 5


def test_place_items_with_too_many_dev_items_leaves_the_rest_out() -> None:
    placed = place_items(candidates("a", 1, devs=4), RULE)
    assert [place.uid for place in placed] == ["a/dev-0", "a/dev-1", "a/0"]


@pytest.mark.parametrize(
    ("tests", "share", "opened", "quota"),
    [
        (0, 0.5, 0, 0),
        (1, 0.9, 0, 0),
        (2, 0.99, 0, 1),
        (10, 0.0, 0, 0),
        (10, 0.25, 0, 3),
        (10, 0.1, 0, 1),
        (5, 0.1, 0, 1),
        (4, 0.1, 0, 0),
        (10, 0.5, 8, 2),
        (10, 0.5, 10, 0),
        (1, 1.0, 0, 1),
        (10, 1.0, 0, 10),
        (10, 1.0, 4, 6),
    ],
)
def test_black_box_quota_rounds_half_up_and_keeps_one_test_open_unless_all_are_to_be_hidden(
    tests: int, share: float, opened: int, quota: int
) -> None:
    assert black_box_quota(tests=tests, share=share, opened=opened) == quota


@given(
    sizes=st.lists(st.integers(0, 30), min_size=1, max_size=4),
    share=st.floats(0, 0.99),
    seed=st.integers(0, 1000),
    shuffle=st.randoms(use_true_random=False),
)
def test_place_items_in_any_order_gives_the_same_and_hides_the_quota(
    sizes: list[int], share: float, seed: int, shuffle: random.Random
) -> None:
    rule = SplitRule(2, share, seed)
    items = [c for n, size in enumerate(sizes) for c in candidates(f"s{n}", size, devs=3)]
    shuffled = list(items)
    shuffle.shuffle(shuffled)
    placed = place_items(items, rule)
    assert place_items(shuffled, rule) == placed
    assert all(place.subset == "open" for place in placed if place.split == "dev")
    for number, size in enumerate(sizes):
        mine = {uid for uid in hidden_of(placed) if uid.startswith(f"s{number}/")}
        assert len(mine) == black_box_quota(tests=size, share=share, opened=0)


@given(
    old=st.integers(1, 40), new=st.integers(1, 10), share=st.floats(0, 0.9), seed=st.integers(0, 99)
)
def test_place_items_with_new_items_moves_old_ones_only_at_the_margin(
    old: int, new: int, share: float, seed: int
) -> None:
    rule = SplitRule(0, share, seed)
    before = hidden_of(place_items(candidates("a", old), rule))
    after = hidden_of(place_items(candidates("a", old + new), rule))
    added = {f"a/{n}" for n in range(old, old + new)}
    opened = before - after
    assert len(opened) <= len(after & added)
    assert not (opened and (after - before - added))


@given(
    old=st.integers(1, 40), new=st.integers(1, 10), share=st.floats(0, 0.9), seed=st.integers(0, 99)
)
def test_place_items_after_a_published_version_shows_nothing_hidden_and_hides_nothing_shown(
    old: int, new: int, share: float, seed: int
) -> None:
    first = place_items(candidates("a", old), SplitRule(0, share, seed))
    hidden = frozenset(hidden_of(first))
    opened = frozenset(place.uid for place in first) - hidden
    second = place_items(
        candidates("a", old + new), SplitRule(0, share, seed + 1), opened=opened, hidden=hidden
    )
    assert hidden <= hidden_of(second)
    assert not hidden_of(second) & opened


def test_place_items_with_another_subject_added_moves_nothing() -> None:
    before = place_items(candidates("a", 20), RULE)
    after = place_items(candidates("a", 20) + candidates("b", 33), RULE)
    assert hidden_of(before) == {uid for uid in hidden_of(after) if uid.startswith("a/")}


def test_place_items_with_another_seed_draws_another_black_box() -> None:
    items = candidates("a", 100)
    drawn = {frozenset(hidden_of(place_items(items, SplitRule(0, 0.2, n)))) for n in range(5)}
    assert len(drawn) == 5


def test_place_items_with_another_secret_draws_another_black_box_and_other_examples() -> None:
    items, rule = candidates("a", 100), SplitRule(5, 0.2, 7, "carved")
    placed = [splits.place_items(items, rule, secret=secret) for secret in ("one", "other")]
    drawn = {frozenset(hidden_of(placements)) for placements in placed}
    carved = {tuple(each.uid for each in some if each.split == DEV) for some in placed}
    assert (len(drawn), len(carved)) == (2, 2)


def test_uid_order_counts_numbers_of_any_script_as_numbers() -> None:
    uids = ["a/10", "a/9", "b/1", "a/dev-2", "a/09", "a", "7a", "11", "x/༡༠", "x/༩"]
    assert sorted(uids, key=uid_order) == [
        "7a", "11", "a", "a/09", "a/9", "a/10", "a/dev-2", "b/1", "x/༩", "x/༡༠",
    ]  # fmt: skip


def test_place_items_with_a_dev_item_that_duplicates_a_test_item_takes_the_next() -> None:
    placed = place_items(candidates("a", 1, devs=3), RULE, clusters={"a/dev-0": 1, "a/0": 1})
    assert [place.uid for place in placed] == ["a/dev-1", "a/dev-2", "a/0"]


@given(
    size=st.integers(2, 30),
    clusters=st.lists(st.integers(0, 5), min_size=60, max_size=60),
    share=st.floats(0, 0.9),
    seed=st.integers(0, 99),
    grown=st.integers(0, 10),
)
def test_place_items_keeps_clusters_together_and_hidden_from_version_to_version(
    size: int, clusters: list[int], share: float, seed: int, grown: int
) -> None:
    """Clusters over two subjects; later versions get more items and another seed."""
    cluster_of = {
        f"{subject}/{n}": clusters[n + 30 * (subject == "b")]
        for subject in "ab"
        for n in range(30)
        if clusters[n + 30 * (subject == "b")]
    }
    items = [*candidates("a", size), *candidates("b", size)]
    first = place_items(items, SplitRule(0, share, seed), clusters=cluster_of)
    _check_together(first, cluster_of)
    hidden = frozenset(hidden_of(first))
    more = min(30, size + grown)
    second = place_items(
        [*candidates("a", more), *candidates("b", more)],
        SplitRule(0, share, seed + 1),
        opened=frozenset(place.uid for place in first) - hidden,
        hidden=hidden,
        clusters=cluster_of,
    )
    _check_together(second, cluster_of)
    assert hidden <= hidden_of(second)


def _check_together(placed: tuple[Placement[Candidate], ...], cluster_of: dict[str, int]) -> None:
    subsets: dict[int, set[str]] = {}
    for place in placed:
        if place.uid in cluster_of:
            subsets.setdefault(cluster_of[place.uid], set()).add(place.subset)
    assert all(len(found) == 1 for found in subsets.values())


def carved_of(placements: tuple[Placement[Candidate], ...]) -> list[str]:
    return [place.uid for place in placements if place.split == DEV and not place.candidate.is_dev]


@pytest.mark.parametrize(
    ("dev_from", "wanted", "devs", "carved"),
    [("source", 4, 2, 0), ("both", 4, 2, 2), ("both", 1, 1, 0), ("carved", 4, 0, 4)],
)
def test_dev_items_come_from_where_the_rule_says(
    dev_from: str, wanted: int, devs: int, carved: int
) -> None:
    items = [*candidates("a", 10), Candidate("a/d0", "a", is_dev=True)]
    items.append(Candidate("a/d1", "a", is_dev=True))
    placed = place_items(items, SplitRule(wanted, 0.0, 3, dev_from))
    own = [place.uid for place in placed if place.split == DEV and place.candidate.is_dev]
    assert (len(own), len(carved_of(placed))) == (devs, carved)
    assert {place.uid for place in placed if place.split == "test"} == {
        f"a/{n}" for n in range(10)
    } - set(carved_of(placed))


def test_carving_leaves_one_test_and_takes_nothing_hidden_or_doubled() -> None:
    items = candidates("a", 6)
    rule = SplitRule(99, 0.0, 1, "carved")
    placed = place_items(items, rule, hidden=frozenset({"a/0"}), clusters={"a/1": 7, "a/2": 7})
    assert sorted(carved_of(placed)) == ["a/3", "a/4", "a/5"]
    assert len(carved_of(place_items(items, rule))) == 5


def test_what_was_carved_stays_carved_then_what_is_explained_and_unpublished() -> None:
    first = place_items(candidates("a", 10), SplitRule(3, 0.0, 1, "carved"))
    was = frozenset(carved_of(first))
    everything = frozenset(place.uid for place in first)
    again = place_items(
        candidates("a", 14),
        SplitRule(5, 0.0, 2, "carved"),
        opened=everything,
        carving=Carving(carved=was, explained=frozenset({"a/12", "a/13", "a/4"})),
    )
    assert frozenset(carved_of(again)) == was | {"a/12", "a/13"}
