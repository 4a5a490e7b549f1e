"""Exact pair mining by blocks."""

from itertools import combinations

import numpy as np
import pytest

from annotation.dedupe import mining
from annotation.dedupe.mining import Match, block_count, mine_block, mine_pairs
from annotation.dedupe.near import NEIGHBOURS, make_search, near_pairs
from annotation.dedupe.ngrams import Vectors
from annotation.dedupe.texts import ItemText


class _StopError(Exception):
    pass


@pytest.fixture
def vectors(monkeypatch: pytest.MonkeyPatch) -> Vectors:
    monkeypatch.setattr(mining, "BLOCK", 16)
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


def test_mine_pairs_finds_what_comparing_all_finds(vectors: Vectors) -> None:
    found = [(m.i, m.j) for m in mine_pairs(vectors, 0.8)]
    assert len(found) == len(set(found))
    assert set(found) == _plain(vectors, 0.8)
    assert (3, 70) in found


def test_mine_pairs_equal_vectors_have_similarity_one_at_most(vectors: Vectors) -> None:
    assert list(mine_pairs(vectors, 0.999999)) == [(3, 70, 1.0)]


def test_mine_pairs_stopped_and_taken_up_again_misses_nothing(vectors: Vectors) -> None:
    whole = list(mine_pairs(vectors, 0.7))
    done: list[int] = []
    found: list[Match] = []

    def stop_at_two(block: int) -> None:
        done.append(block)
        if block == 2:
            raise _StopError

    with pytest.raises(_StopError):
        found.extend(mine_pairs(vectors, 0.7, on_block=stop_at_two))
    found += mine_pairs(vectors, 0.7, start_block=done[-1] + 1, on_block=done.append)
    assert found == whole
    assert done == [0, 1, 2, 3, 4]


def test_mine_block_units_together_are_the_whole(vectors: Vectors) -> None:
    blocks = range(block_count(len(vectors)))
    units = [m for block in reversed(blocks) for m in mine_block(vectors, 0.7, block=block)]
    assert sorted(units) == sorted(mine_pairs(vectors, 0.7))


@pytest.mark.parametrize(("rows", "expected"), [(0, 0), (1, 1), (1024, 1), (1025, 2)])
def test_block_count_last_block_may_be_short(rows: int, expected: int) -> None:
    assert block_count(rows) == expected


@pytest.mark.parametrize("threshold", [0.0, -0.5, 1.5])
def test_mine_block_threshold_out_of_range_is_refused(vectors: Vectors, threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        list(mine_block(vectors, threshold, block=0))


def test_mine_block_with_neighbours_keeps_the_nearest_of_a_crowded_row() -> None:
    generator = np.random.default_rng(5)
    vectors = np.ones((60, 8)) + generator.normal(scale=0.05, size=(60, 8))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    everything = list(mine_block(vectors, 0.5, block=0))
    nearest = list(mine_block(vectors, 0.5, block=0, neighbours=3))

    assert len(everything) == 60 * 59 // 2
    for row in range(59):
        ranked = sorted((m for m in everything if m.i == row), key=lambda m: -m.similarity)
        kept = [m.similarity for m in nearest if m.i == row]
        assert sorted(kept, reverse=True) == [m.similarity for m in ranked[:3]]


def test_near_search_among_thousands_in_one_frame_stays_bounded() -> None:
    items = [
        ItemText(str(n), f"Which of these words has exactly the meaning of number {n}?")
        for n in range(3000)
    ]
    search = make_search(items, language="en", side="source")

    pairs = [
        pair for block in range(search.block_count) for pair in near_pairs(search, block=block)
    ]

    assert len(pairs) <= 3000 * NEIGHBOURS * search.block_count
