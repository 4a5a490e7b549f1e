"""What a method found in the answers of a run, item by item, as arrays that are kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from django.core.cache import cache
from django.db.models import Count, Max, Min, OuterRef, Q, Subquery

from evaluation.models import Run, Score
from evaluation.results.queries.figures import KEEP_SECONDS, counted_version
from scoring.pairs import Floats, Ints


@dataclass(frozen=True, slots=True)
class Answers:
    """What a method found in the answers of a run; the arrays have a place for each item.

    version: that of the method; 0 if it has scored nothing
    items: ids of the items with a scored answer, ascending
    correct, valid: share of the epochs in which the answer was right, or there was one
    found: a number that stands for the letters found; equal numbers are the same letters
    """

    version: int
    items: Ints
    correct: Floats
    valid: Floats
    found: Ints


def answers_of(asked: Sequence[tuple[Run, str]]) -> list[Answers]:
    """Return what methods found in runs, from the cache if possible.

    Takes a query, and another one for each run and method with new scores. Scores are never changed
    or deleted, so the newest id identifies a state of the run.
    """
    newest = newest_scores([run for run, _method in asked])
    keys = [
        f"run-answers-2:{run.pk}:{run.started_at.timestamp()}:{method}:{newest[run.pk]}"
        for run, method in asked
    ]
    kept: dict[str, Answers] = cache.get_many(keys)
    missing = {
        key: _read_answers(run, method)
        for key, (run, method) in zip(keys, asked, strict=True)
        if key not in kept
    }
    cache.set_many(missing, KEEP_SECONDS)
    found = kept | missing
    return [found[key] for key in keys]


def newest_scores(runs: Sequence[Run]) -> dict[int, int | None]:
    """Return run → the id of its newest score, each looked up in an index; None without one."""
    scores = Score.objects.filter(run=OuterRef("pk")).order_by("-pk")
    rows = Run.objects.filter(pk__in=[run.pk for run in runs])
    return dict(rows.annotate(newest=Subquery(scores.values("pk")[:1])).values_list("pk", "newest"))


def _read_answers(run: Run, method: str) -> Answers:
    rows = (
        Score.objects.filter(run=run, method=method)
        .order_by()
        .values_list("version", "response__release_item__item_id")
        .annotate(
            asked=Count("pk"),
            right=Count("pk", filter=Q(is_correct=True)),
            valid=Count("pk", filter=Q(is_valid=True)),
            first=Min("letter"),
            last=Max("letter"),
        )
    )
    versions: dict[int, list[tuple[int, float, float, int]]] = {}
    scored: dict[int, int] = {}
    for version, item, asked, right, valid, first, last in rows.iterator(chunk_size=5_000):
        code = crc32(f"{first}|{last}".encode())
        versions.setdefault(version, []).append((item, right / asked, valid / asked, code))
        scored[version] = scored.get(version, 0) + asked
    chosen = counted_version(scored) if scored else 0
    found = sorted(versions.get(chosen, []))
    columns = list(zip(*found, strict=True)) or [()] * 4
    return Answers(
        version=chosen,
        items=np.array(columns[0], dtype=np.int64),
        correct=np.array(columns[1], dtype=np.float64),
        valid=np.array(columns[2], dtype=np.float64),
        found=np.array(columns[3], dtype=np.int64),
    )
