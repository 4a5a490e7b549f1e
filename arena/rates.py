"""Win rates of contestants by pair and judge, and over those that each one met."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

RESAMPLES: Final = 1000
EVEN: Final = 0.5
BIG_WIN: Final = 3
"""So many games is a big win in the rate over games, as arena-hard-auto counts."""
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Game:
    """A readable verdict; `score` is 2 to -2 for `first`. `is_swapped` says that `second` stood first.

    `is_own` marks games of a judge on answers of its own family, which never count for a rank.
    """

    question: int
    first: int
    second: int
    judge: int
    is_swapped: bool
    score: int
    is_own: bool = False


def points(score: int) -> float:
    """1 for a win of any size, .5 for a tie."""
    return 0.5 if score == 0 else float(score > 0)


class Table:
    """Points by question, pair of contestants and judge, and what they come to.

    A contestant's rate is the mean over those that it met. Judges skip what their own model wrote,
    so a mean over games would compare one judge's opponents with another's.
    """

    def __init__(
        self,
        games: Sequence[Game],
        contestants: Sequence[int],
        judges: Sequence[int],
        baseline: int | None,
    ) -> None:
        self.judges = judges
        self.places = {contestant: place for place, contestant in enumerate(contestants)}
        self._baseline = None if baseline is None else self.places[baseline]
        turned = [self._turned(game) for game in games]
        self._pairs = sorted({(first, second) for first, second, _score in turned})
        self._rows, self.questions = _numbered([game.question for game in games])
        self._scores = np.array([score for _first, _second, score in turned])
        self._columns = self._columns_of(turned, games)
        sides = [np.array([pair[side] for pair in self._pairs], dtype=int) for side in (0, 1)]
        self._firsts, self._seconds = (np.eye(len(contestants))[side] for side in sides)

    def once(self) -> Floats:
        """Return draws with each question once: the rates as they are."""
        return np.ones((1, self.questions))

    def draws(self, seed: int) -> Floats:
        """Return how often each question is drawn, RESAMPLES times."""
        rng = np.random.default_rng(seed)
        even = np.full(self.questions, 1 / self.questions)
        return rng.multinomial(self.questions, even, size=RESAMPLES).astype(float)

    def pair_rates(self, draws: Floats) -> Floats:
        """Return rates of the first by draw, pair and judge: the mean over questions, NaN without one."""
        from scipy.sparse import csr_array

        width = len(self._pairs) * len(self.judges)
        cells, numbers = np.unique(self._rows * width + self._columns, return_inverse=True)
        each = np.bincount(numbers, self._worth()) / np.bincount(numbers)
        where, shape = (cells // width, cells % width), (self.questions, width)
        totals = draws @ csr_array((each, where), shape=shape)
        asked = draws @ csr_array((np.ones(len(cells)), where), shape=shape)
        return self._by_judge(_divided(totals, asked))

    def game_rates(self) -> Floats:
        """Return the same over games instead of questions, of which a big win is BIG_WIN; one draw."""
        weights = np.where(np.abs(self._scores) > 1, float(BIG_WIN), 1.0)
        width = len(self._pairs) * len(self.judges)
        totals = np.bincount(self._columns, weights * self._worth(), minlength=width)
        played = np.bincount(self._columns, weights, minlength=width)
        return self._by_judge(_divided(totals, played)[None])

    def over_opponents(self, pair_rates: Floats) -> Floats:
        """Return rates by draw, contestant and judge: the mean over those met, NaN without any."""
        there = ~np.isnan(pair_rates)
        totals = _summed(np.where(there, pair_rates, 0), self._firsts)
        totals += _summed(np.where(there, 1 - pair_rates, 0), self._seconds)
        found = _divided(totals, _summed(there, self._firsts + self._seconds))
        if self._baseline is not None:
            found[:, self._baseline] = EVEN
        return found

    def over_judges(self, pair_rates: Floats) -> Floats:
        """Return rates by draw and contestant: the mean over judges of a pair, then over those met."""
        return self.over_opponents(_mean(pair_rates)[..., None])[..., 0]

    def gaps(self, pair_rates: Floats) -> Floats:
        """Return by contestant how far two judges are apart at most on pairs that both judged.

        NaN without two such judges. `pair_rates` are of one draw.
        """
        found = np.full(len(self.places), np.nan)
        for one, other in itertools.combinations(range(len(self.judges)), 2):
            both = pair_rates[..., [one, other]]
            both = np.where(np.isnan(both).any(axis=-1, keepdims=True), np.nan, both)
            rates = self.over_opponents(both)[0]
            found = np.fmax(found, np.abs(rates[:, 0] - rates[:, 1]))
        return found

    def is_fixed(self, place: int) -> bool:
        """Whether it is the baseline, which is 50 by construction."""
        return place == self._baseline

    def asked(self, place: int, judge: int | None = None) -> int:
        """Return on how many questions a contestant was judged, by any judge or the one at `judge`."""
        pairs, judges = np.divmod(self._columns, len(self.judges))
        is_there = (self._firsts + self._seconds)[pairs, place] > 0
        if judge is not None:
            is_there &= judges == judge
        return len(np.unique(self._rows[is_there]))

    def _turned(self, game: Game) -> tuple[int, int, int]:
        """Return both places, the smaller one first, and the score for it."""
        first, second = self.places[game.first], self.places[game.second]
        return (first, second, game.score) if first < second else (second, first, -game.score)

    def _columns_of(
        self, turned: Sequence[tuple[int, int, int]], games: Sequence[Game]
    ) -> Integers:
        numbers = {pair: number for number, pair in enumerate(self._pairs)}
        at = {judge: number for number, judge in enumerate(self.judges)}
        found = [
            numbers[first, second] * len(at) + at[game.judge]
            for (first, second, _score), game in zip(turned, games, strict=True)
        ]
        return np.array(found)

    def _worth(self) -> Floats:
        """Return the points of each game for the first of its pair."""
        worth: Floats = (np.sign(self._scores) + 1) / 2
        return worth

    def _by_judge(self, rates: Floats) -> Floats:
        return rates.reshape(len(rates), len(self._pairs), len(self.judges))


def _numbered(questions: Sequence[int]) -> tuple[Integers, int]:
    """Return the number of each one's question, and how many questions there are."""
    known, numbers = np.unique(questions, return_inverse=True)
    return numbers, len(known)


def _summed(rates: Any, meetings: Floats) -> Floats:
    """Sum over the pairs of each contestant, by draw and judge."""
    found: Floats = np.einsum("dpj,pc->dcj", rates.astype(float), meetings, optimize=True)
    return found


def _divided(totals: Any, counts: Any) -> Floats:
    found: Floats = np.divide(totals, counts, out=np.full(totals.shape, np.nan), where=counts > 0)
    return found


def _mean(rates: Floats) -> Floats:
    """The mean over judges, of those that have games."""
    there = ~np.isnan(rates)
    return _divided(np.where(there, rates, 0).sum(axis=-1), there.sum(axis=-1))
