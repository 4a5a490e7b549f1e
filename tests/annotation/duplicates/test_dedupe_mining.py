"""Exact pair mining by blocks."""

from itertools import combinations

import numpy as np
import pytest

from annotation.duplicates.dedupe import mining
from annotation.duplicates.dedupe.answers import Flags, Rows
from annotation.duplicates.dedupe.comparison import compare
from annotation.duplicates.dedupe.mining import Crowding, Match, block_count, mine_block
from annotation.duplicates.dedupe.near import (
    IN_CROWD,
    NEIGHBOURS,
    make_search,
    near_pairs,
    semantic_pairs,
)
from annotation.duplicates.dedupe.ngrams import Vectors
from annotation.duplicates.dedupe.texts import ItemText


@pytest.fixture
def vectors(monkeypatch: pytest.MonkeyPatch) -> Vectors:
    monkeypatch.setattr(mining, "BLOCK", 16)
    monkeypatch.setattr(mining, "TILE", 32)
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(75, 6))
    rows[70] = rows[3]
    rows[74] = 0
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0).astype(np.float32)


def _plain(vectors: Vectors, threshold: float) -> set[tuple[int, int]]:
    return {
        (i, j)
        for i, j in combinations(range(len(vectors)), 2)
        if float(vectors[i].astype(float) @ vectors[j].astype(float)) >= threshold
    }


def _mined(vectors: Vectors, threshold: float) -> list[Match]:
    blocks = range(block_count(len(vectors)))
    return [m for block in reversed(blocks) for m in mine_block(vectors, threshold, block=block)]


def test_mine_block_units_together_find_what_comparing_all_finds_once(vectors: Vectors) -> None:
    found = [(m.i, m.j) for m in _mined(vectors, 0.8)]
    assert len(found) == len(set(found))
    assert set(found) == _plain(vectors, 0.8)
    assert (3, 70) in found


def test_mine_block_matches_of_a_row_stand_nearest_first(vectors: Vectors) -> None:
    found = mine_block(vectors, 0.3, block=1)
    assert found == sorted(found, key=lambda m: (m.i, -m.similarity, m.j))
    assert {m.i for m in found} <= set(range(16, 32))


def test_mine_block_equal_vectors_have_similarity_one_at_most(vectors: Vectors) -> None:
    assert _mined(vectors, 0.999999) == [(3, 70, 1.0)]


def test_mine_block_ticks_at_each_tile_and_can_be_stopped_there(vectors: Vectors) -> None:
    ticks: list[int] = []
    mine_block(vectors, 0.7, block=1, tick=lambda: ticks.append(1))
    assert len(ticks) == 2  # rows 16 to 47 and 48 to 74

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mine_block(vectors, 0.7, block=1, tick=stop)


@pytest.mark.parametrize(("rows", "expected"), [(0, 0), (1, 1), (256, 1), (257, 2)])
def test_block_count_last_block_may_be_short(rows: int, expected: int) -> None:
    assert block_count(rows) == expected


@pytest.mark.parametrize("threshold", [0.0, -0.5, 1.5])
def test_mine_block_threshold_out_of_range_is_refused(vectors: Vectors, threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        mine_block(vectors, threshold, block=0)


def _crowd(rows: int) -> Vectors:
    generator = np.random.default_rng(5)
    vectors = np.ones((rows, 8)) + generator.normal(scale=0.05, size=(rows, 8))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def test_mine_block_of_a_crowd_keeps_the_nearest_of_each_kind_the_loud_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mining, "TILE", 16)
    vectors = _crowd(60)

    def is_loud(one: Rows, other: Rows) -> Flags:
        return (one + other) % 5 == 0

    everything = mine_block(vectors, 0.5, block=0)
    kept = mine_block(vectors, 0.5, block=0, crowding=Crowding(3, is_loud))

    assert len(everything) == 60 * 59 // 2
    for row in range(59):
        ranked = [m for m in everything if m.i == row]
        loud = [m for m in ranked if (m.i + m.j) % 5 == 0]
        quiet = [m for m in ranked if (m.i + m.j) % 5]
        wanted = ranked if len(ranked) < 3 else loud[:3] + quiet[:3]
        assert [m for m in kept if m.i == row] == wanted


def _frames(count: int) -> list[ItemText]:
    return [
        ItemText(n, f"Which of these words has exactly the meaning of number {n}?")
        for n in range(count)
    ]


def test_near_search_among_thousands_in_one_frame_finds_pairs_in_proportion_to_them() -> None:
    search = make_search(compare(_frames(3000)), language="en", side="source")

    found = [len(near_pairs(search, block=block)) for block in range(search.block_count)]

    assert found[:-1] == [mining.BLOCK * IN_CROWD] * (search.block_count - 1)


@pytest.mark.parametrize("method", ["near", "semantic"])
def test_pair_with_another_key_is_found_among_many_nearer_ones_with_the_same(method: str) -> None:
    options = ("a kind of ship", "a kind of fish", "a kind of song")
    text = "Which of these is what the old word {} means in the language of the islands?"
    items = [ItemText(n, text.format("kamalo" + "a" * (n % 3)), options, "A") for n in range(60)]
    items.append(ItemText(60, text.format("karamalo"), options, "B"))
    search = make_search(compare(items), language="en", side="source")

    near = method == "near"
    found = near_pairs(search, block=0) if near else semantic_pairs(search, block=0, threshold=0.85)

    assert {pair.a for pair in found if pair.b == 60} == set(range(60))
    assert len(found) < IN_CROWD * len(items) + NEIGHBOURS**2
