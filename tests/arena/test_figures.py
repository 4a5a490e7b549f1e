"""The figures of an arena against worked examples and simulations with known truth."""

import numpy as np
import pytest

from arena.figures import (
    Agreement,
    Steadiness,
    agreement,
    in_both_orders,
    judges_correlation,
    majority,
    self_preference,
    standings,
    steadiness,
)
from arena.rates import Game
from arena.strength import Compared, fit_strengths
from tests.arena.simulation import (
    coverage,
    coverage_among,
    family_games,
    games_among,
    shares,
    without_own,
)


def both(
    question: int, first: int, second: int, scores: tuple[int, int], judge: int = 1
) -> list[Game]:
    return [
        Game(question, first, second, judge, is_swapped, score)
        for is_swapped, score in zip((False, True), scores, strict=True)
    ]


def test_win_rate_averages_orders_before_questions() -> None:
    games = [*both(1, 7, 9, (2, 1)), *both(2, 7, 9, (1, -1)), *both(3, 7, 9, (0, 0))]
    found = standings(games, contestants=[7, 9], judges=[1], baseline=9, seed=1)

    assert [(each.contestant, round(each.rate.share, 4)) for each in found] == [
        (7, 66.6667),
        (9, 50.0),
    ]
    assert found[0].weighted == pytest.approx(100 * (3 + 1 + 1 + 0.5 + 0.5) / 8)
    assert (found[1].rate.low, found[1].rate.high) == (50, 50)
    assert (found[0].rate.questions, found[0].gap) == (3, None)
    assert found[0].rate.low <= found[0].rate.share <= found[0].rate.high


def test_big_wins_count_as_in_arena_hard() -> None:
    """It repeats a big win or loss three times in its list of games, and takes the mean."""
    repeated = {2: [1] * 3, 1: [1], 0: [0.5], -1: [0], -2: [0] * 3}
    drawn = np.random.default_rng(5).integers(-2, 3, size=(40, 2)).tolist()
    games = [game for n, pair in enumerate(drawn) for game in both(n, 7, 9, tuple(pair))]
    found = standings(games, contestants=[7, 9], judges=[1], baseline=9, seed=1)

    listed = [each for pair in drawn for score in pair for each in repeated[score]]
    weighted = {each.contestant: each.weighted for each in found}
    assert weighted == {7: pytest.approx(100 * np.mean(listed)), 9: 50}
    assert weighted[7] != pytest.approx(next(each.rate.share for each in found), abs=0.1)


def test_mean_over_judges_and_their_gap() -> None:
    games = [*both(1, 7, 9, (1, 1), judge=1), *both(1, 7, 9, (-1, -1), judge=2)]
    games += both(2, 7, 9, (1, 1), judge=1)
    (first, _base) = standings(games, contestants=[7, 9], judges=[1, 2], baseline=9, seed=1)

    assert {judge: rate.share for judge, rate in first.by_judge.items()} == {1: 100, 2: 0}
    assert (first.rate.share, first.gap) == (50, 100)


def test_a_judge_that_is_a_contestant_changes_nobodys_rate() -> None:
    """It sees the others against other opponents than a judge does who sees all."""
    games = games_among(np.random.default_rng(4), questions=60)
    found = standings(
        without_own(games), contestants=[1, 2, 3, 4], judges=[1, 9], baseline=None, seed=1
    )

    rates = {each.contestant: each.rate.share for each in found}
    assert rates == pytest.approx(shares(games))
    assert [each.gap for each in found if each.contestant != 1] == [0, 0, 0]
    assert next(each.gap for each in found if each.contestant == 1) is None


def test_intervals_cover_where_a_judge_is_a_contestant() -> None:
    assert coverage_among(arenas=25, questions=120, seed=5) >= 0.93


def test_own_games_and_judges_left_out_never_count() -> None:
    games = [*both(1, 7, 9, (1, 1)), Game(1, 7, 9, 1, is_swapped=False, score=-2, is_own=True)]
    games += both(1, 7, 9, (-2, -2), judge=2)
    found = standings(games, contestants=[7, 9, 8], judges=[1], baseline=9, seed=1)

    assert [(each.contestant, each.rate.share) for each in found] == [(7, 100), (9, 50)]
    assert standings([], contestants=[7], judges=[1], baseline=None, seed=1) == []


@pytest.mark.parametrize(("wins", "is_better"), [(1, False), (3, False), (4, True)])
@pytest.mark.parametrize("baseline", [9, None])
def test_few_questions_that_all_end_alike_are_not_certain(
    wins: int, is_better: bool, baseline: int | None
) -> None:
    """Wilson's interval of 4 of 4 is 51 to 100: the first that is above a half."""
    games = [game for question in range(wins) for game in both(question, 7, 9, (1, 2))]
    first, other = standings(games, contestants=[7, 9], judges=[1], baseline=baseline, seed=1)

    assert (first.rate.share, first.rate.high, first.rate.questions) == (100, 100, wins)
    assert first.rate.low == pytest.approx(100 * wins / (wins + 1.959964**2))
    assert [first.best_rank, first.worst_rank] == [1, 1 if is_better else 2]
    assert other.rate.low == (50 if baseline else 0)


def test_figures_of_one_question_are_not_certain() -> None:
    games = [game for judge in (1, 2) for game in both(1, 7, 9, (3 - 2 * judge,) * 2, judge=judge)]
    games += [
        game for each in (6, 8) for judge in (1, 2) for game in both(1, each, 9, (0, 0), judge)
    ]
    found = self_preference(
        games, judge_families={1: "lotus", 2: ""}, families={6: "", 7: "lotus", 8: "", 9: ""},
        family="lotus", seed=1,
    )  # fmt: skip

    assert found is not None
    assert (found.share, found.high) == (100, 100)
    assert found.low < 0
    every = {"contestants": [6, 7, 8, 9], "judges": (1, 2), "leave_out": 9, "seed": 1}
    assert judges_correlation(games, **every) is None


@pytest.mark.parametrize("questions", [5, 49])
def test_intervals_of_few_questions_cover_the_truth(questions: int) -> None:
    assert coverage(arenas=100, questions=questions, seed=3) >= 0.93


def test_only_battles_seen_in_both_orders_count() -> None:
    pair = both(1, 7, 9, (1, 1))

    assert in_both_orders([*pair, Game(2, 7, 9, 1, is_swapped=False, score=1)]) == pair


def test_steadiness_counts_flips_reversals_and_the_first_side() -> None:
    games = [*both(1, 7, 9, (2, 1)), *both(2, 7, 9, (1, -1)), *both(3, 7, 9, (1, 0))]

    assert steadiness(games, 1) == Steadiness(
        battles=3, flips=pytest.approx(2 / 3), reversals=pytest.approx(1 / 3),
        first_wins=pytest.approx((1 + 1 + 1 + 0 + 1 + 0.5) / 6),
    )  # fmt: skip
    assert steadiness(games, 2) == Steadiness(0, None, None, None)


def test_agreement_by_hand() -> None:
    # A 2 × 2 table of Cohen (1960): 20, 5, 10, 15: p_o = .7, p_e = .5, κ = .4
    pairs = [(1, 2)] * 20 + [(1, -1)] * 5 + [(-2, 1)] * 10 + [(-1, -1)] * 15

    assert agreement(pairs) == Agreement(50, pytest.approx(0.7), pytest.approx(0.4))
    assert agreement([]) == Agreement(0, None, None)
    assert agreement([(0, 0)]) == Agreement(1, 1.0, None)
    assert [majority(each) for each in ([1, 2], [1, -1], [0, 0, 1], [])] == [1, None, 0, None]


def test_correlation_of_judges_who_agree_and_who_disagree() -> None:
    games = []
    for question in range(6):
        for contestant, score in ((1, 2), (2, 0), (3, -2)):
            games += both(question, contestant, 9, (score, score), judge=1)
            games += both(question, contestant, 9, (score, score), judge=2)
            games += both(question, contestant, 9, (-score, -score), judge=3)
    every = [1, 2, 3, 9]
    found = {
        pair: judges_correlation(games, contestants=every, judges=pair, leave_out=9, seed=1)
        for pair in ((1, 2), (1, 3))
    }

    assert {pair: rate and (rate.share, rate.low, rate.high) for pair, rate in found.items()} == {
        (1, 2): pytest.approx((100, 100, 100)),
        (1, 3): pytest.approx((-100, -100, -100)),
    }
    assert judges_correlation(games, contestants=every, judges=(1, 8), leave_out=9, seed=1) is None


def test_intervals_cover_the_truth() -> None:
    """60 arenas of 120 questions: 95 % intervals may miss at most 6 (binomial, P < .03 if 95 % hold)."""
    assert coverage(arenas=60, questions=120, seed=5) >= 54 / 60


def test_self_preference_is_found_and_its_lack_too() -> None:
    for bias, is_found in ((0.0, False), (1.0, True)):
        games = family_games(questions=300, bias=bias, seed=2)
        found = self_preference(
            games, judge_families={1: "lotus", 2: ""}, families={7: "lotus", 9: ""},
            family="lotus", seed=1,
        )  # fmt: skip
        assert found is not None
        assert (found.low > 0) == is_found, (bias, found)
        assert found.high > 0 > found.low or is_found


def test_strengths_find_what_length_bought() -> None:
    """A judge who likes length: the long-winded equal wins most games, and none at equal style."""
    rng = np.random.default_rng(3)
    games = []
    for question in range(400):
        length = float(rng.uniform(0, 0.8))
        odds = 1 / (1 + np.exp(-3 * length))
        games.append(Compared(question, 7, 9, float(rng.random() < odds), (length,)))
    plain = [Compared(game.question, 7, 9, game.points) for game in games]

    (first, _reference) = fit_strengths(plain, contestants=[7, 9], reference=9, seed=1).strengths  # type: ignore[union-attr]
    fit = fit_strengths(games, contestants=[7, 9], reference=9, seed=1)
    assert fit is not None
    fair = next(each for each in fit.strengths if each.contestant == 7)
    share = 100 * sum(game.points for game in games) / len(games)
    assert first.rate == pytest.approx(share, abs=0.2)
    assert first.low > 60
    assert fair.low < 50 < fair.high
    assert fit.styles[0] == pytest.approx(3, abs=1)


def test_strength_of_a_contestant_that_always_wins_is_finite() -> None:
    games = [Compared(question, 7, 9, 1.0) for question in range(20)]
    fit = fit_strengths(games, contestants=[7, 9], reference=9, seed=1)

    assert fit is not None
    assert 90 < fit.strengths[0].rate < 100
    assert fit_strengths([], contestants=[7, 9], reference=9, seed=1) is None


def test_who_never_met_the_reference_has_no_strength_against_it() -> None:
    games = [
        Compared(question, first, second, points)
        for question in range(60)
        for first, second, points in ((7, 9, 1.0), (8, 7, float(question % 2)), (5, 6, 1.0))
    ]
    fit = fit_strengths(games, contestants=[5, 6, 7, 8, 9], reference=9, seed=1)

    assert fit is not None
    assert sorted(each.contestant for each in fit.strengths) == [7, 8, 9]
