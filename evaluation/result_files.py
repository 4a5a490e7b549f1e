"""Writing what scorers made of responses: a line each, TLUE's CSV files, all metrics as JSON."""

import csv
import io
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from evaluation.metrics import GroupMetrics, Rates, Summary, Tally
from evaluation.response_files import ResponseRow
from evaluation.scorers.batch import MethodMetrics, ScoredExtraction

RESPONSES_FILE = "responses.jsonl"
METRICS_FILE = "metrics.json"
CATEGORY_FOLDER = "general"
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """What one scoring of a file or folder found; `option_counts` maps count → responses."""

    model: str
    response_count: int
    option_counts: Mapping[int, int]
    random_baseline: float
    methods: tuple[MethodMetrics, ...]


@contextmanager
def staged_folder(output: Path) -> Iterator[Path]:
    """A new folder inside `output` whose files move into `output` together when the block ends.

    Each file appears whole or not at all, replacing an older one of its name; METRICS_FILE moves
    last, so it is there only when all others are. An error in the block leaves `output` as it was.
    """
    output.mkdir(parents=True, exist_ok=True)
    stage = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=output))
    try:
        yield stage
        files = [path for path in stage.rglob("*") if path.is_file()]
        for path in sorted(files, key=lambda path: (path.name == METRICS_FILE, path)):
            target = output / path.relative_to(stage)
            target.parent.mkdir(exist_ok=True)
            path.replace(target)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def response_line(row: ResponseRow, scored: Sequence[ScoredExtraction]) -> str:
    """One JSON line: where the response stands, its key, and per method what was taken and why."""
    scores = ", ".join(map(_score_json, scored))
    return (
        f'{{"file": {_quoted(row.file)}, "row": {row.row}, "uid": {json.dumps(row.uid)},'
        f' "subject": {_quoted(row.subject)}, "epoch": {row.epoch}, "key": {_quoted(row.key)},'
        f' "scores": {{{scores}}}}}\n'
    )


def write_published_files(folder: Path, report: ScoreReport) -> None:
    """The result files under the names and columns of TLUE's scorer, one set a method.

    `<model>_<method>_metrics_results.csv` with a row per subject, and when there are categories
    `general/<model>_<method>_category_averages.csv` with their unweighted means. Rates are
    percentages with two decimals. TLUE averages the already rounded percentages, which can differ
    in the last decimal; these are the means of the exact rates.
    """
    for name, text in published_files(report):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode("utf-8", "backslashreplace"))


def published_files(report: ScoreReport) -> Iterator[tuple[str, str]]:
    """Name (with forward slashes) and text of each file that `write_published_files` writes."""
    for metrics in report.methods:
        prefix = f"{report.model}_{metrics.scorer.published_name}"
        yield f"{prefix}_metrics_results.csv", _csv_text(_subject_rows(metrics.summary))
        if metrics.summary.categories:
            name = f"{CATEGORY_FOLDER}/{prefix}_category_averages.csv"
            yield name, _csv_text(_category_rows(metrics.summary))


def write_metrics(folder: Path, report: ScoreReport) -> None:
    """METRICS_FILE: `report_json` as text."""
    text = json.dumps(report_json(report), ensure_ascii=False, indent=2)
    (folder / METRICS_FILE).write_text(f"{text}\n", encoding="utf-8", errors="backslashreplace")


def report_json(report: ScoreReport) -> dict[str, Any]:
    """The report as plain JSON values; rates are shares in 0…1."""
    return {
        "model": report.model,
        "responses": report.response_count,
        "option_counts": {str(count): n for count, n in report.option_counts.items()},
        "random_baseline": report.random_baseline,
        "methods": {metrics.scorer.name: method_json(metrics) for metrics in report.methods},
    }


@lru_cache(maxsize=1 << 14)
def _score_json(score: ScoredExtraction) -> str:
    extraction = score.extraction
    value = {
        "answer": extraction.answer,
        "letters_seen": list(extraction.letters_seen),
        "outcome": score.outcome,
    }
    return f"{json.dumps(score.method)}: {json.dumps(value)}"


@lru_cache(maxsize=1024)
def _quoted(text: str) -> str:
    return json.dumps(text)


def _subject_rows(summary: Summary) -> Iterator[Sequence[str]]:
    yield "File Name", "Response Rate", "Conditional Accuracy", "Accuracy"
    for metrics in summary.subjects:
        yield metrics.subject, *_percentages(metrics.rates)


def _category_rows(summary: Summary) -> Iterator[Sequence[str]]:
    yield (
        "Category",
        "Response Rate Average",
        "Conditional Accuracy Average",
        "Accuracy Average",
    )
    for group in summary.categories:
        yield group.name, *_percentages(group.unweighted)


def _percentages(rates: Rates) -> tuple[str, str, str]:
    return (
        f"{rates.response_rate:.2%}",
        f"{rates.conditional_accuracy:.2%}",
        f"{rates.accuracy:.2%}",
    )


def _csv_text(rows: Iterator[Sequence[str]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    for name, *cells in rows:
        writer.writerow([f"'{name}" if name.startswith(_FORMULA_STARTS) else name, *cells])
    return text.getvalue()


def method_json(metrics: MethodMetrics) -> dict[str, Any]:
    summary = metrics.summary
    return {
        "version": metrics.version,
        "overall": _group_json(summary.overall),
        "categories": [_group_json(group) for group in summary.categories],
        "subjects": [
            {
                "name": subject.subject,
                **_tally_json(subject.tally),
                **asdict(subject.rates),
                "accuracy_interval": asdict(subject.accuracy_interval),
            }
            for subject in summary.subjects
        ],
        "epochs": asdict(metrics.epochs),
    }


def _group_json(group: GroupMetrics) -> dict[str, Any]:
    return {
        "name": group.name,
        "subjects": group.subject_count,
        **_tally_json(group.tally),
        "unweighted": asdict(group.unweighted),
        "item_weighted": asdict(group.item_weighted),
        "accuracy_interval": asdict(group.accuracy_interval),
    }


def _tally_json(tally: Tally) -> dict[str, Any]:
    return {
        "n": tally.n,
        "valid": tally.valid,
        "correct": tally.correct,
        "error_kinds": {
            "no_answer": tally.no_answer,
            "several_answers": tally.several_answers,
            "repeater": tally.repeater,
            "knowledge_error": tally.knowledge_error,
        },
    }
