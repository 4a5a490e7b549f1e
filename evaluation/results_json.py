"""The figures of a run as plain JSON values, the same for the API and the commands."""

from typing import Any

from evaluation.queries.results import RunResults, RunSubject
from evaluation.result_files import method_json


def results_json(results: RunResults) -> dict[str, Any]:
    """Counts, random baseline and every method's figures; subjects by slug; no text of any item."""
    return {
        "items": results.item_count,
        "questions": results.question_count,
        "answered": results.answered,
        "failed": results.failed,
        "random_baseline": results.baseline,
        "without_category": list(results.without_category),
        "subjects": [_subject_json(subject) for subject in results.subjects],
        "methods": {metrics.scorer.name: method_json(metrics) for metrics in results.methods},
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
