"""What a leaderboard lists: submissions and our own runs on one part of a release."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from django.db.models import Count, Q

from annotation.enums import ItemKind, SplitName
from common.db import JsonLength
from common.intervals import wilson_interval
from evaluation.results.queries.subsets import Figure
from leaderboards.arenas import ArenaStanding, arenas_of
from leaderboards.ranking import Measured, rank_ranges
from leaderboards.rows import Row, told, told_apart
from leaderboards.runs import Asked, run_rows
from releases.enums import HiddenPart, ReleaseState, Subset
from releases.models import Release
from releases.option_orders import released_key
from review.answers.queries import FEWEST_SOLVING_ANSWERS, solving_answers
from scoring.metrics import random_baseline
from submissions.enums import SubmissionState, Visibility
from submissions.ladder import rounded
from submissions.models import SubmissionScore
from submissions.queries import SCORABLE, counted_keys, policy_of

OPEN = "open"
PARTS = (OPEN, *HiddenPart.values)
WEIGHTS = {"open": True, "closed": False, "unknown": None}
"""What an entry may be known to be: whether its weights are open, or that nobody said it."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What to list; an empty text takes everything. Ranks are those among what is listed.

    `weights` is a word of WEIGHTS.
    """

    weights: str = ""
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

    @property
    def is_yanked(self) -> bool:
        return self.release.state == ReleaseState.YANKED

    @property
    def group_kinds(self) -> list[str]:
        """What has figures of its own on a whole board: categories, levels, both or nothing."""
        tells_categories = any(row.tells_categories or row.categories for row in self.rows)
        has_levels = any(row.levels for row in self.rows)
        return ["categories"] * tells_categories + ["levels"] * has_levels

    def group_names(self, kind: str) -> list[str]:
        """Return the categories or the levels in which any entry has a figure."""
        return sorted({name for row in self.rows for name in getattr(row, kind)})


def part_of(release: Release) -> str:
    """Return the part that a leaderboard shows unless another is asked for."""
    return str(release.hidden_part) if release.counts.get("black_box") else OPEN


def board_of(release: Release, part: str, *, with_categories: bool = True) -> Board:
    """Return the leaderboard of a part, the best first; withdrawn entries come last, without a rank.

    Without the categories of submissions, which a table of totals does not show, it takes less time.
    """
    sizes, hidden = _sizes(release), Counter[str]()
    for (subset, kind, category), n in sizes.items():
        if subset == Subset.BLACK_BOX and kind in SCORABLE:
            hidden[category] += n
    asked = Asked(
        subset=_subset_of(part),
        hidden=hidden.total(),
        fewest=1 if part == OPEN else policy_of(release.project).fewest_in_category,
        corrected=counted_keys(release),
    )
    entries = [*run_rows(release, asked)]
    if part != OPEN:
        entries += _submissions(release, with_categories=with_categories)
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
        items=sum(n for (subset, *_place), n in sizes.items() if subset == _subset_of(part)),
        rows=tuple(_ranked(list(told_apart(entries)))),
        random=random_baseline(counts) if counts else None,
        human=_human(release, asked),
        arenas=arenas_of(release),
    )


def narrowed(board: Board, filters: Filters) -> Board:
    """Return the board with only the entries that the filters take, which are ranked anew."""
    if filters == Filters():
        return board
    return replace(board, rows=tuple(_ranked([row for row in board.rows if _fits(row, filters)])))


def _sizes(release: Release) -> Counter[tuple[str, str, str]]:
    """Return how many test items of each subset, kind and category there are."""
    rows = release.items.filter(split=SplitName.TEST).order_by()
    counts = rows.values_list("subset", "kind", "subject__category").annotate(n=Count("pk"))
    return Counter({tuple(place): n for *place, n in counts})


def _subset_of(part: str) -> Subset:
    return Subset.OPEN if part == OPEN else Subset.BLACK_BOX


def _fits(row: Row, filters: Filters) -> bool:
    if filters.weights and row.has_open_weights is not WEIGHTS[filters.weights]:
        return False
    return _is_size(filters.size, row.size) and filters.prompt.casefold() in row.prompt.casefold()


def _is_size(wanted: str, size: str) -> bool:
    """Whether a size has the wanted text; a number at either end of it is a whole one, so 7 is not 70."""
    text = wanted.strip().casefold()
    begin = r"(?<!\d)(?<!\d[.,])" if text[:1].isdigit() else ""
    end = r"(?![.,]?\d)" if text[-1:].isdigit() else ""
    return re.search(f"{begin}{re.escape(text)}{end}", size.casefold()) is not None


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
    *("pk", "model", "team__name", "is_verified", "visibility", "endpoint__prompt_template__name"),
    *("size", "prompt", "cutoff", "has_open_weights", "told_by", "told_categories"),
)


def _submissions(release: Release, *, with_categories: bool) -> Iterator[Row]:
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
    scored = (*SCORED, "categories") if with_categories else SCORED
    columns = rows.values_list(*scored, *(f"submission__{name}" for name in SENT))
    width = len(scored)
    for _pk, scores in groupby(columns, key=lambda row: row[width]):
        found = list(scores)
        sent = dict(zip(SENT, found[0][width:], strict=True))
        row = _submission_row(sent, found)
        if row.tells_categories and with_categories:
            counted = _last(found)[len(SCORED)]
            figures = {name: told(*counted[name]) for name in sent["told_categories"]}
            row = row._replace(categories=figures)
        yield row


def _submission_row(sent: Mapping[str, Any], scores: Sequence[tuple[Any, ...]]) -> Row:
    """Return the row of a submission, of which each score begins with the columns SCORED."""
    first = next(score for score in scores if score[2] == sent["told_by"])
    last = _last(scores)
    n, prompt_asked = last[1], sent["endpoint__prompt_template__name"]
    figure, was = told(last[0], n), rounded(first[0], first[1])
    is_shown = sent["visibility"] == Visibility.SHOWN
    return Row(
        model=sent["model"],
        team=sent["team__name"],
        kind="submission",
        number=sent["pk"],
        is_verified=sent["is_verified"],
        share=figure.share if is_shown else None,
        low=figure.low if is_shown else 0.0,
        high=figure.high if is_shown else 0.0,
        n=n,
        size=sent["size"],
        prompt=prompt_asked or sent["prompt"],
        cutoff=sent["cutoff"],
        has_open_weights=sent["has_open_weights"],
        was=was if is_shown and was != figure.share else None,
        tells_categories=is_shown and bool(sent["told_categories"]),
        sent_as="dictionary" if prompt_asked is None else "endpoint",
    )


def _last(scores: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the score that counts, of those that begin with the columns SCORED."""
    return max(scores, key=lambda score: score[2] or 0)


def _human(release: Release, asked: Asked) -> Figure | None:
    """Return how often experts were right in closed solving rounds on these items, if often enough.

    They are compared with the keys that count for models. Of the hidden part it is told as scores are.
    """
    items = release.items.filter(subset=asked.subset, split=SplitName.TEST)
    answers = list(solving_answers(items.values("item")).values_list("panel__item", "choice"))
    n = len(answers)
    if n < FEWEST_SOLVING_ANSWERS:
        return None
    corrected = asked.corrected.keys if asked.corrected else {}
    keys = {
        item: (corrected.get(pk, key), order)
        for item, pk, key, order in items.filter(
            item__in={item for item, _choice in answers}
        ).values_list("item", "pk", "key", "option_order")
    }
    right = sum(_is_right(choice, *keys[item]) for item, choice in answers)
    if asked.subset == Subset.BLACK_BOX:
        return told(right, n)
    interval = wilson_interval(right, n)
    return Figure(right / n, interval.low, interval.high, n)


def _is_right(choice: str, key: str, order: str) -> bool:
    """Whether the option that an expert chose, by the item's own letters, has the released key."""
    return bool(choice) and released_key(choice, order) == key
