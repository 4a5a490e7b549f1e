"""Metrics: what the outcomes of scored responses amount to, with intervals."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev
from typing import Literal, get_args

from evaluation.scorers.base import Extraction, Failure

Outcome = Literal["correct", "knowledge_error", "no_answer", "several_answers", "repeater"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
CONFIDENCE = 0.95


class CategoryMismatchError(Exception):
    """Subjects and categories don't fit each other; names every subject concerned.

    without_category: subjects with responses that no category holds
    without_responses: subjects of a category that have no response
    """

    def __init__(self, without_category: Iterable[str], without_responses: Iterable[str]) -> None:
        self.without_category = tuple(sorted(without_category))
        self.without_responses = tuple(sorted(without_responses))
        super().__init__(self.without_category, self.without_responses)


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares in 0…1: RR = valid / n, ACC = correct / n, CA = correct / valid (0 if none is)."""

    response_rate: float
    accuracy: float
    conditional_accuracy: float


@dataclass(frozen=True, slots=True)
class Tally:
    """How many responses had each outcome; valid ones are the correct and the knowledge errors."""

    correct: int = 0
    knowledge_error: int = 0
    no_answer: int = 0
    several_answers: int = 0
    repeater: int = 0

    @property
    def n(self) -> int:
        return self.valid + self.no_answer + self.several_answers + self.repeater

    @property
    def valid(self) -> int:
        return self.correct + self.knowledge_error

    @property
    def rates(self) -> Rates:
        return Rates(
            response_rate=_share(self.valid, self.n),
            accuracy=_share(self.correct, self.n),
            conditional_accuracy=_share(self.correct, self.valid),
        )

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(*(getattr(self, name) + getattr(other, name) for name in OUTCOMES))


@dataclass(frozen=True, slots=True)
class SubjectMetrics:
    """One subject's counts and rates, with the Wilson interval of its accuracy."""

    subject: str
    tally: Tally
    rates: Rates
    accuracy_interval: Interval


@dataclass(frozen=True, slots=True)
class GroupMetrics:
    """Several subjects together.

    unweighted: mean of the subjects' rates, every subject alike (what TLUE prints)
    item_weighted: rates of all items pooled, so that ACC = RR × CA holds
    accuracy_interval: Wilson interval of the item-weighted accuracy
    """

    name: str
    subject_count: int
    tally: Tally
    unweighted: Rates
    item_weighted: Rates
    accuracy_interval: Interval


@dataclass(frozen=True, slots=True)
class Summary:
    """All metrics of one scorer over one set of responses; subjects and categories by name."""

    subjects: tuple[SubjectMetrics, ...]
    categories: tuple[GroupMetrics, ...]
    overall: GroupMetrics


@dataclass(frozen=True, slots=True)
class EpochSummary:
    """k accuracies of the same model: mean, sample standard deviation, t interval of the mean.

    One epoch has neither deviation nor interval: both are None, never 0.
    """

    epoch_count: int
    mean: float
    standard_deviation: float | None
    interval: Interval | None


def outcome_of(extraction: Extraction, *, is_correct: bool) -> Outcome:
    """The failure of an extraction without an answer, else whether the answer is the key."""
    failure: Failure | None = extraction.failure
    if failure is not None:
        return failure
    return "correct" if is_correct else "knowledge_error"


def summarise(tallies: Mapping[str, Tally], categories: Mapping[str, str] | None = None) -> Summary:
    """Metrics per subject, per category (when `categories` maps subject → category) and overall.

    No subject is ever left out. Raises CategoryMismatchError when a subject is in no category or
    a category names a subject without responses, ValueError when there is no subject.
    """
    if not tallies:
        raise ValueError("no subject")
    subjects = tuple(_subject_metrics(name, tallies[name]) for name in sorted(tallies))
    return Summary(
        subjects=subjects,
        categories=_category_metrics(subjects, categories) if categories is not None else (),
        overall=_group_metrics("overall", subjects),
    )


def random_baseline(item_counts: Mapping[int, int]) -> float:
    """Expected accuracy of blind choice: the mean of 1 / option count over the items.

    `item_counts` maps option count → number of items. Raises ValueError without items.
    """
    n = sum(item_counts.values())
    if not n:
        raise ValueError("no item")
    return math.fsum(count / options for options, count in item_counts.items()) / n


def summarise_epochs(
    accuracies: Sequence[float], *, confidence: float = CONFIDENCE
) -> EpochSummary:
    """Mean ± t · SD / √k over k independent epochs, SD with k − 1, t with k − 1 degrees of freedom.

    Covers how much the model varies from run to run, not the choice of items.
    Raises ValueError for no epoch.
    """
    if not accuracies:
        raise ValueError("no epoch")
    k, mean = len(accuracies), fmean(accuracies)
    if k == 1:
        return EpochSummary(1, mean, None, None)
    deviation = stdev(accuracies)
    half = t_quantile((1 + confidence) / 2, k - 1) * deviation / math.sqrt(k)
    return EpochSummary(k, mean, deviation, Interval(mean - half, mean + half))


def wilson_interval(successes: int, n: int, *, confidence: float = CONFIDENCE) -> Interval:
    """Score interval of a binomial proportion (Wilson 1927); 0…1 when n is 0."""
    if n == 0:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, correction = successes / n, z * z / n
    centre = share + correction / 2
    half = z * math.sqrt(share * (1 - share) / n + correction / (4 * n))
    low, high = (centre - half) / (1 + correction), (centre + half) / (1 + correction)
    return Interval(
        low=0.0 if successes == 0 else max(0.0, low),
        high=1.0 if successes == n else min(1.0, high),
    )


def averaged_interval(
    averages: Mapping[tuple[int, int], int], *, confidence: float = CONFIDENCE
) -> Interval:
    """Interval of the accuracy of items that were asked several times: mean ± t · SD / √n.

    `averages` maps (times right, times answered) → items; each item counts once with its share of
    right answers, so n is the number of items and their epochs are not taken for more items.
    Cut to 0…1. Where all shares are equal their spread says nothing: then the Wilson interval of
    n items stands in. Source: Miller 2024, arXiv 2411.00640.
    """
    n = sum(averages.values())
    shares = {pair: pair[0] / pair[1] for pair in averages}
    mean = math.fsum(shares[pair] * count for pair, count in averages.items()) / n if n else 0.0
    squares = math.fsum((shares[pair] - mean) ** 2 * count for pair, count in averages.items())
    if n < 2 or not squares:
        return wilson_interval(round(mean * n), n, confidence=confidence)
    quantile = (1 + confidence) / 2
    # Past some hundred items t and normal differ by less than what is printed.
    times = t_quantile(quantile, n - 1) if n <= 300 else NormalDist().inv_cdf(quantile)
    half = times * math.sqrt(squares / (n - 1) / n)
    return Interval(max(0.0, mean - half), min(1.0, mean + half))


def t_quantile(probability: float, degrees: int) -> float:
    """Quantile of Student's t for a whole number of degrees of freedom, by bisection.

    `probability` lies in 0.5…1 (exclusive). Raises ValueError outside.
    """
    if not 0.5 <= probability < 1 or degrees < 1:
        raise ValueError((probability, degrees))
    low, high = 0.0, 1.0
    while t_distribution(high, degrees) < probability:
        low, high = high, high * 2
    for _ in range(100):
        middle = (low + high) / 2
        if t_distribution(middle, degrees) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def t_distribution(t: float, degrees: int) -> float:
    """P(T ≤ t) of Student's t for t ≥ 0: the series of Abramowitz and Stegun 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(degrees))
    squared_cosine = math.cos(angle) ** 2
    is_odd = degrees % 2
    term = math.cos(angle) if is_odd else 1.0
    series = 0.0
    for k in range(1 + is_odd, degrees, 2):
        series += term
        term *= squared_cosine * k / (k + 1)
    within = math.sin(angle) * series
    return 0.5 + (math.pi**-1 * (angle + within) if is_odd else within / 2)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _subject_metrics(subject: str, tally: Tally) -> SubjectMetrics:
    return SubjectMetrics(subject, tally, tally.rates, wilson_interval(tally.correct, tally.n))


def _category_metrics(
    subjects: Sequence[SubjectMetrics], categories: Mapping[str, str]
) -> tuple[GroupMetrics, ...]:
    names = {metrics.subject for metrics in subjects}
    if names != categories.keys():
        raise CategoryMismatchError(names - categories.keys(), categories.keys() - names)
    members: dict[str, list[SubjectMetrics]] = {}
    for metrics in subjects:
        members.setdefault(categories[metrics.subject], []).append(metrics)
    return tuple(_group_metrics(name, members[name]) for name in sorted(members))


def _group_metrics(name: str, subjects: Sequence[SubjectMetrics]) -> GroupMetrics:
    tally = sum((metrics.tally for metrics in subjects), start=Tally())
    return GroupMetrics(
        name=name,
        subject_count=len(subjects),
        tally=tally,
        unweighted=_mean_rates([metrics.rates for metrics in subjects]),
        item_weighted=tally.rates,
        accuracy_interval=wilson_interval(tally.correct, tally.n),
    )


def _mean_rates(rates: Sequence[Rates]) -> Rates:
    return Rates(
        response_rate=fmean(rate.response_rate for rate in rates),
        accuracy=fmean(rate.accuracy for rate in rates),
        conditional_accuracy=fmean(rate.conditional_accuracy for rate in rates),
    )
