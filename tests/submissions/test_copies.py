"""Copies share errors; models that know nothing of each other share few, however strong the distractors."""

from random import Random

import pytest

from submissions.copies import LEVEL, Shared, shared_errors
from submissions.ladder import few

OPTIONS = "ABCD"
STRENGTH = 0.3
"""How even the wrong options of an item are: two wrong answers to it are equal in 68 of 100 cases."""
SPREAD = 2.5
"""How much items differ in difficulty, in logits."""


class Part:
    """Items with the key A, each with a difficulty and with wrong options of different strength."""

    def __init__(self, n: int, random: Random) -> None:
        self.random = random
        self.difficulty = [random.gauss(0, SPREAD) for _item in range(n)]
        self.weights = [
            [random.gammavariate(STRENGTH, 1) + 1e-9 for _ in range(3)] for _ in range(n)
        ]

    def answers(self, ability: float) -> list[str]:
        return [
            "A" if self.random.random() < 1 / (1 + 2.718281828 ** (hard - ability))
            else self.random.choices("BCD", weights)[0]
            for hard, weights in zip(self.difficulty, self.weights, strict=True)
        ]  # fmt: skip

    def changed(self, answers: list[str], count: int) -> list[str]:
        """Change `count` answers, as somebody does who hides that they copied."""
        found = list(answers)
        for place in self.random.sample(range(len(answers)), count):
            found[place] = self.random.choice([each for each in OPTIONS if each != found[place]])
        return found


def compared(answers: list[str], others: list[str]) -> Shared:
    right = [[answer == "A" for answer in each] for each in (answers, others)]
    return shared_errors(answers, others, right=right[0], others_right=right[1])


def test_two_good_models_that_share_one_error_are_not_taken_for_copies() -> None:
    """97.2 % and 97.0 % of 600 items, one equal error: so near that they are told the same."""
    one = ["B"] * 17 + ["A"] * 583
    two = ["A"] * 16 + ["B"] * 18 + ["A"] * 566
    assert few(600) == 33
    assert compared(one, two) == Shared(1, 34)
    assert not compared(one, two).is_strong


@pytest.mark.parametrize("n", [100, 600, 2000])
@pytest.mark.parametrize("ability", [-1.0, 1.0, 3.0, 5.0])
def test_independent_models_are_hardly_ever_taken_for_copies(n: int, ability: float) -> None:
    """Of 100 pairs none comes near; their share of equal errors is less than half by far."""
    random = Random(20261130)
    pairs = []
    for _pair in range(max(5, 10_000 // n)):
        part = Part(n, random)
        pairs.append(compared(part.answers(ability), part.answers(ability + random.gauss(0, 0.3))))
    assert not [pair for pair in pairs if pair.is_strong]
    assert sum(pair.alike for pair in pairs) < 0.5 * sum(pair.wrong for pair in pairs)


@pytest.mark.parametrize("n", [100, 600, 2000])
@pytest.mark.parametrize("ability", [-1.0, 1.0, 3.0])
def test_copies_with_a_few_changes_are_found(n: int, ability: float) -> None:
    """Changes in a fifth as many answers as the model has wrong."""
    random = Random(20261130)
    for _copy in range(max(5, 5_000 // n)):
        part = Part(n, random)
        answers = part.answers(ability)
        wrong = n - answers.count("A")
        found = compared(answers, part.changed(answers, wrong // 5))
        assert found.is_strong or wrong < 25, (found, found.chance)


def test_who_hides_a_copy_must_make_about_as_many_further_errors() -> None:
    part = Part(2000, Random(20261130))
    answers = part.answers(3.0)
    wrong = 2000 - answers.count("A")
    assert compared(answers, part.changed(answers, wrong // 2)).is_strong
    assert not compared(answers, part.changed(answers, 2 * wrong)).is_strong


def test_the_chance_is_the_tail_of_the_binomial_distribution() -> None:
    assert Shared(10, 10).chance == pytest.approx(2**-10)
    assert Shared(9, 10).chance == pytest.approx(11 / 1024)
    assert Shared(0, 0).chance == pytest.approx(1)
    assert not Shared(9, 9).is_strong
    assert Shared(5800, 10_000).chance < LEVEL


def test_items_are_left_out() -> None:
    right = [False, False, True]
    found = shared_errors("BBA", "BCA", right=right, others_right=right, without={0})
    assert found == Shared(0, 1)
