"""The entries of our own runs on a part of a release, by the keys that count now."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from endpoints.budgets import price_of
from evaluation.models import Run
from evaluation.results.queries.subsets import (
    Cell,
    Cells,
    CorrectedKeys,
    Figure,
    cells_of,
    figure_of,
)
from jobs.enums import JobState
from leaderboards.ranking import Measured, difference_interval
from leaderboards.rows import Gap, Row, told
from releases.enums import Subset
from releases.models import Release, ReleaseSubject
from submissions.ladder import tellable

Both = Mapping[str, Figure | None]
"""Subset → what a run got there."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The part that is asked for.

    hidden: how many hidden items the release has
    fewest: how many items a category or level must have to be told
    corrected: the keys that count instead of the released ones
    """

    subset: str
    hidden: int
    fewest: int
    corrected: CorrectedKeys | None


def run_rows(release: Release, asked: Asked) -> Iterator[Row]:
    """Yield the runs that are done and have scored answers to the part's test items.

    On a hidden part only runs that answered all of its items count, by rounded shares, so that two
    runs that differ in one answer do not tell its key. They count by the keys of the latest
    finished rescoring, as submissions do.

    The gap of a run is that of its own answers. If it has only one part, the other is that of the
    newest run of a model with the same name; an imported run neither lends nor borrows one.
    """
    rows = Run.objects.filter(release=release, job__state=JobState.DONE)
    relations = ("model_spec", "prompt_template", "job", "scoring_job")
    runs = list(rows.select_related(*relations).order_by("pk"))
    if not runs:
        return
    released = cells_of(runs)
    cells = cells_of(runs, asked.corrected) if asked.corrected else released
    parts = {run.pk: _parts(cells[run.pk], asked.hidden) for run in runs}
    newest: dict[tuple[str, str], Figure] = {}
    for run in runs:
        for subset, figure in parts[run.pk].items():
            if figure and not run.imported_from:
                newest[run.model_spec.name, subset] = figure
    subjects = list(release.subjects.all())
    for run in runs:
        both = parts[run.pk]
        figure = both[asked.subset]
        if figure is None:
            continue
        was = _parts(released[run.pk], asked.hidden)[asked.subset]
        if not run.imported_from:
            name = run.model_spec.name
            both = {one: own or newest.get((name, one)) for one, own in both.items()}
        groups = {
            column: _groups(cells[run.pk], asked, subjects, column)
            for column in ("category", "level")
        }
        yield _row(run, figure, was, _gap(both), groups)


def _row(
    run: Run, figure: Figure, was: Figure | None, gap: Gap | None, groups: Mapping[str, Any]
) -> Row:
    spec = run.model_spec
    return Row(
        model=spec.name,
        team="",
        kind="imported" if run.imported_from else "run",
        number=run.pk,
        is_verified=not run.imported_from,
        share=figure.share,
        low=figure.low,
        high=figure.high,
        n=figure.n,
        size=f"{spec.size_text}B" if spec.size_text else "",
        cutoff=spec.cutoff,
        was=was.share if was and was.share != figure.share else None,
        gap=gap,
        cost=_cost(run),
        categories=groups["category"],
        levels=groups["level"],
        **_setting(run),
    )


def _setting(run: Run) -> dict[str, Any]:
    """Return how the run asked; nothing of an imported one, whose messages nobody knows."""
    if run.imported_from:
        return {}
    return {
        "prompt": run.prompt_template.name,
        "shots": run.shots,
        "rotation": run.rotation,
        "epochs": run.epochs,
    }


def _parts(cells: Cells, hidden: int) -> Both:
    return {
        Subset.OPEN: _of_subset(cells, Subset.OPEN),
        Subset.BLACK_BOX: _of_hidden(cells, hidden),
    }


def _of_subset(cells: Cells, subset: str) -> Figure | None:
    return figure_of(cell for (one, _subject), cell in cells.items() if one == subset)


def _of_hidden(cells: Cells, items: int) -> Figure | None:
    """Return the figure of the hidden part as it is told; None if any of its items has no answer."""
    figure = _of_subset(cells, Subset.BLACK_BOX)
    return _told(figure) if figure and figure.n == items else None


def _told(figure: Figure) -> Figure:
    return told(round(figure.share * figure.n), figure.n)


def _gap(both: Both) -> Gap | None:
    is_open, hidden = both[Subset.OPEN], both[Subset.BLACK_BOX]
    if is_open is None or hidden is None:
        return None
    low, high = difference_interval(
        Measured(is_open.share, is_open.n), Measured(hidden.share, hidden.n)
    )
    return Gap(is_open.share - hidden.share, low, high)


def _cost(run: Run) -> Decimal | None:
    """Return the price of a thousand answers that the run bought; copies of earlier ones are free."""
    if not run.bought_count or run.unmeasured_count:
        return None
    price = price_of(run.model_spec, run.prompt_tokens, run.completion_tokens)
    return None if price is None else 1000 * price / run.bought_count


def _groups(
    cells: Cells, asked: Asked, subjects: Sequence[ReleaseSubject], field: str
) -> dict[str, Figure]:
    """Return the figures of the categories or levels in which enough items were answered.

    Shares of the hidden part are rounded as its total is.
    """
    names = {subject.pk: getattr(subject, field) for subject in subjects}
    grouped: dict[str, list[Cell]] = defaultdict(list)
    for (one, subject), cell in cells.items():
        if one == asked.subset and (name := names.get(subject)):
            grouped[name].append(cell)
    found = {name: figure for name in sorted(grouped) if (figure := figure_of(grouped[name]))}
    total = _of_subset(cells, asked.subset)
    sizes = {name: figure.n for name, figure in found.items()}
    listed = {name: found[name] for name in tellable(sizes, total.n if total else 0, asked.fewest)}
    if asked.subset == Subset.BLACK_BOX:
        return {name: _told(figure) for name, figure in listed.items()}
    return listed
