"""What a leaderboard lists: submissions and our own runs on one part of a release."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import groupby
from typing import Any, NamedTuple

from django.db.models import Count, Q

from annotation.enums import ItemKind, SplitName
from common.db import JsonLength
from common.intervals import wilson_interval
from endpoints.budgets import price_of
from evaluation.models import Run
from evaluation.results.queries.subsets import Cell, Cells, Figure, cells_of, figure_of
from jobs.enums import JobState
from leaderboards.arenas import ArenaStanding, arenas_of
from leaderboards.ranking import Measured, difference_interval, rank_ranges
from releases.enums import HiddenPart, Subset
from releases.models import Release, ReleaseSubject
from review.answers.queries import FEWEST_SOLVING_ANSWERS, solving_answers
from scoring.metrics import random_baseline
from submissions.enums import SubmissionState, Visibility
from submissions.ladder import rounded, tellable
from submissions.models import SubmissionScore
from submissions.queries import SCORABLE, policy_of, told_share

OPEN = "open"
PARTS = (OPEN, *HiddenPart.values)


@dataclass(frozen=True, slots=True)
class Gap:
    """How much better a model does on open items than on hidden ones, with a 95 % interval."""

    share: float
    low: float
    high: float


NO_FIGURES: Mapping[str, Figure] = {}


class Row(NamedTuple):
    """An entry; `share` is missing for one that its team withdrew.

    `kind` is run, imported or submission. Runs are ours and so verified, but for imported ones,
    whose answers another program asked for; `was` is the share before keys were corrected, if it was
    another. `sent_as` says how a submission came: as a dictionary of answers, or as an endpoint that
    this server asked. Only runs, imported ones too, have the last four: the gap, the price of 1,000 answers in
    US dollars, and the figures of categories and levels with enough items.

    A tuple, as a dataclass takes four times as long to rank and to keep, which is done with all entries.
    """

    model: str
    team: str
    kind: str
    is_verified: bool
    share: float | None
    low: float
    high: float
    n: int
    size: str = ""
    prompt: str = ""
    cutoff: str = ""
    has_open_weights: bool | None = None
    was: float | None = None
    gap: Gap | None = None
    cost: Decimal | None = None
    categories: Mapping[str, Figure] = NO_FIGURES
    levels: Mapping[str, Figure] = NO_FIGURES
    best_rank: int = 0
    worst_rank: int = 0
    sent_as: str = ""


@dataclass(frozen=True, slots=True)
class Filters:
    """What to list; an empty text or None takes everything. Ranks are those among what is listed."""

    has_open_weights: bool | None = None
    size: str = ""
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Board:
    """The entries of a part, and the arenas of the whole release: their questions are of any part."""

    release: Release
    part: str
    items: int
    rows: tuple[Row, ...]
    random: float | None
    human: Figure | None
    arenas: tuple[ArenaStanding, ...] = ()

    def group_names(self, kind: str) -> list[str]:
        """Return the categories or the levels in which any entry has a figure."""
        return sorted({name for row in self.rows for name in getattr(row, kind)})


def part_of(release: Release) -> str:
    """Return the part that a leaderboard shows unless another is asked for."""
    return str(release.hidden_part) if release.counts.get("black_box") else OPEN


def board_of(release: Release, part: str) -> Board:
    """Return the leaderboard of a part, the best first; withdrawn entries come last, without a rank."""
    sizes = _sizes(release)
    entries = [
        *_runs(release, part, sum(sizes[Subset.BLACK_BOX, kind] for kind in SCORABLE)),
        *(_submissions(release) if part != OPEN else ()),
    ]
    rows = release.items.filter(subset=_subset_of(part), split=SplitName.TEST)
    options = rows.filter(kind=ItemKind.CHOICE).order_by()
    counts = dict(
        options.annotate(size=JsonLength("revision__options"))
        .values_list("size")
        .annotate(Count("pk"))
    )
    return Board(
        release=release,
        part=part,
        items=sum(n for (subset, _kind), n in sizes.items() if subset == _subset_of(part)),
        rows=tuple(_ranked(entries)),
        random=random_baseline(counts) if counts else None,
        human=_human(release, part),
        arenas=arenas_of(release),
    )


def narrowed(board: Board, filters: Filters) -> Board:
    """Return the board with only the entries that the filters take, which are ranked anew."""
    if filters == Filters():
        return board
    return replace(board, rows=tuple(_ranked([row for row in board.rows if _fits(row, filters)])))


def _sizes(release: Release) -> Counter[tuple[str, str]]:
    """Return how many test items of each kind each subset has."""
    rows = release.items.filter(split=SplitName.TEST).order_by()
    counts = rows.values_list("subset", "kind").annotate(n=Count("pk"))
    return Counter({(subset, kind): n for subset, kind, n in counts})


def _subset_of(part: str) -> Subset:
    return Subset.OPEN if part == OPEN else Subset.BLACK_BOX


def _fits(row: Row, filters: Filters) -> bool:
    wanted = filters.has_open_weights
    if wanted is not None and row.has_open_weights is not wanted:
        return False
    named = ((filters.size, row.size), (filters.prompt, row.prompt))
    return all(text.casefold() in own.casefold() for text, own in named)


def _ranked(rows: list[Row]) -> Iterator[Row]:
    """Yield the measured rows by share, equal ones by name, then those without a share."""
    measured = [row for row in rows if row.share is not None]
    measured.sort(key=lambda row: (-(row.share or 0), row.model.casefold(), row.team.casefold()))
    ranges = rank_ranges([Measured(row.share or 0, row.n) for row in measured])
    for row, (best, worst) in zip(measured, ranges, strict=True):
        yield row._replace(best_rank=best, worst_rank=worst)
    yield from (row for row in rows if row.share is None)


SCORED = ("counted", "n", "rescoring")
SENT = (
    *("pk", "model", "team__name", "is_verified", "visibility", "endpoint"),
    *("size", "prompt", "cutoff", "has_open_weights", "told_by"),
)


def _submissions(release: Release) -> Iterator[Row]:
    """Yield what climbed its team's ladder and is shown or withdrawn; a banned team has no row.

    Takes one query, with a row for each score.
    """
    is_done = Q(rescoring=None) | Q(rescoring__done_at__isnull=False)
    rows = SubmissionScore.objects.filter(
        is_done,
        submission__release=release,
        submission__state=SubmissionState.SCORED,
        submission__is_told=True,
        submission__team__banned_at=None,
        submission__visibility__in=[Visibility.SHOWN, Visibility.WITHDRAWN],
    ).order_by("submission", "pk")
    columns = rows.values_list(*SCORED, *(f"submission__{name}" for name in SENT))
    width = len(SCORED)
    for _pk, scores in groupby(columns, key=lambda row: row[width]):
        found = list(scores)
        yield _submission_row(dict(zip(SENT, found[0][width:], strict=True)), found)


def _submission_row(sent: Mapping[str, Any], scores: Sequence[tuple[Any, ...]]) -> Row:
    """Return the row of a submission, of which each score begins with the columns SCORED."""
    first = next(score for score in scores if score[2] == sent["told_by"])
    last = max(scores, key=lambda score: score[2] or 0)
    n = last[1]
    told, was = told_share(last[0], n), rounded(first[0], first[1])
    is_shown = sent["visibility"] == Visibility.SHOWN
    return Row(
        model=sent["model"],
        team=sent["team__name"],
        kind="submission",
        is_verified=sent["is_verified"],
        share=told.share if is_shown else None,
        low=told.low if is_shown else 0.0,
        high=told.high if is_shown else 0.0,
        n=n,
        size=sent["size"],
        prompt=sent["prompt"],
        cutoff=sent["cutoff"],
        has_open_weights=sent["has_open_weights"],
        was=was if is_shown and was != told.share else None,
        sent_as="dictionary" if sent["endpoint"] is None else "endpoint",
    )


def _runs(release: Release, part: str, hidden: int) -> Iterator[Row]:
    """Yield the runs that are done and have scored answers to the part's test items.

    On a hidden part, which has `hidden` items, only runs that answered all of them count, by rounded
    shares, so that two runs that differ in one answer do not tell its key.

    The gap of a run is that of its own answers. If it has only one part, the other is that of the
    newest run of a model with the same name; an imported run neither lends nor borrows one.
    """
    rows = Run.objects.filter(release=release, job__state=JobState.DONE)
    runs = list(rows.select_related("model_spec", "job", "scoring_job").order_by("pk"))
    if not runs:
        return
    cells = cells_of(runs)
    subsets = {
        run.pk: {
            Subset.OPEN: _of_subset(cells[run.pk], Subset.OPEN),
            Subset.BLACK_BOX: _of_hidden(cells[run.pk], hidden),
        }
        for run in runs
    }
    newest: dict[tuple[str, str], Figure] = {}
    for run in runs:
        for subset, figure in subsets[run.pk].items():
            if figure and not run.imported_from:
                newest[run.model_spec.name, subset] = figure
    wanted = _subset_of(part)
    subjects = list(release.subjects.all())
    fewest = 1 if part == OPEN else policy_of(release.project).fewest_in_category
    for run in runs:
        both = subsets[run.pk]
        figure = both[wanted]
        if figure is None:
            continue
        if not run.imported_from:
            name = run.model_spec.name
            both = {one: own or newest.get((name, one)) for one, own in both.items()}
        groups = {
            column: _groups(cells[run.pk], wanted, subjects, column, fewest)
            for column in ("category", "level")
        }
        gap = _gap(both[Subset.OPEN], both[Subset.BLACK_BOX])
        yield _run_row(run, figure, gap, groups)


def _run_row(run: Run, figure: Figure, gap: Gap | None, groups: dict[str, Any]) -> Row:
    return Row(
        model=run.model_spec.name,
        team="",
        kind="imported" if run.imported_from else "run",
        is_verified=not run.imported_from,
        share=figure.share,
        low=figure.low,
        high=figure.high,
        n=figure.n,
        gap=gap,
        cost=_cost(run),
        categories=groups["category"],
        levels=groups["level"],
    )


def _of_subset(cells: Cells, subset: str) -> Figure | None:
    return figure_of(cell for (one, _subject), cell in cells.items() if one == subset)


def _of_hidden(cells: Cells, items: int) -> Figure | None:
    """Return the figure of the hidden part as it is told; None if any of its items has no answer."""
    figure = _of_subset(cells, Subset.BLACK_BOX)
    return _told(figure) if figure and figure.n == items else None


def _told(figure: Figure) -> Figure:
    """Return the figure with the share of the ladder."""
    told = told_share(round(figure.share * figure.n), figure.n)
    return Figure(told.share, told.low, told.high, told.n)


def _gap(is_open: Figure | None, hidden: Figure | None) -> Gap | None:
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
    cells: Cells, subset: str, subjects: list[ReleaseSubject], field: str, fewest: int
) -> dict[str, Figure]:
    """Return the figures of the categories or levels in which at least `fewest` items were answered.

    Shares of the hidden part are rounded as its total is.
    """
    names = {subject.pk: getattr(subject, field) for subject in subjects}
    grouped: dict[str, list[Cell]] = defaultdict(list)
    for (one, subject), cell in cells.items():
        if one == subset and (name := names.get(subject)):
            grouped[name].append(cell)
    found = {name: figure for name in sorted(grouped) if (figure := figure_of(grouped[name]))}
    total = _of_subset(cells, subset)
    sizes = {name: figure.n for name, figure in found.items()}
    listed = {name: found[name] for name in tellable(sizes, total.n if total else 0, fewest)}
    if subset == Subset.BLACK_BOX:
        return {name: _told(figure) for name, figure in listed.items()}
    return listed


def _human(release: Release, part: str) -> Figure | None:
    """Return how often experts were right in closed solving rounds on these items, if often enough.

    Of the hidden part it is told as scores are.
    """
    items = release.items.filter(subset=_subset_of(part), split=SplitName.TEST).values("item")
    pairs = solving_answers(items).values_list("choice", "panel__item__key")
    answers = list(pairs)
    n, right = len(answers), sum(choice == key for choice, key in answers)
    if n < FEWEST_SOLVING_ANSWERS:
        return None
    interval = wilson_interval(right, n)
    figure = Figure(right / n, interval.low, interval.high, n)
    return _told(figure) if _subset_of(part) == Subset.BLACK_BOX else figure
