"""What the verdicts of an arena amount to: win rates, ranks, and how far judges can be trusted.

A game is one verdict: one judge, one battle, one order of the sides. Win rates are per question
first: the games of a contestant on a question are averaged, both orders among them, and the
questions are what the bootstrap draws (B = 1,000, percentiles 2.5 and 97.5). Games of one question
are no independent draws, so an interval from resampling games is too narrow.

Draws of few questions, or of questions that all ended alike, differ too little to tell the noise.
Then the interval is Wilson's, as of one won or lost game a question: rather too wide than too narrow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from arena.rates import RESAMPLES, Floats, Game, Table, points
from common.intervals import wilson_interval

PERCENTILES: Final = (2.5, 97.5)
FEWEST_DRAWN: Final = 50
"""With fewer questions an interval does not come from draws."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share in percent with its interval over questions, and the number of questions."""

    share: float
    low: float
    high: float
    questions: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A contestant: the mean over judges, each judge's rate, and the ranks that the noise allows.

    `weighted` is the rate over games instead of questions, of which a big win is BIG_WIN. `gap` is
    the largest difference between two judges; None with fewer than two.
    """

    contestant: int
    rate: Rate
    weighted: float
    by_judge: Mapping[int, Rate]
    gap: float | None
    best_rank: int
    worst_rank: int


def in_both_orders(games: Sequence[Game]) -> list[Game]:
    """Return the games whose judge saw the battle in both orders: a single one favours a place."""
    seen: dict[tuple[int, int, int, int], set[bool]] = {}
    for game in games:
        seen.setdefault(_sitting(game), set()).add(game.is_swapped)
    return [game for game in games if len(seen[_sitting(game)]) > 1]


def _sitting(game: Game) -> tuple[int, int, int, int]:
    return game.question, game.first, game.second, game.judge


def standings(
    games: Sequence[Game],
    *,
    contestants: Sequence[int],
    judges: Sequence[int],
    baseline: int | None,
    seed: int,
) -> list[Standing]:
    """Return the contestants that have games, the best first.

    The baseline is 50 by construction, without an interval. A rank is compatible with the noise if
    the 95 % interval of the difference to another contestant, on the same draws of questions,
    reaches 0.
    """
    counted = [game for game in games if not game.is_own and game.judge in judges]
    if not counted:
        return []
    table = Table(counted, contestants, judges, baseline)
    once, drawn = table.pair_rates(table.once()), table.pair_rates(table.draws(seed))
    resampled = table.over_judges(drawn)
    of_judges = _rates_of_judges(table, once, drawn)
    rates, weighted = table.over_judges(once)[0], table.over_judges(table.game_rates())[0]
    gaps = table.gaps(once)
    found = [
        Standing(
            contestant=contestant,
            rate=_rate_at(table, place, rates[place], resampled[:, place], table.asked(place)),
            weighted=100 * float(weighted[place]),
            by_judge=of_judges[place],
            gap=None if np.isnan(gaps[place]) else 100 * float(gaps[place]),
            best_rank=1,
            worst_rank=1,
        )
        for place, contestant in enumerate(contestants)
        if table.asked(place)
    ]
    return _ranked(found, table, resampled)


def _rates_of_judges(table: Table, once: Floats, drawn: Floats) -> list[dict[int, Rate]]:
    """Return the rates by each judge that has games of a contestant, by its place."""
    rates, resampled = table.over_opponents(once)[0], table.over_opponents(drawn)
    return [
        {
            judge: _rate_at(
                table, place, rates[place, at], resampled[:, place, at], table.asked(place, at)
            )
            for at, judge in enumerate(table.judges)
            if not np.isnan(rates[place, at])
        }
        for place in range(len(table.places))
    ]


def _rate_at(table: Table, place: int, share: float, resampled: Floats, questions: int) -> Rate:
    make = _fixed_rate if table.is_fixed(place) else _rate
    return make(float(share), resampled, questions)


def _ranked(found: list[Standing], table: Table, resampled: Floats) -> list[Standing]:
    """Give each its range of ranks; best rank is one more than the number of the clearly better."""
    drawn = {each.contestant: resampled[:, table.places[each.contestant]] for each in found}
    ranked = []
    for each in found:
        bounds = [
            _gap_bounds(each, other, drawn[other.contestant] - drawn[each.contestant], table)
            for other in found
            if other is not each
        ]
        best = 1 + sum(bool(low > 0) for low, _high in bounds)
        worst = len(found) - sum(bool(high < 0) for _low, high in bounds)
        ranked.append(replace(each, best_rank=best, worst_rank=worst))
    return sorted(ranked, key=lambda each: (-each.rate.share, each.contestant))


def _gap_bounds(
    own: Standing, other: Standing, resampled: Floats, table: Table
) -> tuple[float, float]:
    """Return the interval of the other's rate less the own one; that of a baseline never varies."""
    varying = [each for each in (own, other) if not table.is_fixed(table.places[each.contestant])]
    reach = len(varying) / 2
    questions = min(each.rate.questions for each in varying)
    gap = (other.rate.share - own.rate.share) / 100
    return _bounds(gap, resampled, questions, worst=-reach, best=reach)


def _rate(share: float, resampled: Floats, questions: int, worst: float = 0.0) -> Rate:
    low, high = _bounds(share, resampled, questions, worst=worst)
    return Rate(100 * share, 100 * low, 100 * high, questions)


def _fixed_rate(share: float, _resampled: Floats, questions: int) -> Rate:
    return Rate(100 * share, 100 * share, 100 * share, questions)


def _bounds(
    share: float, resampled: Floats, questions: int, *, worst: float = 0.0, best: float = 1.0
) -> tuple[float, float]:
    """Return the 95 % interval of a mean over questions, each from `worst` to `best`."""
    low, high = map(float, np.nanpercentile(resampled, PERCENTILES))
    if questions >= FEWEST_DRAWN and low < high:
        return low, high
    width = best - worst
    found = wilson_interval((share - worst) / width * questions, questions)
    return worst + width * found.low, worst + width * found.high


@dataclass(frozen=True, slots=True)
class Steadiness:
    """How a judge takes the two orders of a battle.

    flips: share of battles whose verdict differs by more than its size, as from a win to a tie
    reversals: share in which the winner changes
    first_wins: points of the side that stood first; .5 for a judge without a preference for a place
    """

    battles: int
    flips: float | None
    reversals: float | None
    first_wins: float | None


def steadiness(games: Sequence[Game], judge: int) -> Steadiness:
    pairs: dict[tuple[int, int, int], dict[bool, int]] = {}
    own = [game for game in games if game.judge == judge]
    for game in own:
        of_battle = pairs.setdefault((game.question, game.first, game.second), {})
        of_battle[game.is_swapped] = int(np.sign(game.score))
    both = [(one[False], one[True]) for one in pairs.values() if len(one) == len((False, True))]
    if not both:
        return Steadiness(0, None, None, None)
    firsts = [points(-game.score if game.is_swapped else game.score) for game in own]
    return Steadiness(
        battles=len(both),
        flips=sum(a != b for a, b in both) / len(both),
        reversals=sum(a * b < 0 for a, b in both) / len(both),
        first_wins=sum(firsts) / len(firsts),
    )


def self_preference(
    games: Sequence[Game],
    *,
    judge_families: Mapping[int, str],
    families: Mapping[int, str],
    family: str,
    seed: int,
) -> Rate | None:
    """Return by how many points in 100 judges of a family rate it higher than other judges do.

    On the same battles of a contestant of the family against one of another; those that only one
    side judged are left out. None if there are none, as in an arena of ours, where a judge never
    sees its family.
    """
    found: dict[int, list[float]] = {}
    for (question, _first, _second), (own, other) in _both_views(
        games, judge_families, families, family
    ).items():
        if own and other:
            found.setdefault(question, []).append(float(np.mean(own) - np.mean(other)))
    if not found:
        return None
    values = np.array([np.mean(each) for each in found.values()])
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, len(values), size=(RESAMPLES, len(values)))
    return _rate(float(values.mean()), values[drawn].mean(axis=1), len(values), worst=-1.0)


def _both_views(
    games: Sequence[Game],
    judge_families: Mapping[int, str],
    families: Mapping[int, str],
    family: str,
) -> dict[tuple[int, int, int], tuple[list[float], list[float]]]:
    views: dict[tuple[int, int, int], tuple[list[float], list[float]]] = {}
    for game in games:
        first, second = families[game.first] == family, families[game.second] == family
        if first == second:
            continue
        worth = points(game.score if first else -game.score)
        key = (game.question, game.first, game.second)
        own, other = views.setdefault(key, ([], []))
        judge = judge_families[game.judge]
        if judge == family:
            own.append(worth)
        elif not judge or judge not in (families[game.first], families[game.second]):
            other.append(worth)
    return views


def judges_correlation(
    games: Sequence[Game],
    *,
    contestants: Sequence[int],
    judges: tuple[int, int],
    leave_out: int | None,
    seed: int,
) -> Rate | None:
    """Return Spearman's ρ of two judges' win rates with its interval over questions, in 100ths.

    Of the pairs of contestants that both have judged.

    `leave_out` is a baseline, whose rate is no measurement. None with fewer than three contestants
    that both have judged: ρ of two is always 1 or -1. None with one question, whose draws are all alike.
    """
    counted = [game for game in games if not game.is_own and game.judge in judges]
    if not counted:
        return None
    table = Table(counted, contestants, judges, None)
    once = table.pair_rates(table.once())
    is_by_both = ~np.isnan(once).any(axis=2, keepdims=True)
    rates = table.over_opponents(np.where(is_by_both, once, np.nan))[0]
    there = ~np.isnan(rates).any(axis=1)
    if leave_out is not None:
        there[table.places[leave_out]] = False
    if there.sum() < 3 or table.questions < 2:
        return None
    pairs = table.pair_rates(table.draws(seed))
    resampled = table.over_opponents(np.where(is_by_both, pairs, np.nan))[:, there]
    own, drawn = _spearman(rates[None, there])[0], _spearman(resampled)
    if np.isnan(own) or np.isnan(drawn).all():
        return None
    low, high = map(float, np.nanpercentile(drawn, PERCENTILES))
    return Rate(100 * float(own), 100 * low, 100 * high, table.questions)


def _spearman(rates: Floats) -> Floats:
    """ρ of the two judges of each draw, as the correlation of midranks.

    NaN where one judge rates all alike or saw too little.
    """
    from scipy.stats import rankdata

    ranks = rankdata(rates, axis=1, nan_policy="propagate")
    ranks -= ranks.mean(axis=1, keepdims=True)
    spread = np.sqrt((ranks**2).sum(axis=1).prod(axis=1))
    together = ranks.prod(axis=2).sum(axis=1)
    found: Floats = np.divide(together, spread, out=np.full(len(rates), np.nan), where=spread > 0)
    return found


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often two agree on who is better or that neither is, and Cohen's κ; None if undefined."""

    battles: int
    share: float | None
    kappa: float | None


def agreement(pairs: Sequence[tuple[int, int]]) -> Agreement:
    """Compare signs of scores, by Cohen (1960): κ = (p_o - p_e) / (1 - p_e)."""
    if not pairs:
        return Agreement(0, None, None)
    signs = np.sign(np.array(pairs))
    observed = float((signs[:, 0] == signs[:, 1]).mean())
    expected = sum(
        float((signs[:, 0] == each).mean() * (signs[:, 1] == each).mean()) for each in (-1, 0, 1)
    )
    kappa = None if expected == 1 else (observed - expected) / (1 - expected)
    return Agreement(len(pairs), observed, kappa)


def majority(scores: Sequence[int]) -> int | None:
    """Return the sign that more than half of the scores have, or None."""
    signs = [int(np.sign(score)) for score in scores]
    return next((sign for sign in (-1, 0, 1) if 2 * signs.count(sign) > len(signs)), None)


def verdict_of_judge(scores: Sequence[int]) -> int:
    """Return a judge's verdict on a battle from both orders: the sign of their sum, so opposites tie."""
    return int(np.sign(sum(scores)))
