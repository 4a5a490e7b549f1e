"""Measures how often the intervals of agreement cover the truth, and how long a report takes.

python -m benchmarks.agreement [--tables 200] [--seed 1]

Each case is a population of items whose true agreement is known: reviewers read a true category
and slip with some probability. From each case many tables are drawn, and each coefficient is
computed from each table as a report does, with the fewest resamples that any page uses. Coverage
counts the tables that got an interval. The program ends with 1 if a case is below 0.9, or if the
figures of a large round cost more than they may.
"""

import argparse
import itertools
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from multiprocessing import Pool
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.fresh_site import report
from common.estimates import Estimate
from review.figures.agreement import fleiss_kappa, gwet_ac1, krippendorff_alpha
from review.figures.stages import StageInput, stage_figures
from review.outcomes import make_tally

PANELS = ((2, 2), (2, 3), (3, 3), (5, 2), (2, 6), (3, 6), (5, 6))
"""(reviewers, categories)"""
BOTH_ALPHAS = (3, 3)
TOP_SHARES = (None, 0.8, 0.95)
ERRORS = (None, 0.3, 0.1, 0.03, 0.01)
ITEMS = (10, 30, 100, 500)
RATINGS = 6
RESAMPLES = 400
FACTORIALS = np.cumprod([1, 1, 2, 3, 4, 5])
LEAST_COVERAGE = 0.9
LEAST_GIVEN = 0.15
MORE_TABLES = 10
FEW, MANY, JUDGEMENTS = 1_000, 100_000, 2
MOST_MS, MOST_RATIO = 500, 10

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Measure = Callable[[Ints, Ints, int], Estimate]
"""(patterns, weights, resamples) -> estimate"""


class Population(NamedTuple):
    """Reviewers of one kind of item.

    `top` is the share of the most frequent category (None: all are equally frequent), `error`
    the probability that a reviewer slips (None: they choose without looking at the item). In a
    slip among `RATINGS` steps a reviewer is one step off; otherwise any other category is as likely.
    """

    reviewers: int
    categories: int
    top: float | None
    error: float | None


class Case(NamedTuple):
    """One population, one number of items and one coefficient."""

    population: Population
    items: int
    coefficient: str


class Coverage(NamedTuple):
    """The results of one case's tables; `defined` had a value, `given` an interval."""

    case: Case
    drawn: int
    defined: int
    given: int
    covered: int
    width: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    work = [(case, options.tables, options.seed) for case in cases()]
    with Pool(min(2, os.cpu_count() or 1)) as pool:
        found = pool.starmap(coverage, work, chunksize=8)
    return max(report_coverage(found), report_time())


def cases() -> Iterator[Case]:
    for panel, top, error in itertools.product(PANELS, TOP_SHARES, ERRORS):
        population = Population(*panel, top, error)
        for items in ITEMS:
            for name in coefficients(population):
                yield Case(population, items, name)


def coefficients(population: Population) -> dict[str, Measure]:
    """Return the coefficients; verdicts are names and ratings are steps, as in a report.

    Nominal alpha is kappa with a small correction, so it is measured for one panel only.
    """

    def kappa(rows: Ints, weights: Ints, resamples: int) -> Estimate:
        return fleiss_kappa(rows, weights, panel_size=population.reviewers, resamples=resamples)

    def nominal(rows: Ints, weights: Ints, resamples: int) -> Estimate:
        return krippendorff_alpha(rows, weights, level="nominal", resamples=resamples)

    def ordinal(rows: Ints, weights: Ints, resamples: int) -> Estimate:
        return krippendorff_alpha(rows, weights, level="ordinal", resamples=resamples)

    def ac1(rows: Ints, weights: Ints, resamples: int) -> Estimate:
        return gwet_ac1(rows, weights, resamples=resamples)

    if population.categories == RATINGS:
        return {"alpha_ordinal": ordinal}
    verdicts: dict[str, Measure] = {"fleiss_kappa": kappa, "gwet_ac1": ac1}
    if population[:2] == BOTH_ALPHAS:
        verdicts["alpha_nominal"] = nominal
    return verdicts


def coverage(case: Case, tables: int, seed: int) -> Coverage:
    """Draw tables and count the intervals that cover the truth.

    Equal tables are computed once, so where few differ more of them are drawn for the same time.
    """
    patterns, shares = distribution(case.population)
    measure = coefficients(case.population)[case.coefficient]
    truth = true_value(measure, patterns, shares)
    generator = np.random.default_rng([seed, case.items])
    drawn = generator.multinomial(case.items, shares, size=MORE_TABLES * tables)
    if len(np.unique(drawn, axis=0)) > 2 * tables:
        drawn = drawn[:tables]
    distinct, times = np.unique(drawn, axis=0, return_counts=True)
    defined = given = covered = 0
    width = 0.0
    for weights, n in zip(distinct, times.tolist(), strict=True):
        seen = weights > 0
        estimate = measure(patterns[seen], weights[seen], RESAMPLES)
        defined += n * (estimate.value is not None)
        if estimate.low is None or estimate.high is None:
            continue
        given += n
        width += n * (estimate.high - estimate.low)
        covered += n * (estimate.low - 1e-9 <= truth <= estimate.high + 1e-9)
    return Coverage(case, len(drawn), defined, given, covered, width)


@cache
def distribution(population: Population) -> tuple[Ints, Floats]:
    """Return every possible pattern of an item's ratings, and its probability."""
    size, categories = population.reviewers, population.categories
    answers = itertools.combinations_with_replacement(range(categories), size)
    patterns = np.array([np.bincount(each, minlength=categories) for each in answers])
    ways = math.factorial(size) / FACTORIALS[patterns].prod(axis=1)
    prevalence = category_shares(population)
    if population.error is None:
        return patterns, normal(ways * np.prod(prevalence**patterns, axis=1))
    chances = choice_chances(population)
    each = [ways * np.prod(chances[true] ** patterns, axis=1) for true in range(categories)]
    return patterns, normal(prevalence @ np.array(each))


def category_shares(population: Population) -> Floats:
    """Return the shares of the categories: the last is the most frequent, each before it half."""
    if population.top is None:
        return np.full(population.categories, 1 / population.categories)
    others = normal(0.5 ** np.arange(population.categories - 1, 0, -1))
    return np.append((1 - population.top) * others, population.top)


def choice_chances(population: Population) -> Floats:
    """Return the probability of each choice (column) for each true category (row)."""
    size, error = population.categories, population.error or 0.0
    distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    slips = (distance == 1 if size == RATINGS else distance > 0).astype(float)
    chances: Floats = error * slips / slips.sum(axis=1, keepdims=True) + (1 - error) * np.eye(size)
    return chances


def normal(values: npt.NDArray[np.floating[Any]]) -> Floats:
    shares: Floats = np.asarray(values, dtype=np.float64) / values.sum()
    return shares


def true_value(measure: Measure, patterns: Ints, shares: Floats) -> float:
    """Return the coefficient of a thousand million items in exactly these shares."""
    weights = np.rint(shares * 1e9).astype(np.int64)
    value = measure(patterns, weights, 0).value
    if value is None:
        raise ValueError("the coefficient of the population is not defined")
    return value


def report_coverage(found: Sequence[Coverage]) -> int:
    status = 0
    for name, items in itertools.product(dict.fromkeys(f.case.coefficient for f in found), ITEMS):
        group = [f for f in found if (f.case.coefficient, f.case.items) == (name, items)]
        status = max(status, report_group(f"{name}_{items}_items", group))
    return status


def report_group(name: str, group: Sequence[Coverage]) -> int:
    """Print four figures; return 1 if a case that often has an interval covers too rarely."""
    judged = [each for each in group if each.given >= LEAST_GIVEN * each.drawn]
    shares = [each.covered / each.given for each in judged]
    given = sum(each.given for each in group)
    _figure(f"{name}_lowest_coverage", min(shares), "share", len(judged))
    _figure(f"{name}_mean_coverage", float(np.mean(shares)), "share", len(judged))
    _figure(f"{name}_share_given", given / sum(f.defined for f in group), "share", given)
    _figure(f"{name}_mean_width", sum(f.width for f in group) / given, "", given)
    bad = [each for each in judged if each.covered < LEAST_COVERAGE * each.given]
    for each in bad:
        print(f"{each.covered} of {each.given} intervals hold: {each.case}", file=sys.stderr)
    return int(bool(bad))


def report_time() -> int:
    """Print the time of a round's figures at two sizes; return 1 if the large one costs too much."""
    few, many = (milliseconds(items) for items in (FEW, MANY))
    _figure("stage_figures_few", few, "ms", FEW)
    _figure("stage_figures_many", many, "ms", MANY)
    _figure("stage_figures_ratio", many / few, "", MANY // FEW)
    return int(many > MOST_MS or many / few > MOST_RATIO)


def milliseconds(items: int) -> float:
    """Return the fastest of three runs on `items` items that agree about as often as people do."""
    stage = StageInput(JUDGEMENTS, items // 2, tallies(items))
    taken = []
    for _run in range(3):
        started = time.perf_counter()
        stage_figures(stage)
        taken.append(time.perf_counter() - started)
    return 1000 * min(taken)


def tallies(items: int) -> Counter[str]:
    generator = np.random.default_rng(4)
    steps = generator.integers(1, 5, size=(items, 1, 2)) + generator.integers(
        -1, 2, size=(items, JUDGEMENTS, 2)
    )
    letters = generator.choice(list("AAAAER"), size=(items, JUDGEMENTS))
    letters[generator.random(items) < 0.6] = "A"
    return Counter(
        make_tally([f"{letter}{a}{b}" for letter, (a, b) in zip(*judged, strict=True)])
        for judged in zip(letters.tolist(), steps.tolist(), strict=True)
    )


def _figure(name: str, value: float, unit: str, n: int) -> None:
    name = f"agreement.{name}"
    report(name, value, unit, n)


if __name__ == "__main__":
    sys.exit(main())
