"""All pairs of vectors above a threshold, exactly, by blocks that can be done one at a time.

Rows are cut in blocks of `BLOCK`. Block b compares its rows with themselves and with all later
rows, tile by tile, so the blocks together are the upper triangle and no pair is met twice.
Memory beyond the vectors is a few tiles of BLOCK × BLOCK.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from annotation.dedupe.ngrams import Vectors

BLOCK = 1024
Flags = npt.NDArray[np.bool_]


class Match(NamedTuple):
    """Rows `i` < `j` and the cosine of their vectors, rounded to six places, at most 1."""

    i: int
    j: int
    similarity: float


def block_count(rows: int) -> int:
    return -(-rows // BLOCK)


def mine_pairs(
    vectors: Vectors,
    threshold: float,
    *,
    start_block: int = 0,
    on_block: Callable[[int], None] | None = None,
) -> Iterator[Match]:
    """Yield every two rows whose cosine is at least `threshold`, block by block.

    `vectors` is (n, d) with rows of length 1 (or 0: such a row matches nothing). `on_block(b)` is
    called when all of block b has been yielded; going on from `start_block=b + 1` then yields
    exactly the rest. Raise in `on_block` to stop between blocks.
    """
    for block in range(start_block, block_count(len(vectors))):
        yield from mine_block(vectors, threshold, block=block)
        if on_block is not None:
            on_block(block)


def mine_block(
    vectors: Vectors, threshold: float, *, block: int, neighbours: int | None = None
) -> Iterator[Match]:
    """Yield the pairs whose first row lies in `block`, sorted by tile, then row; see above.

    With `neighbours` a row gets only its nearest so many of each tile: thousands of items in one
    frame then cost time in proportion to their number, not to its square.
    Raises ValueError for a threshold that is not in 0..1 (zero excluded).
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold outside 0..1: {threshold}")
    first = block * BLOCK
    rows = vectors[first : first + BLOCK]
    for start in range(first, len(vectors), BLOCK):
        cosines = rows @ vectors[start : start + BLOCK].T
        if start == first:
            cosines[np.tril_indices(len(cosines))] = -1
        # Half a unit of the rounding below, so that equality with the threshold counts.
        found = cosines >= threshold - 5e-7
        if neighbours is not None:
            found = _nearest(cosines, found, neighbours)
        for i, j in zip(*(axis.tolist() for axis in np.nonzero(found)), strict=True):
            yield Match(first + i, start + j, min(1.0, round(float(cosines[i, j]), 6)))


def _nearest(cosines: Vectors, found: Flags, neighbours: int) -> Flags:
    """Leave at most `neighbours` of each row's matches, the nearest."""
    crowded = np.flatnonzero(found.sum(axis=1) > neighbours)
    if not len(crowded):
        return found
    nearest = np.argpartition(-cosines[crowded], neighbours, axis=1)[:, :neighbours]
    kept = found.copy()
    kept[crowded] = False
    kept[crowded[:, np.newaxis], nearest] = True
    return kept
