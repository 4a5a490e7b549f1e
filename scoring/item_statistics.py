"""What the answers of several models say about each item: classical item analysis.

The terms are those of classical test theory (Crocker and Algina 1986, "Introduction to Classical
and Modern Test Theory", chapter 14). The unit is the model: epochs, prompts and further runs of
one model are averaged first, because they are not independent of each other. A share over models is
therefore a mean of the models' shares.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STRONG_SHARE = 0.5
FEWEST_STRONG = 2
FEWEST_MODELS = 3
"""With fewer models, a correlation over models says nothing."""
NONE = -1
"""In place of an option: the answer has none, or there is no answer."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Answers:
    """What respondents made of items; a respondent is one epoch of one run.

    right: 1 or 0 for each (respondent, item), NaN where there is no answer
    chosen: the place of the chosen option, NONE where the answer has none or there is no answer
    models, runs, prompts: the number of each respondent's model, run and prompt
    """

    right: Floats
    chosen: NDArray[np.int16]
    models: NDArray[np.int64]
    runs: NDArray[np.int64]
    prompts: NDArray[np.int64]

    @property
    def model_count(self) -> int:
        return len(np.unique(self.models))


@dataclass(frozen=True, slots=True)
class ItemStatistics:
    """The figures of one item; shares are between 0 and 1.

    answers: the answers that count; models: how many models gave them
    difficulty: the share of right answers, so that a hard item has a low one
    discrimination: corrected point-biserial, the correlation over models with the share of right
        answers to the other items; None with fewer than FEWEST_MODELS models, or if either is constant
    chosen: the share of each option over all models; strong_chosen: over the strong models
    strong: how many models are strong: the better half, by their answers to the other items
    strong_agree: how many of them choose the option that most of them choose, `strong_choice`
    epoch_runs: runs with several epochs; epoch_flips: the share of these that were both right and
        wrong; None if no run has several epochs
    prompt_spread: over the models with several prompts, the mean difference between their best and
        worst prompt; None if there is none
    """

    answers: int
    models: int
    difficulty: float | None
    discrimination: float | None
    chosen: tuple[float, ...]
    strong_chosen: tuple[float, ...]
    strong: int
    strong_choice: int
    strong_agree: int
    epoch_runs: int
    epoch_flips: float | None
    prompt_spread: float | None


def item_statistics(answers: Answers, option_counts: Sequence[int]) -> list[ItemStatistics]:
    """Return the figures of each item; an item without options has 0 in `option_counts`."""
    means = group_means(answers.right, answers.models)
    rest = rest_scores(means)
    runs, flips = _epoch_flips(answers)
    spreads = _prompt_spreads(answers)
    found = []
    for item, options in enumerate(option_counts):
        known = np.flatnonzero(~np.isnan(means[:, item]))
        strong = _strong(rest[:, item], known)
        shares = _choice_shares(answers, item, options, len(means))
        choice, agree = _vote(shares[strong])
        found.append(
            ItemStatistics(
                answers=int((~np.isnan(answers.right[:, item])).sum()),
                models=len(known),
                difficulty=float(means[known, item].mean()) if len(known) else None,
                discrimination=correlation(means[:, item], rest[:, item]),
                chosen=_mean_shares(shares[known]),
                strong_chosen=_mean_shares(shares[strong]),
                strong=len(strong),
                strong_choice=choice,
                strong_agree=agree,
                epoch_runs=int(runs[item]),
                epoch_flips=_known(flips[item]),
                prompt_spread=_known(spreads[item]),
            )
        )
    return found


def group_means(values: Floats, groups: NDArray[np.int64]) -> Floats:
    """Return the mean of each column over the rows of each group, without NaN; (group, item)."""
    _names, places = np.unique(groups, return_inverse=True)
    count = int(places.max()) + 1 if len(places) else 0
    there = ~np.isnan(values)
    sums, totals = np.zeros((count, values.shape[1])), np.zeros((count, values.shape[1]))
    np.add.at(sums, places, np.where(there, values, 0.0))
    np.add.at(totals, places, there)
    return np.divide(sums, totals, out=np.full_like(sums, np.nan), where=totals > 0)


def rest_scores(values: Floats) -> Floats:
    """Return for each (row, item) the mean of the row's other items; NaN if it has no other."""
    there = ~np.isnan(values)
    known = np.where(there, values, 0.0)
    sums = known.sum(axis=1, keepdims=True) - known
    counts = there.sum(axis=1, keepdims=True) - there
    rest: Floats = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    return rest


def correlation(first: Floats, second: Floats) -> float | None:
    """Pearson's correlation of the pairs without NaN; None if undefined."""
    both = ~(np.isnan(first) | np.isnan(second))
    x, y = first[both], second[both]
    if len(x) < FEWEST_MODELS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.clip(np.corrcoef(x, y)[0, 1], -1.0, 1.0))


def _strong(rest: Floats, known: NDArray[np.int64]) -> NDArray[np.int64]:
    """The better half of the models `known`, by their other items; none if there are too few."""
    count = math.ceil(len(known) * STRONG_SHARE)
    if count < FEWEST_STRONG:
        return known[:0]
    order = np.argsort(-np.nan_to_num(rest[known], nan=-1.0), kind="stable")
    return known[order[:count]]


def _choice_shares(answers: Answers, item: int, options: int, models: int) -> Floats:
    """The share of each model's answers that choose each option; (model, option)."""
    there = ~np.isnan(answers.right[:, item])
    _names, places = np.unique(answers.models, return_inverse=True)
    totals = np.bincount(places[there], minlength=models)
    choices = answers.chosen[:, item]
    counts = np.zeros((models, options))
    read = there & (choices != NONE) & (choices < options)
    np.add.at(counts, (places[read], choices[read]), 1.0)
    return counts / np.maximum(totals, 1)[:, None]


def _vote(shares: Floats) -> tuple[int, int]:
    """The option that most models choose most often, and how many do; the first of equal ones."""
    if not shares.size:
        return NONE, 0
    favourites = shares.argmax(axis=1)[shares.max(axis=1) > 0]
    if not len(favourites):
        return NONE, 0
    counts = np.bincount(favourites)
    return int(counts.argmax()), int(counts.max())


def _mean_shares(shares: Floats) -> tuple[float, ...]:
    return tuple(map(float, shares.mean(axis=0))) if len(shares) else ()


def _epoch_flips(answers: Answers) -> tuple[NDArray[np.int64], Floats]:
    """By item: runs with several answers, and the share of these that were both right and wrong."""
    _names, places = np.unique(answers.runs, return_inverse=True)
    means = group_means(answers.right, answers.runs)
    totals = np.zeros_like(means)
    np.add.at(totals, places, ~np.isnan(answers.right))
    several = totals > 1
    flips = several & (means > 0) & (means < 1)
    runs = several.sum(axis=0)
    shares = np.full(means.shape[1], np.nan)
    return runs, np.divide(flips.sum(axis=0), runs, out=shares, where=runs > 0)


def _prompt_spreads(answers: Answers) -> Floats:
    """By item: over models with several prompts, the mean distance of best and worst prompt."""
    spreads = []
    for model in np.unique(answers.models):
        own = answers.models == model
        prompts = answers.prompts[own]
        if len(np.unique(prompts)) > 1:
            spreads.append(np.ptp(group_means(answers.right[own], prompts), axis=0))
    count = answers.right.shape[1]
    return (
        group_means(np.array(spreads), np.zeros(len(spreads), int))[0]
        if spreads
        else np.full(count, np.nan)
    )


def _known(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)
