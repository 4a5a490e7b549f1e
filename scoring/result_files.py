"""Writes the results of scoring: a line for each response, TLUE's CSV files, metrics as JSON."""

import csv
import io
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from json.encoder import encode_basestring_ascii as _quoted
from pathlib import Path
from typing import Any

from common.csv_cells import defuse
from common.intervals import CONFIDENCE
from scoring.batch import MethodMetrics, ScoredExtraction
from scoring.metrics import INTERVAL_METHOD, GroupMetrics, Rates, Summary, Tally
from scoring.response_rows import RowHead

RESPONSES_FILE = "responses.jsonl"
METRICS_FILE = "metrics.json"
CATEGORY_FOLDER = "general"


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """The results for a file, a folder or a run.

    option_counts: option count → number of responses
    is_published: whether reasoning was removed as the published scorer of TLUE does
    """

    model: str
    response_count: int
    option_counts: Mapping[int, int]
    random_baseline: float
    methods: tuple[MethodMetrics, ...]
    is_published: bool = False

    @property
    def reading(self) -> str:
        return reading_name(is_published=self.is_published)


def reading_name(*, is_published: bool) -> str:
    """Return the name in files and the API of how reasoning was removed."""
    return "published" if is_published else "lotsawa"


@contextmanager
def staged_folder(output: Path) -> Iterator[Path]:
    """Create a folder inside `output`, and move its files into `output` when the block ends.

    Files replace older files of the same name and are never incomplete. METRICS_FILE moves last,
    so all other files exist if it does. If the block raises an error, `output` does not change.
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


class ResponseLines:
    """The JSON lines of responses with the same head and the same scores.

    A line has the place of the response, its key, and the extraction and outcome of each method.
    """

    __slots__ = ("_end", "_start")

    def __init__(self, head: RowHead, scored: tuple[ScoredExtraction, ...]) -> None:
        self._start = f'{{"file": {_quoted(head.file)}, "row": '
        self._end = (
            f', "subject": {_quoted(head.subject)}, "epoch": {head.epoch},'
            f' "key": {_quoted(head.key)}, "scores": {{{_scores_json(scored)}}}}}\n'
        )

    def line(self, row: int, uid: str | None) -> str:
        return f'{self._start}{row}, "uid": {"null" if uid is None else _quoted(uid)}{self._end}'


def write_published_files(folder: Path, report: ScoreReport) -> None:
    """Write the result files of each method with the names and columns of TLUE's scorer.

    `<model>_<method>_metrics_results.csv` has a row for each subject. If there are categories,
    `general/<model>_<method>_category_averages.csv` has their unweighted means. Rates are
    percentages with two decimals. TLUE averages rounded percentages; these are the means of the
    exact rates, so the last decimal can differ.
    """
    for name, text in published_files(report):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode("utf-8", "backslashreplace"))


def published_files(report: ScoreReport) -> Iterator[tuple[str, str]]:
    """Yield the name (with forward slashes) and text of each file of `write_published_files`."""
    for metrics in report.methods:
        prefix = f"{report.model}_{metrics.scorer.published_name}"
        yield f"{prefix}_metrics_results.csv", _csv_text(_subject_rows(metrics.summary))
        if metrics.summary.categories:
            name = f"{CATEGORY_FOLDER}/{prefix}_category_averages.csv"
            yield name, _csv_text(_category_rows(metrics.summary))


def write_metrics(folder: Path, report: ScoreReport) -> None:
    """Write METRICS_FILE, which is `report_json` as text."""
    text = json.dumps(report_json(report), ensure_ascii=False, indent=2)
    (folder / METRICS_FILE).write_text(f"{text}\n", encoding="utf-8", errors="backslashreplace")


def report_json(report: ScoreReport) -> dict[str, Any]:
    """Return the report as JSON values; rates are between 0 and 1."""
    return {
        "model": report.model,
        "responses": report.response_count,
        "reading": report.reading,
        "option_counts": {str(count): n for count, n in report.option_counts.items()},
        "random_baseline": report.random_baseline,
        "interval": interval_json(),
        "methods": {metrics.scorer.name: method_json(metrics) for metrics in report.methods},
    }


@lru_cache(maxsize=1 << 14)
def _scores_json(scored: tuple[ScoredExtraction, ...]) -> str:
    return ", ".join(f"{json.dumps(one.method)}: {json.dumps(_score_json(one))}" for one in scored)


def _score_json(score: ScoredExtraction) -> dict[str, Any]:
    extraction = score.extraction
    return {
        "answer": extraction.answer,
        "letters_seen": list(extraction.letters_seen),
        "outcome": score.outcome,
    }


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
    for row in rows:
        writer.writerow([defuse(cell) for cell in row])
    return text.getvalue()


def interval_json() -> dict[str, Any]:
    """Describe the method of every `accuracy_interval`: over items, not over repeated answers."""
    return {"method": INTERVAL_METHOD, "confidence": CONFIDENCE, "over": "items"}


def method_json(metrics: MethodMetrics) -> dict[str, Any]:
    """Return one method's metrics overall, by category, by subject and between epochs."""
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
