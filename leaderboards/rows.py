"""An entry of a leaderboard, and its figures as they are told."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from common.intervals import wilson_interval
from evaluation.results.queries.subsets import Figure
from submissions.ladder import rounded


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
    this server asked. `has_open_weights` is None where nobody said it. `categories` and `levels`
    are the figures of those with enough items, of a submission only what its team was told:
    `tells_categories` says whether it was told any.

    Only runs, imported ones too, have the gap, and `cost`, which is the price of 1,000 answers in US
    dollars. `shots`, `rotation` and `epochs` say how a run of ours asked, as in `Run`. `number` is the id of
    the run or submission, and `is_one_of_many` says that other entries have its model and team too.

    A tuple, as a dataclass takes four times as long to rank and to keep, which is done with all entries.
    """

    model: str
    team: str
    kind: str
    number: int
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
    tells_categories: bool = False
    shots: int = 0
    rotation: int = 0
    epochs: int = 1
    is_one_of_many: bool = False

    @property
    def mark(self) -> str:
        """What tells the entry from others of its model and team; empty if there are none."""
        noun = "submission" if self.kind == "submission" else "run"
        return f"{noun} {self.number}" if self.is_one_of_many else ""

    @property
    def model_and_team(self) -> str:
        return f"{self.model} · {self.team}" if self.team else self.model

    @property
    def name(self) -> str:
        """How an address names the entry; no other entry of the board has the same name."""
        mark = self.mark
        return f"{self.model_and_team} · {mark}" if mark else self.model_and_team


def told_apart(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows; several of one model and team are marked as such."""
    found = list(rows)
    counts = Counter(row.model_and_team for row in found)
    for row in found:
        is_alone = counts[row.model_and_team] == 1
        yield row if is_alone else row._replace(is_one_of_many=True)


def told(right: int, n: int) -> Figure:
    """Return the share of a hidden part as it is told: rounded as the ladder does."""
    return _figure_of(rounded(right, n), n)


@lru_cache(maxsize=10_000)
def _figure_of(share: float, n: int) -> Figure:
    """Return the same figure for the same share: what is kept of a board then has each once."""
    interval = wilson_interval(share * n, n)
    return Figure(share, interval.low, interval.high, n)
