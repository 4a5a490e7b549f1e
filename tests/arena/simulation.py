"""Arenas with known truth: questions that differ, judges that lean to the first side."""

import itertools

import numpy as np

from arena.figures import standings
from arena.rates import Game, points

FIRST_SIDE = 0.6
SPREAD = 1.5
CUTS = (-1.5, -0.4, 0.4, 1.5)
JUDGES = (1, 9)
LEVELS = {1: 0.6, 2: 0.5, 3: -0.5, 4: -0.6}
"""Contestants and how good they are. Judge 1 is contestant 1, judge 9 none of them."""


def games_of(
    rng: np.random.Generator, *, questions: int, edge: float, lean: float = FIRST_SIDE
) -> list[Game]:
    """Games of contestant 7 against 9 by two judges: questions differ more than verdicts do.

    What a judge thinks of a battle is kept in both orders, so that these are strongly correlated;
    the second judge is more severe.
    """
    games = []
    for question in range(questions):
        depth = rng.normal(edge, SPREAD)
        for judge, severity in ((1, 0.0), (2, -0.3)):
            opinion = depth + severity + rng.normal(0, 0.5)
            for is_swapped in (False, True):
                seen = opinion + (-lean if is_swapped else lean) + rng.normal(0, 0.3)
                games.append(Game(question, 7, 9, judge, is_swapped, _score(seen)))
    return games


def family_games(*, questions: int, bias: float, seed: int) -> list[Game]:
    """The same, where judge 1, of the family of contestant 7, adds `bias`, and both are as severe."""
    rng, games = np.random.default_rng(seed), []
    for question in range(questions):
        depth = rng.normal(0, SPREAD)
        for judge, more in ((1, bias), (2, 0.0)):
            opinion = depth + more + rng.normal(0, 0.5)
            for is_swapped in (False, True):
                seen = opinion + (-FIRST_SIDE if is_swapped else FIRST_SIDE)
                games.append(Game(question, 7, 9, judge, is_swapped, _score(seen)))
    return games


def coverage(*, arenas: int, questions: int, seed: int) -> float:
    """The share of arenas whose 95 % interval covers the rate of very many questions."""
    rng = np.random.default_rng(seed)
    truth = _rate(games_of(rng, questions=8_000, edge=0.3))
    hits = 0
    for number in range(arenas):
        games = games_of(rng, questions=questions, edge=0.3)
        found = standings(games, contestants=[7, 9], judges=[1, 2], baseline=9, seed=number)
        rate = next(each.rate for each in found if each.contestant == 7)
        hits += rate.low <= truth <= rate.high
    return hits / arenas


def games_among(rng: np.random.Generator, *, questions: int) -> list[Game]:
    """Games of all LEVELS against all, by judges without a bias who are of one opinion."""
    games = []
    for question in range(questions):
        for first, second in itertools.combinations(LEVELS, 2):
            opinion = rng.normal(LEVELS[first] - LEVELS[second], SPREAD)
            for judge, is_swapped in itertools.product(JUDGES, (False, True)):
                games.append(Game(question, first, second, judge, is_swapped, _score(opinion)))
    return games


def without_own(games: list[Game]) -> list[Game]:
    """Leave out what a judge does not judge: its own model's answers."""
    return [game for game in games if game.judge not in (game.first, game.second)]


def coverage_among(*, arenas: int, questions: int, seed: int) -> float:
    """The share of intervals that cover, of contestants of whom one is a judge too."""
    rng = np.random.default_rng(seed)
    truth = shares(games_among(rng, questions=8_000))
    hits = 0
    for number in range(arenas):
        games = without_own(games_among(rng, questions=questions))
        found = standings(
            games, contestants=list(LEVELS), judges=JUDGES, baseline=None, seed=number
        )
        hits += sum(each.rate.low <= truth[each.contestant] <= each.rate.high for each in found)
    return hits / (arenas * len(LEVELS))


def shares(games: list[Game]) -> dict[int, float]:
    found = standings(games, contestants=list(LEVELS), judges=JUDGES, baseline=None, seed=1)
    return {each.contestant: each.rate.share for each in found}


def _rate(games: list[Game]) -> float:
    return 100 * sum(points(game.score) for game in games) / len(games)


def _score(seen: float) -> int:
    return int(np.searchsorted(CUTS, seen)) - 2
