"""The results of a run as JSON values, for the API and the commands."""

from dataclasses import asdict
from typing import Any

from evaluation.results.queries.figures import Coverage, RunResults, RunSubject
from evaluation.results.queries.usage import Usage
from scoring.result_files import interval_json, method_json


def results_json(results: RunResults) -> dict[str, Any]:
    """Return counts, the random baseline and the figures of every method, without text of items.

    The headline method is the first of `methods`. `coverage` has the version that the figures of
    each method use, and the number of answers that this version has scored. `answers` says how the
    answers ended, under which model names they came, and what failed. `subjects` and
    `random_baseline` are about items with options, `numbers` about items that a number answers,
    `texts` about open-ended ones, `translations` about those that ask for a translation, whose scores
    `translation_rows` has.
    """
    return {
        "items": results.item_count,
        "left_out": results.left_out,
        "questions": results.question_count,
        "reading": results.report.reading,
        "answered": results.answered,
        "failed": results.failed,
        "reused": results.usage.reused,
        "usage": usage_json(results.usage),
        "answers": _kinds_json(results),
        "random_baseline": results.baseline,
        "without_category": list(results.without_category),
        "subjects": [_subject_json(subject) for subject in results.subjects],
        "numbers": [_subject_json(subject) for subject in results.numbers],
        "texts": [_subject_json(subject) for subject in results.texts],
        "translations": [_subject_json(subject) for subject in results.translations],
        "interval": interval_json(),
        "coverage": [_coverage_json(one) for one in results.coverage],
        "error_kinds": {
            method: {cause or "unknown": count for cause, count in sorted(found.items())}
            for method, found in results.causes.items()
        },
        "differences": [asdict(one) for one in results.differences],
        "methods": {metrics.scorer.name: method_json(metrics) for metrics in results.methods},
    }


def usage_json(usage: Usage) -> dict[str, Any]:
    """Return what the answers took; `price` is text, in US dollars, or None if it is not known."""
    return {**asdict(usage), "price": None if usage.price is None else str(usage.price)}


def _kinds_json(results: RunResults) -> dict[str, Any]:
    """Return counts by name; `model_failures` are among the answers, `endpoint_failures` are not."""
    kinds = results.kinds
    return {
        "empty": kinds.empty,
        "only_reasoning": kinds.only_reasoning,
        "finish_reasons": dict(kinds.finish_reasons),
        "models": dict(kinds.models),
        "other_models": dict(results.other_models),
        "model_failures": dict(kinds.faults),
        "endpoint_failures": dict(kinds.failures),
    }


def _coverage_json(one: Coverage) -> dict[str, Any]:
    return {
        "method": one.method,
        "is_complete": one.is_complete,
        "answers": one.answers,
        "version": None if one.version is None else str(one.version),
        "read": one.read,
        "newest_version": str(one.newest_version),
        "newest_read": one.newest_read,
    }


def _subject_json(subject: RunSubject) -> dict[str, Any]:
    return {
        "subject": subject.slug,
        "name": subject.name,
        "category": subject.category,
        "items": subject.item_count,
        "answered": subject.answered,
        "failed": subject.failed,
        "random_baseline": subject.baseline,
    }
