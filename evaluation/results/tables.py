"""The results of one method of a run as table rows and a chart."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise

from common.charts import Bar, BarChart, horizontal_bars
from common.intervals import Interval
from evaluation.results.labels import method_texts
from evaluation.results.queries.figures import RunResults, RunSubject
from scoring.batch import MethodMetrics
from scoring.metrics import GroupMetrics, Rates, SubjectMetrics, Tally

HUNDRED = 100.0


@dataclass(frozen=True, slots=True)
class SubjectRow:
    """A subject's figures by one method.

    `item_weighted` and `accuracy_interval` are None if no question has an answer.
    """

    slug: str
    name: str
    category: str
    item_count: int
    answered: int
    failed: int
    baseline: float | None
    tally: Tally
    item_weighted: Rates | None
    accuracy_interval: Interval | None


@dataclass(frozen=True, slots=True)
class AccuracyChart:
    """Accuracy in per cent with intervals; `baseline_x` is the position of random guessing."""

    bars: BarChart
    baseline_x: float | None
    is_by_category: bool


@dataclass(frozen=True, slots=True)
class MethodTable:
    """What the page of a run shows about one method."""

    name: str
    label: str | Promise
    rule: str | Promise
    version: str
    metrics: MethodMetrics
    overall: GroupMetrics
    categories: tuple[GroupMetrics, ...]
    subjects: tuple[SubjectRow, ...]
    chart: AccuracyChart

    @property
    def failed(self) -> int:
        """Questions of the items that the method scores which the endpoint did not answer."""
        return sum(row.failed for row in self.subjects)


def method_table(results: RunResults, name: str) -> MethodTable | None:
    """Return the tables of a method, or of the headline method if it has none, or None."""
    if not results.methods:
        return None
    by_name = {metrics.scorer.name: metrics for metrics in results.methods}
    metrics = by_name.get(name, results.methods[0])
    found = {subject.subject: subject for subject in metrics.summary.subjects}
    texts = method_texts(metrics.scorer.name, is_published=results.is_published)
    return MethodTable(
        name=metrics.scorer.name,
        label=texts.label,
        rule=texts.rule,
        version=metrics.version,
        metrics=metrics,
        overall=metrics.summary.overall,
        categories=metrics.summary.categories,
        subjects=tuple(_subject_rows(results.subjects_of(metrics.scorer.name), found)),
        chart=_chart(results, metrics),
    )


def _subject_rows(
    subjects: Iterable[RunSubject], found: Mapping[str, SubjectMetrics]
) -> Iterable[SubjectRow]:
    for subject in subjects:
        metrics = found.get(subject.slug)
        yield SubjectRow(
            slug=subject.slug,
            name=subject.name,
            category=subject.category,
            item_count=subject.item_count,
            answered=subject.answered,
            failed=subject.failed,
            baseline=subject.baseline,
            tally=metrics.tally if metrics else Tally(),
            item_weighted=metrics.rates if metrics else None,
            accuracy_interval=metrics.accuracy_interval if metrics else None,
        )


def _chart(results: RunResults, metrics: MethodMetrics) -> AccuracyChart:
    own = results.subjects_of(metrics.scorer.name)
    names = {subject.slug: subject.name for subject in own}
    groups = metrics.summary.categories
    values = [
        _bar(group.name, group.item_weighted.accuracy, group.accuracy_interval) for group in groups
    ] or [
        _bar(names[one.subject], one.rates.accuracy, one.accuracy_interval)
        for one in metrics.summary.subjects
    ]
    bars = horizontal_bars(values, maximum=HUNDRED, unit="%")
    baseline = results.baseline if own == results.subjects else None
    x = None if baseline is None else round(bars.left + (bars.right - bars.left) * baseline, 1)
    return AccuracyChart(bars, x, is_by_category=bool(groups))


def _bar(label: str, share: float, interval: Interval) -> Bar:
    return Bar(label, HUNDRED * share, HUNDRED * interval.low, HUNDRED * interval.high)
