"""The ladder against attackers whose true score is known: they guess, so it is that of guessing."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions import ladder

OPTIONS, REQUESTS, SEEDS = 4, 1000, range(12)
Answers = np.ndarray
Tell = Callable[[Answers], float]


@dataclass
class Part:
    """A hidden part of `n` items and as many others that are never scored for the attacker."""

    n: int
    seed: int
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.keys = self.rng.integers(OPTIONS, size=2 * self.n)

    def guess(self) -> Answers:
        return self.rng.integers(OPTIONS, size=2 * self.n)

    def correct(self, answers: Answers) -> int:
        return int((answers[: self.n] == self.keys[: self.n]).sum())

    def gain(self, answers: Answers) -> float:
        """The share of the scored items above guessing."""
        return self.correct(answers) / self.n - 1 / OPTIONS

    def held_out(self, answers: Answers) -> float:
        """The share of the items that were never scored."""
        return float((answers[self.n :] == self.keys[self.n :]).mean())


class Ladder:
    """Tells a team what the service tells it."""

    def __init__(self, part: Part) -> None:
        self.part, self.best, self.requests, self.told, self.climbs = part, None, 0, 0.0, 0

    def __call__(self, answers: Answers) -> float:
        correct, n = self.part.correct(answers), self.part.n
        self.requests += 1
        if ladder.is_climb(correct, self.best, n, self.requests):
            self.best, self.told = correct, ladder.rounded(correct, n)
            self.climbs += 1
        return self.told


def exactly(part: Part) -> Tell:
    """Tells every score as it is: what the ladder is there to prevent."""
    return lambda answers: part.correct(answers) / part.n


def hill_climb(part: Part, tell: Tell) -> Answers:
    """Change a tenth of the answers at random and keep what is told to be better."""
    best = part.guess()
    score = tell(best)
    for _ in range(REQUESTS - 1):
        other = best.copy()
        places = part.rng.integers(2 * part.n, size=part.n // 5)
        other[places] = part.rng.integers(OPTIONS, size=len(places))
        told = tell(other)
        if told > score:
            best, score = other, told
    return best


def boost(part: Part, tell: Tell) -> Answers:
    """Send guesses, and answer by majority of those that were told to be better than the first."""
    sent = [part.guess() for _ in range(REQUESTS)]
    told = [tell(answers) for answers in sent]
    records = [sent[0]]
    for answers, one, before in zip(sent[1:], told[1:], told, strict=False):
        if one > before:
            records.append(answers)
    votes = [(np.array(records) == option).sum(0) for option in range(OPTIONS)]
    winners: Answers = np.array(votes).argmax(0)
    return winners


ATTACKS = [hill_climb, boost]


def outcomes(
    attack: Callable[[Part, Tell], Answers], n: int
) -> Iterator[tuple[Part, Ladder, Answers]]:
    for seed in SEEDS:
        part = Part(n, seed)
        tell = Ladder(part)
        yield part, tell, attack(part, tell)


@pytest.mark.parametrize("n", [200, 1000])
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_thousand_requests_gain_no_more_than_noise(
    attack: Callable[..., Answers], n: int
) -> None:
    noise = ladder.step_of(n)
    for part, tell, answers in outcomes(attack, n):
        assert part.gain(answers) <= noise
        assert tell.told - part.held_out(answers) <= noise + ladder.unit_of(n)
        assert tell.climbs <= 3


@pytest.mark.parametrize("attack", ATTACKS)
def test_without_the_ladder_the_same_attacks_succeed(attack: Callable[..., Answers]) -> None:
    n = 1000
    gains = []
    for seed in SEEDS:
        part = Part(n, seed)
        gains.append(part.gain(attack(part, exactly(part))))
    assert np.mean(gains) > 1.2 * ladder.step_of(n)


def test_probing_one_item_at_a_time_tells_nothing() -> None:
    part = Part(300, 1)
    tell, answers = Ladder(part), part.guess()
    first = tell(answers)
    for place in range(300):
        other = answers.copy()
        other[place] = (other[place] + 1) % OPTIONS
        assert tell(other) == first


def test_a_model_that_is_better_is_told_so() -> None:
    n = 1000
    assert ladder.is_climb(500, None, n, 1)
    assert ladder.is_climb(560, 500, n, 2)
    assert not ladder.is_climb(540, 500, n, 2)


def test_step_is_the_noise_of_a_difference_and_grows_with_requests() -> None:
    assert ladder.step_of(10_000) == pytest.approx(1.96 * math.sqrt(2 * 0.25 / 10_000))
    assert ladder.step_of(10_000, 1000) == pytest.approx(math.sqrt(2 * math.log(1000) / 20_000))


@pytest.mark.parametrize(("n", "unit"), [(100, 0.05), (1000, 0.02), (10_000, 0.005)])
def test_scores_are_rounded_to_less_than_half_a_step(n: int, unit: float) -> None:
    assert ladder.unit_of(n) == pytest.approx(unit)


@given(st.integers(2, 20_000), st.data())
def test_rounding_is_within_half_a_unit(n: int, data: st.DataObject) -> None:
    correct = data.draw(st.integers(0, n))
    assert abs(ladder.rounded(correct, n) - correct / n) <= ladder.unit_of(n) / 2 + 1e-9


@given(st.integers(1, 20_000))
def test_answers_that_are_few_cannot_climb(n: int) -> None:
    assert not ladder.is_climb(ladder.few(n), 0, n, 1)


@given(st.data())
def test_scores_of_near_epochs_differ_by_few(data: st.DataObject) -> None:
    n = 40
    epochs = [data.draw(st.integers(1, 3)) for _each in range(2)]
    letters = st.sampled_from("AAAAAB")
    one, two = (data.draw(st.lists(letters, min_size=n * e, max_size=n * e)) for e in epochs)
    shares = [found.count("A") / e for found, e in zip((one, two), epochs, strict=True)]
    if ladder.is_near(one, two, n):
        assert abs(shares[0] - shares[1]) <= ladder.few(n) + 1e-9
    assert ladder.is_near(one, two, n) == ladder.is_near(two, one, n)


def test_repeated_answers_and_other_orders_of_epochs_are_near() -> None:
    one, two = list("ABCD" * 10), list("BCDA" * 10)
    assert ladder.is_near(one, one * 3, 40)
    assert ladder.is_near(one + two, two + one, 40)
    assert not ladder.is_near(one, two, 40)
    assert not ladder.is_near(one, one + two, 40)


def test_bits_told_bound_what_was_counted() -> None:
    told = ladder.told_bits(requests=3, climbs=1, tellings=1, n=1000, categories={"law": 100})
    assert told == pytest.approx(math.log2(3) + math.log2(51) + math.log2(21))
    assert ladder.told_bits(requests=0, climbs=0, tellings=0, n=1000, categories={}) == 0
    contact = ladder.told_bits(requests=0, climbs=0, tellings=0, n=1000, categories={}, contacts=3)
    assert contact == 3


def test_the_transcripts_of_a_simulation_are_fewer_than_the_bits_allow() -> None:
    """As many different answers as there are, by brute force over the keys of a tiny part."""
    n, sent = 4, [(0, 0, 0, 0), (1, 1, 1, 1), (0, 1, 0, 1)]
    transcripts = set()
    for keys in np.ndindex(2, 2, 2, 2):
        best, told, climbs = None, [], 0
        for request, answers in enumerate(sent, 1):
            correct = sum(a == k for a, k in zip(answers, keys, strict=True))
            if ladder.is_climb(correct, best, n, request):
                best, climbs = correct, climbs + 1
                told.append(ladder.rounded(correct, n))
            else:
                told.append(None)
        transcripts.add((climbs, tuple(told)))
    for climbs in {climbs for climbs, _told in transcripts}:
        count = sum(each == climbs for each, _told in transcripts)
        allowed = ladder.told_bits(
            requests=len(sent), climbs=climbs, tellings=climbs, n=n, categories={}
        )
        assert math.log2(count) <= allowed


def test_a_small_part_may_be_told_some_bits_and_a_large_one_a_twentieth() -> None:
    assert ladder.most_bits([4] * 100) == 64
    assert ladder.most_bits([4] * 10_000) == pytest.approx(1000)


@pytest.mark.parametrize(
    ("sizes", "n", "told"),
    [
        ({"law": 40, "history": 60}, 100, {"law", "history"}),
        ({"law": 5, "history": 60, "physics": 50}, 115, {"history"}),  # law would be the rest
        ({"law": 15, "art": 10, "history": 60, "physics": 50}, 135, {"history", "physics"}),
        ({"": 5, "history": 60, "physics": 50}, 115, {"history"}),  # so are items without one
        ({"law": 5}, 5, set()),
    ],
)
def test_total_and_told_groups_tell_of_no_small_group(
    sizes: dict[str, int], n: int, told: set[str]
) -> None:
    assert set(ladder.tellable(sizes, n, fewest=20)) == told


@given(st.dictionaries(st.text(max_size=2), st.integers(1, 60), max_size=6), st.integers(1, 30))
def test_what_is_left_out_of_a_total_is_nothing_or_enough(sizes: dict[str, int], few: int) -> None:
    n = sum(sizes.values())
    left_out = n - sum(ladder.tellable(sizes, n, few).values())
    assert left_out == 0 or left_out >= min(few, n)
