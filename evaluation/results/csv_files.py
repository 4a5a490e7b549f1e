"""The results of a run as CSV files: all figures in one, and those that TLUE publishes."""

from collections.abc import Iterator
from typing import Any

from common.downloads import csv_lines
from evaluation.results.queries.figures import Coverage, RunResults
from scoring.metrics import INTERVAL_METHOD, GroupMetrics, SubjectMetrics
from scoring.result_files import published_files

FIGURES_FILE = "figures.csv"
COLUMNS = (
    "method",
    "version",
    "answers_read",
    "answers",
    "newest_version",
    "level",
    "name",
    "n",
    "correct",
    "response_rate",
    "accuracy",
    "accuracy_low",
    "accuracy_high",
    "interval_method",
    "reading",
    "conditional_accuracy",
    "accuracy_mean_of_subjects",
)


def run_files(results: RunResults) -> Iterator[tuple[str, str]]:
    """Yield the name (with forward slashes) and text of each CSV file; none without figures."""
    if results.methods:
        yield FIGURES_FILE, results_csv(results)
        yield from published_files(results.report)


def results_csv(results: RunResults) -> str:
    """Return the figures of every method overall, by category and by subject.

    Rates are between 0 and 1. `answers_read` is the number of the run's `answers` that the version
    has scored.
    """
    return "".join(csv_lines(COLUMNS, _rows(results)))


def _rows(results: RunResults) -> Iterator[dict[str, Any]]:
    coverage = {one.method: one for one in results.coverage}
    for metrics in results.methods:
        start = _method_cells(coverage[metrics.scorer.name]) | {"reading": results.report.reading}
        summary = metrics.summary
        yield {**start, "level": "overall", **_group_cells(summary.overall)}
        for group in summary.categories:
            yield {**start, "level": "category", **_group_cells(group)}
        for subject in summary.subjects:
            yield {**start, "level": "subject", **_subject_cells(subject)}


def _method_cells(coverage: Coverage) -> dict[str, Any]:
    return {
        "method": coverage.method,
        "version": coverage.version,
        "answers_read": coverage.read,
        "answers": coverage.answers,
        "newest_version": coverage.newest_version,
        "interval_method": INTERVAL_METHOD,
    }


def _group_cells(group: GroupMetrics) -> dict[str, Any]:
    return {
        "name": group.name,
        "n": group.tally.n,
        "correct": group.tally.correct,
        "response_rate": group.item_weighted.response_rate,
        "accuracy": group.item_weighted.accuracy,
        "accuracy_low": group.accuracy_interval.low,
        "accuracy_high": group.accuracy_interval.high,
        "conditional_accuracy": group.item_weighted.conditional_accuracy,
        "accuracy_mean_of_subjects": group.unweighted.accuracy,
    }


def _subject_cells(subject: SubjectMetrics) -> dict[str, Any]:
    return {
        "name": subject.subject,
        "n": subject.tally.n,
        "correct": subject.tally.correct,
        "response_rate": subject.rates.response_rate,
        "accuracy": subject.rates.accuracy,
        "accuracy_low": subject.accuracy_interval.low,
        "accuracy_high": subject.accuracy_interval.high,
        "conditional_accuracy": subject.rates.conditional_accuracy,
        "accuracy_mean_of_subjects": "",
    }
