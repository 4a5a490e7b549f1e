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


def test_the_bits_of_answers_sum_up_to_those_of_which_climbed_and_of_each_score() -> None:
    bits = sum(
        ladder.answer_bits(requests, climbs, 1000, is_climb=is_climb)
        for requests, climbs, is_climb in [(0, 0, True), (1, 1, False), (2, 1, True)]
    )
    assert bits == pytest.approx(math.log2(3 * 2) + 2 * math.log2(51))
    assert ladder.which_bits(3, 2) == pytest.approx(math.log2(6))
    assert ladder.which_bits(0, 0) == ladder.which_bits(1, 1) == 0
    assert ladder.category_bits([100]) == pytest.approx(math.log2(21))


@given(st.integers(0, 12), st.integers(0, 10), st.integers(0, 1000), st.data())
def test_no_answers_tell_more_than_the_most(
    requests: int, more: int, seed: int, data: st.DataObject
) -> None:
    climbs = data.draw(st.integers(min(1, requests), requests))
    rng, n, told = np.random.default_rng(seed), 60, 0.0
    most = ladder.most_answer_bits(requests, climbs, n, more)
    for each in range(requests, requests + more):
        is_climb = not each or bool(rng.integers(2))
        told += ladder.answer_bits(each, climbs, n, is_climb=is_climb)
        climbs += is_climb
    assert told <= most + 1e-9


@given(st.integers(0, 30), st.floats(0, 100), st.data())
def test_as_many_scores_are_left_as_fit(requests: int, bits: float, data: st.DataObject) -> None:
    climbs = data.draw(st.integers(min(1, requests), requests))
    left = ladder.scores_left(requests, climbs, 100, bits)
    assert ladder.most_answer_bits(requests, climbs, 100, left) <= bits
    assert ladder.most_answer_bits(requests, climbs, 100, left + 1) > bits


def test_the_transcripts_of_a_simulation_are_fewer_than_the_bits_allow() -> None:
    """Over all keys of a tiny part: what is heard, first and by corrected keys, costs what it says.

    Kraft's inequality: texts of so many bits are told apart only if 2 to the power of minus the bits
    sums up to 1 at most. So nothing that is heard tells more than its bits.
    """
    n, sent = 4, [(0, 0, 0, 0), (1, 1, 1, 1), (0, 1, 0, 1)]
    heard: dict[object, float] = {}
    for keys in np.ndindex(2, 2, 2, 2):
        first, bits, told = hear(sent, keys, n)
        heard[first] = bits
        for corrected in np.ndindex(2, 2, 2, 2):
            again, more = hear_again(sent, corrected, n, told)
            heard[first, again] = bits + more
    firsts = [bits for text, bits in heard.items() if not isinstance(text[0], tuple)]
    assert 0 < sum(2**-bits for bits in firsts) <= 1
    assert sum(2**-bits for text, bits in heard.items() if isinstance(text[0], tuple)) <= 1


def right(answers: tuple[int, ...], keys: tuple[int, ...]) -> int:
    return sum(a == k for a, k in zip(answers, keys, strict=True))


def hear(
    sent: list[tuple[int, ...]], keys: tuple[int, ...], n: int
) -> tuple[tuple[float | None, ...], float, list[bool]]:
    """Return what a team hears, its bits, and which were told."""
    best, climbs, bits = None, 0, 0.0
    text: list[float | None] = []
    for request, answers in enumerate(sent):
        correct = right(answers, keys)
        is_told = ladder.is_climb(correct, best, n, request + 1)
        bits += ladder.answer_bits(request, climbs, n, is_climb=is_told)
        climbs, best = climbs + is_told, correct if is_told else best
        text.append(ladder.rounded(correct, n) if is_told else None)
    return tuple(text), bits, [each is not None for each in text]


def hear_again(
    sent: list[tuple[int, ...]], keys: tuple[int, ...], n: int, told: list[bool]
) -> tuple[tuple[float | None, ...], float]:
    """Return what it hears by corrected keys, and the bits."""
    counted = [right(answers, keys) for answers in sent]
    now, _best = ladder.replay(list(zip(counted, told, strict=True)), n)
    text = tuple(
        ladder.rounded(c, n) if is_told else None for c, is_told in zip(counted, now, strict=True)
    )
    before = sum(told)
    bits = ladder.correction_bits(
        before=before, now=sum(now) - before, untold=len(sent) - before, n=n
    )
    return text, bits


@given(st.lists(st.integers(0, 60), max_size=12))
def test_a_replay_by_the_same_keys_tells_nothing_new(counted: list[int]) -> None:
    first, best = ladder.replay([(c, False) for c in counted], 60)
    again = ladder.replay(list(zip(counted, first, strict=True)), 60)
    assert again == (first, best)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=12))
def test_after_a_replay_nothing_untold_is_better_than_the_best_by_more_than_noise(
    counted: list[tuple[int, int]],
) -> None:
    before, _best = ladder.replay([(old, False) for old, _new in counted], 60)
    sent = [(new, told) for (_old, new), told in zip(counted, before, strict=True)]
    after, best = ladder.replay(sent, 60)
    assert all(now for now, then in zip(after, before, strict=True) if then)
    for request, ((new, _told), is_told) in enumerate(zip(sent, after, strict=True), 1):
        assert is_told or not ladder.is_climb(new, best, 60, request)


@pytest.mark.parametrize("n", [200, 1000])
def test_a_thousand_requests_and_a_correction_gain_no_more_than_noise(n: int) -> None:
    """Guesses that are told by corrected keys are few, and no better than noise."""
    for seed in SEEDS:
        part = Part(n, seed)
        sent = [part.guess() for _ in range(REQUESTS)]
        first, _best = ladder.replay([(part.correct(answers), False) for answers in sent], n)
        places = part.rng.choice(n, n // 20, replace=False)
        part.keys[places] = part.rng.integers(OPTIONS, size=len(places))
        counted = [part.correct(answers) for answers in sent]
        told, best = ladder.replay(list(zip(counted, first, strict=True)), n)
        assert sum(told) - sum(first) <= 3
        assert best is not None and best / n - 1 / OPTIONS <= ladder.step_of(n, REQUESTS)


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
