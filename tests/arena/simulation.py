"""Arenas with known truth: questions that differ, judges that lean to the first side."""

import numpy as np

from arena.figures import Game, points, standings

FIRST_SIDE = 0.6
SPREAD = 1.5
CUTS = (-1.5, -0.4, 0.4, 1.5)


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


def _rate(games: list[Game]) -> float:
    return 100 * sum(points(game.score) for game in games) / len(games)


def _score(seen: float) -> int:
    return int(np.searchsorted(CUTS, seen)) - 2
