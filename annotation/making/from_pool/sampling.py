"""Finds the topics of prompts by their vectors, and draws a sample with good prompts of every topic."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]
BLOCK: Final = 256
ROUNDS: Final = 20


@dataclass(frozen=True, slots=True)
class Topic:
    """Where a prompt stands: its topic, and the group of near-duplicates that it is one of."""

    number: int
    twins: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A prompt that can be drawn. `line` names it, `score` is the sum of its scores."""

    line: int
    topic: int
    twins: int
    score: int


def find_topics(vectors: Vectors, *, most: int, seed: int, threshold: float) -> list[Topic]:
    """Return the topic of each row: as many topics as the root of the number of rows, at most `most`.

    `vectors` is (n, d) with rows of length 1, or 0 for a text without a sign to compare. Rows with a
    cosine of `threshold` or more are near-duplicates, and so are rows that others join. They count
    once, and share their topic.
    """
    if not len(vectors):
        return []
    from scipy.cluster.vq import kmeans2  # only the worker needs it

    twins = _twins(vectors, threshold)
    _, first = np.unique(twins, return_index=True)
    count = max(1, min(most, math.isqrt(len(first))))
    _, topics = kmeans2(vectors[first], count, iter=ROUNDS, minit="++", rng=seed)
    return [Topic(int(topics[group]), int(group)) for group in twins]


def draw(
    candidates: Sequence[Candidate], *, count: int, seed: int, drawn: Sequence[Candidate] = ()
) -> list[Candidate]:
    """Return what fills a sample up to `count`, after what is `drawn` already.

    Topics take turns: first the best of each, then the second best of each. Of near-duplicates only
    the best is drawn, and none of one that is drawn. The seed decides between equal scores.
    """
    taken = {each.twins for each in drawn}
    turns = Counter(each.topic for each in drawn)
    queue: list[tuple[int, Candidate]] = []
    for each in sorted(candidates, key=lambda one: _rank(one, seed)):
        if each.twins not in taken:
            taken.add(each.twins)
            queue.append((turns[each.topic], each))
            turns[each.topic] += 1
    queue.sort(key=lambda turn: turn[0])  # stable: within a turn, the best comes first
    return [each for _turn, each in queue[: max(0, count - len(drawn))]]


def _rank(each: Candidate, seed: int) -> tuple[int, float]:
    return -each.score, Random(f"{seed}:{each.line}").random()


def _twins(vectors: Vectors, threshold: float) -> Numbers:
    """Return the group of each row; rows of length 0 are one group.

    Groups are joined block by block, so the memory is that of BLOCK rows, however many are alike.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(vectors)
    groups = np.arange(count)
    groups[~vectors.any(axis=1)] = np.argmin(vectors.any(axis=1))
    for start in range(0, count, BLOCK):
        rows, others = np.nonzero(vectors[start : start + BLOCK] @ vectors.T >= threshold)
        ends = groups[start + rows], groups[others]
        joined = coo_array((np.ones(len(rows), np.bool_), ends), shape=(count, count))
        groups = connected_components(joined, directed=False)[1][groups]
    return groups
