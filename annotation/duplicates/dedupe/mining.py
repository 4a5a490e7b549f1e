"""Pairs of vectors above a threshold, exactly, by blocks that can be done one at a time.

Rows are cut in blocks of `BLOCK`. A block compares its rows with themselves and with all later
rows, tile by tile, so the blocks together are the upper triangle and no pair is met twice.
Memory beyond the vectors is a few tiles of BLOCK × TILE.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from annotation.duplicates.dedupe.answers import Flags, Rows
from annotation.duplicates.dedupe.ngrams import Vectors

BLOCK = 256
TILE = 1024
MILLIONTHS = 1_000_000

Integers = npt.NDArray[np.int64]


class Match(NamedTuple):
    """Rows `i` < `j` and the cosine of their vectors, rounded to six places, at most 1."""

    i: int
    j: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Crowding:
    """The neighbours that a row keeps of `places` or more: the nearest so many of each of two kinds.

    `is_loud(rows, rows)` tells the kinds apart, element by element; numpy may broadcast. Then
    thousands of rows that are all alike give matches in proportion to their number, not to its
    square, and however many nearer ones of the other kind there are, a loud one is not lost to
    them.
    """

    places: int
    is_loud: Callable[[Rows, Rows], Flags]


@dataclass(frozen=True, slots=True)
class _Found:
    """Matches as arrays; cosines in whole millionths."""

    i: Rows
    j: Rows
    cosines: Integers

    def taken(self, which: Rows) -> "_Found":
        return _Found(self.i[which], self.j[which], self.cosines[which])


def block_count(rows: int) -> int:
    return -(-rows // BLOCK)


def mine_block(
    vectors: Vectors,
    threshold: float,
    *,
    block: int,
    crowding: Crowding | None = None,
    tick: Callable[[], None] = lambda: None,
) -> list[Match]:
    """Find the pairs of cosine `threshold` or more whose first row lies in `block`, by first row.

    `vectors` is (n, d) with rows of length 1 (or 0: such a row matches nothing). The matches of
    one row stand nearest first, but with `crowding`, where a row has many, the loud ones before
    the others. `tick` is called at each tile and may raise.
    Raises ValueError for a threshold that is not in 0..1 (zero excluded).
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold outside 0..1: {threshold}")
    tiles = []
    for start in range(block * BLOCK, len(vectors), TILE):
        tick()
        tiles.append(_mine_tile(vectors, threshold, block * BLOCK, start, crowding))
    found = _Found(
        *(
            np.concatenate(part)
            for part in zip(*((t.i, t.j, t.cosines) for t in tiles), strict=True)
        )
    )
    found = _in_order(found, crowding)
    similarities = np.minimum(1.0, found.cosines / MILLIONTHS)
    return list(map(Match, found.i.tolist(), found.j.tolist(), similarities.tolist()))


def _mine_tile(
    vectors: Vectors, threshold: float, first: int, start: int, crowding: Crowding | None
) -> _Found:
    rows = vectors[first : first + BLOCK]
    cosines = rows @ vectors[start : start + TILE].T
    if start < first + len(rows):
        cosines[np.tril_indices(len(rows), first - start, cosines.shape[1])] = -1
    # Half a unit of the rounding below, so that equality with the threshold counts.
    found = cosines >= threshold - 0.5 / MILLIONTHS
    if crowding is not None:
        _thin_out(cosines, found, first, start, crowding)
    i, j = np.nonzero(found)
    return _Found(first + i, start + j, _millionths(cosines[i, j]))


def _thin_out(cosines: Vectors, found: Flags, first: int, start: int, crowding: Crowding) -> None:
    """Leave in each row of `found` the nearest of each kind, as many as it may keep in all."""
    crowded = np.flatnonzero(np.count_nonzero(found, axis=1) > crowding.places)
    if not len(crowded):
        return
    columns = np.arange(found.shape[1])
    loud = crowding.is_loud(first + crowded[:, np.newaxis], start + columns[np.newaxis, :])
    # One number that orders by nearness, then by column: equal cosines have one order as well.
    nearness = _millionths(cosines[crowded]) * len(columns) - columns
    matches = found[crowded]
    found[crowded] = _nearest(nearness, matches & loud, crowding.places) | _nearest(
        nearness, matches & ~loud, crowding.places
    )


def _nearest(nearness: Integers, matches: Flags, places: int) -> Flags:
    if matches.shape[1] <= places:
        return matches
    ranked = np.where(matches, nearness, np.iinfo(np.int64).min)
    nearest = np.argpartition(ranked, -places, axis=1)[:, -places:]
    kept = np.zeros_like(matches)
    np.put_along_axis(kept, nearest, values=True, axis=1)
    return kept & matches


def _in_order(found: _Found, crowding: Crowding | None) -> _Found:
    """Sort by row and nearness; of the rows that have many, each kind by itself, cut to size."""
    quiet = np.zeros(len(found.i), np.bool_)
    if crowding is not None and len(found.i):
        crowded = np.flatnonzero((np.bincount(found.i) >= crowding.places)[found.i])
        if len(crowded):
            quiet[crowded] = ~crowding.is_loud(found.i[crowded], found.j[crowded])
    order = np.lexsort((found.j, -found.cosines, quiet, found.i))
    found, quiet = found.taken(order), quiet[order]
    if crowding is None:
        return found
    groups = found.i * 2 + quiet
    rank = np.arange(len(groups)) - np.searchsorted(groups, groups)
    return found.taken(np.flatnonzero(rank < crowding.places))


def _millionths(cosines: Vectors) -> Integers:
    return np.rint(cosines.astype(np.float64) * MILLIONTHS).astype(np.int64)
