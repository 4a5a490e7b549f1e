"""Metrics of scored responses: response rate, accuracy and conditional accuracy, with intervals."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Literal, get_args

from common.intervals import CONFIDENCE, Interval, repeated_wilson_interval, wilson_interval
from scoring.pairs import t_quantile
from scoring.scorers.base import Extraction, Failure

Outcome = Literal["correct", "knowledge_error", "no_answer", "several_answers", "repeater"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

# The name of the accuracy interval in files and the API; see common.intervals.
INTERVAL_METHOD = "wilson_effective_n"

# (times right, times answered) → number of items
Repeats = Mapping[tuple[int, int], int]


class CategoryMismatchError(Exception):
    """Subjects and categories don't match.

    without_category: subjects with responses that are in no category
    without_responses: subjects of a category that have no responses
    """

    def __init__(self, without_category: Iterable[str], without_responses: Iterable[str]) -> None:
        self.without_category = tuple(sorted(without_category))
        self.without_responses = tuple(sorted(without_responses))
        super().__init__(self.without_category, self.without_responses)


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares in 0…1: RR = valid / n, ACC = correct / n, CA = correct / valid (0 if none is)."""

    response_rate: float
    accuracy: float
    conditional_accuracy: float


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of responses with each outcome; correct ones and knowledge errors are valid."""

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
    """Counts and rates of one subject, with the interval of its accuracy over items."""

    subject: str
    tally: Tally
    rates: Rates
    accuracy_interval: Interval


@dataclass(frozen=True, slots=True)
class GroupMetrics:
    """Several subjects together.

    unweighted: mean of the subjects' rates, as TLUE prints it
    item_weighted: rates over all items, for which ACC = RR × CA
    accuracy_interval: interval of the item-weighted accuracy over items
    """

    name: str
    subject_count: int
    tally: Tally
    unweighted: Rates
    item_weighted: Rates
    accuracy_interval: Interval


@dataclass(frozen=True, slots=True)
class Summary:
    """All metrics of one scorer over a set of responses; subjects and categories sorted by name."""

    subjects: tuple[SubjectMetrics, ...]
    categories: tuple[GroupMetrics, ...]
    overall: GroupMetrics


@dataclass(frozen=True, slots=True)
class EpochSummary:
    """The accuracy in k epochs: mean, sample standard deviation and t interval of the mean.

    With one epoch, deviation and interval are None, not 0. Epochs that are all the same have no
    interval either: they show that the model repeats itself, not that its accuracy is certain.
    """

    epoch_count: int
    mean: float
    standard_deviation: float | None
    interval: Interval | None


def outcome_of(extraction: Extraction, *, is_correct: bool) -> Outcome:
    """Return the failure of an extraction, or whether its answer is correct."""
    failure: Failure | None = extraction.failure
    if failure is not None:
        return failure
    return "correct" if is_correct else "knowledge_error"


def summarise(
    tallies: Mapping[str, Tally],
    categories: Mapping[str, str] | None = None,
    *,
    repeats: Mapping[str, Repeats] | None = None,
) -> Summary:
    """Return the metrics by subject, by category (if `categories` maps subjects to them) and overall.

    `repeats` says how often the items of each subject were asked and answered correctly. Without
    it, every response counts as an item of its own. All intervals use the same method
    (`repeated_wilson_interval`, which is Wilson's interval if there is one epoch).

    No subject is ever left out. Raises CategoryMismatchError if a subject has no category or a
    category has a subject without responses, and ValueError without subjects.
    """
    if not tallies:
        raise ValueError("no subject")
    subjects = tuple(
        _subject_metrics(name, tallies[name], None if repeats is None else repeats[name])
        for name in sorted(tallies)
    )
    groups = _members(subjects, categories) if categories is not None else {}
    return Summary(
        subjects=subjects,
        categories=tuple(_group_metrics(name, groups[name], repeats) for name in sorted(groups)),
        overall=_group_metrics("overall", subjects, repeats),
    )


def random_baseline(item_counts: Mapping[int, int]) -> float:
    """Return the accuracy of random guessing: the mean of 1 / option count over the items.

    `item_counts` maps option counts to numbers of items. Raises ValueError without items.
    """
    n = sum(item_counts.values())
    if not n:
        raise ValueError("no item")
    return math.fsum(count / options for options, count in item_counts.items()) / n


def summarise_epochs(
    accuracies: Sequence[float], *, confidence: float = CONFIDENCE
) -> EpochSummary:
    """Return mean ± t · SD / √k over k independent epochs; SD and t have k − 1 degrees of freedom.

    The interval covers how much the model varies between epochs, not the choice of items. Raises
    ValueError without epochs.
    """
    if not accuracies:
        raise ValueError("no epoch")
    k, mean = len(accuracies), fmean(accuracies)
    if k == 1:
        return EpochSummary(1, mean, None, None)
    deviation = stdev(accuracies)
    if not deviation:
        return EpochSummary(k, mean, deviation, None)
    half = t_quantile((1 + confidence) / 2, k - 1) * deviation / math.sqrt(k)
    return EpochSummary(k, mean, deviation, Interval(mean - half, mean + half))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _subject_metrics(subject: str, tally: Tally, repeats: Repeats | None) -> SubjectMetrics:
    return SubjectMetrics(subject, tally, tally.rates, _interval(tally, repeats))


def _interval(tally: Tally, repeats: Repeats | None) -> Interval:
    if repeats is None:
        return wilson_interval(tally.correct, tally.n)
    return repeated_wilson_interval(repeats)


def _members(
    subjects: Sequence[SubjectMetrics], categories: Mapping[str, str]
) -> dict[str, list[SubjectMetrics]]:
    """Return the subjects of each category."""
    names = {metrics.subject for metrics in subjects}
    if names != categories.keys():
        raise CategoryMismatchError(names - categories.keys(), categories.keys() - names)
    members: dict[str, list[SubjectMetrics]] = {}
    for metrics in subjects:
        members.setdefault(categories[metrics.subject], []).append(metrics)
    return members


def _group_metrics(
    name: str, subjects: Sequence[SubjectMetrics], repeats: Mapping[str, Repeats] | None
) -> GroupMetrics:
    tally = sum((metrics.tally for metrics in subjects), start=Tally())
    pooled = None if repeats is None else _pooled(repeats[one.subject] for one in subjects)
    return GroupMetrics(
        name=name,
        subject_count=len(subjects),
        tally=tally,
        unweighted=_mean_rates([metrics.rates for metrics in subjects]),
        item_weighted=tally.rates,
        accuracy_interval=_interval(tally, pooled),
    )


def _pooled(repeats: Iterable[Repeats]) -> Repeats:
    pooled: Counter[tuple[int, int]] = Counter()
    for some in repeats:
        pooled.update(some)
    return pooled


def _mean_rates(rates: Sequence[Rates]) -> Rates:
    return Rates(
        response_rate=fmean(rate.response_rate for rate in rates),
        accuracy=fmean(rate.accuracy for rate in rates),
        conditional_accuracy=fmean(rate.conditional_accuracy for rate in rates),
    )
