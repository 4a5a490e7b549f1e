"""Bradley-Terry strengths of contestants, with length and style held equal.

A logistic regression of the points of a game on who played and on the differences of style (Bradley
and Terry 1952; the covariates as in arena-hard's style control). The libraries for Bradley-Terry
(evalica, choix) take no covariates, so scipy minimises the likelihood here. A weak normal prior
(standard deviation PRIOR on the scale of log odds) keeps the strength of a contestant that always
won finite.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

PRIOR: Final = 3.0
RESAMPLES: Final = 200
PERCENTILES: Final = (2.5, 97.5)
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Compared:
    """The points (1, .5, 0) of `first` in a game, with the differences of style."""

    question: int
    first: int
    second: int
    points: float
    style: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Strength:
    """Expected points in 100 against the reference, at equal style."""

    contestant: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Fit:
    """The rates are those against `reference`.

    `styles` are log odds for one unit of each relative difference; empty without style.
    """

    reference: int
    strengths: tuple[Strength, ...]
    styles: tuple[float, ...]


def fit_strengths(
    games: Sequence[Compared], *, contestants: Sequence[int], reference: int, seed: int
) -> Fit | None:
    """Fit, with intervals by drawing questions RESAMPLES times. None without games.

    `reference` has strength 0 and so a rate of 50. Who never met it, nor anybody who did, has no
    strength against it and is left out. Games need the same number of covariates.
    """
    known = _met(games, reference)
    games = [game for game in games if game.first in known]
    if not games:
        return None
    free = [each for each in contestants if each in known and each != reference]
    design, points = _design(games, free), np.array([game.points for game in games])
    questions, rows = np.unique([game.question for game in games], return_inverse=True)
    rng = np.random.default_rng(seed)
    even = np.full(len(questions), 1 / len(questions))
    draws = rng.multinomial(len(questions), even, size=RESAMPLES)
    fitted = _fit(design, points, np.ones(len(games)), np.zeros(design.shape[1]))
    drawn = np.array([_fit(design, points, draw[rows].astype(float), fitted) for draw in draws])
    own, rates = _rates(fitted), _rates(drawn)
    strengths = [Strength(reference, 50.0, 50.0, 50.0)]
    for place, contestant in enumerate(free):
        low, high = np.percentile(rates[:, place], PERCENTILES)
        strengths.append(Strength(contestant, float(own[place]), float(low), float(high)))
    strengths.sort(key=lambda each: (-each.rate, each.contestant))
    return Fit(reference, tuple(strengths), tuple(fitted[len(free) :].tolist()))


def _met(games: Sequence[Compared], reference: int) -> set[int]:
    """Return the reference and everybody whom a chain of games leads to."""
    others: dict[int, set[int]] = {}
    for game in games:
        others.setdefault(game.first, set()).add(game.second)
        others.setdefault(game.second, set()).add(game.first)
    found, waiting = {reference}, [reference]
    while waiting:
        new = others.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _design(games: Sequence[Compared], free: Sequence[int]) -> Floats:
    places = {contestant: place for place, contestant in enumerate(free)}
    found = np.zeros((len(games), len(free) + len(games[0].style)))
    for row, game in enumerate(games):
        if game.first in places:
            found[row, places[game.first]] += 1
        if game.second in places:
            found[row, places[game.second]] -= 1
        found[row, len(free) :] = game.style
    return found


def _fit(design: Floats, points: Floats, weights: Floats, start: Floats) -> Floats:
    from scipy.optimize import minimize
    from scipy.special import expit

    def loss(betas: Floats) -> tuple[float, Floats]:
        odds = design @ betas
        # log(1 + e^x) - y x, the negative log likelihood of points y between 0 and 1
        cost = weights @ (np.logaddexp(0, odds) - points * odds) + betas @ betas / (2 * PRIOR**2)
        slope = design.T @ (weights * (expit(odds) - points)) + betas / PRIOR**2
        return float(cost), slope

    found: Floats = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return found


def _rates(betas: Floats) -> Any:
    from scipy.special import expit

    return 100 * expit(betas)
