"""How reliable each reviewer is, from verdicts alone: the model of Dawid and Skene by EM.

A. P. Dawid and A. M. Skene (1979), "Maximum likelihood estimation of observer error-rates using
the EM algorithm", Applied Statistics 28:20-28. Each item has a true class t with prevalence p[t];
reviewer r gives the answer k to items of class t with probability c[r, t, k], independently of
the others. With n[i, r, k] answers,

    E:  q[i, t] ∝ p[t] · Π_r Π_k c[r, t, k] ^ n[i, r, k]
    M:  p[t] ∝ Σ_i q[i, t] + a          c[r, t, k] ∝ Σ_i q[i, t] · n[i, r, k] + s · m[t, k]

`a` = 1 keeps a class that was never chosen from vanishing. The smoothing `s` counts as so many
more answers for each class, given as reviewers on the whole give them (m, the pooled confusion
matrix of the same step): who judged little is taken for an average reviewer. The pool itself has
ANCHOR more answers for each class, 80 % of them right, so that a class that hardly anybody chooses
does not take the place of another one. The start is the
share of each answer among an item's judgements, so that the same table gives the same result;
classes keep their meaning as long as most answers are right.

`accuracy` is Σ_t p[t] · c[r, t, t], the chance that the reviewer names the class of an item of
the project. Its interval is Wilson's for as many judgements as they tell where the classes are
only guessed (Louis 1982, "Finding the observed information matrix when using the EM algorithm",
JRSS B 44:226-233). With w_j = q[i, k], the chance that judgement j of n was right, and a their mean,

    n_eff = n · (1 − mean w (1 − w) / (a (1 − a))).

It takes the other reviewers as known: in simulations 93 to 95 % of the intervals hold the truth
where three or more judge an item, and about 90 % where two do.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from common.intervals import wilson_interval

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SMOOTHING = 4.0
ANCHOR = 10.0
TOLERANCE = 1e-6
MOST_ITERATIONS = 500


@dataclass(frozen=True, slots=True)
class ReviewerReliability:
    """One reviewer: `confusion[t][k]` is the chance of answer k to an item of class t."""

    reviewer: int
    judgements: int
    accuracy: float
    low: float
    high: float
    confusion: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Reliability:
    """The fitted model; `classes[i]` has the chance of each class of item i, in order of items.

    `log_likelihood` is of the answers alone, without the smoothing.
    """

    reviewers: tuple[ReviewerReliability, ...]
    prevalence: tuple[float, ...]
    classes: Floats
    log_likelihood: float
    iterations: int
    is_converged: bool


def fit_reliability(
    items: Sequence[int] | Ints,
    reviewers: Sequence[int] | Ints,
    answers: Sequence[int] | Ints,
    *,
    class_count: int,
    smoothing: float = SMOOTHING,
    most_iterations: int = MOST_ITERATIONS,
) -> Reliability:
    """Fit the model to judgements: `answers[j]` is what `reviewers[j]` said of `items[j]`.

    Answers are 0 to class_count - 1. Iterates until no class's chance for any item moves by more
    than TOLERANCE. Raises ValueError without judgements, or for an answer out of range.
    """
    table = _Table.of(items, reviewers, answers, class_count)
    classes = table.shares()
    iterations, moved = 0, math.inf
    while moved >= TOLERANCE and iterations < most_iterations:
        iterations += 1
        prevalence, confusion = _maximise(table, classes, smoothing)
        updated, log_likelihood = _expect(table, prevalence, confusion)
        moved = float(np.abs(updated - classes).max())
        classes = updated
    prevalence, confusion = _maximise(table, classes, smoothing)
    return Reliability(
        reviewers=_reviewers(table, classes, prevalence, confusion),
        prevalence=tuple(prevalence.tolist()),
        classes=classes,
        log_likelihood=log_likelihood,
        iterations=iterations,
        is_converged=moved < TOLERANCE,
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """Judgements by place: of item, of reviewer, and the answer."""

    item: Ints
    reviewer: Ints
    answer: Ints
    people: Ints
    item_count: int
    class_count: int

    @classmethod
    def of(
        cls,
        items: Sequence[int] | Ints,
        reviewers: Sequence[int] | Ints,
        answers: Sequence[int] | Ints,
        class_count: int,
    ) -> "_Table":
        answer = np.asarray(answers, dtype=np.int64)
        if not len(answer) or answer.min() < 0 or answer.max() >= class_count:
            raise ValueError(f"answers must be whole numbers from 0 to {class_count - 1}")
        known, item = np.unique(np.asarray(items), return_inverse=True)
        people, reviewer = np.unique(np.asarray(reviewers), return_inverse=True)
        return cls(item, reviewer, answer, people, len(known), class_count)

    def shares(self) -> Floats:
        counts = np.zeros((self.item_count, self.class_count))
        np.add.at(counts, (self.item, self.answer), 1.0)
        shares: Floats = counts / counts.sum(axis=1, keepdims=True)
        return shares


def _maximise(table: _Table, classes: Floats, smoothing: float) -> tuple[Floats, Floats]:
    """Give the prevalence and, as (reviewer, class, answer), the confusion of each reviewer."""
    size = table.class_count
    place = table.reviewer * size + table.answer
    length = len(table.people) * size
    weights = classes[table.item]
    counts = np.stack(
        [np.bincount(place, weights=weights[:, t], minlength=length) for t in range(size)], axis=1
    )
    confusion = counts.reshape(len(table.people), size, size).transpose(0, 2, 1)
    right = np.eye(size)
    pooled = confusion.sum(axis=0) + ANCHOR * (0.8 * right + 0.2 * (1 - right) / (size - 1))
    confusion = confusion + smoothing * pooled / pooled.sum(axis=1, keepdims=True)
    # A table without smoothing may have a class that a reviewer never met.
    totals = np.maximum(confusion.sum(axis=2, keepdims=True), np.finfo(float).tiny)
    prevalence = classes.sum(axis=0) + 1.0
    return prevalence / prevalence.sum(), confusion / totals


def _expect(table: _Table, prevalence: Floats, confusion: Floats) -> tuple[Floats, float]:
    """Give the chances of each item's classes, and the log-likelihood of all answers."""
    logs = np.log(np.maximum(confusion, 1e-300))[table.reviewer, :, table.answer]
    joint = np.stack(
        [
            np.bincount(table.item, weights=logs[:, t], minlength=table.item_count)
            for t in range(table.class_count)
        ],
        axis=1,
    ) + np.log(prevalence)
    highest = joint.max(axis=1, keepdims=True)
    chances = np.exp(joint - highest)
    totals = chances.sum(axis=1, keepdims=True)
    return chances / totals, float((highest + np.log(totals)).sum())


def _reviewers(
    table: _Table, classes: Floats, prevalence: Floats, confusion: Floats
) -> tuple[ReviewerReliability, ...]:
    counts = np.bincount(table.reviewer, minlength=len(table.people))
    told = _told(table, classes)
    found = []
    for place, person in enumerate(table.people.tolist()):
        accuracy = math.fsum(prevalence * np.diagonal(confusion[place]))
        n, effective = int(counts[place]), float(told[place])
        interval = wilson_interval(min(accuracy, 1.0) * effective, effective)
        rows = tuple(tuple(row) for row in confusion[place].tolist())
        found.append(ReviewerReliability(person, n, accuracy, interval.low, interval.high, rows))
    return tuple(found)


def _told(table: _Table, classes: Floats) -> Floats:
    """How many judgements of items with known classes would tell as much of each reviewer."""
    size = len(table.people)
    right = classes[table.item, table.answer]
    counts = np.bincount(table.reviewer, minlength=size)
    means = np.bincount(table.reviewer, weights=right, minlength=size) / counts
    doubt = np.bincount(table.reviewer, weights=right * (1 - right), minlength=size)
    spread = counts * means * (1 - means)
    lost = np.divide(doubt, spread, where=spread > 0, out=np.zeros(size))
    told: Floats = counts * np.clip(1 - lost, 0, 1)
    return told
