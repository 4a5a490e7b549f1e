"""Reads the answers of finished runs as matrices for `scoring`."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from django.db.models import QuerySet

from annotation.enums import ItemKind, SplitName
from evaluation.models import Run, Score
from evaluation.request_building import KIND_OF_KEY
from evaluation.results.queries.differences import methods_of
from evaluation.results.queries.figures import run_counts
from jobs.enums import JobState
from languages.letters import position_of
from releases.models import Release, ReleaseItem
from releases.queries import release_items
from scoring.item_statistics import NONE, Answers
from scoring.scorers import SCORERS

FETCHED = 5_000


def finished_runs(release: Release) -> QuerySet[Run]:
    """Return the runs of the release whose job is done, the earliest first."""
    runs = Run.objects.filter(release=release, job__state=JobState.DONE)
    return runs.select_related("model_spec", "job").order_by("pk")


def basis_of(release: Release, reference: Release | None) -> list[list[Any]]:
    """Return what tells whether an analysis is up to date: the runs and their counts, in one query.

    The headline counts of a run change whenever its answers or their scores do.
    """
    by_release = bases([release.pk] if reference is None else [release.pk, reference.pk])
    return sorted(row for rows in by_release.values() for row in rows)


def bases(releases: Iterable[int]) -> dict[int, list[list[Any]]]:
    """Return release → the runs and counts of `basis_of`, in one query."""
    rows = Run.objects.filter(release__in=set(releases), job__state=JobState.DONE)
    columns = ("release", "pk", "headline_method", "headline_right", "headline_read")
    found: dict[int, list[list[Any]]] = defaultdict(list)
    for release, *row in rows.order_by("pk").values_list(*columns):
        found[release].append(row)
    return found


def analysed_items(release: Release) -> list[ReleaseItem]:
    """Return the items that runs ask, in the order of the files."""
    kinds = [str(ItemKind.CHOICE), str(ItemKind.NUMBER)]
    return list(release_items(release).filter(split=SplitName.TEST, kind__in=kinds))


def read_answers(
    runs: Sequence[Run], columns: dict[int, int], *, check: Callable[[], None]
) -> Answers:
    """Return the answers of `runs`; `columns` maps ids of released items to columns of the matrix.

    Each kind of item is read by the first method of the run that scores it, in the version that the
    run's figures use. Models are told apart by their name at the endpoint, and a prompt with its
    options in another order is another prompt. An answer that a run copied from another run of the
    release counts once; epochs without any answer are left out.
    """
    rows = [(run, epoch) for run in runs for epoch in range(1, run.epochs + 1)]
    places = {(run.pk, epoch): place for place, (run, epoch) in enumerate(rows)}
    right = np.full((len(rows), len(columns)), np.nan)
    chosen = np.full((len(rows), len(columns)), NONE, dtype=np.int16)
    for run in runs:
        check()
        for placed, epoch, letter, is_correct in _scores(run):
            column = columns.get(placed)
            if column is not None:
                place = places[run.pk, epoch]
                right[place, column] = is_correct
                chosen[place, column] = _option(letter)
    there = ~np.isnan(right).all(axis=1)
    return Answers(
        right=right[there],
        chosen=chosen[there],
        models=_numbers([run.model_spec.model for run, _epoch in rows])[there],
        runs=np.array([run.pk for run, _epoch in rows], dtype=np.int64)[there],
        prompts=_numbers([(run.prompt_template_id, run.rotation) for run, _epoch in rows])[there],
    )


def methods_used(run: Run) -> dict[str, int]:
    """Return method → version: for each kind of item, the first method that has scored such items."""
    versions = run_counts(run).versions
    found: dict[ItemKind, str] = {}
    for name in methods_of(run):
        if name in versions:
            found.setdefault(KIND_OF_KEY[SCORERS[name].key_kind], name)
    return {name: versions[name] for name in found.values()}


def _scores(run: Run) -> Any:
    """(released item, epoch, letter, is correct) of each scored answer."""
    for method, version in methods_used(run).items():
        rows = Score.objects.filter(run=run, method=method, version=version)
        rows = rows.exclude(response__reused_from__run__release=run.release_id)
        columns = ("response__release_item_id", "response__epoch", "letter", "is_correct")
        yield from rows.order_by().values_list(*columns).iterator(FETCHED)


def _option(letter: str) -> int:
    place = position_of(letter)
    return NONE if place is None else place


def _numbers(names: Sequence[Hashable]) -> Any:
    """Number names from 0; the same name has the same number."""
    known = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([known[name] for name in names], dtype=np.int64)
