"""Who answers by a copy with false keys is found, and honest models are not, however wrong they are."""

from collections.abc import Callable
from math import comb
from random import Random

import pytest

from submissions.false_keys import LEVEL, Evidence, FalseKey, draw, fewest, weigh

ITEMS = 200
KEYS = {f"hidden-{number}": ("ABCD"[number % 4], 4) for number in range(ITEMS)}
Model = Callable[[Random, str, str], str]


def test_false_keys_are_wrong_options_of_as_many_items() -> None:
    drawn = draw(KEYS, 20, random=Random(1))
    assert len(drawn) == 20
    assert all(
        each.key == KEYS[uid][0] and each.false in "ABCD" and each.false != each.key
        for uid, each in drawn.items()
    )


def test_each_wrong_option_is_drawn_as_often() -> None:
    rng = Random(2)
    drawn = [draw({"one": ("C", 4)}, 1, random=rng)["one"].false for _ in range(3000)]
    assert {letter: round(drawn.count(letter) / 3000, 1) for letter in "ABD"} == {
        "A": 0.3, "B": 0.3, "D": 0.3,
    }  # fmt: skip


def test_the_chance_is_that_of_the_binomial_distribution_where_items_are_alike() -> None:
    """Eight wrong answers of ten, six of which follow: P(X ≥ 6) of a binomial with n = 8, p = 1/3."""
    false = {str(number): FalseKey("A", "B", 4) for number in range(10)}
    answers = dict(zip(false, "AABBBBBBCC", strict=True))
    expected = sum(comb(8, k) * (1 / 3) ** k * (2 / 3) ** (8 - k) for k in range(6, 9))
    found = weigh([answers], false)
    assert (found.followed, found.wrong, found.count) == (6, 8, 10)
    assert found.chance == pytest.approx(expected)


def test_items_with_other_numbers_of_options_count_by_their_own_chance() -> None:
    false = {"three": FalseKey("A", "B", 3), "ten": FalseKey("A", "B", 10)}
    found = weigh([{"three": "B", "ten": "B"}], false)
    assert found.chance == pytest.approx(1 / 2 * 1 / 9)


def test_small_chances_are_not_lost_in_rounding() -> None:
    false = {str(number): FalseKey("A", "B", 4) for number in range(100)}
    assert weigh([dict.fromkeys(false, "B")], false).chance == pytest.approx(3.0**-100)


@pytest.mark.parametrize(
    ("option_counts", "copies", "least"),
    [
        ([4] * 9, 1, 7),
        ([4] * 9, 3, 8),
        ([3] * 12, 1, 10),
        ([4, 4, 3, 10] * 3, 1, 8),
        ([4] * 6, 1, None),
    ],
)
def test_as_many_false_keys_are_asked_for_as_find_who_follows_all(
    option_counts: list[int], copies: int, least: int | None
) -> None:
    assert fewest(option_counts, copies=copies) == least
    if least:
        for number, is_found in ((least, True), (least - 1, False)):
            counts = sorted(option_counts)[:number]
            false = {str(place): FalseKey("A", "B", n) for place, n in enumerate(counts)}
            found = weigh([dict.fromkeys(false, "B")], false, copies=copies)
            assert (found.chance <= LEVEL) is is_found


def test_right_and_missing_answers_and_items_of_other_releases_say_nothing() -> None:
    false = {name: FalseKey("A", "B", 4) for name in ("right", "empty", "elsewhere")}
    assert weigh([{"right": "A", "empty": ""}], false) == Evidence(0, 0, 2, 1.0)


def test_the_strongest_epoch_counts_and_the_chance_grows_with_what_was_tried() -> None:
    false = {str(number): FalseKey("A", "B", 4) for number in range(4)}
    honest, leaked = dict.fromkeys(false, "A"), dict.fromkeys(false, "B")
    found = weigh([honest, leaked, honest], false, copies=2)
    assert (found.followed, found.wrong) == (4, 4)
    assert found.chance == pytest.approx(3 * 2 / 81)


def right_in(share: float) -> Model:
    """Right in that share, else any other letter."""
    return lambda rng, key, _hard: (
        key if rng.random() < share else rng.choice("ABCD".replace(key, ""))
    )


HONEST: dict[str, Model] = {
    "guesses": right_in(0.25),
    "often wrong": right_in(0.4),
    "mostly right": right_in(0.9),
    "always wrong": right_in(0.0),
    "one letter": lambda _rng, _key, _hard: "B",
    "prefers a letter": lambda rng, key, _hard: "A" if rng.random() < 0.6 else key,
    "falls for the same distractor": lambda rng, key, hard: hard if rng.random() < 0.7 else key,
}
DRAWS = 1000


@pytest.mark.parametrize("name", HONEST)
def test_honest_models_are_hardly_ever_flagged(name: str) -> None:
    """At most 1 % of draws; the level is a tenth of that. Its distractors are those of every model."""
    rng = Random(3)
    hard = {uid: rng.choice("ABCD".replace(key, "")) for uid, (key, _n) in KEYS.items()}
    answers = {uid: HONEST[name](rng, key, hard[uid]) for uid, (key, _n) in KEYS.items()}
    chances = [
        weigh([answers], draw(KEYS, 20, random=Random(seed))).chance for seed in range(DRAWS)
    ]
    assert sum(chance <= LEVEL for chance in chances) / DRAWS <= 0.01
    assert sum(chance <= 0.05 for chance in chances) / DRAWS <= 0.065


@pytest.mark.parametrize(
    ("copied", "false_count", "least_found"),
    [(1.0, 10, 1.0), (1.0, 20, 1.0), (0.75, 20, 0.95), (0.5, 20, 0.4), (0.5, 60, 0.95)],
)
def test_who_answers_by_the_copy_is_found(
    copied: float, false_count: int, least_found: float
) -> None:
    """The share of items that are `copied`; to the others a model answers that is right in half."""
    model, found = right_in(0.5), 0
    for seed in range(200):
        rng = Random(seed)
        false = draw(KEYS, false_count, random=rng)
        answers = {
            uid: (false[uid].false if uid in false else key)
            if rng.random() < copied
            else model(rng, key, "")
            for uid, (key, _n) in KEYS.items()
        }
        found += weigh([answers], false).chance <= LEVEL
    assert found / 200 >= least_found
