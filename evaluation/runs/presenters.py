"""What the page of a run shows of its figures."""

from functools import partial

from evaluation.audits.queries import method_accuracies
from evaluation.models import Run
from evaluation.queries import subjects_short_of_shots
from evaluation.results.actions import further_methods
from evaluation.results.csv_files import run_files
from evaluation.results.labels import (
    answer_notes,
    cause_rows,
    coverage_text,
    difference_text,
    endpoint_failures,
    finish_reasons,
    method_texts,
    model_failures,
)
from evaluation.results.queries.figures import RunResults, run_results
from evaluation.results.tables import method_table
from evaluation.translation.presenters import translation_context
from scoring.scorers import RUN_METHODS


def figures_context(run: Run, method: str) -> dict[str, object]:
    """Return the context of the figures in `evaluation/runs/run.html`, with the table of a method."""
    results = run_results(run)
    table = method_table(results, method)
    return {
        "results": results,
        "gaps": _gaps(run, results),
        "can_score": any(gap.method in RUN_METHODS for gap in results.gaps),
        "notes": answer_notes(results),
        "finish_reasons": finish_reasons(results),
        "model_failures": model_failures(results),
        "endpoint_failures": endpoint_failures(results),
        "differences": [(difference_text(one), one) for one in results.differences],
        "table": table,
        "causes": cause_rows(results, table.name) if table else [],
        "files": [name for name, _text in run_files(results)],
        "short_subjects": subjects_short_of_shots(run),
        **_methods_context(run, results),
        **translation_context(run),
    }


def _methods_context(run: Run, results: RunResults) -> dict[str, object]:
    """The methods with their figures and what audits say of them, and those that have not scored."""
    audited = method_accuracies(run)
    texts = partial(method_texts, is_published=run.is_published)
    return {
        "methods": [
            (texts(one.scorer.name), one, audited.get(one.scorer.name)) for one in results.methods
        ],
        "is_audited": bool(audited),
        "further_methods": [(name, texts(name)) for name in further_methods(run)],
    }


def _gaps(run: Run, results: RunResults) -> list[str]:
    """Say what the figures leave out; while a run is in progress, that excludes its last answers."""
    is_old = [one for one in results.gaps if one.version not in {None, one.newest_version}]
    shown = results.gaps if run.job.has_ended else is_old
    return [coverage_text(one) for one in shown if one.answers]
